"""The learner computes what the core computes, for every way of making heads; its starts are what they say."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from mha.core import MultiHead, trace
from mha.errors import InputError
from mha.training.model import Attention, Learner
from mha.training.settings import STARTS, Grammar, Settings

WAYS = [
    Settings(n_heads=1), Settings(n_heads=2), Settings(n_heads=3, d_head=11, reads="random"),
    Settings(n_heads=4, reads="slices"), Settings(n_heads=1, d_head=64), Settings(n_heads=2, n_layers=2),
]  # fmt: skip


@pytest.fixture(scope="module")
def sentences():
    return Grammar().sentences(7, np.random.default_rng(2))


def forward(learner: Learner, sentences, off=()):
    tokens, visible, pivot = map(torch.from_numpy, (sentences.tokens, sentences.visible, sentences.pivot))
    with torch.no_grad():
        return learner(tokens, visible, pivot, off)


def to_core(layer: Attention) -> MultiHead:
    """Return the numbers of a trained layer as a layer of the teaching core."""
    with torch.no_grad():
        query, key, value = (
            (matrix * layer.read).transpose(0, 1).flatten(1).numpy()  # [d_model, n_heads · d_head]
            for matrix in (layer.w_query, layer.w_key, layer.w_value)
        )
        w_output = layer.w_output.flatten(0, 1).numpy()  # [n_heads · d_head, d_model]
    split = "slices" if layer.reads is None else "overlap"
    return MultiHead(query, key, value, w_output, layer.n_heads, split, layer.reads)


def in_core(learner: Learner, tokens: np.ndarray):
    """Return the walk through every layer of one sentence, by the core alone."""
    with torch.no_grad():
        x = learner.embeddings.numpy()[tokens] + learner.positions.numpy()[: len(tokens)]
    walks = []
    for layer in learner.layers:
        walks.append(trace(to_core(layer), x))
        x = x + walks[-1]["output"]
    return walks, x


@pytest.mark.parametrize("settings", WAYS, ids=str)
def test_the_learner_computes_what_the_core_computes(settings, sentences):
    learner = Learner(settings)
    named, looks = forward(learner, sentences)
    for index in range(len(sentences)):
        tokens, pivot = sentences.tokens[index][sentences.visible[index]], sentences.pivot[index]
        walks, x = in_core(learner, tokens)
        weights = looks[-1][:, index, 0, : len(tokens)].numpy()  # [head, key]
        np.testing.assert_allclose(weights, walks[-1]["weights"][:, pivot], atol=1e-6)
        reader = learner.readers[1]
        scores = reader.weight.detach().numpy() @ x[pivot] + reader.bias.detach().numpy()
        np.testing.assert_allclose(named[index, 1].numpy(), scores, atol=1e-5)


@pytest.mark.parametrize("n_layers", [1, 2])
def test_the_weights_of_one_sentence_are_those_of_the_core(n_layers, sentences):
    learner = Learner(Settings(n_layers=n_layers))
    tokens = sentences.tokens[3][sentences.visible[3]]
    walks, _ = in_core(learner, tokens)
    with torch.no_grad():
        weights = learner.weights(torch.from_numpy(tokens)).numpy()
    assert weights.shape == (n_layers, 2, len(tokens), len(tokens))
    np.testing.assert_allclose(weights, np.stack([walk["weights"] for walk in walks]), atol=1e-6)


def test_a_guesser_of_the_order_is_right_once_in_two_or_six():
    assert Settings().guess == 1 / 2
    assert Settings(n_readings=3).guess == pytest.approx(1 / 6)


def test_starts_are_what_they_say():
    layers = {start: Learner(Settings(n_heads=4, start=start)).last for start in STARTS}
    usual, identical = layers["usual"].w_query, layers["identical"]
    assert torch.allclose(layers["small"].w_query, 0.1 * usual)
    assert torch.allclose(layers["large"].w_query, 3 * usual)
    every = [identical.w_query, identical.w_key, identical.w_value, identical.w_output]
    assert all(torch.equal(matrix[head], matrix[0]) for matrix in every for head in range(4))
    apart = layers["identical+noise"].w_value
    assert 0 < (apart[1] - apart[0]).abs().max() < 0.01
    assert not torch.equal(layers["identical, own output"].w_output[1], identical.w_output[0])
    assert torch.equal(layers["identical, own output"].w_query[1], identical.w_query[0])
    stacked = layers["orthogonal"].w_value.transpose(0, 1).flatten(1)  # [d_model, n_heads · d_head]
    assert torch.allclose(stacked.T @ stacked, torch.eye(32), atol=1e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": "zero"}, "`start` is one of usual, small, .* this is 'zero'"),
        ({"reads": "halves"}, "`reads` is one of everything, slices, random"),
        ({"pressure": "all"}, "`pressure` is one of none, positions; this is 'all'"),
        ({"n_heads": 3}, r"3 heads do not divide 32; say how wide a head is with d_head, for example 11\."),
        ({"n_heads": 3, "d_head": 11, "reads": "slices"}, "3 slices of 11 do not fit into 32 numbers"),
        ({"reads": "random", "n_reads": 33}, "reads 1 to 32 of 32 numbers; not 33"),
        ({"n_layers": 3}, "n_layers is 1 to 2; this is 3"),
        ({"n_readings": 1}, "n_readings is 2 to 3; this is 1"),
    ],
)
def test_settings_that_do_not_fit_are_refused_in_words(change, message):
    with pytest.raises(InputError, match=message):
        replace(Settings(), **change)
