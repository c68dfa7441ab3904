"""Rollout by hand."""

import numpy as np
import pytest

from mha.analysis.summaries import head_mean, mixed, rollout
from mha.errors import InputError
from mha.maps import AttentionMaps, Token


def maps_of(weights) -> AttentionMaps:
    weights = np.asarray(weights, dtype=np.float32)
    return AttentionMaps(weights, tuple(Token(f"w{n}", word=n) for n in range(weights.shape[-1])), units="words")


def random_maps(n: int = 5) -> AttentionMaps:
    return maps_of(np.random.default_rng(1).dirichlet(np.ones(n), size=(2, 3, n)))


def test_one_layer_is_half_the_mean_head_and_half_the_word_itself():
    maps = maps_of([[[[0, 1], [0, 1]], [[1, 0], [1, 0]]]])
    assert head_mean(maps)[0].tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert rollout(maps)[0].tolist() == [[0.75, 0.25], [0.25, 0.75]]


def test_two_layers_multiply_and_rows_sum_to_one():
    maps = random_maps()
    first, second = mixed(maps)
    assert rollout(maps)[1] == pytest.approx(second @ first)
    assert rollout(maps).sum(axis=-1) == pytest.approx(np.ones((2, 5)))


def test_rollout_of_two_texts_is_refused():
    tokens = tuple(Token(name, word=n) for n, name in enumerate("ab"))
    with pytest.raises(InputError, match="one text"):
        rollout(AttentionMaps(np.full((1, 1, 2, 2), 0.5), tokens, kind="cross"))
