"""What a picture's text alternative says: what is found, not what kind of picture it is."""

import numpy as np
import pytest

from mha.screens.readings.leans import reached


@pytest.mark.parametrize(
    ("lean", "said"),
    [
        ([[0.1, -0.2, 0.0], [0.31, 0.0, -0.18]], "largest lean to A L1H0, +0.31, largest lean to B L0H1, −0.20"),
        ([[0.1, 0.0]], "largest lean to A L0H0, +0.10, no head leans to B"),
        ([[0.0, 0.0]], "no head leans to A, no head leans to B"),
        ([[np.nan, -0.5]], "no head leans to A, largest lean to B L0H1, −0.50"),
    ],
)
def test_the_furthest_head_to_each_side(lean, said):
    assert reached(np.array(lean)) == said
