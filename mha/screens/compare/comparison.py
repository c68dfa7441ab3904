"""What Change a word compares: two sides, their words in pairs, how far each head moved, and its floor."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from mha.analysis.changes import N_SWAPS, Alignment, BesideFloor, Changes, align, beside_floor, changes
from mha.analysis.swaps import Neutral
from mha.brief import with_arrays
from mha.errors import InputError
from mha.formats import cut
from mha.link.compare import SENTENCES, TWIN, CompareWords
from mha.link.view import DEFAULT_TEXT, View
from mha.maps import AttentionMaps, HeadId
from mha.models.files.catalog import ModelRow
from mha.words import Accepted, accept_or, right_to_left, words

EXAMPLES = {DEFAULT_TEXT: "I saw the man with the beard"}  # what the second side opens with; else a copy
MOST_WORDS = 48
MOST_VARIANTS = 12
TOP = 0.06  # bits that a full cell of the map stands for, if no change is larger
PINS = 2  # heads that are drawn unless the reader pinned others
_PAIR = re.compile(r"([0-9]{1,3})-([0-9]{1,3})")


@with_arrays
class Comparison:
    """Both sides and what was found between them; ``first`` are the first side's maps.

    ``floor`` is None where there are no three neutral swaps. ``swap`` is the number of the one changed word
    of the first text, None where more or none changed.
    """

    view: View
    choices: CompareWords
    row: ModelRow
    first: AttentionMaps
    texts: tuple[str, str]
    alignment: Alignment
    found: Changes | None
    floor: BesideFloor | None
    neutral: Neutral

    @property
    def words(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The words of both sides."""
        return words(self.texts[0]), words(self.texts[1])

    @property
    def twin(self) -> bool:
        """Whether the second side is the model's scrambled twin."""
        return self.choices.against == TWIN

    @property
    def same(self) -> bool:
        """Whether both sides are one text, read by one model, in which no head changes."""
        return self.found is not None and not self.twin and self.texts[0] == self.texts[1] and not self.found.mean.any()

    @property
    def rtl(self) -> bool | None:
        """Whether the pictures run from right to left, as the first text does; None where they do not."""
        return right_to_left(self.texts[0]) or None

    @property
    def swap(self) -> int | None:
        """The place of the word that neutral words stand in for."""
        return changed_word(self.alignment)

    @property
    def pins(self) -> tuple[HeadId, ...]:
        """The heads drawn large: the reader's, or the first of those that changed most beside their limit."""
        if self.view.pins is not None or self.floor is None:
            return self.view.pins or ()
        return tuple(self.floor.ranked[:PINS])

    @property
    def top(self) -> float:
        """What a full cell of the map stands for, in bits."""
        if self.found is None:
            return TOP
        most = [self.found.mean.max(), *([self.floor.floor.max()] if self.floor is not None else [])]
        return float(max(TOP, *most))


def changed_word(alignment: Alignment) -> int | None:
    """Return the number of the one word that was exchanged for one other, None where that is not all."""
    alone = alignment.only_first or alignment.only_second
    return alignment.changed[0][0] if len(alignment.changed) == 1 and not alone else None


def second_text(text: str) -> str:
    """Return what the second side opens with: the example's other version, or a copy to be edited."""
    return EXAMPLES.get(text, text)


def first_side(text: str) -> Accepted:
    """Return the first text as it is used; the telescope sentence where nothing of it can be looked at."""
    return _used(text, DEFAULT_TEXT)


def second_side(first: str, choices: CompareWords) -> Accepted:
    """Return the second text as it is used; the first one where nothing of it can be, or models are compared."""
    return _used(choices.second or second_text(first), first) if choices.against == SENTENCES else Accepted(first)


def _used(text: str, instead: str) -> Accepted:
    return accept_or(text, instead, f"Shown until then: “{instead}”.")


def too_long(*texts: str) -> str:
    """Return what is said of texts that are too long to be compared; "" where none is."""
    longest = max(len(words(text)) for text in texts)
    if longest <= MOST_WORDS:
        return ""
    return f"This page compares texts of up to {MOST_WORDS} words; one of these has {longest}."


def aligned(first: str, second: str, choices: CompareWords) -> tuple[Alignment, str]:
    """Return the words in pairs, and a sentence where pairs chosen by hand do not fit."""
    own, other = words(first), words(second)
    try:
        return align(own, other, pairs_of(choices.paired)), ""
    except InputError as error:
        return align(own, other), f"{error} The pairs chosen by hand were left out."


def pairs_of(text: str) -> list[tuple[int, int]]:
    """Return pairs of word numbers as the link has them.

    >>> pairs_of("6-5 2-2 x")
    [(6, 5), (2, 2)]
    """
    return [(int(match[1]), int(match[2])) for part in text.split() if (match := _PAIR.fullmatch(part))]


def listed(text: str, most: int) -> list[str]:
    """Return words that are written with commas, each once, in the order typed.

    >>> listed("hat, dog ,, hat", 12)
    ['hat', 'dog']
    """
    parts = (" ".join(part.split()) for part in re.split(r"[,\n]", text))
    return list(dict.fromkeys(part for part in parts if words(part)))[:most]


def lines(text: str, most: int = MOST_VARIANTS) -> list[str]:
    """Return whole sentences, one a line, each once; none where the text lists words.

    >>> lines("I saw her\\nI saw him"), lines("hat, dog")
    (['I saw her', 'I saw him'], [])
    """
    parts = [" ".join(line.split()) for line in text.splitlines()]
    found = list(dict.fromkeys(part for part in parts if words(part)))
    return found[:most] if any("," not in part and len(words(part)) > 1 for part in found) else []


def labels_of(texts: Sequence[str]) -> list[str]:
    """Return words as labels, numbered where one occurs more than once."""
    from mha.formats import labels
    from mha.maps import Token

    return list(labels([Token(cut(text)) for text in texts]))


def compare(
    view: View,
    choices: CompareWords,
    row: ModelRow,
    maps: tuple[AttentionMaps, AttentionMaps],
    alignment: Alignment,
    swapped: Sequence[AttentionMaps],
    neutral: Neutral,
) -> Comparison:
    """Return what was found between two recordings; ``swapped`` are those with a neutral word in the changed place.

    Raises:
        InputError: the sides cannot be compared head by head.
    """
    found = changes(*maps, alignment) if alignment.pairs else None
    floor = None
    if found is not None and len(swapped) >= N_SWAPS and changed_word(alignment) is not None:
        own = words(maps[0].text)
        identity = Alignment(
            tuple((number, number) for number in range(len(own))),
            tuple(number != changed_word(alignment) for number in range(len(own))),
            (),
            (),
        )
        floor = beside_floor(found, [changes(maps[0], other, identity) for other in swapped])
    return Comparison(view, choices, row, maps[0], (maps[0].text, maps[1].text), alignment, found, floor, neutral)


def largest_look(case: Comparison) -> tuple[HeadId, int, int] | None:
    """Return the head, row and place with the largest change of one look; None where no head is twice its limit."""
    if case.found is None or case.floor is None or not case.floor.twice.any():
        return None
    best: tuple[float, HeadId, int, int] | None = None
    for layer, head in case.floor.ranked:
        query, key = case.found.strongest((layer, head))
        size = abs(float(case.found.second[layer, head, query, key] - case.found.first[layer, head, query, key]))
        if best is None or size > best[0]:
            best = (size, HeadId(layer, head), query, key)
    return None if best is None else best[1:]


def moved_row(case: Comparison, head: HeadId) -> int:
    """Return the row of a head that moved most among those whose word stayed."""
    assert case.found is not None
    return int(np.where(case.found.counted, case.found.bits[head], -1).argmax())
