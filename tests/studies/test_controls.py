"""Control limits and naming rates, on numbers small enough to count by hand."""

import numpy as np
import pytest

from studies.forced import floor, naming_rates

SIZES = np.array([0.03, -0.01, 0.02, -0.05, 0.04, 0.0, 0.06, -0.07, 0.08, 0.09, -0.10])  # 11: the 90 % point is a swap


def test_floor_is_90th_percentile():
    limit = floor(SIZES, [str(number) for number in range(11)], heads=[0.5, 0.1, 0.3])
    assert limit.phi == pytest.approx(0.09)
    assert limit.n_swaps == 11
    assert limit.head_bar == pytest.approx(0.3 + 0.8 * 0.2)
    assert limit.low < 0.09 <= limit.high <= 0.10
    assert np.isnan(floor(SIZES, list("abcdefghijk")).head_bar)


def test_swaps_of_one_pair_are_redrawn_together():
    one_pair = floor(SIZES, ["only"] * 11)
    assert (one_pair.low, one_pair.high) == (one_pair.phi, one_pair.phi)
    drawn = floor(np.array([0.1, 0.1, 0.3]), ["a", "a", "b"], draws=400)
    assert drawn.low == pytest.approx(0.1)
    assert drawn.high == pytest.approx(0.3)


def test_naming_rates_count_changes():
    rates = naming_rates([True] * 2 + [False] * 18, [True] * 16 + [False] * 4)
    assert (rates.n_swaps, rates.swaps, rates.n_pairs, rates.pairs) == (20, 2, 20, 16)
