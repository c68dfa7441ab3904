"""A sentence beside its controls, on numbers small enough to count by hand; sizes are primes."""

import numpy as np
import pytest

from mha.analysis.readings import UNUSUAL_P, Leaning, Leans
from mha.maps import HeadId


def leans(lean, total=0.6, even=0.2) -> Leans:
    """Two layers of three heads with these leans; a + b is the same for all unless given."""
    lean = np.array(lean, dtype=float).reshape(2, 3)
    total = np.broadcast_to(np.asarray(total, dtype=float), (6,)).reshape(2, 3)
    return Leans((total + lean) / 2, (total - lean) / 2, even)


HERE = leans([0.3, -0.1, 0, 0.1, -0.4, 0.05])


def shuffles(*largest):
    return tuple(leans([high, low, 0, 0, 0, 0]) for high, low in largest)


def test_the_heads_that_lean_furthest_and_the_furthest_of_each_shuffle():
    this = Leaning(HERE, shuffles((0.31, -0.1), (0.3, -0.5), (0.1, -0.2)))
    assert this.furthest == (HeadId(0, 0), HeadId(1, 1))
    sizes, heads = this.furthest_in_shuffles
    assert sizes == pytest.approx([0.31, 0.5, 0.2])
    assert heads == (HeadId(0, 0), HeadId(0, 1), HeadId(0, 1))


def test_a_head_that_looks_along_neither_link_is_never_the_furthest():
    this = Leaning(leans([0.3, -0.1, 0, 0.1, -0.4, 0.05], [0.1, 1, 1, 1, 0.1, 1]), shuffles((0.1, 0)))
    assert this.furthest == (HeadId(1, 0), HeadId(0, 1))


def test_one_maximum_over_heads_and_sides_decides_what_is_unusual():
    """The furthest lean here is 0.4, to B; nine shuffles of 199 may reach that far, either way."""
    reach, short = (0.1, -0.4), (0.39, -0.1)
    unusual = Leaning(HERE, shuffles(*[reach] * 9, *[short] * 190))
    usual = Leaning(HERE, shuffles(*[reach] * 5, *[(0.4, 0)] * 5, *[short] * 189))
    assert unusual.summary.p == 10 / 200 <= UNUSUAL_P
    assert usual.summary.p == 11 / 200 > UNUSUAL_P
    assert Leaning(HERE, shuffles(*[short] * 18)).summary.p > UNUSUAL_P  # 1 / 19: too few shuffles can show nothing
