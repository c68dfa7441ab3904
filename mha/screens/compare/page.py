"""Change a word: what in the sentence, or in the model, moved this head?"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace

from mha.engine import experiments
from mha.engine.experiments import has_twin
from mha.engine.question import ADDRESS, Ask, Kept
from mha.errors import InputError, NotComparable
from mha.formats import all_of, many
from mha.link.acts import Keep, Pin, Say, TakeText
from mha.link.compare import MODEL, SENTENCES, TWIN, CompareWords
from mha.link.link import Link
from mha.link.view import DEFAULT_TEXT
from mha.models.files.catalog import model_row, offered_on_pages
from mha.screens.blocks import Block, CopyLink, caption, said
from mha.screens.compare import every_head, findings, models
from mha.screens.compare.comparison import (
    Comparison,
    aligned,
    brings,
    changed_word,
    compare,
    pairs_of,
    recorded,
    swapped,
    weighed,
)
from mha.screens.compare.every_head import FORMATS, changes_table, table_columns, table_said
from mha.screens.compare.over_variants import over_variants
from mha.screens.inputs import Choose, PageDoor, Pick, Press, Put, Remember
from mha.screens.places import VIEW, End, Menu, More, Notice, PageTable, Side, Together, Wait, together
from mha.screens.takings import Numbers, OnRequest, prints_of_change
from mha.words import Accepted, accept_or, words

QUESTION = together(said("verdict", "Which heads change when one word changes?"))
HEDGE = together(
    said(
        "cap", "A change in attention does not show why, or whether it matters. One pair of sentences is not a pattern."
    )
)
EXAMPLES = {DEFAULT_TEXT: "I saw the man with the beard"}  # what the second side opens with; else a copy
EARLY_EXAMPLES = {DEFAULT_TEXT: "I saw the star with the telescope"}  # for causal models: words follow the change
UNTIL = "Until then the page shows “{}”."
MOST_WORDS = 48
LOOKING = "Computing attention on both sides …"
COPIED = "changes copied"  # what the second side was filled with, so that it follows the first until it is edited
CHOSEN = "changes chosen"  # the word of one side that waits for its partner, as (side, number)
ABOUT = "changes about"  # the texts whose words were paired by hand
SECOND, PAIRED = CompareWords.of("second").name, CompareWords.of("paired").name
HINTS = {
    "paired": "for example 6-5 2-3 (positions from 0)",
    "swaps": "picked for you, or type three to eight with commas",
    "variants": "up to 12 words with commas, or one sentence per line",
    "seed": "",
}


def page(link: Link, ask: Ask) -> Iterator[Block]:
    """Yield both sides' controls, what was found between them, head by head, and where it comes from."""
    first = accept_or(link.view.text, DEFAULT_TEXT, UNTIL.format(DEFAULT_TEXT))
    yield from map(Notice, first.notes)
    chosen = yield from _controls(first.text, link, ask)
    second = Accepted(first.text)
    if chosen.against == SENTENCES:
        second = accept_or(chosen.second, first.text, UNTIL.format(first.text.removesuffix(".")))
    yield from map(Notice, second.notes)
    longest = max(len(words(side.text)) for side in (first, second))
    if longest > MOST_WORDS:
        long = f"This page compares texts of up to {MOST_WORDS} words; one of these has {longest}."
        yield from (QUESTION, Notice(long), End())
        return
    yield Wait(LOOKING)
    if chosen.against == MODEL:
        yield from models.page(link.view, first.text, chosen, ask)
        return
    case = yield from _compared(link, chosen, (first.text, second.text), ask)
    if case is not None:
        yield from _hero(case, ask)
        if not case.same:
            yield from _every_head(case)
            yield from _pinned(case, ask)
        yield from over_variants(case, ask)
        yield from _foot(case, ask)


def _controls(text: str, link: Link, ask: Ask) -> Generator[Block, None, CompareWords]:
    """Yield what stands on the second side, and in the menus all else that the link carries; return the choices."""
    own = link.own
    assert isinstance(own, CompareWords)
    if own.against == TWIN and not has_twin(link.view.model):
        own = replace(own, against=SENTENCES)
        yield Put(CompareWords.of("against").name, SENTENCES)
    if own.second in ("", ask(Kept(COPIED)) or ""):
        opens = EARLY_EXAMPLES if model_row(link.view.model).causal else EXAMPLES
        own = replace(own, second=opens.get(text, text))
        yield from (Put(SECOND, own.second, told=False), Remember(COPIED, own.second))
    if ask(Kept(ABOUT)) not in (None, (text, own.second)):  # in other texts the places are other words'
        own = replace(own, paired="")
        yield from (Put(PAIRED, ""), Remember(CHOSEN, None))
    yield Remember(ABOUT, (text, own.second))
    rarely = Menu("Options", tuple(Choose(CompareWords.of(field).name, hint=hint) for field, hint in HINTS.items()))
    yield Side(((Choose(SECOND, off=own.against != SENTENCES),), (rarely,)), (6, 3), align="bottom")
    yield Choose(CompareWords.of("against").name, bare=True)
    other = CompareWords.of("other").name
    yield Menu(VIEW, (Choose(other),))
    if own.against == MODEL:
        rows = offered_on_pages()
        yield Pick(other, "Second model", tuple(row.name for row in rows), own.other, tuple(row.title for row in rows))
    yield Menu(
        VIEW, (Choose(CompareWords.of("head").name, hint="the first pinned"), Choose(CompareWords.of("weights").name))
    )
    return own


def _compared(
    link: Link, chosen: CompareWords, texts: tuple[str, str], ask: Ask
) -> Generator[Block, None, Comparison | None]:
    """Return what was found between both sides; yield what has to be said of them before, and where it ends there.

    A model that does not know the words of the first text offers a sentence that it knows.
    """
    model, (first, second) = link.view.model, texts
    try:
        one = yield from recorded(first, model, ask)
    except InputError as error:
        own = model_row(model).example
        if not own:
            raise
        yield from (QUESTION, Notice(f"{error} It knows this sentence: “{own}”."))
        yield from (Press("Use that sentence", (TakeText(own),)), End())
        return None
    if chosen.against == TWIN:
        other = ask(experiments.twin_maps.of(second, model, chosen.seed))
    else:
        other = (yield from recorded(second, model, ask)).merged()
    alignment, complaint = aligned(first, second, chosen)
    if complaint:
        yield Notice(complaint)
    place = None if chosen.against == TWIN else changed_word(alignment)
    instead = "" if place is None else words(second)[alignment.changed[0][1]]
    neutral, others = swapped(first, place, instead, model, chosen, ask)
    maps = one.merged(), other
    try:
        return compare(link.view, chosen, model_row(model), maps, alignment, others, neutral)
    except NotComparable as error:
        yield from (QUESTION, Notice(str(error)))
        if early := EARLY_EXAMPLES.get(first):
            yield Press("Change an earlier word", (Say(SECOND, early),))
        yield End()
        return None


def _hero(case: Comparison, ask: Ask) -> Iterator[Block]:
    """Yield both sentences, what is said of them, and the words in pairs, which can be paired by hand."""
    yield Together(findings.hero_blocks(case))
    if case.same:
        return
    yield caption(findings.pairs_said(case))
    if not case.twin:
        waits = ask(Kept(CHOSEN))
        acts = {
            f"{name} {at}": _chosen(case, side, at, waits)
            for side, (name, own) in enumerate(zip(("first", "second"), case.words, strict=True))
            for at in range(len(own))
        }
        found = Press("Pair automatically", (Say(PAIRED, ""), Keep(CHOSEN)), off=not case.choices.paired)
        yield More("Edit pairs", (Together(findings.words_block(case, waits), acts), found))


def _chosen(case: Comparison, side: int, number: int, waits: tuple[int, int] | None) -> tuple[Say | Keep, ...]:
    """Return what the click on a word is: the first one waits, and one of the other side is paired with it."""
    if waits is None or waits[0] == side:
        return (Keep(CHOSEN, None if waits == (side, number) else (side, number)),)
    pair = (number, waits[1]) if side == 0 else (waits[1], number)
    kept = [one for one in pairs_of(case.choices.paired) if one[0] != pair[0] and one[1] != pair[1]]
    paired = " ".join(f"{first}-{second}" for first, second in sorted([*kept, pair]))
    return Say(PAIRED, paired), Keep(CHOSEN)


def _every_head(case: Comparison) -> Iterator[Block]:
    """Yield how far each head moved beside its floor, where a click pins it, and all of them in a table."""
    drawn = every_head.map_blocks(case)
    if drawn:
        yield Together(drawn, {str(head): (Pin(head, case.pins),) for head in case.first.heads})
    columns = table_columns(case)
    if columns:
        count = len(columns["head"])
        alt = f"Change of {many(count, 'head')} in bits, one row each, largest first."
        sheet = PageTable(
            columns, alt, "parallax-changes-table", "Every head, largest change first", sorts=True, formats=FORMATS
        )
        yield More(f"{all_of(count, 'head')} in numbers", (sheet, caption(table_said(case).spans)))


def _pinned(case: Comparison, ask: Ask) -> Iterator[Block]:
    """Yield the pinned heads on both sides and the difference."""
    found = brings(case, ask) if case.pins else None
    instead, why = weighed(found, case.choices.weights) if case.pins else (None, "")
    if why:
        yield Notice(why)
    drawn = every_head.pin_blocks(case, found, instead)
    if drawn:
        yield Together(drawn, {str(head): (Pin(head, case.pins),) for head in case.pins})


def _foot(case: Comparison, ask: Ask) -> Iterator[Block]:
    """Yield the way to Heads, where the numbers come from and how they were treated, the numbers and the link."""
    yield PageDoor(("heads.py",), text="Open in Heads")
    yield HEDGE
    yield More("How is this measured?", tuple(caption(one) for one in findings.measured(case)))
    yield caption(findings.foot_said(case), style="wide")
    if case.found is not None:
        base = ask(ADDRESS).partition("?")[0]
        yield from prints_of_change(case.first, case.pins, case.texts[1], case.row.name, ask(ADDRESS), case.twin)
        yield Numbers("Every head's change", "parallax-changes", of=OnRequest(changes_table, (case, base)))
    yield CopyLink()
