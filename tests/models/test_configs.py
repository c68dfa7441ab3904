"""Configs from the wild: harmless keys are accepted, nested sizes are read, models without text are left out."""

import json
import logging
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers as t

from mha.errors import ModelUnavailable
from mha.models.files.catalog import offer_of, offers
from mha.models.files.loading import load_snapshot
from mha.models.watch.attending import attend
from tests.models.tiny import D_HEAD, GROUPED, N_HEADS, PLAIN, SIDES, TOKENIZERS, VOCABULARY, Tiny

TEXT = "I saw the man"
BERT = Tiny("BertModel", PLAIN)
CONFIG_TEXT = {"vocab_size": VOCABULARY, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
GROUPED_TEXT = GROUPED | CONFIG_TEXT
VISION = PLAIN | {"image_size": 32, "patch_size": 8, "num_hidden_layers": 1}
LABELS = ("AC adapter", "arrowhead", "bricklayer", "backbone", "a/b.py", "quantization_config", "_attn_implementation")


def write_config(folder: Path, name: str = "config.json", **entries: Any) -> Path:
    """Add entries to a JSON file of a snapshot."""
    path = folder / name
    path.write_text(json.dumps((json.loads(path.read_text()) if path.exists() else {}) | entries))
    return folder


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return BERT.save(tmp_path_factory.mktemp("configs") / "bert")


@pytest.fixture
def snapshot(bert, tmp_path):
    return Path(shutil.copytree(bert, tmp_path / "snapshot"))


HARMLESS: list[dict[str, Any]] = [
    {"id2label": {"0": label, "1": "other"}, "label2id": {label: 0, "other": 1}} for label in LABELS
] + [
    {"id2label": {"300": "arrowhead"}, "label2id": {"arrowhead": 300, "layers": 10**15}},
    {"task_specific_params": {"summarization": {"num_layers": 10**6, "adapter_path": "x", "prefix": "a: "}}},
    {"quantization_config": None},
    {"quantization_config": {}},
    {"torch_dtype": "float32"},
    {"dtype": "torch.float32"},
    {"transformers_version": "4.49.0.dev0"},
    {"_name_or_path": "/home/me/models/adapter", "_commit_hash": "0" * 40},
    {"_attn_implementation_autoset": False},
    {"_attn_implementation": "eager"},
    {"_attn_implementation": "flash_attention_2"},
    {"attn_implementation": "flash_attention_2"},
    {"attn_implementation": None, "_attn_implementation": None},
    {"add_adapter": False, "use_adapter": False, "adapter_kernel_size": 3},
    {"auto_map": {"AutoModel": "modeling_bert.BertModel", "AutoConfig": "configuration_bert.BertConfig"}},
    {"architectures": None},
    {"rope_scaling": None, "rope_theta": 10000.0},
    {"use_backbone": False, "backbone": None},
    {"max_seq_len_cached": 10**7, "seed": 10**15},
    {"finetuning": {"code": "train.py", "path": "/tmp/x", "peft": {"n_layers": 10**9}}},
    {"deep": [[[[[[[[1]]]]]]]], "long": list(range(30_000))},
    {"time_step_limit": [0.0, float("inf")], "other_limit": {"__float__": "Infinity"}},
]
DANGEROUS: list[tuple[dict[str, Any], str]] = [
    ({"quantization_config": {"quant_method": "gptq", "bits": 4}}, "quantised"),
    ({"text_config": {"model_type": "bert", "quantization_config": {"bits": 4}}}, "quantised"),
    ({"num_hidden_layers": 100_000}, "num_hidden_layers"),
    ({"text_config": {"num_hidden_layers": 10**9}}, "num_hidden_layers"),
    ({"encoder": {"n_heads": 10**9}}, "n_heads"),
    ({"hidden_size": [64, 10**9]}, "hidden_size"),
    ({"vocab_size": -(10**9)}, "vocab_size"),
    ({"layer_norm_eps": float("nan")}, "layer_norm_eps"),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("entries", HARMLESS, ids=lambda entries: json.dumps(entries)[:60])
def test_config_harmless_keys_accepted(bert, snapshot, entries):
    write_config(snapshot, **entries)
    assert offer_of(str(snapshot)).n_layers == 2
    np.testing.assert_array_equal(attend(TEXT, snapshot).weights, attend(TEXT, bert).weights)


@pytest.mark.parametrize(("entries", "reason"), DANGEROUS, ids=lambda value: json.dumps(value)[:60])
def test_config_dangerous_keys_refused(snapshot, entries, reason, monkeypatch):
    monkeypatch.setattr("mha.models.files.snapshot.model_from", lambda *_: pytest.fail("the library was called"))
    write_config(snapshot, **entries)
    for read in (load_snapshot, lambda folder: offer_of(str(folder))):
        with pytest.raises(ModelUnavailable, match=reason):
            read(snapshot)


RAISES = "raise SystemExit('code of a snapshot was run')\n"


@pytest.mark.parametrize("own", ["modeling_own", "other/repo--modeling_own"])
def test_config_own_code_never_run(bert, snapshot, own):
    for name in ("modeling_own.py", "configuration_own.py", "tokenization_own.py"):
        (snapshot / name).write_text(RAISES)
    write_config(snapshot, auto_map={"AutoModel": f"{own}.Model", "AutoConfig": f"{own}.Config"})
    write_config(snapshot, "tokenizer_config.json", auto_map={"AutoTokenizer": [f"{own}.Tokenizer", None]})
    write_config(snapshot, "generation_config.json", custom_generate=own, trust_remote_code=True)
    loaded = load_snapshot(snapshot)
    np.testing.assert_array_equal(attend(TEXT, loaded).weights, attend(TEXT, bert).weights)
    assert type(loaded.model) is t.BertModel
    assert any("code of its own, which is not run" in note for note in loaded.row.notes)


def test_config_own_layers_refused(snapshot):
    """A model whose own code uses weights that transformers' class ignores would be read wrongly."""
    from safetensors.torch import load_file, save_file

    tensors = load_file(snapshot / "model.safetensors")
    tensors["encoder.layer.0.attention.self.gate.weight"] = torch.ones(3)
    save_file(tensors, snapshot / "model.safetensors", metadata={"format": "pt"})
    write_config(snapshot, auto_map={"AutoModel": "own.Model"})
    with pytest.raises(ModelUnavailable, match="code of its own"):
        load_snapshot(snapshot)


def bert2bert() -> Any:
    sides = t.BertConfig(**CONFIG_TEXT, **PLAIN), t.BertConfig(**CONFIG_TEXT, **PLAIN | {"num_hidden_layers": 3})
    config = t.EncoderDecoderConfig.from_encoder_decoder_configs(*sides)
    config.decoder_start_token_id, config.pad_token_id, config.eos_token_id = 1, 0, 2
    return t.EncoderDecoderModel(config=config)


def vision_language(name: str, **more: Any) -> Any:
    config_class = getattr(t, name).config_class
    vision = {"vision_config": t.CLIPVisionConfig(**VISION)} if name.startswith("Llava") else {}
    return getattr(t, name)(config_class(**vision, **more))


LLAMA = {"text_config": t.LlamaConfig(**GROUPED_TEXT), "image_token_index": 300}
NESTED: dict[str, tuple[Any, tuple[int, int], str, bool]] = {  # how it is made, layers and heads, its predictions
    "bert2bert": (bert2bert, (2, N_HEADS), "target", False),
    "llava": (lambda: vision_language("LlavaForConditionalGeneration", **LLAMA), (2, 6), "next", True),
    "llava-base": (lambda: vision_language("LlavaModel", **LLAMA), (2, 6), "", True),
    "gemma3": (
        lambda: t.Gemma3ForConditionalGeneration(
            t.Gemma3Config(
                text_config=t.Gemma3TextConfig(**GROUPED_TEXT | {"sliding_window": 3}),
                vision_config=t.SiglipVisionConfig(**VISION),
                image_token_index=300,
                boi_token_index=301,
                eoi_token_index=302,
                mm_tokens_per_image=4,
            )
        ),
        (2, 6),
        "next",
        True,
    ),
    "qwen2-audio": (
        lambda: t.Qwen2AudioForConditionalGeneration(
            t.Qwen2AudioConfig(
                text_config=t.Qwen2Config(**{k: v for k, v in GROUPED_TEXT.items() if k != "head_dim"}),
                audio_config={"d_model": 8, "encoder_layers": 1, "encoder_attention_heads": 2, "encoder_ffn_dim": 8},
                audio_token_index=300,
            )
        ),
        (2, 6),
        "next",
        True,
    ),
    "defaults": (  # transformers leaves the defaults of nested configs out when it saves them
        lambda: vision_language(
            "LlavaForConditionalGeneration",
            text_config=t.LlamaConfig(**CONFIG_TEXT, hidden_size=64, intermediate_size=8, head_dim=2),
            image_token_index=300,
        ),
        (32, 32),
        "next",
        True,
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NESTED)
def test_config_nested_sizes_offered(name, tmp_path):
    make, shape, predicts, causal = NESTED[name]
    torch.manual_seed(7)
    make().save_pretrained(tmp_path / name)
    TOKENIZERS["pieces" if name == "bert2bert" else "bytes"]().save_pretrained(tmp_path / name)
    row, maps = offer_of(str(tmp_path / name)), attend(TEXT, tmp_path / name)
    assert (row.n_layers, row.n_heads) == (maps.n_layers, maps.n_heads) == shape
    assert (row.predicts, row.causal) == (predicts, causal)
    assert (row.decoder_shape is not None) == row.two_sided == (name == "bert2bert")
    assert row.decoder_shape is None or row.decoder_shape == (3, N_HEADS)
    assert row.d_head == (2 if name == "defaults" else D_HEAD)


SMALL_SIDES = SIDES | {"num_mel_bins": 8, "max_source_positions": 50, "max_target_positions": 20, "d_model": 70}
SPEECH = PLAIN | {"conv_dim": [8], "conv_kernel": [3], "conv_stride": [2], "num_feat_extract_layers": 1}
TWO = {"text_config": PLAIN | CONFIG_TEXT, "vision_config": VISION, "projection_dim": 8}
WITHOUT_TEXT: dict[str, Any] = {
    "whisper": lambda: t.WhisperForConditionalGeneration(t.WhisperConfig(**SMALL_SIDES | {"vocab_size": 307})),
    "vit": lambda: t.ViTModel(t.ViTConfig(**VISION)),
    "vit-classifier": lambda: t.ViTForImageClassification(t.ViTConfig(**VISION)),
    "dinov2": lambda: t.Dinov2Model(t.Dinov2Config(**VISION)),
    "wav2vec2": lambda: t.Wav2Vec2ForCTC(
        t.Wav2Vec2Config(**SPEECH, num_conv_pos_embeddings=4, num_conv_pos_embedding_groups=2, vocab_size=32)
    ),
    "clip": lambda: t.CLIPModel(t.CLIPConfig(**TWO)),
    "siglip": lambda: t.SiglipModel(t.SiglipConfig(**{k: v for k, v in TWO.items() if k != "projection_dim"})),
    "blip": lambda: t.BlipModel(t.BlipConfig(**TWO)),
    "vilt": lambda: t.ViltModel(t.ViltConfig(**VISION, vocab_size=VOCABULARY)),
    "vit2bert": lambda: t.VisionEncoderDecoderModel(
        config=t.VisionEncoderDecoderConfig.from_encoder_decoder_configs(
            t.ViTConfig(**VISION), t.BertConfig(**CONFIG_TEXT, **PLAIN)
        )
    ),
    "speech2text": lambda: t.Speech2TextForConditionalGeneration(
        t.Speech2TextConfig(**{k: v for k, v in SMALL_SIDES.items() if k != "num_mel_bins"}, input_feat_per_channel=8)
    ),
    "decision": lambda: t.DecisionTransformerModel(t.DecisionTransformerConfig(n_layer=2, n_head=5, hidden_size=70)),
}


@pytest.mark.parametrize("name", WITHOUT_TEXT)
def test_config_without_text_left_out(name, tmp_path, caplog):
    WITHOUT_TEXT[name]().save_pretrained(tmp_path / name)
    TOKENIZERS["bytes"]().save_pretrained(tmp_path / name)
    with caplog.at_level(logging.WARNING):
        assert offers(str(tmp_path / name)) == ()
    (line,) = [record.getMessage() for record in caplog.records if record.name == "mha.models.files.catalog"]
    assert "reads no text alone" in line
