"""A GGUF file of a supported architecture opens as SmolLM2's does; damaged and hostile ones get one sentence."""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch
import transformers
from tokenizers.pre_tokenizers import ByteLevel

import mha
from mha.errors import MHAError, ModelUnavailable
from mha.models.__main__ import main
from mha.models.files import catalog, conversion
from mha.server.command_line import opening_with

pytestmark = pytest.mark.filterwarnings("ignore")

TOKENS = ["<|end|>", *sorted(ByteLevel.alphabet()), "Ġt", "he", "Ġthe"]
TEXT = "the cat the"
SIZES = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4}
SIZES |= {"num_key_value_heads": 2, "vocab_size": len(TOKENS), "max_position_embeddings": 64, "rms_norm_eps": 1e-6}
ARCHITECTURES = {
    "llama": ("LlamaForCausalLM", SIZES | {"tie_word_embeddings": True}, gguf.MODEL_ARCH.LLAMA),
    "qwen2": ("Qwen2ForCausalLM", SIZES | {"tie_word_embeddings": True}, gguf.MODEL_ARCH.QWEN2),
    "gpt2": (
        "GPT2LMHeadModel",
        {"vocab_size": len(TOKENS), "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 64},
        gguf.MODEL_ARCH.GPT2,
    ),
}
KINDS = gguf.GGMLQuantizationType


def model_of(architecture: str) -> Any:
    name, sizes, _ = ARCHITECTURES[architecture]
    torch.manual_seed(1)
    model_class = getattr(transformers, name)
    model = model_class(model_class.config_class(**sizes, bos_token_id=0, eos_token_id=0)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    return model


def saved(path: Path, architecture: str = "llama", kind: Any = KINDS.F32) -> Path:
    """Write a random model as llama.cpp's converter does, matrices rounded to a kind of numbers."""
    model, writer = model_of(architecture), gguf.GGUFWriter(str(path), architecture)
    config = model.config
    writer.add_block_count(2)
    writer.add_embedding_length(64)
    writer.add_head_count(4)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_vocab_size(len(TOKENS))
    if architecture == "gpt2":
        writer.add_layer_norm_eps(1e-5)
    else:
        writer.add_feed_forward_length(96)
        writer.add_layer_norm_rms_eps(1e-6)
        writer.add_head_count_kv(2)
        writer.add_rope_freq_base(1e4)
        writer.add_rope_dimension_count(16)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt2")
    writer.add_token_list(TOKENS)
    writer.add_token_merges(["Ġ t", "h e", "Ġt he"])
    writer.add_token_types([3] + [1] * (len(TOKENS) - 1))
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    names = gguf.get_tensor_name_map(ARCHITECTURES[architecture][2], 2)
    for name, tensor in model.state_dict().items():
        if name == "lm_head.weight":
            continue
        part, _, end = name.rpartition(".")
        array = tensor.numpy()
        if architecture == "llama" and (".q_proj." in name or ".k_proj." in name):
            n_heads = 4 if ".q_proj." in name else 2
            array = array.reshape(n_heads, 2, -1, array.shape[-1]).swapaxes(1, 2).reshape(array.shape)
        if name.endswith(("c_attn.weight", "c_proj.weight", "c_fc.weight")):
            array = array.T
        is_rounded = array.ndim > 1 and kind is not KINDS.F32
        array = np.ascontiguousarray(array)
        array = gguf.quantize(array, kind) if is_rounded else array
        writer.add_tensor(f"{names.get_name(part)}.{end}", array, raw_dtype=kind if is_rounded else None)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PARALLAX_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize(
    ("architecture", "kind", "slack"),
    [
        ("llama", KINDS.F32, 1e-6), ("qwen2", KINDS.F32, 1e-6), ("gpt2", KINDS.F32, 1e-6), ("llama", KINDS.BF16, 0.02),
        ("llama", KINDS.Q8_0, 0.05), ("llama", KINDS.Q4_0, 0.5), ("llama", KINDS.Q5_1, 0.5),
    ],
)  # fmt: skip
def test_attention_is_that_of_the_model(architecture, kind, slack, tmp_path):
    path = saved(tmp_path / f"{architecture}.{kind.name}.gguf", architecture, kind)
    maps, loaded, model = mha.attend(TEXT, model=path), mha.load_model(path), model_of(architecture)
    model.set_attn_implementation("eager")
    ids = torch.tensor([[TOKENS.index(token.raw) for token in maps.tokens]])
    with torch.no_grad():
        eager = torch.cat(model(ids, output_attentions=True).attentions).numpy()
    np.testing.assert_allclose(maps.weights, eager, atol=slack)
    assert maps.model == path.stem
    rounded = f"The weights are rounded, as {kind.name} of its GGUF file."
    assert loaded.row.notes == (() if kind in (KINDS.F32, KINDS.BF16) else (rounded,))
    assert loaded.row.source == path.name


def test_file_converted_once_by_hash(tmp_path, cache, monkeypatch):
    path = saved(tmp_path / "mine.gguf")
    first = conversion.snapshot_of(path)
    assert first.parent == cache
    with monkeypatch.context() as patch:
        patch.setattr(conversion, "_read", lambda *_: pytest.fail("converted again"))
        assert conversion.snapshot_of(path) == first
    path.write_bytes(path.read_bytes()[:-4] + b"\0\0\0\0")
    assert conversion.snapshot_of(path) != first
    assert {folder.suffix for folder in cache.iterdir()} == {"", ".lock"}  # no draft is left


def test_file_offered_and_opened(tmp_path, monkeypatch, capsys):
    path = saved(tmp_path / "mine.gguf")
    assert main([str(path)]) == 0
    assert "Writing the snapshot: 100%" in capsys.readouterr().out
    settings = opening_with(str(path), {})
    assert settings == {catalog.OPENS_WITH: "mine", catalog.VARIABLE: str(path)}
    row = catalog.offer_of(str(path))
    assert (row.name, row.n_layers, row.n_heads, row.predicts, row.source) == ("mine", 2, 4, "next", "mine.gguf")


def test_name_in_capitals_opened(tmp_path):
    path = saved(tmp_path / "MINE.GGUF")
    assert mha.attend(TEXT, model=path).model == "MINE"
    assert opening_with(str(path), {})[catalog.OPENS_WITH] == "MINE"


def replaced(data: bytes, key: bytes, skip: int, value: bytes) -> bytes:
    """Return a file with other bytes a few places behind a key of its header."""
    start = data.index(key) + len(key) + skip
    return data[:start] + value + data[start + len(value) :]


HUGE = struct.pack("<Q", 2**62)
DAMAGED: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda data: b"", "is not a GGUF file: it does not begin with the letters GGUF"),
    "magic": (lambda data: b"GGML" + data[4:], "is not a GGUF file"),
    "cut weights": (lambda data: data[:-100], "is damaged or cut off, its header does not fit the file"),
    "cut header": (lambda data: data[:300], "is damaged or cut off"),
    "version": (lambda data: data[:4] + b"\x63" + data[5:], "is damaged or cut off"),
    "tensors": (lambda data: data[:8] + HUGE + data[16:], "is damaged or cut off"),
    "entries": (lambda data: data[:16] + HUGE + data[24:], "is damaged or cut off"),
    "array": (lambda data: replaced(data, b"tokenizer.ggml.tokens", 8, HUGE), "is damaged or cut off"),
    "string": (lambda data: replaced(data, b"general.architecture", 4, HUGE), "is damaged or cut off"),
    "layers": (
        lambda data: replaced(data, b"llama.block_count", 4, struct.pack("<I", 10**6)),
        "sets 'num_hidden_layers' beyond what is accepted",
    ),
    "wide": (
        lambda data: replaced(data, b"llama.embedding_length", 4, struct.pack("<I", 16000)),
        "The sizes that bad.gguf names and its weights do not fit each other",
    ),
    "architecture": (
        lambda data: data.replace(b"llama", b"cllip"),
        "transformers reads no GGUF file of the architecture 'cllip'",
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_file_refused(name, tmp_path, cache):
    change, sentence = DAMAGED[name]
    path = saved(tmp_path / "bad.gguf")
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ModelUnavailable, match=sentence) as refused:
        mha.attend(TEXT, model=path)
    assert "\n" not in str(refused.value)
    assert not [folder for folder in cache.glob("*") if folder.suffix != ".lock"]


def test_bounds_and_absent_files(tmp_path, monkeypatch):
    path = saved(tmp_path / "mine.gguf")
    monkeypatch.setenv("PARALLAX_MAX_GB", "0.0001")
    with pytest.raises(ModelUnavailable, match=r"weights take .* GB; this program reads .* PARALLAX_MAX_GB"):
        mha.attend(TEXT, model=path)
    monkeypatch.delenv("PARALLAX_MAX_GB")
    with pytest.raises(ModelUnavailable, match=r"There is no file '.*none\.gguf'"):
        mha.attend(TEXT, model=tmp_path / "none.gguf")
    with pytest.raises(MHAError, match=r"There is no file none\.gguf"):
        opening_with(str(tmp_path / "none.gguf"), {})
    monkeypatch.setenv("PARALLAX_CACHE", str(path))  # a file is no directory
    with pytest.raises(ModelUnavailable, match=r"No snapshot of mine\.gguf can be written\. PARALLAX_CACHE names"):
        mha.attend(TEXT, model=path)
