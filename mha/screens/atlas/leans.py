"""What Whole model says and shows of somebody's own sentences with two readings.

Sides are called by the columns of the file, a and b: letters of readings and their colours belong to *Two readings*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from mha.analysis.leaning import MANY, UNUSUAL_AT, LeansOver, SentenceLeans
from mha.analysis.own_texts import OwnReading, left_out_said
from mha.engine.jobs import Long
from mha.engine.own_readings import FEWEST_WORDS, ReadingsRun
from mha.engine.question import ADDRESS, Ask, Kept
from mha.export.provenance import Provenance, without_maps
from mha.export.tables import Table
from mha.formats import all_of, counted, many, number, signed
from mha.link.acts import Begin, ToHeads
from mha.link.atlas import READINGS
from mha.link.link import Link
from mha.link.view import View
from mha.maps import heads_of, ranked
from mha.models.files.catalog import ModelRow, model_row
from mha.screens.atlas.findings import question
from mha.screens.atlas.whole_model import heads_said
from mha.screens.blocks import Block, CopyLink, HeadDiscs, Said, caption, heading, said, say
from mha.screens.inputs import GivenTexts, Press
from mha.screens.measuring import PACE, far
from mha.screens.places import Following, More, Notice, PageTable, Place, Together
from mha.screens.takings import Numbers
from mha.words import words

GIVEN = "whole_own_readings"  # what is measured and what was left out, so that another page and back loses nothing
ALLOWED = int(UNUSUAL_AT * (1 + MANY)) - 1  # orders that may reach as far at p = .05
ASK = ("next", "Click a head to see it on Heads.")
COLUMNS = ("head", "average lean", "shuffled", "spread", "above the limit", "sentences")
FORMATS = {"average lean": "%.3f", "shuffled": "%.3f", "spread": "%.3f"}


def page(link: Link, ask: Ask) -> Iterator[Block]:
    """Yield the fields, and what is known of the reader's sentences."""
    yield Place("whole_top", ())
    yield GivenTexts(GIVEN, link.view.model)
    kept = ask(Kept(GIVEN))
    if kept is None:
        yield Place("whole_top", (question(READINGS),))
        return
    rows, left_out = kept
    if left_out:
        yield Notice(left_out)
    asked = ReadingsRun.of(link.view.model, rows)
    run = ask(asked)
    if run is None:
        yield Place("whole_top", (question(READINGS),))
        yield caption(f"{counted(len(rows), 'sentence').capitalize()}: not measured with this model yet.")
        yield Press("Measure now", (Begin(asked),))
        return
    running = run.state == "running"
    if run.state != "done":
        yield Following("measured", asked, running, _measured(link.view, asked, run), PACE)
    if not running:
        yield from _found(link.view, run, ask)


def _measured(view: View, asked: Long, run: ReadingsRun) -> Iterator[Block]:
    """Yield how far a run is, and while it runs what is known so far."""
    if run.over() is None:
        yield question(READINGS)
    yield from far(asked, run, f"Sentence {run.done} of {run.whole}, each with 199 shuffled sentences")
    if run.running:
        yield from _pictures(view, run)


def _pictures(view: View, run: ReadingsRun) -> list[Together]:
    over = run.over()
    if over is None:
        return []
    row = model_row(view.model)
    drawn = map_blocks(run, over, [str(pin) for pin in view.pins or ()])
    acts = {str(head): (ToHeads(head),) for head in heads_of(row.n_layers, row.n_heads)}
    return [Together(opening_blocks(run, over)), Together(drawn, acts)]


def _found(view: View, run: ReadingsRun, ask: Ask) -> Iterator[Block]:
    """Yield what was measured, whole or as far as it came, and offer it to be taken along."""
    unread = unread_said(run)
    if unread:
        yield Notice(unread)
    over, row = run.over(), model_row(view.model)
    if over is None:
        if run.state == "done":  # else what is drawn while it is measured has asked
            yield question(READINGS)
        return
    yield from _pictures(view, run)
    columns = table_columns(over)
    count = len(columns["head"])
    alt = f"Average leans of {many(count, 'head')}, one row each, largest first."
    sheet = PageTable(columns, alt, "parallax-lean-table", "Average lean of every head", sorts=True, formats=FORMATS)
    about = say(
        "Lean: strength of the ambiguous word and a, minus that of the ambiguous word and b, attention sinks excluded; "
        "average over {n}. Shuffled: {orders} [[shuffles|shuffled]]. Chance limit {floor}. The last column counts the "
        "sentences in which this head alone counts: by chance one of twenty at most.",
        n=counted(over.n, "sentence"), orders=str(MANY), floor=number(over.floor, 3),
    )  # fmt: skip
    yield More(f"{all_of(count, 'head')} in numbers", (sheet, caption(about)), open=True)
    address = ask(ADDRESS)
    heads = heads_table(run, over, row, address)
    yield Numbers("Average lean of every head", "parallax-mean-leans", of=heads)
    yield Numbers("Your sentences", "parallax-sentences", of=sentences_table(run, row, address))
    yield CopyLink()


def opening_blocks(run: ReadingsRun, over: LeansOver) -> list[Block]:
    """Return in how many sentences a head leans unusually far, and how many heads do over all of them."""
    known = dict(run.gathered.sentences)  # to which others may be added meanwhile
    passing = sum(bool(one.passes.any()) for one in known.values())
    n, heads, beyond = over.n, over.lean.size, int(over.beyond.sum())
    short = sum(len(words(run.rows[place].text)) < FEWEST_WORDS for place in known)
    chance = f"{(n - short) * UNUSUAL_AT:.4g}"  # of whole sentences, so that nothing is rounded
    where = "In this sentence" if n == 1 else f"In {passing or 'none'} of {n} sentences"
    so_far = "" if n == len(run.rows) - len(run.unread) else " measured so far"
    who = "does a head lean" if n > 1 and not passing else f"{'no' if not passing else 'a'} head leans"
    verdict = f"{where}{so_far} {who} further than with shuffled words (by chance about {chance})."
    sub = say(
        "A sentence counts if in {most} or more of {orders} [[shuffled sentences|shuffled]] no head has a [[lean]] as "
        "large, to either side. {short}Over {all}, {beyond} {have} an average lean above the chance limit; by chance a "
        "head would in one of twenty tables. This shows that word positions matter to a head; closeness alone can be "
        "enough. It does not show how a sentence is understood.",
        most=str(MANY - ALLOWED), orders=str(MANY),
        short=f"{counted(short, 'sentence').capitalize()} of three words {'has' if short == 1 else 'have'} too few "
              "orders to pass. " if short else "",
        all="it" if n == 1 else "all of them", beyond=f"{beyond or 'none'} of {heads_said(heads)}",
        have="has" if beyond <= 1 else "have",
    )  # fmt: skip
    return [Said("verdict", (("plain", verdict),)), Said("sub", sub)]


def map_blocks(run: ReadingsRun, over: LeansOver, pins: Sequence[str] = ()) -> list[Block]:
    """Return every head's mean lean beside the floor."""
    sizes = np.abs(over.lean)
    floor = np.full(sizes.shape, over.floor) if np.isfinite(over.floor) else None
    top = max(float(sizes.max()), 1e-3 if floor is None else float(over.floor), 1e-3)
    most = ranked(sizes)[0]
    label = (
        f"Average lean of {heads_said(sizes.size)} over {counted(over.n, 'sentence')}: largest in {most}, "
        f"{signed(float(over.lean[most]), 3)}; chance limit {number(over.floor, 3)}; {int(over.beyond.sum())} above it."
    )
    return [
        heading("Average lean of each head"),
        said("sub", "Filled: to the word in column a. Open: to that in b. Ring: chance limit, which no head exceeds "
                    "in all but 9 of {orders} shuffles. {ask}", orders=str(MANY), ask=ASK),
        HeadDiscs("leans", over.lean, floor, top, pins, label=label),
    ]  # fmt: skip


def table_columns(over: LeansOver) -> dict[str, list[str] | np.ndarray]:
    """Return the table of heads, the furthest mean lean first."""
    heads = ranked(np.abs(over.lean))
    at = tuple(np.array(heads).T)
    values = (over.lean, over.shuffled, over.spread, over.beyond, over.passed)
    return dict(zip(COLUMNS, ([str(head) for head in heads], *(one[at] for one in values)), strict=True))


def unread_said(run: ReadingsRun) -> str:
    """Return which lines were left out while measuring, "" where none was."""
    wrong: dict[str, list[tuple[int, str]]] = {}
    for place, why in sorted(run.unread.items()):
        wrong.setdefault(why.rstrip("."), []).append((run.rows[place].line, ""))
    return left_out_said(wrong)


def heads_table(run: ReadingsRun, over: LeansOver, row: ModelRow, link: str) -> Table:
    """Return the numbers of every head, in the order of heads, with where they come from."""
    columns: dict[str, list[str] | np.ndarray] = {
        "head": [str(head) for head in heads_of(*over.lean.shape)],
        "lean_mean": over.lean.ravel(),
        "lean_mean_in_other_orders": over.shuffled.ravel(),
        "spread_in_other_orders": over.spread.ravel(),
        "floor": np.full(over.lean.size, over.floor),
        "beyond_floor": over.beyond.ravel(),
        "sentences_passed": over.passed.ravel(),
        "sentences": np.full(over.lean.size, over.n),
    }
    return Table(columns, _told(row, over.n, link))


def sentences_table(run: ReadingsRun, row: ModelRow, link: str) -> Table:
    """Return a row a sentence: its words, the head that leans furthest, how far, and p."""
    measured: Mapping[int, SentenceLeans] = dict(sorted(run.gathered.sentences.items()))
    rows: list[OwnReading] = [run.rows[place] for place in measured]
    furthest = [ranked(np.abs(found.lean))[0] for found in measured.values()]
    columns: dict[str, list[str] | np.ndarray] = {
        "line": np.array([one.line for one in rows]),
        "text": [one.text for one in rows],
        **{name: [words(one.text)[getattr(one, name)] for one in rows] for name in ("pivot", "a", "b")},
        "furthest_head": [str(head) for head in furthest],
        "lean": np.array([found.lean[head] for found, head in zip(measured.values(), furthest, strict=True)]),
        "p": np.array([found.p[head] for found, head in zip(measured.values(), furthest, strict=True)]),
        "passes": np.array([bool(found.passes.any()) for found in measured.values()]),
    }  # fmt: skip
    return Table(columns, _told(row, len(rows), link))


def _told(row: ModelRow, n: int, link: str) -> Provenance:
    found = without_maps(
        (f"{counted(n, 'sentence')} of the reader, with two readings",),
        (row.short, row.revision, row.origin),
        "words; rows rescaled without sinks",
        model_sha256=row.sha256,
        link=link,
    )
    return replace(found, sinks="excluded", controls=f"{MANY} shuffles of each sentence's words, one maximum over "
                                       "heads and sides; chance limit at p = .05")  # fmt: skip
