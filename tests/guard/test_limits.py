"""Limits are set by the environment, and a bucket holds them."""

from __future__ import annotations

import pytest

from mha.errors import InputError
from mha.guard.limits import Bucket, Limits


def test_limits_come_from_the_environment():
    assert Limits.of({"PARALLAX_SOCKETS": "7", "PARALLAX_RERUNS_PER_SECOND": "2.5"}) == Limits(
        sockets=7, reruns_per_second=2.5
    )
    for wrong in ("many", "0", "-3", "nan"):
        with pytest.raises(InputError, match="PARALLAX_SOCKETS takes a number"):
            Limits.of({"PARALLAX_SOCKETS": wrong})


def test_a_bucket_gives_its_burst_and_then_makes_wait():
    bucket = Bucket(rate=0.001, burst=3)
    assert [bucket.take() for _ in range(5)] == [True, True, True, False, False]
    assert bucket.wait() > 0
