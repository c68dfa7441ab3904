"""Control limits of head effects by hand, and the file of the exhibit."""

import dataclasses

import numpy as np
import pytest

from mha.analysis.head_effects import EffectControl, FormEffects, bundled_head_effects
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from studies.language_model.drinks import chance_counts

CONTROL = EffectControl(
    ("a", "b", "c", "d", "e"),
    np.array([[[0.1, -0.2]], [[0.1, 0.2]], [[0.0, 3.0]], [[-0.1, 0.2]], [[0.1, 0.2]]]),  # [text, layer, head]
)

HEADS = HeadId(0, 0), HeadId(0, 1), HeadId(0, 2)


@pytest.mark.parametrize(
    ("matters", "expected"),
    [([[0.3, 5.9]], [[True, False]]), ([[-0.3, -6.1]], [[True, True]]), ([[0.2, np.nan]], [[False, False]])],
)
def test_mainly_here_exceeds_both_limits(matters, expected):
    """Nine of ten sizes are at most 0.2, as is twice the largest of head 0; head 1 once changed a control text by 3."""
    assert CONTROL.mainly_here(np.array(matters)).tolist() == expected


def test_counts_above_counts_either_way():
    assert CONTROL.counts_above(0.15).tolist() == [1, 1, 1, 1, 1]
    assert CONTROL.counts_above(0.2).tolist() == [0, 0, 1, 0, 0]


def test_chance_counts_leave_text_out():
    """Without the third text head 1 has the limit 0.4, which its change of 3 exceeds."""
    assert chance_counts(CONTROL).tolist() == [0, 0, 1, 0, 0]


def test_heads_pass_outside_range_of_their_layer_moved_as_far():
    """Other heads change the score by −0.2 and 0.1 on average, moved as far as head 0 by −0.4 and 0.2."""
    matters, others = np.array([[-0.4, 0.0, 0.3], [-0.2, 0.0, 0.1]]), np.array([[-0.3, 0.1], [-0.1, 0.1]])
    matched = np.stack([2 * others, others, others], axis=1)  # [sentence, head, other]
    form = FormEffects(np.ones(2), *(np.zeros((1, 3)),) * 2, HEADS, *(matters,) * 3, HEADS[:2], others, matched)
    np.testing.assert_allclose(form.matched_range, [[-0.4, 0.2], [-0.2, 0.1], [-0.2, 0.1]])
    assert form.passes.tolist() == [False, False, True]
    assert form.limit == pytest.approx(0.3)
    unmatched = dataclasses.replace(form, matched_matters=np.stack([others] * 3, axis=1))
    assert unmatched.passes.tolist() == [True, False, True]


@pytest.fixture(scope="module")
def stored():
    return bundled_head_effects("smollm2", model_row("smollm2").revision)


def test_example_has_every_number(stored):
    example = stored.example
    assert example.words == ("Mary", "John")
    assert [[example.tokens[place].text.strip() for place in places] for places in example.positions] == [
        ["Mary"], ["John", "John"],
    ]  # fmt: skip
    assert example.looks.shape == example.direct.shape == example.matters.shape == (30, 9)
    assert example.is_complete
    assert example.score == pytest.approx(6.12, abs=0.01)
    assert np.exp(example.log_probability[0]) == pytest.approx(0.923, abs=0.001)
    np.testing.assert_allclose(example.ablated_probability[0], np.exp(example.log_probability + example.change[0]))
