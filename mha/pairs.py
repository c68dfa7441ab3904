"""The forced minimal pairs, from `assets/pairs.json`: two versions that differ in one word, each allowing one reading.

They calibrate leans and readouts for the kinds they belong to; other kinds of ambiguity have none, and so no verdict.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass

from mha.assets import ASSETS
from mha.errors import InputError
from mha.maps import Reading
from mha.words import words

FILE = ASSETS / "pairs.json"
CORPUS = FILE.with_name("corpus.txt")
KINDS = ("attachment", "pronoun", "he/she", "relative clause")
OTHER = "other"  # the kind of any sentence that has no pairs


@dataclass(frozen=True)
class Pair:
    """Two versions of one sentence: ``a`` allows only the first reading, ``b`` only the second.

    Word numbers of ``readings`` and of the ``cue``, the one word that differs, hold in both versions.
    """

    id: str
    kind: str
    a: str
    b: str
    readings: tuple[Reading, Reading]
    cue: int


@functools.cache
def pairs() -> tuple[Pair, ...]:
    """Return every pair, in the order of the file."""
    rows = json.loads(FILE.read_text(encoding="utf-8"))["pairs"]
    return tuple(_pair(row["id"], row["kind"], row["a"], row["b"], row["words"], row["cue"]) for row in rows)


def pairs_of(kind: str) -> tuple[Pair, ...]:
    """Return the pairs of one kind; none for the kind "other".

    Raises:
        InputError: there is no such kind.
    """
    if kind not in (*KINDS, OTHER):
        raise InputError(f"A kind of ambiguity is one of {', '.join(KINDS)}, {OTHER}; this is {kind!r}.")
    return tuple(pair for pair in pairs() if pair.kind == kind)


@functools.cache
def corpus() -> tuple[str, ...]:
    """Return the 300 sentences over which a silenced head's mean output is taken."""
    return tuple(CORPUS.read_text(encoding="utf-8").splitlines())


def _pair(name: str, kind: str, a: str, b: str, numbers: list[int], cue: int) -> Pair:
    pivot, partner_a, partner_b = numbers
    said = words(a)
    readings = tuple(
        Reading(f"{said[pivot]} goes with {said[partner]}", ((pivot, partner),), cue)
        for partner in (partner_a, partner_b)
    )
    return Pair(name, kind, a, b, (readings[0], readings[1]), cue)
