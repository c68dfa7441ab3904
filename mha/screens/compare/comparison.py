"""What Change a word compares: two sides, their words in pairs, how far a head moved, its floor, what looks bring."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import replace

import numpy as np

from mha.analysis.changes import (
    MOST_SWAPS,
    N_SWAPS,
    Alignment,
    BesideFloor,
    Changes,
    align,
    beside_floor,
    changes,
)
from mha.analysis.readings import word_position
from mha.analysis.swaps import Neutral
from mha.brief import with_arrays
from mha.engine import Request, experiments
from mha.engine.question import Ask
from mha.errors import InputError, MHAError
from mha.formats import cut, labels, percent
from mha.link.compare import TWIN, CompareWords
from mha.link.heads import BROUGHT
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId, Token
from mha.models.files.catalog import ModelRow
from mha.screens.blocks import Block, Span, say, word
from mha.screens.places import Notice
from mha.words import fold_white_space, right_to_left, with_word, words

MOST_VARIANTS = 12
TOP = 0.06  # bits that a full cell of the map stands for, if no change is larger
PINS = 2  # heads that are drawn unless the reader pinned others
OF_A_COPY = "Contributions are not available for a scrambled copy."
Both = tuple[AttentionMaps, AttentionMaps]
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
        first, second = map(fold_white_space, self.texts)
        return self.found is not None and not self.twin and first == second and not self.found.mean.any()

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


def changed_word(alignment: Alignment) -> int | None:
    """Return the number of the one word that was exchanged for one other, None where that is not all."""
    alone = alignment.only_first or alignment.only_second
    return alignment.changed[0][0] if len(alignment.changed) == 1 and not alone else None


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
    apart = np.abs(case.found.second - case.found.first)  # [layer, head, pair, pair + 1]
    looks = ((head, *case.found.strongest(head)) for head in case.floor.ranked)
    return max(looks, key=lambda look: apart[(*look[0], *look[1:])])


def moved_row(found: Changes, head: HeadId) -> int:
    """Return the row of a head that moved most among those whose word stayed."""
    return int(np.where(found.counted, found.bits[head], -1).argmax())


def recorded(text: str, model: str, ask: Ask) -> Generator[Block, None, AttentionMaps]:
    """Return the maps of a text, and yield what has to be said of it."""
    recording = ask(Request(text, model))
    yield from map(Notice, recording.notes)
    return recording.maps


def swapped(
    text: str, place: int | None, instead: str, model: str, chosen: CompareWords, ask: Ask
) -> tuple[Neutral, list[AttentionMaps]]:
    """Return the words that can stand neutrally in the changed place, and the maps with each; ``instead`` is there now.

    Of typed ones those are left out that are not one word there, or that the model does not know.
    """
    if place is None:
        return Neutral(), []
    typed = listed(chosen.swaps, MOST_SWAPS)
    found = Neutral(tuple(typed)) if typed else ask(experiments.neutral_words.of(text, place, model, instead))
    maps = {word: in_place(text, place, word, model, ask) for word in found.words}
    usable = {word: one for word, one in maps.items() if one is not None}
    return replace(found, words=tuple(usable)), list(usable.values())


def in_place(text: str, place: int, word: str, model: str, ask: Ask) -> AttentionMaps | None:
    """Return the maps of a text with another word in one place; None where it is not one word, or not known."""
    other = with_word(text, place, word)
    if len(words(other)) != len(words(text)):
        return None
    try:
        return ask(Request(other, model)).maps.merged()
    except InputError:
        return None


def brings(case: Comparison, ask: Ask) -> Both | str | None:
    """Return what every look brings in both sentences, as shares between words; None beside a twin, which is no model.

    Where the model does not tell, the sentence that says why.
    """
    if case.twin:
        return None
    try:
        first, second = (ask(experiments.all_brought.of(text, case.row.name)).as_maps().merged() for text in case.texts)
    except MHAError as error:
        return str(error)
    return first, second


def weighed(found: Both | str | None, chosen: str) -> tuple[Both | None, str]:
    """Return what maps are drawn of in the place of attention, None for attention, and why where it was not asked for.

    ``found`` is what `brings` returns, ``chosen`` the word of the link.
    """
    if chosen != BROUGHT:
        return None, ""
    if found is None or isinstance(found, str):
        return None, f"{found or OF_A_COPY} Showing attention instead."
    return found, ""


def told_brought(
    found: Both | str | None, case: Comparison, head: HeadId, cell: tuple[int, int], query: str
) -> tuple[Span, ...]:
    """Return what one look brings on both sides; ``cell`` are the pairs of the words that look and are looked at."""
    if found is None or isinstance(found, str):
        return ()
    shares = []
    for side, maps in enumerate(found):
        at = tuple(word_position(maps, case.alignment.pairs[place][side]) for place in cell)
        shares.append(percent(float(maps[head][at])))
    return say(
        " Contribution: {before} before, {after} after, of what {query} receives.",
        query=word(query), before=shares[0], after=shares[1],
    )  # fmt: skip
