"""Heads of two models: layers matched by depth, heads by where they look."""

import numpy as np
import pytest

import mha
from mha.analysis.changes import at_depth, divergence, nearest_at_depth, paired_rows
from mha.errors import InputError
from mha.maps import HeadId


def random(seed, layers, heads, count=5):
    weights = np.random.default_rng(seed).dirichlet(np.full(count, 0.3), size=(layers, heads, count))
    return mha.from_arrays(weights.astype(np.float32), [f"w{n}" for n in range(count)])


@pytest.mark.parametrize(("n_layers", "n_others"), [(1, 1), (6, 12), (12, 6), (5, 3), (3, 5), (1, 7), (24, 1)])
def test_every_layer_has_some_at_its_depth_and_all_are_met(n_layers, n_others):
    found = [at_depth(layer, n_layers, n_others) for layer in range(n_layers)]
    assert all(found)
    assert set().union(*found) == set(range(n_others))
    assert found[0][0] == 0
    assert found[-1][-1] == n_others - 1
    for layer, others in enumerate(found):
        for other in others:
            assert layer / n_layers < (other + 1) / n_others
            assert other / n_others < (layer + 1) / n_layers


def test_the_nearest_is_the_nearest_one_by_one():
    first, second = random(0, 2, 3), random(1, 4, 2)
    pairs = [(n, n) for n in range(5)]
    found = nearest_at_depth(first, second, pairs)
    rows, others = paired_rows(first, range(5)), paired_rows(second, range(5))
    for layer in range(2):
        for head in range(3):
            far = {
                (there, other): divergence(rows[layer, head], others[there, other]).mean()
                for there in (2 * layer, 2 * layer + 1)
                for other in range(2)
            }
            assert found.of(HeadId(layer, head)) == min(far, key=far.get)
            assert found.bits[layer, head] == pytest.approx(min(far.values()))


def test_a_model_beside_itself_finds_itself():
    maps = random(3, 3, 4)
    found = nearest_at_depth(maps, maps, [(n, n) for n in range(5)])
    assert np.abs(found.bits).max() < 1e-9
    assert all(found.of(head) == head for head in maps.heads)


def test_without_a_word_that_both_read_nothing_is_compared():
    with pytest.raises(InputError, match="there are none"):
        nearest_at_depth(random(0, 1, 1), random(1, 1, 1), [])
