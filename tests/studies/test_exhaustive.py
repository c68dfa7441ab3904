"""Shapley values have the properties that define them, and every set of heads is really tried."""

import numpy as np
import pytest

from studies.truth.agreement import KINDS
from studies.truth.model import (
    N_HEADS,
    N_LAYERS,
    Tiny,
    other_texts,
    shapley,
    stand_ins,
    tensors,
    unseen,
    without,
    worths,
)
from studies.truth.tasks import TASKS

N = N_LAYERS * N_HEADS


def right(model, texts, replace=None) -> float:
    """Return the share of right answers of whole passes."""
    named = model(*tensors(texts), replace).logits.argmax(dim=-1).numpy()
    return float((named == texts.answers).mean())


def game(rule, n=4):
    return np.array([rule([member for member in range(n) if number >> member & 1]) for number in range(2**n)], float)


def test_values_of_games_whose_values_are_known():
    np.testing.assert_allclose(shapley(game(len)), 1)  # each brings one
    np.testing.assert_allclose(shapley(game(lambda those: 2 in those)), [0, 0, 1, 0])  # a dictator
    np.testing.assert_allclose(shapley(game(lambda those: {0, 1} <= set(those))), [0.5, 0.5, 0, 0])  # both are needed
    gloves = game(lambda those: 0 in those and len(those) > 1, n=3)  # one left glove, two right ones
    np.testing.assert_allclose(shapley(gloves), [2 / 3, 1 / 6, 1 / 6])


def test_values_add_up_to_what_all_bring():
    worth = np.random.default_rng(0).random(2**6)
    assert shapley(worth).sum() == pytest.approx(worth[-1] - worth[0])


@pytest.fixture(scope="module")
def model():
    return Tiny(TASKS["agreement"], 0).requires_grad_(False)


@pytest.fixture(scope="module")
def texts():
    return unseen(TASKS["agreement"], 0, 40)


@pytest.mark.parametrize("kind", KINDS)
def test_every_set_is_worth_what_a_whole_pass_without_the_others_gets_right(kind):
    model, texts = Tiny(TASKS["two nouns"], 1).requires_grad_(False), unseen(TASKS["two nouns"], 1, 60)
    stand_in = stand_ins(model(*tensors(texts)).outputs, kind, other_texts(60, 3))
    worth = worths(model, texts, kind, seed=3)
    for number in (0, 1, 2, 16, 77, 130, 201, 255):
        off = np.array([not number >> head & 1 for head in range(N)]).reshape(N_LAYERS, N_HEADS)
        assert worth[number] == pytest.approx(right(model, texts, without(off, stand_in)))


def test_a_set_is_worth_what_the_model_gets_right_with_the_others_replaced(model, texts):
    worth = worths(model, texts, "zero")
    assert len(worth) == 2**N
    assert worth[-1] == right(model, texts)
    kept = 0b10000010  # the second head of the first layer and the last of the second
    model = Tiny(TASKS["agreement"], 0).requires_grad_(False)
    off = [(n // N_HEADS, n % N_HEADS) for n in range(N) if not kept >> n & 1]
    for place in off:
        model.w_output[place] = 0  # a head that gives nothing is one whose rows of W_O are zero
    assert worth[kept] == right(model, texts)
