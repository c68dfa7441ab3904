"""The tab "What carries the change": how far the score moves between two versions, and which heads carry that.

Without a changed version it asks for one, and says what will be shown.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mha.engine.question import Ask, Here, Kept
from mha.examples import example_for
from mha.export.heads import carried_table
from mha.formats import percent, signed
from mha.intervention.calibrated import KindCalibration
from mha.link.acts import ASKED_ANEW, Act, Keep, Say, SecondWord
from mha.link.readings import MOST_NAME, ReadingsWords
from mha.link.sent import SentName, SentText
from mha.pairs import OTHER, matched_swaps_of
from mha.screens.blocks import (
    Block,
    Button,
    Buttons,
    LabelledPicture,
    NumberRow,
    Said,
    Span,
    Way,
    Ways,
    chip,
    heading,
    said,
    say,
    word,
)
from mha.screens.places import More, Together, Wait
from mha.screens.readings.ambiguity import HE_SHE, Ambiguity
from mha.screens.readings.carried import OWN, carried_method, shares_blocks
from mha.screens.readings.pairs import measuring, pairs_blocks
from mha.screens.readings.path import (
    Both,
    brought,
    effect_blocks,
    path_blocks,
    path_method,
    path_over_pairs,
)
from mha.screens.readings.recorded import (
    HOW,
    PAIRS_SAID,
    TAKE_DOG,
    Range,
    RecordedReadings,
    SharedOut,
    calibration_of,
    in_parts,
    moved,
    path_of,
    provenance,
    shared,
)
from mha.screens.readings.sentence import contrast_picture
from mha.screens.readings.states import MovedScore, State, link_margin_said, verdict
from mha.screens.takings import Numbers, OnRequest, Print, figure_of_patch
from mha.words import words


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


SHOWN = "readings_over_pairs"  # whether what is told over pairs is shown where nothing is told of the sentence
SECOND = {"second": (SecondWord(SentName("side", ("a", "b")), SentText("text", MOST_NAME, cut=True)),)}
FORCES = {"typed means A": "B", "other means A": "A"}  # what each button says of the reading that the other one forces
OVER_PAIRS = "over pairs"  # what the button sends back that shows, or hides, what is told over pairs
DOG = "dog"  # what the button sends back that opens the example
PATCHING = "Activation patching: one head’s output is copied from the changed version, and the score measured again."
DESK, PHONE = 0.21, 0.25  # of the score, across the column
WIDER_FROM, WIDER = 0.17, 1.3  # a larger move has a wider line, so many times itself
ROOM = (0.84, 0.80)  # of the line, from the typed word on, on a desk and on a phone
OFFERED = 3  # second words that the bundled changes suggest
GENDERLESS = ", *he* for *she* between nouns that fit both (Rudinger et al. 2018; Zhao et al. 2018)"  # of he/she


def tab(case: RecordedReadings, own: ReadingsWords, ask: Ask) -> Iterator[Block]:
    """Yield the tab; where there is no other version, the way to one."""
    found = case.ambiguity
    if found.contrast is None:
        yield contrast_picture(case, ask)
        looks = "From {pivot} to the changed word, and to each candidate, in both versions."
        ways = (
            Way("Where heads look", say(looks, pivot=found.pivot_said)),
            Way("What each head carries", say(PATCHING)),
            Way("Control", say("Three other heads of the same layer, drawn 15 times.")),
        )
        yield Together([heading("What you will see", "h3"), Ways(ways)])
        return
    yield Wait("Computing both scores …")
    move = moved(case, ask)
    yield Wait("Patching each head …")
    this = shared(case, move, ask)
    effect = None if this is None else brought(this, case.row.name, ask)
    if this is not None and this.patch is not None:
        source = provenance(case, "what three other heads of a layer carry is on the page", ask(Here()))
        yield Print("What heads carry", "parallax-carry", OnRequest(figure_of_patch, (this.patch, source.link)))
        yield Numbers("What each head carries", "parallax-carried", of=OnRequest(carried_table, (this.patch, source)))
    known, over_pairs = calibration_of(case), bool(ask(Kept(SHOWN)))
    acts: dict[str, tuple[Act, ...]] = {
        OWN: (Say("readings_contrast", ""), *ASKED_ANEW),
        OVER_PAIRS: (Keep(SHOWN, not over_pairs),),
        DOG: TAKE_DOG,
        **{act: (Say(ReadingsWords.of("forces").name, letter),) for act, letter in FORCES.items()},
    }
    yield from in_parts(carry_blocks(found, move, this, known, over_pairs, effect), acts, SECOND)
    if move.state is State.NO_FLOOR:
        yield from measuring(found.kind, case.row, case.view.large, ask)
    if known is not None and (move.state.shares or over_pairs):
        yield from in_parts(pairs_blocks(known), {})


def carry_blocks(
    found: Ambiguity,
    moved: MovedScore,
    this: SharedOut | None,
    known: KindCalibration | None,
    over_pairs: bool = False,
    effect: Both | str | None = None,
) -> list[Block]:
    """Return the tab of a sentence with another version; ``this`` where the state shares something out.

    ``effect`` is what the looks of its story bring, or why that is not told, as `path.brought` has it.
    """
    state, blocks = moved.state, list[Block](verdict(moved))
    if state is State.NO_SIDE:  # the reader says which word means what
        blocks.append(Buttons(tuple(map(Button, FORCES, moved.words))))
    if state is State.ABOVE:
        told = (
            f"Score: how much closer {{p}} is to {{a}} than to {{b}}. It changes by {abs(moved.move):.2f}; control "
            f"swaps change it by {moved.limit.sizes[-1]:.2f} at most."
        )
        a, b = map(word, moved.names)
        blocks.append(said("sub", told, p=word(moved.pivot), a=a, b=b))
    if slots := second_words(found, moved):
        blocks.append(slots)
    blocks.append(score_line(moved))
    if moved.by_words and state.stands_before_a_floor:
        blocks.append(said("cap", "On test pairs this score depends on which words occur, not on their order."))
    how: list[Block] = list(score_method(moved))
    if this is not None:
        blocks += [*path_blocks(this), *effect_blocks(this, effect), *shares_blocks(this)]
        how += [*path_method(this.path), *carried_method(this)]
    elif known is not None and state.stands_before_a_floor:
        button = Button(OVER_PAIRS, "Hide test pairs" if over_pairs else "Show test pairs")
        if state is State.BELOW:
            blocks.append(_ways_on(found, moved, known, button))
        else:
            there = " Across test pairs there is a path." if known.paths and state is State.DISAGREE else ""
            blocks += [said("finding", f"For this sentence no head is named.{there}"), Buttons((button,))]
        if over_pairs:
            blocks += path_over_pairs(known)
            how += path_method(path_of(known))
    return [*blocks, More(HOW, how)]


def _ways_on(found: Ambiguity, moved: MovedScore, known: KindCalibration, button: Button) -> Ways:
    """Return three ways on from a score that hardly moved; the order of four words is one of them where it holds."""
    ways = []
    if moved.four is not None and moved.four.right and moved.rates is not None:
        first, second = (one[0] for one in moved.seconds if one)
        order = say(
            "{a} and {a2} score above {b} and {b2}. Among "
            f"{moved.rates.n} test pairs this order appears in {percent(moved.rates.right[0])}, "
            f"the reverse in {percent(moved.rates.wrong[0]) if moved.rates.n_wrong else 'none'}.",
            a=word(moved.words[0]), a2=word(first), b=word(moved.words[1]), b2=word(second),
        )  # fmt: skip
        ways.append(Way("The order fits", order))
    one = f"One sentence shows too little. {known.n_pairs} test pairs show more."
    dog = example_for(found.text)
    other = None if dog is not None and dog.label == "the hungry dog" else Button(DOG, "Show an example")
    ways.append(Way("Test pairs", say(one), button))
    ways.append(Way("Another word", say("Try a word that fits one reading more clearly."), other))
    return Ways(tuple(ways))


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
    further = f"all {floor.n_swaps}" if moved.rank == 1 else f"{int(100 * moved.rank)}\u00a0% of {floor.n_swaps}"
    return ScoreLine(
        marks,
        ends,
        _span(moved, marks, float(floor.sizes[-1])),
        label=f"{label}; the score changes by {abs(moved.move):.2f}, the control limit is {floor.limit:.3f}",
        sizes=floor.sizes,
        floor=floor.limit,
        beyond=floor.passes(moved.move),
        order=_order(moved),
        further=f"larger than {further}",
    )


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
        f"end. Changing {{a}} to {{b}} moves the score by {abs(moved.move):.3f}, more than {int(100 * moved.rank)} % "
        "of "
        f"{floor.n_swaps} control swaps.{stop}",
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
