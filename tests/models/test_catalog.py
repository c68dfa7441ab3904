"""The catalog lists what is on offer and answers every other name alike."""

from __future__ import annotations

import pytest

from mha.errors import UnknownModel
from mha.maps import ORIGINS
from mha.models.files.catalog import CATALOG, DEFAULT, model_row
from mha.models.files.loading import SOURCES, LoadedModel
from mha.models.files.rows import described
from mha.models.watch.attending import TOYS, attend

HOSTILE = [
    "",
    "MiniLM",
    "../minilm",
    "/etc/passwd",
    "https://example.com/x",
    "minilm\0",
    "a" * 10_000,
    "😀",
]


def test_every_row_can_be_recorded() -> None:
    for row in CATALOG:
        assert row.kind in {"transformer", *TOYS}
        assert row.origin in ORIGINS
        assert row.kind != "transformer" or row.name in {*SOURCES, "smollm2"}
        assert not row.example or attend(row.example, row.name).text == row.example
    assert [row.title for row in CATALOG] == [
        "MiniLM · pretrained · 6 × 12",
        "SmolLM2-135M · pretrained · 30 × 9",
        "Toy · numbers set by hand",
        "Trained here · two heads",
        "Copier · trained here · 2 × 4",
        "Reverser · trained here · 2 + 2 × 4",
    ]
    assert len({row.name for row in CATALOG}) == len(CATALOG)
    assert DEFAULT == "minilm"


@pytest.mark.parametrize("name", HOSTILE)
def test_any_other_name_gets_the_same_answer(name: str) -> None:
    with pytest.raises(UnknownModel) as refused:
        attend("a text", model=name)
    assert str(refused.value) == (
        "The models on offer are 'minilm' (MiniLM), 'smollm2' (SmolLM2), 'toy' (Toy), 'trained' (Trained toy), "
        "'copier' (Copier) and 'reverser' (Reverser); "
        "none has the name that was asked for."
    )


@pytest.mark.parametrize("name", ["minilm", "toy", "trained"])
def test_a_row_says_what_the_maps_say(name: str, minilm: LoadedModel) -> None:
    row, maps = model_row(name), attend("The man saw", name)
    assert (maps.model, maps.revision, maps.origin, maps.causal) == (row.short, row.revision, row.origin, row.causal)
    assert (maps.n_layers, maps.n_heads) == (row.n_layers, row.n_heads)


@pytest.mark.parametrize(
    ("config", "among"),
    [
        ({"layer_types": ["linear_attention", "full_attention", "conv", "sliding_attention"]}, (1, 3)),
        ({"layers_block_type": ["mamba", "hybrid", "mamba", "attention"]}, (1, 3)),
        ({"block_types": ["recurrent", "recurrent", "attention"]}, (2,)),
        ({"attn_layer_indices": [2]}, (2,)),
        ({"attn_layer_period": 2, "attn_layer_offset": 1}, (1, 3)),
        ({"layer_types": ["full_attention", "sliding_attention"] * 2}, ()),
        ({}, ()),
    ],
)
def test_layers_without_attention_are_not_counted(config: dict, among: tuple[int, ...]) -> None:
    row = described(config | {"num_hidden_layers": 4, "num_attention_heads": 3, "hidden_size": 6})
    assert (row.among, row.n_layers) == (among, len(among) or 4)
    told = {0: (), 1: ("L0 is the model's layer 2.",), 2: ("L0 and so on are the model's layers 1, 3.",)}[len(among)]
    assert row.notes == tuple(f"Layers without attention are left out. {one}" for one in told)


@pytest.mark.parametrize("architecture", ["RobertaForCausalLM", "BertLMHeadModel", "ElectraForCausalLM"])
def test_an_encoder_looks_back_only_where_its_config_says_so(architecture: str) -> None:
    assert not described({"architectures": [architecture]}).causal
    assert described({"architectures": [architecture], "is_decoder": True}).causal
    assert described({"architectures": ["LlamaForCausalLM"]}).causal
