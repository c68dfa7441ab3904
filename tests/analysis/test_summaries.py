"""Rollout and flow by hand, and flow against networkx."""

import networkx
import numpy as np
import pytest

from mha.analysis.summaries import flowing, head_mean, mixed, rollout
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
    assert np.array(list(flowing(maps))) == pytest.approx(rollout(maps)[0], abs=1e-5)


def test_two_layers_multiply_and_rows_sum_to_one():
    maps = random_maps()
    first, second = mixed(maps)
    assert rollout(maps)[1] == pytest.approx(second @ first)
    assert rollout(maps).sum(axis=-1) == pytest.approx(np.ones((2, 5)))


def test_flow_is_networkx_s():
    maps = random_maps()
    layers = mixed(maps)
    graph = networkx.DiGraph()
    for level, layer in enumerate(layers):
        for query in range(5):
            for key in range(5):
                graph.add_edge((level + 1, query), (level, key), capacity=layer[query, key])
    whole = np.array([[networkx.maximum_flow_value(graph, (2, q), (0, k)) for k in range(5)] for q in range(5)])
    rows = list(flowing(maps))
    assert len(rows) == 5
    assert np.array(rows) == pytest.approx(whole / whole.sum(axis=-1, keepdims=True), abs=1e-5)


def test_what_is_too_long_or_of_two_texts_is_refused():
    with pytest.raises(InputError, match="up to 64 words or tokens; there are 65"):
        next(flowing(maps_of(np.full((1, 1, 65, 65), 1 / 65))))
    tokens = tuple(Token(name, word=n) for n, name in enumerate("ab"))
    with pytest.raises(InputError, match="one text"):
        rollout(AttentionMaps(np.full((1, 1, 2, 2), 0.5), tokens, kind="cross"))
