"""Limits are set by the environment, and a bucket holds them."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path

import pytest

from mha.errors import InputError
from mha.guard.limits import PREFIX, Bucket, Limits
from mha.ui.unfurled import picture

DOCS = Path(__file__).parents[2] / "docs" / "deploy.md"
ASKED = {  # of whoever runs the program for others
    "header_seconds": 10,
    "body_seconds": 30,
    "keepalive_seconds": 15,
    "connections_per_client": 100,
    "upload_mb": 200,
    "upload_mb_per_client": 60,
    "upload_seconds": 10,
}


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


def documented():
    """Return the limits in the table of settings, by their field, as they are written."""
    found = {}
    for line in DOCS.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        names = re.findall(rf"`{PREFIX}(\w+)`", cells[0])
        values = [value.strip() for value in cells[-1].split(",")]
        if len(cells) == 3 and line.startswith("|") and len(names) == len(values):
            found |= {name.lower(): value for name, value in zip(names, values, strict=True)}
    return {name: value for name, value in found.items() if name in asdict(Limits())}


def test_what_the_settings_say_holds_unless_said_is_what_holds():
    said = documented()
    assert set(said) >= {*ASKED, "sockets", "api_per_minute", "idle_seconds", "turn_seconds", "answer_seconds"}
    assert {name: float(value) for name, value in said.items()} == {name: asdict(Limits())[name] for name in said}


def test_the_limits_are_those_that_were_asked_for():
    assert {name: asdict(Limits())[name] for name in ASKED} == ASKED
    assert (picture.AT_ONCE, picture.PATIENCE) == (2, 2)


def test_what_a_connection_is_due_is_told_as_it_is():
    due = DOCS.read_text(encoding="utf-8").partition("## Deadlines of connections")[2]
    told = [float(found) for found in re.findall(r"(?:after|for) (\d+) s", due.partition("\n\n")[0])]
    limits = Limits()
    asked = [limits.header_seconds, limits.body_seconds, limits.keepalive_seconds, limits.answer_seconds]
    assert told == asked
    assert f"Of one address {limits.connections_per_client} connections may wait" in due
