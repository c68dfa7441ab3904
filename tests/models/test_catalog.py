"""The catalog lists what is on offer and answers every other name alike."""

from __future__ import annotations

import pytest

from mha.errors import UnknownModel
from mha.maps import ORIGINS
from mha.models.files.catalog import CATALOG, DEFAULT, model_row
from mha.models.files.loading import SOURCES, LoadedModel
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
        assert row.kind != "transformer" or row.name in SOURCES
        assert not row.example or attend(row.example, row.name).text == row.example
    assert [row.title for row in CATALOG] == [
        "MiniLM · pretrained · 6 × 12",
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
        "The models on offer are 'minilm' (MiniLM), 'toy' (Toy), 'trained' (Trained toy), 'copier' (Copier) and "
        "'reverser' (Reverser); "
        "there is no other of the name that was asked for."
    )


@pytest.mark.parametrize("name", ["minilm", "toy", "trained"])
def test_a_row_says_what_the_maps_say(name: str, minilm: LoadedModel) -> None:
    row, maps = model_row(name), attend("The man saw", name)
    assert (maps.model, maps.revision, maps.origin, maps.causal) == (row.short, row.revision, row.origin, row.causal)
    assert (maps.n_layers, maps.n_heads) == (row.n_layers, row.n_heads)
