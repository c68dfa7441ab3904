"""The catalog lists what is on offer and answers every other name alike."""

import pytest

from mha.errors import UnknownModel
from mha.maps import ORIGINS
from mha.models.files import translator
from mha.models.files.catalog import CATALOG, DEFAULT
from mha.models.files.snapshot import described
from mha.models.watch.attending import attend

HAS_TRANSLATOR = translator.folder() is not None
HOSTILE = ["", "MiniLM", "https://example.com/x", "minilm\0", "a" * 10_000, "😀"]


def test_every_row_can_be_recorded():
    for row in CATALOG:
        assert row.kind in {"transformer", "toy"}
        assert row.origin in ORIGINS
        assert not row.example or attend(row.example, row.name).text == row.example
    assert [row.title for row in CATALOG] == [
        "MiniLM · pretrained · 6 × 12",
        "SmolLM2-135M · pretrained · 30 × 9",
        "English → Portuguese · pretrained · 6 × 8 and 2 × 8",
        "Toy · numbers set by hand",
        "Copier · trained here · 2 × 4",
        "Reverser · trained here · 2 + 2 × 4",
    ]
    assert len({row.name for row in CATALOG}) == len(CATALOG)
    assert DEFAULT == "minilm"


@pytest.mark.parametrize("name", HOSTILE)
def test_any_other_name_gets_the_same_answer(name):
    with pytest.raises(UnknownModel) as refused:
        attend("a text", model=name)
    assert str(refused.value) == (
        "The models on offer are 'minilm' (MiniLM), 'smollm2' (SmolLM2), "
        + "'translator' (Translator), " * HAS_TRANSLATOR
        + "'toy' (Toy), 'copier' (Copier) and 'reverser' (Reverser); "
        "none has the name that was asked for."
    )


@pytest.mark.parametrize(
    ("kind", "entries", "numbers"),
    [
        ("qwen3_next", {"layer_types": ["linear_attention", "full_attention"] * 2}, "layers 1, 3"),
        ("jamba", {"attn_layer_period": 2, "attn_layer_offset": 1}, "layers 1, 3"),
        ("bamba", {"attn_layer_indices": [2]}, "layer 2"),
        ("recurrent_gemma", {"block_types": ["recurrent", "recurrent", "attention"]}, "layer 2"),
        ("gemma3_text", {"layer_types": ["full_attention", "sliding_attention"] * 2}, ""),
        ("llama", {}, ""),
    ],
)
def test_described_layers_without_attention_left_out(kind, entries, numbers):
    row = described({"model_type": kind, "num_hidden_layers": 4} | entries)
    assert row.n_layers == (numbers.count(",") + 1 if numbers else 4)
    assert len(row.notes) == bool(numbers)
    assert all(note.endswith(f" the model's {numbers}.") for note in row.notes)


@pytest.mark.parametrize(
    ("kind", "architecture", "predicts"),
    [
        ("gpt2", "GPT2LMHeadModel", "next"), ("gpt2", "GPT2Model", ""), ("bert", "BertForMaskedLM", "mask"),
        ("bert", "BertModel", ""), ("marian", "MarianMTModel", "target"), ("bart", "BartForSequenceClassification", ""),
    ],
)  # fmt: skip
def test_described_predictions(kind, architecture, predicts):
    assert described({"model_type": kind, "architectures": [architecture]}).predicts == predicts
