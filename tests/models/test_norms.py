"""Looks weighted by what they bring: against cells, and by hand on the toy."""

import numpy as np
import pytest

import mha
from mha.errors import AttentionUnavailable, InputError
from mha.models.files.environment import one_thread
from mha.models.watch import layers
from mha.models.watch.any_cell import cell
from mha.models.watch.cell import contributions
from tests.models.tiny import TEXT, THE_EAGER_WAY, THROUGH_THE_INTERFACE

ROWS = {row.architecture: row for row in (*THROUGH_THE_INTERFACE, *THE_EAGER_WAY)}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("row", THROUGH_THE_INTERFACE, ids=lambda row: row.architecture)
def test_each_norm_is_the_length_of_what_a_cell_brings(row, tiny):
    loaded = tiny(row)
    stack = row.stacks[-1]
    with one_thread():
        found = contributions(TEXT, loaded, stack=stack)
        one = cell(TEXT, (1, 3), 4, 2, loaded, stack=stack)
    assert found.norms.shape == found.maps.weights.shape
    assert one.contribution is not None
    size = max(1e-6, float(found.norms[1, 3].max()))
    assert found.norms[1, 3, 4, 2] == pytest.approx(np.linalg.norm(one.contribution), abs=1e-4 * size)
    rows = found.as_maps().weights.sum(axis=-1)
    np.testing.assert_allclose(rows[found.norms.sum(axis=-1) > 0], 1, atol=1e-4)


def test_a_head_may_look_where_there_is_nothing_to_bring():
    """What the measure is for: L2H8 of MiniLM gives [CLS] a share of every look, and next to nothing comes from it."""
    found = mha.contributions("A dog ate the food because it was hungry.")
    assert found.lengths[2, 8].argmin() == 0
    weights, norms = found.maps.weights[2, 8, 1:, 0].mean(), found.as_maps().weights[2, 8, 1:, 0].mean()
    assert norms < 0.5 * weights


def test_the_toy_is_weighed_too():
    text = "The man saw an astronomer with a telescope"
    found, one = contributions(text, "toy"), cell(text, (0, 1), 3, 2, "toy")
    assert one.contribution is not None
    assert found.norms[0, 1, 3, 2] == pytest.approx(np.linalg.norm(one.contribution), abs=1e-6)


def test_what_cannot_be_weighed_is_said(tiny, monkeypatch):
    with pytest.raises(AttentionUnavailable, match="does not use transformers' attention interface"):
        contributions(TEXT, tiny(ROWS["BloomModel"]))
    with pytest.raises(InputError, match="there is no 'cross'"):
        contributions(TEXT, tiny(ROWS["BertModel"]), stack="cross")
    monkeypatch.setattr(layers, "_near", lambda *_: False)
    with pytest.raises(AttentionUnavailable, match="another step between its heads and W_O"):
        contributions(TEXT, tiny(ROWS["BertModel"]))
    assert cell(TEXT, (0, 0), 1, 1, tiny(ROWS["BertModel"])).contribution is None
