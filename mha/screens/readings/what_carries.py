"""The tab "What carries the change": how far the score moves between two versions, and which heads carry that.

Without a changed version it asks for one, and says what will be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mha.engine.question import ADDRESS, Ask, Kept
from mha.errors import NotComparable
from mha.examples import example_for
from mha.export.heads import carried_table
from mha.formats import percent
from mha.intervention.calibrated import KindCalibration
from mha.link.acts import ASKED_ANEW, Act, Keep, Say, SecondWord
from mha.link.readings import MOST_NAME, ReadingsWords
from mha.link.sent import SentName, SentText
from mha.screens.blocks import (
    Block,
    Button,
    Buttons,
    Way,
    Ways,
    heading,
    said,
    say,
    word,
)
from mha.screens.places import More, Notice, Together, Wait
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.carried import OWN, carried_method, shares_blocks
from mha.screens.readings.pairs import missing_pairs, pairs_blocks
from mha.screens.readings.path import contributed_blocks, path_blocks, path_method
from mha.screens.readings.recorded import (
    HOW,
    TAKE_DOG,
    RecordedReadings,
    SharedOut,
    calibration_of,
    in_parts,
    moved,
    path_of,
    provenance,
    shared,
)
from mha.screens.readings.score_line import score_line, score_method, second_words
from mha.screens.readings.sentence import contrast_picture
from mha.screens.readings.states import MovedScore, State, verdict
from mha.screens.takings import Numbers, OnRequest, Print, figure_of_patch

SHOWN = "readings_over_pairs"  # whether what is told over pairs is shown where nothing is told of the sentence
SECOND = {"second": (SecondWord(SentName("side", ("a", "b")), SentText("text", MOST_NAME, cut=True)),)}
FORCES = {"typed means A": "B", "other means A": "A"}  # what each button says of the reading that the other one forces
OVER_PAIRS = "over pairs"  # what the button sends back that shows, or hides, what is told over pairs
DOG = "dog"  # what the button sends back that opens the example
PATCHING = "Activation patching: one head’s output is copied from the changed version, and the score measured again."


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
    try:
        move = moved(case, ask)
    except NotComparable as error:
        yield Notice(str(error))
        return
    yield Wait("Patching each head …")
    this = shared(case, move, ask)
    contributed = [] if this is None else contributed_blocks(this, case.row.name, ask)
    if this is not None and this.patch is not None:
        source = provenance(case, "what three other heads of a layer carry is on the page", ask(ADDRESS))
        yield Print("What heads carry", "parallax-bars", OnRequest(figure_of_patch, (this.patch, source.link)))
        yield Numbers("What each head carries", "parallax-carried", of=OnRequest(carried_table, (this.patch, source)))
    known, over_pairs = calibration_of(case), bool(ask(Kept(SHOWN)))
    acts: dict[str, tuple[Act, ...]] = {
        OWN: (Say("readings_contrast", ""), *ASKED_ANEW),
        OVER_PAIRS: (Keep(SHOWN, not over_pairs),),
        DOG: TAKE_DOG,
        **{act: (Say(ReadingsWords.of("forces").name, letter),) for act, letter in FORCES.items()},
    }
    yield from in_parts(carry_blocks(found, move, this, known, over_pairs, contributed), acts, SECOND)
    if move.state is State.NO_FLOOR:
        yield from missing_pairs(found.kind, case.row, case.view.large)
    if known is not None and (move.state.shares or over_pairs):
        yield from in_parts(pairs_blocks(known), {})


def carry_blocks(
    found: Ambiguity,
    moved: MovedScore,
    this: SharedOut | None,
    known: KindCalibration | None,
    over_pairs: bool = False,
    contributed: Sequence[Block] = (),
) -> list[Block]:
    """Return the tab of a sentence with another version; ``this`` where the state shares something out.

    ``contributed`` is what the looks of its story bring, as `contributed_blocks` has it.
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
    if found.averaged:
        how.append(said("cap", found.averaged.lstrip()))
    if this is not None:
        blocks += [*path_blocks(this.path, this), *contributed, *shares_blocks(this)]
        how += [*path_method(this.path), *carried_method(this)]
    elif known is not None and state.stands_before_a_floor:
        button = Button(OVER_PAIRS, "Hide test pairs" if over_pairs else "Show test pairs")
        if state is State.BELOW:
            blocks.append(_ways_on(found, moved, known, button))
        else:
            there = " Across test pairs there is a path." if known.paths and state is State.DISAGREE else ""
            blocks += [said("finding", f"For this sentence no head is named.{there}"), Buttons((button,))]
        if over_pairs:
            blocks += path_blocks(path_of(known))
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
