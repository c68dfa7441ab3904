"""Names of release 0.2 still work, with a warning that has the new name."""

import dataclasses
import inspect
from pathlib import Path

import pytest

import mha
from mha import core
from mha.old_names import FIELDS, NAMES, PARAMETERS
from mha.training.model import train

FUNCTIONS = {"cell": core.cell, "train": train}  # the others are functions of `mha`
PACKAGE = (Path(__file__).parents[1] / "docs" / "package.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_old_name_of_the_package_is_the_new_one(name):
    with pytest.warns(DeprecationWarning, match=f"'{name}' is called '{NAMES[name]}'"):
        assert getattr(mha, name) is getattr(mha, NAMES[name])


@pytest.mark.parametrize("function", PARAMETERS)
def test_new_parameters_exist_and_old_ones_left(function):
    parameters = inspect.signature(FUNCTIONS.get(function) or getattr(mha, function)).parameters
    assert set(PARAMETERS[function].values()) <= set(parameters)
    assert not set(PARAMETERS[function]) & set(parameters)


@pytest.mark.parametrize("result", FIELDS)
def test_new_fields_exist_and_old_ones_left(result):
    fields = {field.name for field in dataclasses.fields(getattr(mha, result))} | set(vars(getattr(mha, result)))
    assert set(FIELDS[result].values()) <= fields
    assert not set(FIELDS[result]) & fields


def test_predict_takes_and_returns_old_names():
    new = mha.predict("moon fish table moon fish", "copier", ablated=["L1H2"])
    with pytest.warns(DeprecationWarning, match="'silenced' is called 'ablated'"):
        old = mha.predict("moon fish table moon fish", "copier", silenced=["L1H2"])
    with pytest.warns(DeprecationWarning, match="'silenced' is called 'ablated_probabilities'"):
        assert (old.silenced == new.ablated_probabilities).all()
    with pytest.raises(AttributeError, match="no attribute 'silence'"):
        old.silence  # noqa: B018


@pytest.mark.parametrize("names", [NAMES, *PARAMETERS.values(), *FIELDS.values()])
def test_package_document_maps_every_old_name(names):
    for old, new in names.items():
        assert any(f"`{old}`" in row and f"`{new}`" in row for row in PACKAGE.splitlines() if row.startswith("|"))


def test_functions_take_old_parameters():
    maps = mha.attend("moon fish table moon fish", "copier")
    with pytest.warns(DeprecationWarning, match="'most' is called 'limit'"):
        assert mha.ask(maps, "table", most=1) == mha.ask(maps, "table", limit=1)
    with pytest.warns(DeprecationWarning, match="'at' is called 'cell_position'"):
        assert core.cell([[1.0]], [[2.0]], at=(0, 0)).score == 2
