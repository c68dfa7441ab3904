"""What experiments found, as tables: every number is the one of its head, moment or cell."""

import json

import numpy as np
import pytest

import mha
from mha.analysis.readings import Leaning, leans
from mha.engine.bundled import bundled_runs
from mha.examples import example_for
from mha.export.provenance import without_maps
from mha.export.tables import (
    carried_table,
    curves_table,
    leans_table,
    source_json,
    table_json,
)
from mha.intervention.patching import Patch

SOURCE = without_maps(("=1+1",), ("a model", "r1", "toy"), "said here", link="http://x/?v=1")
HEADS = ["L0H0", "L0H1", "L1H0", "L1H1"]
SOME = np.array([[0.25, -0.5], [np.nan, 1.5]])


def test_a_source_without_maps_has_its_note_once():
    assert list(SOURCE.pairs().values()).count("said here") == 1
    assert (SOURCE.scale, SOURCE.controls) == ("said here", "see scale")


def columns(table):
    return json.loads(table_json(table))["columns"]


def test_leans_stand_beside_the_other_orders():
    text = "A dog ate the food because it was hungry."
    here = leans(mha.attend(text), example_for(text).readings)
    found = columns(leans_table(here, SOURCE, Leaning(here, (here, here))))
    assert found["head"][:2] == ["L0H0", "L0H1"]
    assert found["lean"][13] == here.lean[1, 1]
    assert found["mean_of_orders"][13] == pytest.approx(here.lean[1, 1])
    assert set(found["looks_along_neither"]) <= {0, 1}


@pytest.mark.parametrize("both", [True, False])
def test_what_is_carried_is_in_both_directions_where_they_are_known(both):
    ways = {"into_text": SOME, "into_changed_version": -SOME} if both else {}
    patch = Patch("a", "b", 1, (0.5, 0.1), SOME, np.zeros((2, 15)), np.array([[False, True], [False, False]]), **ways)
    found = columns(carried_table(patch, SOURCE))
    assert found["head"] == HEADS
    assert found["carried"] == [0.25, -0.5, None, 1.5]
    assert found["direct"] == [0, 1, 0, 0]
    assert ("into_text" in found) == both


def test_a_run_has_a_row_a_moment_and_says_where_it_comes_from():
    run = next(run for run in bundled_runs().values() if run.settings.n_heads == 2)
    table = curves_table(run, SOURCE)
    found = columns(table)
    assert found["step"] == run.step.tolist()
    assert found["h1_looks_at_noun_b"] == pytest.approx(run.looks[:, 1, 1].tolist())
    assert found["right_a_without_h0"] == pytest.approx(run.ablated[:, 0, 0].tolist())
    assert json.loads(source_json(table.provenance))["texts"] == ["=1+1"]
