"""Every number of one cell, in the place of all heads: the way in from a map, the view, and the way back."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace

from mha.analysis.looks import strongest_look
from mha.engine.experiments import one_cell
from mha.engine.question import Ask, Here, Kept, here
from mha.errors import AttentionUnavailable, InputError, MHAError
from mha.export.cell import cell_csv, cell_table
from mha.export.tables import Table
from mha.figures.thumbnails import block_size
from mha.link.acts import CELL_ASKED, OpenCell, Say
from mha.link.heads import BY_NUMBER, CellPlace, HeadsWords, place_of
from mha.maps import AttentionMaps, HeadId
from mha.models.watch.cell import Cell, check_place
from mha.screens.blocks import Block, caption
from mha.screens.cell import findings, keys, score
from mha.screens.cell.recorded import RecordedCell, picked, source
from mha.screens.decoder.stacks import as_read_again, every_row, row_of
from mha.screens.heads.overview import named_look
from mha.screens.heads.picture import Again, Picture, again
from mha.screens.heads.pinned import SIDE
from mha.screens.inputs import Choose, CopyLink, Press, Put, Remember
from mha.screens.places import InView, More, Notice, Row, Side, Together
from mha.screens.takings import Download, Numbers, OnRequest

WORD = HeadsWords.of("cell")
READ_AGAIN = (
    "No numbers for this cell: the written target splits into other tokens when read again. Choose another row, or "
    "type a target."
)


def open_cell(picture: Picture, own: HeadsWords, ask: Ask) -> Generator[Block, None, CellPlace | None]:
    """Return the open cell, None where none is open, or none such is there; yield its word, in the View menu.

    The word is drawn on every run of the page, so that the link keeps it. A cell that was clicked on a drawn map is
    found in the recording here.
    """
    clicked: OpenCell | None = ask(Kept(CELL_ASKED))
    text = own.cell
    if clicked is not None:
        yield Remember(CELL_ASKED, None)
        text = str(clicked_cell(picture, clicked.placed()))
        yield Put(WORD.name, text)
    yield InView((Choose(WORD.name),))
    place = place_of(text or "")
    if place is None:
        return None
    recording = picture.recording
    try:
        check_place(recording, *place, picture.stack or next(iter(recording.stacks)))
    except InputError as error:
        yield Notice(f"Problem in this link: {WORD.name} ({error.args[0].rstrip(chr(46))}). Showing all heads.")
        return None
    return place


def clicked_cell(picture: Picture, asked: OpenCell) -> CellPlace:
    """Return the cell that was meant: one of a drawn map, or a look of a head."""
    shown, head, side = picture.shown, asked.head, asked.side
    assert isinstance(head, HeadId)
    query, key = asked.query, asked.key
    named = named_look(shown, head) if asked.named else None
    if named is not None:
        query, key, side = named.query, named.key, None
    elif query is None or key is None:
        look = strongest_look(shown.maps, head, **shown.locked) or strongest_look(shown.maps, head)
        (query, key), side = look[:2] if look else (0, 0), SIDE
    assert isinstance(query, int)
    assert isinstance(key, int)
    maps = shown.maps
    step = (block_size(maps.n_queries, side), block_size(maps.n_keys, side)) if side else (1, 1)
    place = picked(picture.recording.maps, shown, head, query, key, step)
    return place._replace(query=row_of(picture, place.query))


def cell(picture: Picture, place: CellPlace, own: HeadsWords, ask: Ask) -> Iterator[Block]:
    """Yield every number of one cell, and the way back."""
    back = Press("← Back to the map", (Say(WORD.name, ""),))
    yield Row((back, caption((("head", str(place.head)),))), "cell_way", left=True, align="center")
    try:
        found, maps = found_in(picture, place, ask)
    except MHAError as error:
        yield Notice(str(error))
        return
    case = RecordedCell(found, maps, picture.row, own.cell_order == BY_NUMBER, own.cell_before)
    ways = {
        f"{way} {at}": (Say(WORD.name, str(place._replace(query=query, key=key))),)
        for way, at, query, key in case.ways()
    }
    yield Together((findings.hero(case), findings.finding(case), *findings.parts(case)), ways, room="cell")
    boxes: list[Block] = [Choose("heads_cell_before")] if found.before is not None else []
    boxes.append(Choose("heads_cell_order", bare=True))
    title = Together(tuple(score.fits(case)), room="cell")
    yield Side(((title,), (Row(boxes, align="center"),)), (3, 2), align="bottom")
    yield Together(tuple(score.dims(case)), room="cell")
    yield Together((*score.score_steps(case), *keys.keys(case)), room="cell")
    yield More("Compare with the other words", (Together((*keys.compared(case), findings.arrives(case)), room="cell"),))
    absent = tuple(Together((steps,), room="cell") for steps in score.absent_steps(case))
    yield More("How is this measured?", (caption(*source(case), style="wide"), *absent))
    of = found, again(picture), place
    numbers = OnRequest(_table, (*of, ask(Here()), picture.row.sha256))
    yield Numbers("The numbers of this cell", "parallax-cell", of=numbers)
    csv = OnRequest(_csv, of)
    file = Download("Download these numbers", f"parallax-{place.head}-cell.csv", "text/csv", csv)
    yield Row((CopyLink("Copy link"), file), left=True, align="center", gap="medium")


def _table(found: Cell, picture: Again, place: CellPlace, link: str, sha256: str) -> Table:
    return cell_table(found, found_in(picture(), place, here)[1], link, sha256)


def _csv(found: Cell, picture: Again, place: CellPlace) -> bytes:
    return cell_csv(found, found_in(picture(), place, here)[1])


def found_in(picture: Picture, place: CellPlace, ask: Ask) -> tuple[Cell, AttentionMaps]:
    """Return the cell, of the stack that the picture is of, and the maps that it is one of.

    Raises:
        AttentionUnavailable: a target that the model wrote is not read again by the tokens that it was written by.
    """
    model, maps = picture.view.model, every_row(picture)
    if not picture.stack:
        return ask(one_cell.of(maps.text, model, maps.pair, *place)), maps
    try:
        found = ask(one_cell.of(picture.source, model, None, *place, picture.stack, picture.recording.target))
    except InputError:  # a row for a sign that stands behind the target
        raise AttentionUnavailable(READ_AGAIN) from None
    read = as_read_again(maps, found.tokens, place.query)
    if read is None:
        raise AttentionUnavailable(READ_AGAIN)
    return replace(found, tokens=read.tokens, key_tokens=read.key_tokens), read
