"""Cross-attention in numbers: by hand on small maps, and of the reverser's heads."""

import dataclasses
import json

import numpy as np
import pytest

from mha.export.provenance import provenance_of
from mha.export.tables import FORMATS
from mha.link.heads import CROSS
from mha.link.view import View
from mha.models.files.catalog import model_row
from mha.models.watch.attending import record_text
from mha.screens.blocks import as_text
from mha.screens.decoder import crossing
from mha.screens.heads.picture import picture_of
from mha.screens.heads.stacks import stack_picture

LIST = "river boat lamp garden"


def shown_of(target, **view):
    recording = record_text(LIST, "reverser", target=target)
    picture = picture_of(View(model="reverser", **view), recording, LIST)
    return stack_picture(dataclasses.replace(picture, row=model_row("reverser")), recording, CROSS).shown


def by_hand(shown, weights):
    """Return what is shown with these weights in every head."""
    whole = np.broadcast_to(np.array(weights, dtype=np.float32), shown.maps.weights.shape)
    return dataclasses.replace(shown, maps=dataclasses.replace(shown.maps, weights=whole))


def test_every_number_by_hand():
    shown = by_hand(
        shown_of("lamp boat river"),
        [[0.0, 0.5, 0.5, 0.0], [0.0, 1.0, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25]],  # strongest: boat, boat, river
    )
    found = {key: values[0, 0] for key, values in crossing.numbers(shown).items()}
    assert found["sharpest"] == pytest.approx((0.5 + 1 + 0.25) / 3)
    assert found["same"] == pytest.approx(2 / 3)
    assert found["onwards"] == 0
    assert found["back"] == pytest.approx(1 / 2)
    assert found["entropy"] == pytest.approx((1 + 0 + 2) / 3)


def test_rows_with_nothing_left_do_not_count():
    shown = by_hand(shown_of("lamp boat river"), [[0, 0, 1, 0], [0, 0, 0, 0], [0, 1, 0, 0]])
    found = {key: values[0, 0] for key, values in crossing.numbers(shown).items()}
    assert (found["sharpest"], found["same"]) == (1, 0.5)
    assert np.isnan(found["onwards"])  # no two rows follow each other
    assert np.isnan(found["back"])


@pytest.mark.parametrize("view", [{}, {"units": "tokens", "sinks": False}])
@pytest.mark.parametrize("target", ["garden", "garden lamp boat river"])
def test_the_table_and_its_files_have_a_row_a_head(target, view):
    shown = shown_of(target, **view)
    columns = crossing.table_columns(shown)
    assert len(columns["Head"]) == shown.maps.n_layers * shown.maps.n_heads
    assert set(columns) == {"Head", *(label for label, _, _ in crossing.COLUMNS.values())}
    table = crossing.table_of(shown, provenance_of(shown.full))
    for one in FORMATS:
        assert one.write(table)
    said = as_text(crossing.table_caption(shown))
    assert ("attention sinks left out" in said) == (not view)
    assert ("the one row" in said) == (target == "garden")
    json.dumps(crossing.table_alternative(shown.maps))


def test_the_reverser_reads_backwards_and_looks_at_the_word_it_writes():
    found = crossing.numbers(shown_of("garden lamp boat river"))
    assert found["same"][1].min() == 1
    assert found["back"][1].min() == 1
    assert found["onwards"][1].max() == 0
