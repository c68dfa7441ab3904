"""Means and intervals over sentences: in any order, as far as they are measured; sizes are primes."""

import numpy as np
import pytest

from mha.errors import InputError, ShapeError
from studies.over_texts import FEWEST, OverCorpus

SHAPE = (2, 3)


def test_means_are_of_what_is_measured_so_far():
    over = OverCorpus(5, SHAPE)
    over.add(4, {"x": np.full(SHAPE, 1.0)})
    over.add(1, {"x": np.full(SHAPE, 4.0)})
    assert over.mean("x").tolist() == np.full(SHAPE, 2.5).tolist()
    assert over.n_measured == 2
    over.add(1, {"x": np.full(SHAPE, 2.0)})
    assert over.mean("x")[1, 2] == 1.5
    assert over.interval("x") is None


def test_a_sentence_without_an_answer_takes_no_part():
    over = OverCorpus(3, SHAPE)
    one = np.full(SHAPE, 3.0)
    one[0, 0] = np.nan
    for number, values in enumerate((one, np.full(SHAPE, 5.0), one)):
        over.add(number, {"x": values})
    assert over.mean("x")[0, 0] == 5
    assert over.mean("x")[1, 1] == pytest.approx(11 / 3)
    never = OverCorpus(1, SHAPE)
    never.add(0, {"x": np.full(SHAPE, np.nan)})
    assert np.isnan(never.mean("x")).all()


def test_the_interval_is_that_of_a_mean():
    n = 101
    over = OverCorpus(n, SHAPE)
    values = np.random.default_rng(1).normal(0.5, 0.1, size=(n, *SHAPE))
    values[:, 1, 0] = np.nan
    for number in range(n):
        over.add(number, {"x": values[number]})
    low, high = over.interval("x")
    width = (high - low)[0]
    assert width == pytest.approx(np.full(3, 2 * 1.96 * 0.1 / np.sqrt(n)), rel=0.35)
    assert np.all((low[0] < over.mean("x")[0]) & (over.mean("x")[0] < high[0]))
    assert np.isnan(low[1, 0])
    assert np.array_equal(over.interval("x")[0][0], low[0])
    assert n > FEWEST


def test_what_does_not_fit_is_refused():
    over = OverCorpus(2, SHAPE)
    with pytest.raises(InputError, match="2 sentences"):
        over.add(2, {})
    with pytest.raises(ShapeError, match=r"must be \[layer, head\]"):
        over.add(0, {"x": np.zeros((3, 2))})
    with pytest.raises(InputError, match="Measured are none so far; not 'y'"):
        over.mean("y")
