"""Orders, maps and neighbours of heads whose distances are known."""

import numpy as np
import pytest

from mha.analysis.alike import SEED, STARTS, distances, nearest, placing, tree, within_and_between
from mha.errors import InputError
from mha.stepwise import finished


def of_points(points) -> np.ndarray:
    points = np.asarray(points, dtype=float)
    return np.linalg.norm(points[:, None] - points, axis=-1)


def test_the_distance_is_the_root():
    assert distances(np.array([[0, 0.25], [0.25, 0]])).tolist() == [[0, 0.5], [0.5, 0]]


def test_like_stands_by_like():
    order = tree(of_points([[0], [9], [1], [10], [2]])).order.tolist()
    assert order in ([0, 2, 4, 1, 3], [3, 1, 4, 2, 0])
    assert tree(np.zeros((1, 1))).order.tolist() == [0]


def test_points_in_a_plane_are_found_again():
    distance = of_points([[0, 0], [0.3, 0], [0, 0.4], [0.3, 0.4], [0.1, 0.2]])
    found = finished(placing(distance))
    assert found.stress < 0.01
    assert not found.rough
    assert of_points(found.points) == pytest.approx(distance, abs=0.01)
    assert np.array_equal(finished(placing(distance)).points, found.points)


def test_what_does_not_fit_a_plane_says_so():
    apart = 1 - np.eye(23)
    assert finished(placing(apart)).rough
    assert finished(placing(np.zeros((3, 3)))).stress == 0
    assert of_points(finished(placing(of_points([[0], [0.5]]))).points)[0, 1] == 0.5


def test_the_nearest_heads_and_the_layers():
    distance = of_points([[0], [0.1], [0.5], [0.9]])
    assert nearest(distance, 1, 2) == [(0, pytest.approx(0.1)), (2, pytest.approx(0.4))]
    within, between = within_and_between(distance, 2)
    assert within == pytest.approx((0.1 + 0.4) / 2)
    assert between == pytest.approx((0.5 + 0.9 + 0.4 + 0.8) / 4)
    assert np.isnan(within_and_between(distance, 4)[1])
    with pytest.raises(InputError, match="4 heads"):
        nearest(distance, 4)
    with pytest.raises(InputError, match="a row and a column a head"):
        tree(np.zeros((2, 3)))


def test_start_by_start_the_plane_is_the_one_of_all_starts_at_once():
    from sklearn.manifold import MDS

    distance = of_points(np.random.default_rng(3).random((7, 3)))
    whole = MDS(n_components=2, metric="precomputed", n_init=STARTS, random_state=SEED, init="random", max_iter=300)
    points = whole.fit_transform(distance)
    assert np.array_equal(finished(placing(distance)).points, points - points.mean(axis=0))
    assert len(list(placing(distance))) == STARTS
