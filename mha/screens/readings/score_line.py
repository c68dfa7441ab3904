"""Words on one line by their score, how far the score moves where the reading stays, and a second word for each."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from mha.formats import percent, signed
from mha.pairs import OTHER, matched_swaps_of
from mha.screens.blocks import Block, LabelledPicture, NumberRow, Said, Span, chip, say, word
from mha.screens.readings.ambiguity import HE_SHE, Ambiguity
from mha.screens.readings.recorded import PAIRS_SAID, Range
from mha.screens.readings.states import MovedScore, State, link_margin_said
from mha.words import words

DESK, PHONE = 0.21, 0.25  # of the score, across the column
WIDER_FROM, WIDER = 0.17, 1.3  # a larger move has a wider line, so many times itself
ROOM = (0.84, 0.80)  # of the line, from the typed word on, on a desk and on a phone
OFFERED = 3  # second words that the bundled changes suggest
GENDERLESS = ", *he* for *she* between nouns that fit both (Rudinger et al. 2018; Zhao et al. 2018)"  # of he/she


@dataclass(frozen=True)
class Mark:
    """A word on the score line: ``side`` is "a", "b" or "" where nobody has said it, ``first`` not a second word."""

    word: str
    score: float
    side: str
    first: bool


class ScoreLine(LabelledPicture, kind="score_line"):
    """Words on one line by their score, the typed one first, and how far the score moves where the reading stays.

    ``span`` is how much of the score the line is wide, on a desk and on a phone; ``sizes`` are the changes that keep
    the reading [swap] and ``floor`` their control limit; ``beyond`` whether the move passes it; ``order`` what is said
    of the order of four words; ``further`` stands beside the arrow.
    """

    marks: Sequence[Mark]
    ends: dict[str, str]
    span: Range
    grey: bool = False
    sizes: NumberRow | None = None
    floor: float | None = None
    beyond: bool = False
    order: str = ""
    further: str = ""


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


def score_line(moved: MovedScore) -> ScoreLine:
    """Return the words of a difference on one line; before a floor only where the state allows it."""
    state, floor, sides = moved.state, moved.floor, [letter.lower() for letter in moved.sides]
    marks = [Mark(moved.words[place], moved.scores[place], sides[place], True) for place in (0, 1)]
    for place, second in enumerate(moved.seconds):
        if second is not None:
            marks.append(Mark(*second, sides[place], False))
    ends = dict(zip("ab", moved.names, strict=True))
    listed = ", ".join(f"{mark.word} {signed(mark.score)}" for mark in marks)
    label = f"scores on one line, {moved.names[1]} at the left and {moved.names[0]} at the right: {listed}"
    if floor is None or not state.stands_before_a_floor:
        return ScoreLine(marks, ends, _span(moved, marks, 0.0), label=label, grey=state is State.NOT_VALID)
    return ScoreLine(
        marks,
        ends,
        _span(moved, marks, float(floor.sizes[-1])),
        label=f"{label}; the score changes by {abs(moved.move):.2f}, the control limit is {floor.limit:.3f}",
        sizes=floor.sizes,
        floor=floor.limit,
        beyond=floor.passes(moved.move),
        order=_order(moved),
        further=f"larger than {_further(moved)}",
    )


def _further(moved: MovedScore) -> str:
    """Return how many of the control swaps move the score less."""
    count = moved.limit.n_swaps
    return f"all {count}" if moved.rank == 1 else f"{int(100 * moved.rank)}\u00a0% of {count}"


def _order(moved: MovedScore) -> str:
    """Return what is said of the order of four words; within the floor only that both agree."""
    if moved.four is None or (moved.state in (State.BELOW, State.BARELY) and not moved.four.right):
        return ""
    if moved.four.wrong:
        return "both agree, but reversed"
    return "both words agree" if moved.four.right else "words overlap: no agreement"


def _span(moved: MovedScore, marks: Sequence[Mark], furthest: float) -> tuple[float, float]:
    """Return how wide the line is: one scale for every sentence, wider only where something would not fit."""
    typed, towards = moved.scores[0], -1 if moved.move >= 0 else 1
    ahead = max([furthest, *(towards * (mark.score - typed) for mark in marks)])
    behind = max([0.0, *(-towards * (mark.score - typed) for mark in marks)])
    wider = WIDER * abs(moved.move) if abs(moved.move) > WIDER_FROM else 0.0
    desk, phone = (
        max(least, wider, 1.06 * ahead / room, 1.1 * behind / (1 - room))
        for least, room in zip((DESK, PHONE), ROOM, strict=True)
    )
    return round(desk, 4), round(phone, 4)


def score_method(moved: MovedScore) -> list[Said]:
    """Return what the score is, and how the type's test pairs and control swaps behave."""
    tuned = f" {moved.model} was trained to compare whole sentences, so distances between its words are a side effect."
    parts = [link_margin_said(moved.pivot, moved.names, moved.at, tuned if moved.tuned else "")]
    if moved.state.stands_before_a_floor:
        parts += [*_of_two_words(moved), _of_the_floor(moved), say(PAIRS_SAID)]
    return [Said("cap", part) for part in parts]


def _of_two_words(moved: MovedScore) -> list[tuple[Span, ...]]:
    """Return what two words for each reading do over the test pairs of this type."""
    if moved.four is None or moved.rates is None or moved.state in (State.BELOW, State.BARELY):
        return []
    right, wrong = moved.rates.right[0], moved.rates.wrong[0]
    chance = f"in {percent(right)} and reversed in {percent(wrong)}; by chance {percent(1 / 6)} each."
    above = "oth words for {A} score above both words for {B}"
    told = f"B{above}. Among {moved.rates.n} test pairs this happens {chance}"
    if moved.state is State.DISAGREE:
        told = (
            f"Words agree when both for {{A}} score above both for {{B}}. Among {moved.rates.n} test pairs "
            f"{percent(right)} agree, {percent(wrong)} are reversed, {percent(1 - right - wrong)} overlap."
        )
    elif not moved.four.right:
        told = f"Two words for each reading. Among {moved.rates.n} test pairs b{above} {chance}"
    return [say(told, A=chip("A"), B=chip("B"))]


def _of_the_floor(moved: MovedScore) -> tuple[Span, ...]:
    floor, stop = moved.limit, ""
    if floor.full_stop == floor.full_stop:
        stop = (
            f" With or without a final full stop, {percent(floor.full_stop)} of test pairs stay on the same side of it."
        )
    what = GENDERLESS if moved.kind == HE_SHE else ""
    return say(
        f"Dots: {floor.n_swaps} control swaps in the same place{what}. 90 of 100 stay under {floor.phi:.3f} (95 % "
        f"interval {floor.low:.3f} to {floor.high:.3f}, over sentences and their authors). Band: control limit, the "
        "upper "
        f"end. Changing {{a}} to {{b}} moves the score by {abs(moved.move):.3f}, more than "
        f"{_further(moved)} control swaps.{stop}",
        a=word(moved.words[0]), b=word(moved.words[1]),
    )  # fmt: skip


def second_words(found: Ambiguity, moved: MovedScore) -> SecondWords | None:
    """Return the words of each reading with their slots; None where one cannot be given: he, she, or several words."""
    drawn = moved.state.stands_before_a_floor or (moved.state is State.NO_KIND and moved.forces)
    if not drawn or moved.kind == HE_SHE or found.contrast is None or len(found.contrast.changed) != 1:
        return None
    order = (0, 1) if moved.forces == "B" else (1, 0)  # A first
    taken = [*moved.words, *(one[0] for one in moved.seconds if one)]
    slots = []
    for side, name, place in zip("ab", moved.names, order, strict=True):
        second, offered = moved.seconds[place], _offered(moved, place, taken)
        slots.append(Slot(side, moved.words[place], second[0] if second else "", f"another word for {name}", offered))
    return SecondWords((slots[0], slots[1]), tuple(one.casefold() for one in taken))


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
