"""One public face: what `mha` names is there, documented, and listed in docs/architecture.md."""

import importlib
from pathlib import Path

import pytest

import mha


def test_every_name_exists_where_the_table_says_is_documented_and_stands_in_the_architecture():
    architecture = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    for name in mha.__all__:
        value = getattr(mha, name)
        assert value is getattr(importlib.import_module(mha._HOME[name]), name)
        assert value.__doc__, name
        assert f"`{name}`" in architecture


def test_another_name_is_refused_with_those_there_are():
    with pytest.raises(AttributeError, match=r"no attribute 'attention'; it has .*attend"):
        mha.attention  # noqa: B018


@pytest.mark.parametrize("name", mha._REMOVED)
def test_removed_name_is_refused_with_its_replacement(name):
    with pytest.raises(AttributeError, match=rf"mha\.{name} was removed in 0\.3\. \S"):
        getattr(mha, name)


OF_MAPS = {
    "head_statistics": mha.head_statistics,
    "word_statistics": mha.word_statistics,
    "roles": mha.roles,
    "opening": mha.opening,
    "opening_heads": mha.opening_heads,
    "set_aside": mha.set_aside,
    "head_heatmap": lambda maps: mha.head_heatmap(maps, (0, 1)),
    "figure": lambda maps: mha.figure(maps, "grid", width=84),
    "show": mha.show,
}


@pytest.mark.parametrize("name", OF_MAPS)
def test_what_takes_maps_takes_a_recording_and_names_what_is_neither(name):
    maps = mha.attend("rope table rope table", model="copier")
    assert OF_MAPS[name](mha.Recording(maps)) is not None
    with pytest.raises(mha.InputError, match="or a recording; this is a str"):
        OF_MAPS[name]("rope table rope table")
