"""Control limits and two words for each reading, on numbers small enough to count by hand."""

import numpy as np
import pytest

from mha.intervention.calibrated import Floor, agree

SIZES = np.array([0.03, -0.01, 0.02, -0.05, 0.04, 0.0, 0.06, -0.07, 0.08, 0.09, -0.10])  # 11: the 90 % point is a swap
FLOOR = Floor(np.sort(np.abs(SIZES)), 0.06, 0.10, np.array([0.1, 0.3, 0.5]))


def test_directions_agree_up_to_a_factor_of_two():
    one = np.array([0.2, 0.2, 0.2, -0.2, -0.2, 0.0, np.nan])
    other = np.array([0.1, 0.09, 0.41, -0.3, 0.2, 0.0, 0.1])
    assert agree(one, other).tolist() == [True, False, False, True, False, False, False]
    assert agree(other, one).tolist() == agree(one, other).tolist()


def test_floor_is_read_off_sizes():
    assert FLOOR.phi == pytest.approx(0.09)
    assert (FLOOR.n_swaps, FLOOR.limit) == (11, 0.10)
    assert FLOOR.head_bar == pytest.approx(0.3 + 0.8 * 0.2)
    assert FLOOR.passes(-0.11)
    assert not FLOOR.passes(0.10)
