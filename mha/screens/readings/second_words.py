"""A second word for each reading in the place of the changed one, with its score."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from mha.formats import signed
from mha.pairs import OTHER, matched_swaps_of
from mha.screens.blocks import Block, Said, said, word
from mha.screens.readings.ambiguity import HE_SHE, Ambiguity
from mha.screens.readings.score_change import MovedScore
from mha.words import words

OFFERED = 3  # second words that the bundled changes suggest


@dataclass(frozen=True)
class Slot:
    """The words that force one reading: a second one may be given, from some ``offered`` or any other."""

    side: str
    first: str
    second: str
    ask: str
    offered: tuple[str, ...] = ()


class SecondWords(Block, kind="second_words", arrays=True):
    """Two words for each reading, the second of each to be given; ``taken`` is refused."""

    slots: tuple[Slot, Slot]
    taken: tuple[str, ...]


def second_words(found: Ambiguity, moved: MovedScore) -> SecondWords | None:
    """Return the words of each reading with their slots; None where one cannot be given: he, she, or several words."""
    if moved.forces is None or moved.kind == HE_SHE or found.contrast is None or len(found.contrast.changed) != 1:
        return None
    order = (0, 1) if moved.forces == "B" else (1, 0)  # A first
    taken = [*moved.words, *(one[0] for one in moved.seconds if one)]
    slots = []
    for side, name, place in zip("ab", moved.names, order, strict=True):
        second, offered = moved.seconds[place], _offered(moved, place, taken)
        slots.append(Slot(side, moved.words[place], second[0] if second else "", f"another word for {name}", offered))
    return SecondWords((slots[0], slots[1]), tuple(one.casefold() for one in taken))


def seconds_said(moved: MovedScore) -> Said | None:
    """Return the score with each second word; None without any."""
    given = [second for second in moved.seconds if second]
    if not given:
        return None
    told = " ".join(f"With {{w{number}}}: {signed(score)}." for number, (_, score) in enumerate(given))
    return said("cap", told, **{f"w{number}": word(second) for number, (second, _) in enumerate(given)})


def _offered(moved: MovedScore, place: int, taken: Sequence[str]) -> tuple[str, ...]:
    """Return words that the bundled changes exchange with a word and that keep its reading, but for those taken."""
    if moved.no_kind or moved.kind == OTHER:
        return ()
    low = {one.casefold() for one in taken}
    others = _exchanged(moved.kind).get(moved.words[place].casefold(), [])
    return tuple(dict.fromkeys(one for one in others if one.casefold() not in low))[:OFFERED]


@functools.cache
def _exchanged(kind: str) -> dict[str, list[str]]:
    """Return the cues for which the bundled changes of a kind exchange each cue; raise as `matched_swaps_of`."""
    found: dict[str, list[str]] = {}
    for swap in matched_swaps_of(kind):
        one, other = words(swap.text)[swap.word], words(swap.other)[swap.word]
        found.setdefault(one.casefold(), []).append(other)
        found.setdefault(other.casefold(), []).append(one)
    return found
