"""The forced minimal pairs and the same-reading swaps, from `assets/pairs.json` and `assets/same_reading.json`.

Two versions of a pair differ in one word, and each is meant to allow one reading; a swap exchanges a word of one
version for another that keeps its reading. Pairs calibrate leans and readouts for the kinds they belong to, swaps say
how far a score moves when the reading stays; other kinds of ambiguity have neither, and so no verdict. Nobody but
their author judged them: not normed on people.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from mha import assets
from mha.assets import ASSETS
from mha.errors import InputError
from mha.maps import Reading
from mha.words import words as split_words

FILE = ASSETS / "pairs.json"
SWAPS = FILE.with_name("same_reading.json")
CORPUS = FILE.with_name("corpus.txt")
KINDS = ("attachment", "pronoun", "he/she", "relative clause")
OTHER = "other"  # the kind of any sentence that has no pairs


@dataclass(frozen=True)
class Pair:
    """Two versions of one sentence: ``a`` allows only the first reading, ``b`` only the second.

    Word numbers of ``readings`` and of the ``cue``, the one word that differs, hold in both versions. ``loose`` marks
    pairs whose version ``a`` allows both readings, on a second look (a man may have the binoculars he is seen with);
    figures of all pairs keep them.
    """

    id: str
    kind: str
    a: str
    b: str
    readings: tuple[Reading, Reading]
    cue: int
    loose: bool = False


@dataclass(frozen=True)
class Swap:
    """One version of a pair, ``text``, and ``other``: the same with one word exchanged, and the reading kept.

    ``version`` is "a" or "b"; ``place`` is "cue" where the cue is exchanged, "other" where it has no substitute (he,
    she) and another word of its clause is. ``word`` is the number of the exchanged word, the same in both.
    """

    pair: Pair
    version: str
    place: str
    text: str
    other: str
    word: int

    @property
    def kind(self) -> str:
        """The kind of ambiguity, that of its pair."""
        return self.pair.kind

    @property
    def a(self) -> str:
        """The text: a swap is read as a pair of versions."""
        return self.text

    @property
    def b(self) -> str:
        """The other text."""
        return self.other

    @property
    def readings(self) -> tuple[Reading, Reading]:
        """The readings of its pair, whose word numbers hold here too."""
        return self.pair.readings


def pairs() -> tuple[Pair, ...]:
    """Return every pair, in the order of the file; raise AssetError where that cannot be read."""
    return assets.read(FILE, lambda content: tuple(_pair(**row) for row in json.loads(content)["pairs"]))


def pairs_of(kind: str) -> tuple[Pair, ...]:
    """Return the pairs of one kind; none for the kind "other".

    Raises:
        InputError: there is no such kind.
    """
    _check(kind)
    return tuple(pair for pair in pairs() if pair.kind == kind)


def swaps() -> tuple[Swap, ...]:
    """Return every same-reading swap, in the order of the file; raise AssetError where that cannot be read."""
    by_id = {pair.id: pair for pair in pairs()}
    return assets.read(SWAPS, lambda content: tuple(_swap(by_id[row["pair"]], row) for row in json.loads(content)))


def swaps_of(kind: str) -> tuple[Swap, ...]:
    """Return the same-reading swaps of one kind; none for the kind "other". Raises as `pairs_of`."""
    _check(kind)
    return tuple(swap for swap in swaps() if swap.kind == kind)


def corpus() -> tuple[str, ...]:
    """Return the 300 sentences over which a silenced head's mean output is taken; raise AssetError as `pairs`."""
    return assets.read(CORPUS, lambda content: tuple(content.decode("utf-8").splitlines()))


def _pair(
    id: str,
    kind: str,
    a: str,
    b: str,
    words: list[int],
    cue: int,
    loose: bool = False,
) -> Pair:
    pivot, partner_a, partner_b = words
    said = split_words(a)
    readings = tuple(
        Reading(f"{said[pivot]} goes with {said[partner]}", ((pivot, partner),), cue)
        for partner in (partner_a, partner_b)
    )
    return Pair(id, kind, a, b, (readings[0], readings[1]), cue, loose)


def _swap(pair: Pair, row: dict[str, str]) -> Swap:
    said, other = split_words(row["text"]), split_words(row["swapped"])
    (word,) = (number for number, (x, y) in enumerate(zip(said, other, strict=True)) if x != y)
    return Swap(pair, row["version"], row["place"], row["text"], row["swapped"], word)


def _check(kind: str) -> None:
    if kind not in (*KINDS, OTHER):
        raise InputError(f"A kind of ambiguity is one of {', '.join(KINDS)}, {OTHER}; this is {kind!r}.")
