"""Neighbours of heads whose distances are known."""

import numpy as np
import pytest

from mha.analysis.alike import distances, nearest
from mha.errors import InputError


def of_points(points) -> np.ndarray:
    points = np.asarray(points, dtype=float)
    return np.linalg.norm(points[:, None] - points, axis=-1)


def test_the_distance_is_the_root():
    assert distances(np.array([[0, 0.25], [0.25, 0]])).tolist() == [[0, 0.5], [0.5, 0]]


def test_the_nearest_heads():
    distance = of_points([[0], [0.1], [0.5], [0.9]])
    assert nearest(distance, 1, 2) == [(0, pytest.approx(0.1)), (2, pytest.approx(0.4))]
    with pytest.raises(InputError, match="4 heads"):
        nearest(distance, 4)
    with pytest.raises(InputError, match="a row and a column a head"):
        nearest(np.zeros((2, 3)), 0)
