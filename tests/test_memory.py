"""A server stays within its bound, however many different texts it is asked for."""

import sys

import pytest

from benchmarks.bench_memory import measured

BOUND = 150  # megabytes above the start


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the bound is that of Linux' count of a process")
def test_two_thousand_texts_stay_within_the_bound():
    found = measured(2000)
    assert found["texts"] >= 1998
    assert found["most_mb"] < BOUND
