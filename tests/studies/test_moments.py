"""What is added up part by part is what the whole gives, in whatever order and groups; sizes are primes."""

import functools
import operator

import numpy as np
import pytest

from studies.moments import Moments

SHAPE = (2, 3)
N = 31


@pytest.fixture
def values():
    values = np.random.default_rng(5).normal(3, 2, size=(N, *SHAPE))
    values[::7, 1, 2] = np.nan
    values[:, 0, 1] = np.nan
    return values


def total(values):
    return functools.reduce(operator.add, (Moments.from_statistics({"x": one}) for one in values), Moments())


def test_they_are_those_of_numpy(values):
    found = total(values)
    known = np.isfinite(values).sum(axis=0)
    assert found.count("x").tolist() == known.tolist()
    some = known > 0
    np.testing.assert_allclose(found.mean("x")[some], np.nanmean(values[:, some], axis=0), rtol=1e-13)
    np.testing.assert_allclose(found.deviation("x")[some], np.nanstd(values[:, some], axis=0, ddof=1), rtol=1e-12)
    np.testing.assert_array_equal(
        found.range("x")[:, some], [np.nanmin(values[:, some], 0), np.nanmax(values[:, some], 0)]
    )
    for never in (found.mean("x"), found.deviation("x"), *found.range("x")):
        assert np.isnan(never[0, 1])


def test_order_and_groups_change_nothing_but_the_last_digits(values):
    whole = total(values)
    for seed in range(5):
        chance = np.random.default_rng(seed)
        order = chance.permutation(N)
        parts = [total(values[part]) for part in np.array_split(order, sorted(chance.integers(1, N, 4)))]
        again = functools.reduce(operator.add, reversed(parts))
        np.testing.assert_allclose(again.table["x"], whole.table["x"], rtol=1e-11, atol=1e-12)
