"""Every intermediate array: the names, the shapes, and that they are the ones the layer computes."""

import numpy as np
import pytest

from mha.core import PRESETS, STEPS, MultiHead, causal_mask, cell, sinusoidal_positions, softmax, trace

SIZES = {"token": 7, "query": 7, "key": 7, "head": 3, "d_head": 5, "d_model": 15, "n_heads · d_head": 15}


@pytest.fixture
def heads() -> MultiHead:
    return MultiHead.random(15, 3, seed=2)


@pytest.fixture
def embeddings() -> np.ndarray:
    return np.random.default_rng(5).standard_normal((7, 15))


def test_the_steps_come_in_order_with_their_axes(heads, embeddings):
    walk = list(trace(heads, embeddings))
    assert [step.name for step in walk] == [name for name, _, _ in STEPS]
    for step in walk:
        assert step.shape == tuple(SIZES[axis] for axis in step.axes), step.name


@pytest.mark.parametrize("scale", [None, 1.0])
@pytest.mark.parametrize("causal", [False, True])
def test_the_walk_ends_where_the_layer_does(heads, embeddings, causal, scale):
    mask, positions = causal_mask(7) if causal else None, sinusoidal_positions(7, 15)
    walk = trace(heads, embeddings, positions, mask, scale)
    output, weights = heads(embeddings + positions, mask, scale)
    np.testing.assert_allclose(walk["output"], output, atol=1e-12)
    np.testing.assert_allclose(walk["weights"], weights, atol=1e-12)


def test_hidden_keys_are_minus_infinity_before_softmax_and_nothing_after(heads, embeddings):
    walk = trace(heads, embeddings, mask=causal_mask(7))
    assert np.isneginf(walk["masked"][:, 0, 1:]).all()
    assert (walk["weights"][:, 0, 1:] == 0).all()


def test_money_bank_goes_from_four_numbers_to_eight_and_back():
    preset = PRESETS["money_bank"]
    walk = trace(preset.heads(), preset.embeddings())
    assert walk["input"].shape == (2, 4)
    assert walk["heads"].shape == (2, 2, 4)
    assert walk["concatenation"].shape == (2, 8)
    assert preset.heads().w_output.shape == (8, 4)
    assert walk["output"].shape == (2, 4)
    weights = walk["weights"]
    assert weights[0, 0].argmax() != weights[1, 0].argmax()  # the heads disagree about "money"


def test_one_head_keeps_one_weighting_and_two_heads_keep_two():
    one, two = (
        trace(PRESETS[name].heads(), PRESETS[name].embeddings())["weights"] for name in ("one_head", "two_heads")
    )
    assert (len(one), len(two)) == (1, 2)
    assert two[0, 2].argmax() != two[1, 2].argmax()


def test_a_cell_by_hand():
    by_hand = cell(np.array([[1.0, 2.0]]), np.array([[3.0, 5.0], [0.0, 0.0]]), cell_position=(0, 0), scale=0.1)
    np.testing.assert_array_equal(by_hand.products, [3, 10])
    assert by_hand.score == 13
    assert by_hand.scaled == pytest.approx(1.3)
    assert by_hand.weight == pytest.approx(np.exp(1.3) / (np.exp(1.3) + 1))


def test_a_cap_bends_scores_positions_add_to_them_and_a_sink_takes_its_part():
    query, key = np.array([[2.0]]), np.array([[3.0], [5.0], [7.0]])
    one = cell(query, key, (0, 1), scale=0.5, cap=4, position=np.array([0.0, -1.0, 0.5]), sink=2.0)
    np.testing.assert_array_equal(one.dots, [6, 10, 14])
    scores = 4 * np.tanh(np.array([3, 5, 7]) / 4) + [0, -1, 0.5]
    np.testing.assert_allclose(one.row, scores)
    powers = np.exp([*scores, 2.0])
    np.testing.assert_allclose(one.weights, powers[:3] / powers.sum())
    assert one.weights.sum() < 1
    hidden = cell(query, key, (0, 2), mask=np.array([[True, True, False]]), position=np.array([0.0, 0.0, 9.0]))
    assert (hidden.row[2], hidden.weight) == (-np.inf, 0)


@pytest.mark.parametrize("causal", [False, True])
def test_every_cell_is_the_one_of_the_walk(heads, embeddings, causal):
    mask = causal_mask(7) if causal else None
    walk = trace(heads, embeddings, mask=mask, temperature=0.7)
    for at in [(0, 0), (3, 5), (5, 3)]:
        one = cell(walk["query"][1], walk["key"][1], at, mask, temperature=0.7)
        assert one.weight == pytest.approx(walk["weights"][(1, *at)], abs=1e-14)
        assert one.score == pytest.approx(walk["scores"][(1, *at)])
        np.testing.assert_allclose(one.powers / one.powers.sum(), one.weights, atol=1e-14)
        np.testing.assert_allclose(softmax(one.row), one.weights, atol=1e-14)
