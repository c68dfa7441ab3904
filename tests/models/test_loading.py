"""Snapshots are inspected before they are loaded; what is refused is refused with one sentence."""

import dataclasses
import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from torch import nn

from mha.errors import ModelUnavailable
from mha.models.files import inspection, loading
from mha.models.files.catalog import CATALOG, MINILM_SHA256
from mha.models.files.loading import LoadedModel, load, load_snapshot, minilm_folder
from mha.models.watch.attending import record_text
from tests.models.tiny import THROUGH_THE_INTERFACE

ROWS = {row.architecture: row for row in THROUGH_THE_INTERFACE}


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return ROWS["BertModel"].save(tmp_path_factory.mktemp("original"))


@pytest.fixture
def snapshot(original, tmp_path):
    return Path(shutil.copytree(original, tmp_path / "snapshot"))


def change(path: Path, **entries: Any) -> None:
    content = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(content | entries))


def test_the_bundled_model_is_the_published_one(minilm):
    inspection.check_hash(minilm_folder() / "model.safetensors", MINILM_SHA256)
    assert load("minilm").model.dtype == minilm.model.dtype
    assert minilm.max_tokens == 512
    assert not minilm.model.training


def test_another_hash_is_refused(snapshot):
    row = dataclasses.replace(CATALOG[0], sha256=MINILM_SHA256)
    with pytest.raises(ModelUnavailable, match="not the published ones"):
        load_snapshot(snapshot, row)


def test_a_file_is_hashed_once_until_it_changes_and_hashes_are_in_the_log_alone(tmp_path, caplog, monkeypatch):
    path, three = tmp_path / "file", "8b5b9db0c13db24256c829aa364aa90c6d2eba318b9232a4ab9313b954d3555f"
    path.write_bytes(b"three")
    with pytest.raises(ModelUnavailable) as refused:
        inspection.check_hash(path, "ab" * 32)
    assert not any(each[:8] in str(refused.value) for each in ("ab" * 32, three))
    assert all(each in caplog.text for each in ("ab" * 32, three))
    inspection.check_hash(path, three)
    with monkeypatch.context() as patched:
        patched.setattr(inspection.hashlib, "file_digest", lambda *_: pytest.fail("hashed again"))
        inspection.check_hash(path, three)
    path.write_bytes(b"two")
    with pytest.raises(ModelUnavailable):
        inspection.check_hash(path, three)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b'{"a": "' + b"x" * 2**21 + b'"}'])
def test_a_config_that_is_none_is_refused(snapshot, content):
    (snapshot / "config.json").write_bytes(content)
    with pytest.raises(ModelUnavailable, match=r"^The model's config\.json"):
        load_snapshot(snapshot)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_missing_file_is_named(snapshot, name):
    (snapshot / name).unlink()
    with pytest.raises(ModelUnavailable, match=f"The model's {name} is missing"):
        load_snapshot(snapshot)


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({"base_model_name_or_path": "org/base", "peft_type": "LORA"}, r"of the base model 'org/base'; a whole"),
        ({"model_name": "bert-base-uncased", "config": {}}, "of the base model 'bert-base-uncased'"),
        ({"peft_type": "LORA"}, "and names no base model; a whole"),
        ({"base_model_name_or_path": "a\u001b[31m\n" + "x" * 200}, r"of the base model 'a\\x1b\[31m\\nx{73}'"),
    ],
)
def test_an_adapter_alone_names_its_base_model(config, named, tmp_path):
    (tmp_path / "adapter_config.json").write_text(json.dumps(config))
    (tmp_path / "adapter_model.safetensors").write_bytes(b"")
    with pytest.raises(ModelUnavailable, match=f"The folder has an adapter {named}.* merge_and_unload"):
        load_snapshot(tmp_path)


def splitting(kind: str) -> Tokenizer:
    """Return a tokenizer that splits otherwise than Qwen2Tokenizer does."""
    texts = ["In 1987 and 2023 the cat sat", "6508 1987 2023 202 198"] * 9
    special = ["<|endoftext|>", "<unk>"]
    if kind == "pieces":
        tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        tokenizer.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=120, special_tokens=special))
        return tokenizer
    tokenizer = Tokenizer(models.BPE())
    digits = pre_tokenizers.Split(Regex(r"\p{N}{1,3}| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+"), "isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.Sequence([digits, byte_level]), decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=320, special_tokens=special[:1], initial_alphabet=alphabet)
    tokenizer.train_from_iterator(texts, trainer)
    if kind == "begins":
        start = processors.TemplateProcessing("<|endoftext|> $A", special_tokens=[("<|endoftext|>", 0)])
        tokenizer.post_processor = start
    return tokenizer


@pytest.mark.parametrize("kind", ["digits", "pieces", "begins"])
@pytest.mark.parametrize("named", ["LlamaTokenizerFast", "PreTrainedTokenizerFast", "Qwen2Tokenizer"])
def test_tokenizer_json_is_followed(kind, named, tmp_path):
    """For a model of type qwen2 transformers 5 replaces the file's normaliser and pre-tokenizer."""
    text, tokenizer = "In 1987 the cat sat 2023", splitting(kind)
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 4, "num_key_value_heads": 4}
    config = transformers.Qwen2Config(vocab_size=400, num_hidden_layers=2, max_position_embeddings=64, **sizes)
    transformers.Qwen2ForCausalLM(config).save_pretrained(tmp_path)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    settings = {"tokenizer_class": named, "model_max_length": 64, "eos_token": "<|endoftext|>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    maps = record_text(text, load_snapshot(tmp_path)).maps
    assert [token.raw for token in maps.tokens] == tokenizer.encode(text).tokens


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-5],
        lambda data: data + b"12345",
        lambda data: (2**40).to_bytes(8, "little") + data[8:],
        lambda data: b"\x80\x04" + data,
        lambda data: b"",
        lambda data: data[:8] + b"{}",
    ],
    ids=["cut", "longer", "huge header", "pickle", "empty", "no tensors"],
)
def test_damaged_weights_are_refused(snapshot, damage):
    path = snapshot / "model.safetensors"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ModelUnavailable, match="damaged or not a safetensors"):
        load_snapshot(snapshot)


def test_missing_weights_are_never_filled_at_random(snapshot):
    tensors = load_file(snapshot / "model.safetensors")
    tensors.pop(next(name for name in tensors if name.endswith("query.bias")))
    save_file(tensors, snapshot / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelUnavailable, match="weights are missing"):
        load_snapshot(snapshot)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_refused(snapshot, number):
    tensors = load_file(snapshot / "model.safetensors")
    next(iter(tensors.values())).view(-1)[-1] = number
    save_file(tensors, snapshot / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelUnavailable, match=r"infinite or not numbers \(NaN\)"):
        load_snapshot(snapshot)


@pytest.mark.parametrize(
    "entries",
    [
        {"num_hidden_layers": 3},
        {"hidden_size": 75},
        {"model_type": "no such"},
        {"model_type": ["bert"]},
        {"num_attention_heads": "five"},
        {"backbone": "resnet50", "model_type": "timm_backbone"},
    ],
)
def test_a_config_that_does_not_fit_its_weights_is_refused(snapshot, entries):
    change(snapshot / "config.json", **entries)
    with pytest.raises(ModelUnavailable) as refused:
        load_snapshot(snapshot)
    assert str(snapshot) not in str(refused.value)


def test_a_config_larger_than_its_weights_is_refused_before_room_is_made(snapshot):
    change(snapshot / "config.json", num_hidden_layers=150, hidden_size=70 * 64, intermediate_size=2**15)
    with pytest.raises(ModelUnavailable, match="do not fit each other"):
        load_snapshot(snapshot)


def test_at_most_three_models_stay_in_memory(monkeypatch):
    rows = [dataclasses.replace(CATALOG[0], name=f"m{n}", sha256="") for n in range(5)]
    loads: list[str] = []

    def pretend(folder: Path, row: Any) -> LoadedModel:
        loads.append(row.name)
        return LoadedModel(row, nn.Module(), None)

    loading._loaded.clear()
    monkeypatch.setattr(loading, "model_row", lambda name: rows[int(name[1:])])
    monkeypatch.setattr(loading, "load_snapshot", pretend)
    for name in ("m0", "m1", "m2", "m0", "m3", "m0", "m1"):
        assert load(name).row.name == name
    assert loads == ["m0", "m1", "m2", "m3", "m1"]
    assert len(loading._loaded) == 3
    loading._loaded.clear()


def test_a_loaded_model_waits_for_no_load(minilm):
    """`minilm` is in memory; the thread holds the lock of loads as a conversion does."""
    gate, began = threading.Event(), threading.Event()

    def convert() -> LoadedModel:
        began.set()
        gate.wait(30)
        raise ModelUnavailable("it was only a test")

    def fail() -> None:
        with pytest.raises(ModelUnavailable):
            loading.remembered("slow", convert)

    loaded = load("minilm")  # other tests may have evicted the model of the fixture
    thread = threading.Thread(target=fail)
    thread.start()
    began.wait(30)
    try:
        assert load("minilm") is loaded
        assert thread.is_alive()
    finally:
        gate.set()
        thread.join()


def test_callers_share_one_background_load(monkeypatch):
    gate, names = threading.Event(), []

    def slow(name: str) -> str:
        names.append(name)
        gate.wait(30)
        return "loaded"

    monkeypatch.setattr(loading, "load", slow)
    first = loading.load_in_background("some model")
    assert first is not None
    assert loading.load_in_background("some model") is first
    gate.set()
    assert first.result(30) == "loaded"
    assert names == ["some model"]
