"""Control limits, naming rates and two words for each reading, on numbers small enough to count by hand."""

import numpy as np
import pytest

from mha.analysis.floor import TwoWords
from mha.errors import ShapeError
from studies.controls import floor, naming_rates, numbered, two_words_rates

SIZES = np.array([0.03, -0.01, 0.02, -0.05, 0.04, 0.0, 0.06, -0.07, 0.08, 0.09, -0.10])  # 11: the 90 % point is a swap
# 11: the 90 % point is a swap


def test_floor_is_90th_percentile():
    limit = floor(SIZES, [str(number) for number in range(11)], heads=[0.5, 0.1, 0.3])
    assert limit.phi == pytest.approx(0.09)
    assert limit.n_swaps == 11
    assert limit.head_bar == pytest.approx(0.3 + 0.8 * 0.2)
    assert limit.low < 0.09 <= limit.high <= 0.10
    assert np.isnan(floor(SIZES, list("abcdefghijk")).head_bar)


def test_two_words_rates_are_counted():
    rates = two_words_rates([TwoWords((3, 2), (1, 0)), TwoWords((3, 2), (1, 0)), TwoWords((0, 1), (3, 2))])
    assert (rates.n, rates.n_right, rates.n_wrong) == (3, 2, 1)
    assert np.isnan(two_words_rates([]).right[0])


def test_swaps_of_one_pair_are_redrawn_together():
    one_pair = floor(SIZES, ["only"] * 11)
    assert (one_pair.low, one_pair.high) == (one_pair.phi, one_pair.phi)
    drawn = floor(np.array([0.1, 0.1, 0.3]), ["a", "a", "b"], draws=400)
    assert drawn.low == pytest.approx(0.1)
    assert drawn.high == pytest.approx(0.3)


def test_authors_are_redrawn_too_so_that_a_limit_of_two_is_known_less_well():
    alone = floor(SIZES, list("abcdefghijk"))
    both = floor(np.concatenate([SIZES, 3 * SIZES]), list("abcdefghijk") * 2, ["one"] * 11 + ["two"] * 11)
    assert alone.high <= 0.10 < both.phi < 0.27 < both.high <= 0.31
    assert both.low < alone.phi
    assert not both.passes(both.phi + 0.01)
    assert both.passes(both.limit + 0.01)


def test_four_scores_that_are_alike_come_out_right_once_in_six():
    drawn = np.random.default_rng(3).normal(size=(6000, 4))
    rates = two_words_rates([TwoWords((w, x), (y, z)) for w, x, y, z in drawn])
    assert rates.right[0] == pytest.approx(1 / 6, abs=0.02)
    assert rates.wrong[0] == pytest.approx(1 / 6, abs=0.02)


def test_a_floor_needs_swaps():
    with pytest.raises(ShapeError, match="needs swaps"):
        floor(np.array([]), [])
    with pytest.raises(ShapeError, match="an item and an author for each"):
        floor(SIZES, ["one"])


def test_heads_may_be_named_where_pairs_name_them_more_often_than_swaps():
    often = naming_rates([True] * 2 + [False] * 18, [True] * 16 + [False] * 4)
    assert (often.n_swaps, often.swaps, often.n_pairs, often.pairs) == (20, 2, 20, 16)
    assert often.p == pytest.approx(8.4e-6, rel=0.05)
    assert often.shown
    assert not naming_rates([True] * 6 + [False] * 5, [True] * 9 + [False] * 6).shown
    for none in (naming_rates([], []), naming_rates([], [True]), naming_rates([False] * 3, [])):
        assert none.p == 1
        assert not none.shown


def test_names_are_numbered_as_they_come():
    assert numbered([]).tolist() == []
    assert numbered(["x", "y", "x"]).tolist() == [0, 1, 0]
