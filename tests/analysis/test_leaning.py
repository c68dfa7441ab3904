"""A sentence beside its controls, on numbers small enough to count by hand; sizes are primes."""

import numpy as np
import pytest

from mha.analysis.leaning import Leaning
from mha.analysis.readings import Leans
from mha.errors import ShapeError
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


def test_controls_with_other_heads_are_refused():
    with pytest.raises(ShapeError, match="need the same heads"):
        Leaning(HERE, (Leans(np.zeros((1, 2)), np.zeros((1, 2)), 0.1),))
    with pytest.raises(ShapeError, match="at least one"):
        Leaning(HERE, ())


def test_one_maximum_over_heads_and_sides_decides_what_is_unusual():
    """The furthest lean here is 0.4, to B; nine shuffles of 199 may reach that far, either way."""
    reach, short = (0.1, -0.4), (0.39, -0.1)
    unusual = Leaning(HERE, shuffles(*[reach] * 9, *[short] * 190))
    usual = Leaning(HERE, shuffles(*[reach] * 5, *[(0.4, 0)] * 5, *[short] * 189))
    assert (unusual.summary.p, unusual.unusual) == (10 / 200, True)
    assert (usual.summary.p, usual.unusual) == (11 / 200, False)
    assert not Leaning(HERE, shuffles(*[short] * 18)).unusual  # 1 / 19: too few shuffles can show nothing


def test_a_shuffle_that_is_the_sentence_again_reaches_as_far_in_whatever_batch_it_was():
    """Three words have six orders; of 199 about 33 are the sentence itself, each with its own rounding."""
    again, short = (0.1, -0.4 + 3e-8), (0.1, -0.2)
    this = Leaning(HERE, shuffles(*[again] * 33, *[short] * 166))
    assert (this.summary.reach, this.unusual) == (33, False)
