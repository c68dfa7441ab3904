"""Every number of one cell, in the place of all heads: the way in from a map, the view, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace

from mha.analysis.looks import strongest_look
from mha.engine.experiments import one_cell
from mha.engine.question import ADDRESS, Ask, Kept, here
from mha.errors import AttentionUnavailable, InputError, MHAError
from mha.export.heads import cell_table
from mha.export.tables import Table, table_csv, table_source
from mha.figures.thumbnails import block_size
from mha.formats import labels, percent
from mha.link.acts import CELL_ASKED, OpenCell, Say
from mha.link.heads import BY_NUMBER, CellPlace, HeadsWords, place_of
from mha.maps import AttentionMaps, HeadId, piece_groups
from mha.models.watch.cell import Cell, check_place
from mha.screens.blocks import Block, CopyLink, Said, Span, as_text, caption, say, word
from mha.screens.cell import keys, score
from mha.screens.cell.recorded import RecordedCell, lead, picked, share, source
from mha.screens.heads.overview import named_look
from mha.screens.heads.picture import Again, Picture, again
from mha.screens.heads.pinned import SIDE
from mha.screens.heads.stacks import as_read_again, every_row, row_of
from mha.screens.inputs import Choose, Press, Put, Remember
from mha.screens.pieces import Piece, sentence_pieces
from mha.screens.places import More, Notice, Row, Side, Together
from mha.screens.takings import Download, Numbers, OnRequest
from mha.words import right_to_left

WORD = HeadsWords.of("cell")
READ_AGAIN = (
    "No numbers for this cell: the written output splits into other tokens when read again. Choose another row."
)


def open_cell(picture: Picture, own: HeadsWords, ask: Ask) -> Generator[Block, None, CellPlace | None]:
    """Return the open cell, None where none is open, or none such is there.

    A cell that was clicked on a drawn map is found in the recording here.
    """
    clicked: OpenCell | None = ask(Kept(CELL_ASKED))
    text = own.cell
    if clicked is not None:
        yield Remember(CELL_ASKED, None)
        text = str(clicked_cell(picture, clicked.placed()))
        yield Put(WORD.name, text)
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
    yield Together((hero(case), finding(case), *parts(case)), ways, room="cell")
    boxes: list[Block] = [Choose("heads_cell_before")] if found.before is not None else []
    boxes.append(Choose("heads_cell_order", bare=True))
    title = Together(tuple(score.fits(case)), room="cell")
    yield Side(((title,), (Row(boxes, align="center"),)), (3, 2), align="bottom")
    yield Together(tuple(score.dims(case)), room="cell")
    yield Together((*score.score_steps(case), *keys.keys(case)), room="cell")
    yield More("Compare with the other words", (Together((*keys.compared(case), keys.arrives(case)), room="cell"),))
    absent = tuple(Together((steps,), room="cell") for steps in score.absent_steps(case))
    yield More("How is this measured?", (caption(*source(case), style="wide"), *absent))
    of = found, again(picture), place
    numbers = OnRequest(_table, (*of, ask(ADDRESS), picture.row.sha256))
    yield Numbers("The numbers of this cell", "parallax-cell", of=numbers)
    name = f"parallax-{place.head}-cell"
    file = Download("Download these numbers", f"{name}.csv", "text/csv", OnRequest(_file, (table_csv, *of)))
    told = Download("Their source", f"{name}.source.json", "application/json", OnRequest(_file, (table_source, *of)))
    yield Row((CopyLink("Copy link"), file, told), left=True, align="center", gap="medium")


def _table(found: Cell, picture: Again, place: CellPlace, link: str, sha256: str) -> Table:
    return cell_table(found, found_in(picture(), place, here)[1], link, sha256)


def _file(write: Callable[[Table], bytes], found: Cell, picture: Again, place: CellPlace) -> bytes:
    return write(cell_table(found, found_in(picture(), place, here)[1]))


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


AROUND = 30  # pieces of a long text before and behind the two words


class Hero(Block, kind="cell_hero"):
    """The sentence with two words and one arc; ``cut`` says that words before or behind were left out."""

    pieces: tuple[Piece, ...]
    query: int
    key: int
    share: str
    weight: float
    cut: tuple[bool, bool]
    label: str


def finding(case: RecordedCell) -> Said:
    """Return the sentence of the view."""
    return Said("cell-lead lead", lead(case.maps, case.place, case.cut_off, "These four steps"))


def hero(case: RecordedCell) -> Hero:
    """Return the sentence with the two tokens; of a long text what stands around them."""
    found, pieces = case.cell, _pieces(case)
    key = found.key
    query = found.query + (len(found.key_tokens) if case.crosses else 0)  # behind the keys of another text
    places = [place for place, piece in enumerate(pieces) if piece["at"] in (query, key)]
    first, last = max(0, min(places) - AROUND), max(places) + AROUND + 1
    if max(places) - min(places) > 4 * AROUND:  # too far apart to stand in one text
        near = [range(max(0, place - AROUND // 2), place + AROUND // 2) for place in (min(places), max(places))]
        kept = [piece for place, piece in enumerate(pieces) if any(place in one for one in near)]
        gap = len([place for place in near[0] if place < len(pieces)])
        dots: Piece = {"text": "…", "at": None, "space": True}
        kept.insert(gap, dots)
        first, last = near[0].start, near[1].stop
    else:
        kept = pieces[first:last]
    said = f"{share(found.weight)} of the attention of {as_text((case.query,))} goes to {as_text((case.key,))}"
    if right_to_left(case.maps.text):
        kept[0] = {**kept[0], "rtl": True}  # the first one that stands there says it
    return Hero(tuple(kept), query, key, percent(found.weight), found.weight, (first > 0, last < len(pieces)), said)


def _pieces(case: RecordedCell) -> list[Piece]:
    """Return the text's pieces; where another text looks at it, that one's tokens behind it, numbered on."""
    pieces = sentence_pieces(case.maps)
    if not case.crosses:
        return pieces
    n_keys = len(case.cell.key_tokens)
    apart: Piece = {"text": "←", "at": None, "space": True}
    names = labels(case.cell.tokens)
    target: list[Piece] = [{"text": name, "at": n_keys + at, "space": True} for at, name in enumerate(names)]
    return [*pieces, apart, *target]


def parts(case: RecordedCell) -> tuple[Said, ...]:
    """Return what the two tokens are parts of, where words have several."""
    tokens = case.cell.tokens, case.cell.key_tokens
    lines: list[Span] = []
    for place, own, name in zip((case.cell.query, case.cell.key), tokens, (case.query, case.key), strict=True):
        group = next(group for group in piece_groups(own) if place in group)
        if len(group) == 1 or own[place].word is None or (lines and case.itself):
            continue
        source = (case.maps.pair or "") if own[place].segment else case.maps.text
        whole = source[own[group[0]].start : own[group[-1]].end]
        lines += say(f"{{name}} is one of {len(group)} tokens in {{whole}}. ", name=name, whole=word(whole))
    return (Said("cap", tuple(lines)),) if lines else ()
