"""What can be clicked in the pictures of heads, by what the browser calls it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mha.engine.question import Ask, Kept
from mha.figures.thumbnails import SIDE as SMALL
from mha.figures.thumbnails import block_size
from mha.link.acts import Act, Pin, Say
from mha.link.head_acts import ONLY_ONE, AllBack, AskAbout, Lock, Only, OpenCell, WalkTo
from mha.link.sent import SentHead, SentName, SentNumber
from mha.maps import ATTENTION, HeadId
from mha.screens.heads.picture import Picture
from mha.screens.heads.pinned import SIDE, VIEWS
from mha.screens.heads.pins import Pins
from mha.screens.shown import Shown
from mha.screens.steps.model import asked_of
from mha.screens.steps.page import CELL_OF

On = Mapping[str, tuple[Act, ...]]


def of_heads(shown: Shown, ask: Ask) -> On:
    """Return what every picture of all heads has: pin or release one, only this one, all back."""
    head, full = SentHead(tuple(map(str, shown.full.heads))), shown.full
    return {
        "picked": (Pin(head, shown.pins),),
        "only": (Only(head, full.n_layers, full.n_heads),),
        "all_back": (AllBack(ask(Kept(ONLY_ONE))),),
    }


def asked(shown: Shown) -> On:
    """Return the click on a word of the sentence: it is asked about, or locked where answers are not about looks."""
    position = SentNumber("position", shown.maps.n_keys, none=True)
    if shown.full.measure == ATTENTION:
        act: Act = AskAbout(position, shown.kept, shown.lock, shown.look == "ask")
    else:
        act = Lock(position, "from", shown.kept)
    return {"asked": (act,)}


def cells_of_overview(shown: Shown) -> On:
    """Return the ways from a thumbnail to one cell: that cell, or any of its head."""
    head, maps = SentHead(tuple(map(str, shown.full.heads))), shown.maps
    query, key = (_cells(name, length, SMALL) for name, length in (("query", maps.n_queries), ("key", maps.n_keys)))
    return {"cell": (OpenCell(head, query, key, SMALL),), "one_cell": (OpenCell(head, named=True),)}


def cells_of_layer(picture: Picture, heads: Sequence[HeadId]) -> On:
    """Return the way from a map of one layer to one of its cells."""
    maps, names = picture.shown.maps, tuple(map(str, heads))
    query, key = SentNumber("query", maps.n_queries), SentNumber("key", maps.n_keys)
    return {"cell": (OpenCell(SentHead(names), query, key, SIDE),)}


def of_pinned(picture: Picture, drawn: Pins, cells: bool, steps: bool, ask: Ask) -> On:
    """Return what the pinned heads have: release, lock a word, another view, one cell, a head's arithmetic."""
    shown, maps = picture.shown, drawn.maps
    head = SentHead(tuple(map(str, shown.pins)))
    every = of_heads(shown, ask)
    columns = tuple(shown.position(at) for at in drawn.columns)
    own_rows = shown.full.kind == "self"  # rows of another text than the columns have places of their own
    rows = tuple(shown.position(at) if own_rows else at for at in drawn.rows)
    lock = SentNumber("position", maps.n_keys, none=True)
    row = SentNumber("position", maps.n_queries, none=True)
    on: dict[str, tuple[Act, ...]] = {
        "unpin": (Pin(head, shown.pins),),
        "only": (Only(head, shown.full.n_layers, shown.full.n_heads),),
        "all_back": every["all_back"],
        "lock": (Lock(lock, "at", columns),),
        "row": (Lock(row, "from", rows),),
        "view": (Say("heads_pinned", SentName("name", VIEWS)),),
    }
    if cells:
        query, key = (_cells(name, length, SIDE) for name, length in (("query", maps.n_queries), ("key", maps.n_keys)))
        on["cell"] = (OpenCell(head, query, key, SIDE, drawn.rows, drawn.columns),)
        on["one_cell"] = (OpenCell(head),)
    if steps:
        ways = tuple((pin, tuple(asked_of(picture.recording, shown, pin).items())) for pin in shown.pins)
        on["steps"] = (WalkTo(head, ways, (CELL_OF, (picture.view.text, picture.view.model))),)
    return on


def _cells(name: str, length: int, side: int) -> SentNumber:
    """Return the row or column of a map of which at most ``side`` travel, so that neighbours share one."""
    step = block_size(length, side)
    return SentNumber(name, -(-length // step), step)
