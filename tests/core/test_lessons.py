"""What the pages teach with the core: positions, word vectors, the splits."""

import numpy as np

from mha.core import sinusoidal_positions


def test_positions_by_hand():
    positions = sinusoidal_positions(3, 5)
    slow = 10_000 ** (-2 / 5)
    np.testing.assert_allclose(positions[0], [0, 1, 0, 1, 0])
    np.testing.assert_allclose(positions[2, :4], [np.sin(2), np.cos(2), np.sin(2 * slow), np.cos(2 * slow)])
