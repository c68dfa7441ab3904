"""Leans over sentences beside their orders: counted by hand, and rates of false alarms where nothing is there."""

import numpy as np
import pytest

from mha.analysis.leaning import SAME, UNUSUAL_AT, Gathering, floor_of
from mha.errors import ShapeError

SHAPE = (2, 3)


def test_a_sentence_is_held_against_the_furthest_head_of_each_order():
    found = Gathering(SHAPE, 5)
    orders = np.zeros((5, *SHAPE))
    orders[:, 1, 2] = [0.1, -0.2, 0.3, -0.4, 0.5]
    lean = np.zeros(SHAPE)
    lean[0, 1] = -0.3
    lean[1, 0] = 0.6
    found.add(7, lean, orders)
    p = found.sentences[7].p
    assert p[0, 1] == pytest.approx(4 / 6)  # 0.3, 0.4 and 0.5 reach as far
    assert p[1, 0] == pytest.approx(1 / 6)
    assert p[0, 0] == 1
    assert not found.sentences[7].passes.any()  # six draws cannot be rarer than one in six


def test_means_over_sentences_and_their_floor():
    generator = np.random.default_rng(3)
    found, leans, orders = Gathering(SHAPE, 199), generator.normal(size=(7, *SHAPE)), generator.normal(
        size=(7, 199, *SHAPE)
    )  # fmt: skip
    assert found.over() is None
    for number in range(7):
        found.add(number, leans[number], orders[number])
    over = found.over()
    np.testing.assert_allclose(over.lean, leans.mean(axis=0))
    np.testing.assert_allclose(over.shuffled, orders.mean(axis=(0, 1)))
    furthest = np.abs(orders.mean(axis=0)).reshape(199, -1).max(axis=1)
    p = (1 + (furthest[:, None, None] >= np.abs(over.lean)).sum(axis=0)) / 200
    np.testing.assert_array_equal(over.beyond, p <= UNUSUAL_AT)
    assert over.n == 7
    with pytest.raises(ShapeError):
        found.add(3, leans[3], orders[3])


def test_what_is_equal_never_passes():
    found = Gathering(SHAPE, 199)
    lean = np.full(SHAPE, 0.4)
    orders = np.zeros((199, *SHAPE))
    orders[::6] = 0.4 - SAME / 2  # the sentence itself, measured in another batch
    found.add(0, lean, orders)
    assert not found.sentences[0].passes.any()
    assert not found.over().beyond.any()
    nothing = Gathering(SHAPE, 199)
    nothing.add(0, np.zeros(SHAPE), np.zeros((199, *SHAPE)))
    assert not nothing.sentences[0].passes.any()
    assert not nothing.over().beyond.any()


def test_too_few_orders_let_nothing_pass():
    assert floor_of(np.zeros(18)) == np.inf
    assert floor_of(np.arange(19.0)) == 18
    assert floor_of(np.arange(199.0)) == 189


def test_where_there_is_nothing_one_in_twenty_passes():
    """Heads that go together, as real ones do, in sentences whose order says nothing."""
    generator = np.random.default_rng(11)
    shape, sentences, tables = (2, 5), 7, 300
    mixing = generator.normal(size=(10, 10))
    passed, beyond = 0, 0
    for _ in range(tables):
        found = Gathering(shape, 199)
        for number in range(sentences):
            drawn = (generator.normal(size=(200, 10)) @ mixing).reshape(200, *shape)
            found.add(number, drawn[0], drawn[1:])
        passed += sum(bool(one.passes.any()) for one in found.sentences.values())
        beyond += bool(found.over().beyond.any())
    assert passed / (tables * sentences) == pytest.approx(0.05, abs=0.016)  # 3 standard errors of 2,100
    assert beyond / tables == pytest.approx(0.05, abs=0.038)  # 3 of 300
