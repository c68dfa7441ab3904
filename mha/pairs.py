"""The forced minimal pairs and the same-reading swaps, from `assets/pairs*.json` and `assets/same_reading.json`.

Two versions of a pair differ in one word, and each is meant to allow one reading; a swap exchanges a word of one
version for another that keeps its reading. Pairs calibrate leans and scores for their kinds of ambiguity, swaps measure
the change of a score if the reading stays; other kinds have neither, and so no verdict. Only their three authors judged
them: not normed on people.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mha import assets
from mha.assets import ASSETS
from mha.errors import InputError
from mha.maps import Reading
from mha.words import words as split_words

FILE = ASSETS / "pairs.json"
SWAPS = FILE.with_name("same_reading.json")
CORPUS = FILE.with_name("corpus.txt")
KINDS = ("attachment", "pronoun", "he/she", "relative clause")
LATE_KINDS = ("pronoun", "relative clause")  # the deciding word comes after the words of the reading
WRITTEN = {"pp": "attachment", "pron": "pronoun", "gender": "he/she", "rc": "relative clause"}  # kinds in the file
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
    """A ``text`` and ``other``, the same text with one word exchanged and the same reading.

    ``item`` names the sentence that it was made from, a pair or one of its own, ``version`` ("a" or "b") which of the
    two. ``place`` is "cue" if the exchanged word decides pairs of this kind, and "other" for another word of its clause
    (he and she have no substitute). For he/she a swap at the cue changes *he* to *she* between nouns without gender,
    which decides nothing. ``word`` is the number of the exchanged word, the same in both, and ``author`` who wrote it.
    """

    item: str
    kind: str
    readings: tuple[Reading, Reading]
    version: str
    place: str
    text: str
    other: str
    word: int
    author: str

    @property
    def a(self) -> str:
        """The text: a swap is read as a pair of versions."""
        return self.text

    @property
    def b(self) -> str:
        """The other text."""
        return self.other


def pairs() -> tuple[Pair, ...]:
    """Return every pair, in the order of the file; raise AssetError where that cannot be read."""
    return assets.read(FILE, lambda content: tuple(pair_from_row(**row) for row in json.loads(content)["pairs"]))


def pairs_of(kind: str) -> tuple[Pair, ...]:
    """Return the pairs of one kind, an empty tuple for the kind "other".

    Raises:
        InputError: the kind is unknown.
    """
    _check(kind)
    return tuple(pair for pair in pairs() if pair.kind == kind)


def swaps() -> tuple[Swap, ...]:
    """Return every same-reading swap, in the order of the file; raise AssetError where that cannot be read."""
    by_id = {pair.id: pair for pair in pairs()}
    return assets.read(SWAPS, lambda content: tuple(_swap(row, by_id) for row in json.loads(content)))


def swaps_of(kind: str) -> tuple[Swap, ...]:
    """Return the same-reading swaps of one kind, an empty tuple for the kind "other". Raises as `pairs_of`."""
    _check(kind)
    return tuple(swap for swap in swaps() if swap.kind == kind)


def corpus() -> tuple[str, ...]:
    """Return the 300 sentences over which an ablated head's mean output is taken; raise AssetError as `pairs`."""
    return assets.read(CORPUS, lambda content: tuple(content.decode("utf-8").splitlines()))


def pair_from_row(
    id: str,
    kind: str,
    a: str,
    b: str,
    words: list[int],
    cue: int,
    loose: bool = False,
) -> Pair:
    """Return a pair from its row in a file of pairs."""
    return Pair(id, kind, a, b, _readings(split_words(a), words, cue), cue, loose)


def _readings(word_texts: Sequence[str], numbers: Sequence[int], cue: int) -> tuple[Reading, Reading]:
    pivot, *partners = numbers
    first, second = (
        Reading(f"{word_texts[pivot]} goes with {word_texts[partner]}", ((pivot, partner),), cue)
        for partner in partners
    )
    return first, second


def _swap(row: dict[str, Any], by_id: Mapping[str, Pair]) -> Swap:
    words, swapped_words = split_words(row["text"]), split_words(row["swapped"])
    (word,) = (number for number, (x, y) in enumerate(zip(words, swapped_words, strict=True)) if x != y)
    readings = _readings(words, row["words"], word) if "words" in row else by_id[row["pair"]].readings
    return Swap(
        row["pair"], WRITTEN[row["kind"]], readings, row["version"], row["place"], row["text"], row["swapped"], word,
        row["author"],
    )  # fmt: skip


def _check(kind: str) -> None:
    if kind not in (*KINDS, OTHER):
        raise InputError(f"A kind of ambiguity is one of {', '.join(KINDS)}, {OTHER}; this is {kind!r}.")
