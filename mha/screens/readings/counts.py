"""Counts that several parts of the page of two readings say in the same words."""

from __future__ import annotations

from mha.formats import few

NAMED_FROM = 0.10  # the part of the difference from which a head is named; as in `mha.intervention.patching`


def outside_sentence(found: int, count: int, expected: float) -> str:
    """Return how many heads lie outside their own shuffles, beside what chance gives."""
    who = few(found) if found else "None"
    verb, own = ("lies", "its") if found < 2 else ("lie", "their")
    return f"{who} of {count} heads {verb} outside all {own} own shuffles; about {round(expected)} would by chance."
