"""Step by step: how is one cell computed, from the words to the output?"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

from mha.engine import experiments
from mha.engine.experiments import one_cell
from mha.engine.question import ADDRESS, CAME, Ask, Kept, here
from mha.engine.recordings import Request
from mha.errors import AttentionUnavailable, Busy, MHAError
from mha.examples import example_for
from mha.export.heads import arrays_table, cell_table
from mha.export.provenance import provenance_of
from mha.export.tables import Table
from mha.link.acts import GoOn, Say
from mha.link.link import Link
from mha.link.sent import SentNumber
from mha.link.steps import ITS_OWN, MINE, MODEL, STEPS, TOY, StepsWords
from mha.link.view import DEFAULT_TEXT, MAX_POSITION, View
from mha.models.files.catalog import model_row
from mha.screens.blocks import ArrowKeys, Block, CopyLink, Spans, caption, heading
from mha.screens.cell.recorded import source
from mha.screens.inputs import Choose, PageDoor, Pick, Press, Put, Remember
from mha.screens.places import Formula, Menu, Notice, Place, Plain, ProgressBar, Row, Side, Together, Wait
from mha.screens.shown import shown_for
from mha.screens.steps import model, model_texts, toy, toy_arrays
from mha.screens.steps.lesson import Lesson, labelled, lesson, provenance
from mha.screens.steps.model import WalkedCell
from mha.screens.steps.step import Step, two_lines
from mha.screens.steps.ways import beside, under_step
from mha.screens.takings import Numbers, OnRequest
from mha.words import accept_or

CELL_OF = "steps_cell_of"  # the text and model whose cell is followed
LEFT_FOR_ITS_OWN = "steps_left_for_its_own"  # the text that stood there while the toy's own words were chosen
KEEP = ("query", "key", "value", "hidden")
LOOKING = "Computing attention …"
HERO, HERE, LAYER = "steps_hero_place", "steps_here_place", "steps_layer_place"
PLACES = {"steps_head": "Head", "steps_query": "From", "steps_key": "To"}
CELL = ("steps_in_layer", *PLACES)
CHOSEN_FOR_YOU = tuple(Say(word, None) for word in CELL)
FOLLOW = tuple(Say(word, SentNumber(word.removeprefix("steps_"), MAX_POSITION + 1)) for word in PLACES)
SWITCHES = ("steps_positions", "steps_scale", "steps_mask")
NARROW, CONTROL, SWITCH = 156, 230, 220  # px


def toy_table(made: Lesson, link: str) -> Table:
    """Return the arrays of every step of the toy, in one table."""
    return arrays_table({step.name: step.array for step in made.steps}, provenance(made, link))


def layer_table(case: WalkedCell, link: str) -> Table:
    """Return what the layer of a model's cell computes, in one table.

    Of a model that keeps queries, keys and values to itself it has the numbers of the cell.
    """
    cell, maps = case.cell, case.maps
    try:
        kept = here(Request(maps.text, case.row.name, keep=KEEP))
    except AttentionUnavailable:
        return cell_table(cell, maps, link, case.row.sha256)
    found = {} if cell.incoming is None else {"input": cell.incoming}
    arrays = {"query": kept.query, "key": kept.key, "value": kept.value, "weights": maps.weights}
    found |= {name: array[cell.head.layer] for name, array in arrays.items() if array is not None}
    return arrays_table(found, provenance_of(maps, link=link))


def page(link: Link, ask: Ask) -> Iterator[Block]:
    """Yield a walk to one cell, the toy's or a model's: the words, the step, the layer; and what lies beside it."""
    own = link.own
    assert isinstance(own, StepsWords)
    own = yield from _another_sentence(own, link.view, ask)
    own = replace(own, text=link.view.text)
    yield from _source(own)
    if own.numbers == TOY:
        yield Remember(LEFT_FOR_ITS_OWN, own.text if own.words == ITS_OWN else None)
    yield Place(HERO, ())
    yield from _steps(own)
    yield from (Place(HERE, ()), Place(LAYER, ()))
    if own.numbers == MODEL:
        yield from _walk_of_model(link.view, own, ask)
        return
    switches = (*map(Choose, SWITCHES), Choose("steps_temperature", width=SWITCH))
    yield Row(switches, "steps_switches", left=True, align="bottom", gap="medium")
    made = lesson(own)
    yield from map(Notice, made.notes)
    yield from _walk_of_toy(made)
    yield from beside(made)
    yield from _foot((toy.source(made),), OnRequest(toy_table, (made, ask(ADDRESS))))


def _another_sentence(own: StepsWords, view: View, ask: Ask) -> Generator[Block, None, StepsWords]:
    """Yield what another sentence changes, and return what is chosen then: it is walked through, its cell found anew.

    The sentence that stands there is walked through: on a visit that nothing was said of, and for who comes from
    another page, unless the reader has left it for the toy's own words; a link says what it says.
    """
    about, came = (view.text, view.model), ask(CAME)
    came_bare = not (came.stayed or came.from_another or came.words or own.said)
    bare = came_bare and (own, view) == (StepsWords(), View())
    before = ask(Kept(CELL_OF)) or about
    if before != about:
        own = replace(own, in_layer=None, head=None, query=None, key=None)
        yield from (Put(word, None) for word in CELL)
    typed_here = before[0] != about[0] and came.stayed
    of_toy = "steps_words" in came.words or (
        about[0] == DEFAULT_TEXT and any(word.startswith(StepsWords.PREFIX) for word in came.words)
    )
    comes_along = came.from_another and about[0] != ask(Kept(LEFT_FOR_ITS_OWN)) and not of_toy
    if typed_here or comes_along or bare:
        own = replace(own, words=MINE)
        yield Put("steps_words", MINE)
    yield Remember(CELL_OF, about)
    return own


def _source(own: StepsWords) -> Iterator[Block]:
    """Yield where the numbers come from, and the settings that the link carries."""
    blocks: list[Block] = [Choose("steps_numbers")]
    if own.numbers == TOY:
        blocks += [
            Choose("steps_layer", width=CONTROL, then=CHOSEN_FOR_YOU),
            Choose("steps_words", then=CHOSEN_FOR_YOU),
        ]
    cell: tuple[Block, ...] = (Plain("Followed number (row, column from 0)", "faint"), *map(Choose, CELL))
    blocks.append(Menu("More settings", (Choose("steps_seed"), *cell), narrow=True))
    yield Row(blocks, "steps_source", left=True, align="bottom")


def _steps(own: StepsWords) -> Iterator[Block]:
    """Yield the steps with the place of the current one, Back and Next; the arrow keys do the same."""
    at = own.number - 1
    back = Press("Back", (GoOn("steps_step", -1),), off=at == 0, name="steps_back", shortcut="Left")
    on = Press("Next", (GoOn("steps_step", 1),), off=at == len(STEPS) - 1, name="steps_next", shortcut="Right")
    step = Choose("steps_step", bare=True, wrap=True, width="stretch")
    yield Row((step, back, on), "steps_bar", left=True, align="center")
    told = ProgressBar((at + 1) / len(STEPS), f"Step {at + 1} of {len(STEPS)}")
    yield Place("steps_progress", (told, ArrowKeys(at)))


def _onward(own: StepsWords) -> Iterator[Block]:
    """Yield the way on under a step, so that nobody has to go back up for it; after the last, to what comes next."""
    if own.number < len(STEPS):
        yield Press(f"Next: {STEPS[own.number]}", (GoOn("steps_step", 1),), name="steps_on")
    elif own.numbers == TOY:
        acts = (Say("steps_numbers", MODEL), Say("steps_step", STEPS[0]), *CHOSEN_FOR_YOU)
        yield Press("Use real model", acts, name="steps_with_model")
    else:
        yield PageDoor(("training.py",), text="Watch heads learn", arrow=False)


def _step(said: Step, own: StepsWords, picks: Sequence[Block]) -> Iterator[Block]:
    """Yield a step: its idea and formula, one number by hand, its arrays in one sentence, and the way on.

    The toy's arrays stand beside the idea, on the first screen; a model's are as wide as the page, and below.
    """
    idea = (heading(said.title), caption(said.idea, style="sub"), Formula(two_lines(said.formula)))
    by_hand = (heading(said.by_hand_title, "h3"), *picks, Together((said.by_hand,)))
    arrays = (Together((said.arrays,)),)
    beside, below, shares = (arrays, by_hand, (2, 3)) if own.numbers == TOY else (by_hand, arrays, (1, 1))
    yield Place("steps_here", (Side((idea, beside), shares, "large"),))
    yield Place("steps_arrays", (*below, Together((said.so,))))
    yield Row(tuple(_onward(own)), "steps_onward", left=True, align="center")


def _picks(heads: int, words: Sequence[str], cell: tuple[int, int, int]) -> Row:
    """Return the choice of the followed cell: its head, the word that looks, the word that is looked at."""
    names = (tuple(f"head {head}" for head in range(heads)), tuple(words), tuple(words))
    picks = [
        Pick(word, label, tuple(range(len(named))), at, named, width=NARROW)
        for (word, label), named, at in zip(PLACES.items(), names, cell, strict=True)
    ]
    return Row(picks, "steps_cell", left=True, align="bottom")


def _walk_of_toy(made: Lesson) -> Iterator[Block]:
    """Yield the toy's walk: the words, this step, and the layer at a glance, in which a click follows another cell."""
    yield Place(HERO, (Together((toy_arrays.hero(made),), name="steps_hero"),))
    picks = _picks(made.n_heads, labelled(made.words), (made.head, made.query, made.key))
    yield Place(HERE, tuple(_step(toy.said(made), made.choices, (picks,))))
    glance = Together((toy_arrays.overview(made),), name="steps_overview", on={"cell": FOLLOW})
    yield Place(LAYER, (glance, caption(toy.where_you_are(made))))
    yield from under_step(made)


def _walk_of_model(view: View, own: StepsWords, ask: Ask) -> Iterator[Block]:
    """Yield the same walk to one cell of a model, with its own numbers; what of the text or the link cannot be."""
    accepted = accept_or(view.text, DEFAULT_TEXT, "Showing the telescope sentence.")
    yield Wait(LOOKING)
    recording = ask(Request(accepted.text, view.model))
    maps, row = recording.maps, model_row(view.model)
    example = example_for(maps.text)
    shown = shown_for(view, maps, example.readings if example else None)
    place, wrong = model.chosen_cell(recording, shown, own)
    said = (*map(Notice, accepted.notes), *map(Notice, (*recording.notes, *wrong)))
    yield from dict.fromkeys(said)
    hero = Together((model.hero(recording, place),), name="steps_hero")
    yield Place(HERO, (hero, caption(model.units(maps, place, shown))))
    try:
        found = ask(one_cell.of(maps.text, view.model, None, *place))
    except MHAError as error:
        yield Notice(str(error))
        return
    case = WalkedCell(found, maps, row, number=own.number)
    if own.number == len(STEPS):
        case, why = _with_added(case, ask)
        yield from map(Notice, why)
    layers, at = range(maps.n_layers), place.head.layer
    layer = Pick("steps_in_layer", "Layer", tuple(layers), at, tuple(f"layer {n}" for n in layers), width=NARROW)
    picks = _picks(maps.n_heads, case.names, (place.head.head, place.query, place.key))
    some = (layer, picks) if maps.n_layers > 1 else (picks,)
    yield Place(HERE, tuple(_step(model_texts.said(case), own, some)))
    yield from _foot(source(case), OnRequest(layer_table, (case, ask(ADDRESS))))


def _with_added(case: WalkedCell, ask: Ask) -> tuple[WalkedCell, tuple[str, ...]]:
    """Return the cell with what the heads of its layer add through W_O, or why that is not known."""
    try:
        asked = experiments.added.of(case.maps.text, case.row.name, case.cell.head, case.cell.query)
        return replace(case, w_o=ask(asked)), ()
    except (AttentionUnavailable, Busy) as error:
        return case, (str(error),)


def _foot(said: tuple[str | Spans, ...], numbers: OnRequest) -> Iterator[Block]:
    """Yield where the numbers come from, the numbers of every step, and the link."""
    yield Numbers("The numbers of every step", "parallax-steps", of=numbers)
    yield caption(*said, style="wide")
    yield CopyLink()
