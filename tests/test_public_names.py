"""One public face: what `mha` names is there, documented, and listed in docs/architecture.md."""

import importlib
from pathlib import Path

import pytest

import mha

ARCHITECTURE = Path(__file__).parents[1] / "docs" / "architecture.md"


@pytest.mark.parametrize("name", mha.__all__)
def test_every_name_exists_where_the_table_says_and_is_documented(name):
    value = getattr(mha, name)
    assert value is getattr(importlib.import_module(mha._HOME[name]), name)
    assert value.__doc__


@pytest.mark.parametrize("name", mha.__all__)
def test_every_name_stands_in_the_architecture(name):
    assert f"`{name}`" in ARCHITECTURE.read_text(encoding="utf-8")


def test_another_name_is_refused_with_those_there_are():
    with pytest.raises(AttributeError, match=r"no attribute 'attention'; it has .*attend"):
        mha.attention  # noqa: B018
