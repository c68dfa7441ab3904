"""Orders, maps and neighbours of heads whose distances are known."""

import numpy as np
import pytest

from mha.analysis.alike import distances, nearest, placed, tree, within_and_between
from mha.errors import InputError


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
    found = placed(distance)
    assert found.stress < 0.01
    assert not found.rough
    assert of_points(found.points) == pytest.approx(distance, abs=0.01)
    assert np.array_equal(placed(distance).points, found.points)


def test_what_does_not_fit_a_plane_says_so():
    apart = 1 - np.eye(23)
    assert placed(apart).rough
    assert placed(np.zeros((3, 3))).stress == 0
    assert of_points(placed(of_points([[0], [0.5]])).points)[0, 1] == 0.5


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


def stress(points: np.ndarray, distance: np.ndarray) -> float:
    upper = np.triu_indices(len(distance), 1)
    drawn = of_points(points)[upper]
    return float(np.sqrt(((drawn - distance[upper]) ** 2).sum() / (drawn**2).sum()))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("dimensions", [3, 10])
@pytest.mark.parametrize("heads", [5, 24, 72])
def test_one_start_from_the_classical_solution_is_about_as_good_as_the_best_of_twenty(heads, dimensions):
    from sklearn.manifold import MDS

    distance = of_points(np.random.default_rng(heads).random((heads, dimensions)))
    twenty = MDS(n_components=2, metric="precomputed", n_init=20, random_state=0, init="random", max_iter=300)
    found = placed(distance)
    assert found.stress == pytest.approx(stress(found.points, distance))
    assert found.stress <= 1.04 * stress(twenty.fit_transform(distance), distance)


@pytest.mark.parametrize("points", [[[0], [0.1], [0.3]], [[0], [0], [0.4], [0.4]], [[0, 0], [0, 0], [0, 0], [0.2, 0]]])
def test_heads_on_a_line_or_alike_stay_so(points):
    found = placed(of_points(points))
    assert np.isfinite(found.points).all()
    assert of_points(found.points) == pytest.approx(of_points(points), abs=0.01)


def test_the_plane_is_the_same_whichever_way_its_axes_came_out(monkeypatch):
    distance = of_points(np.random.default_rng(5).random((12, 4)))
    as_found, eigh = placed(distance).points, np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda of: (eigh(of)[0], -eigh(of)[1]))
    assert placed(distance).points == pytest.approx(as_found)
