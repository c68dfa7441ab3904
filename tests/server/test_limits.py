"""Limits are set by the environment, and a bucket holds them."""

import re
from dataclasses import asdict
from pathlib import Path

import pytest

from mha.errors import InputError
from mha.server.middleware import PREFIX, Bucket, Limits

DOCS = Path(__file__).parents[2] / "docs" / "deploy.md"


def test_limits_from_the_environment():
    assert Limits.from_environment({"PARALLAX_SOCKETS": "7", "PARALLAX_RERUNS_PER_SECOND": "2.5"}) == Limits(
        sockets=7, reruns_per_second=2.5
    )
    for wrong in ("many", "0", "-3", "nan"):
        with pytest.raises(InputError, match="PARALLAX_SOCKETS takes a number"):
            Limits.from_environment({"PARALLAX_SOCKETS": wrong})


def test_bucket_burst_then_wait():
    bucket = Bucket(rate=0.001, burst=3)
    assert [bucket.take() for _ in range(5)] == [True, True, True, False, False]
    assert bucket.wait() > 0


def documented():
    """Return the limits in the table of settings by field, as text."""
    found = {}
    for line in DOCS.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        names = re.findall(rf"`{PREFIX}(\w+)`", cells[0])
        values = [value.strip() for value in cells[-1].split(",")]
        if len(cells) == 3 and line.startswith("|") and len(names) == len(values):
            found |= {name.lower(): value for name, value in zip(names, values, strict=True)}
    return {name: value for name, value in found.items() if name in asdict(Limits())}


def test_documented_defaults_are_the_limits():
    table = documented()
    assert set(table) >= {"sockets", "sockets_per_client", "api_per_minute", "idle_seconds", "turn_seconds"}
    assert {name: float(value) for name, value in table.items()} == {name: asdict(Limits())[name] for name in table}
