"""A page that is a value, drawn by Streamlit: its blocks as they come, its controls bound, each where it stands.

Here are places, columns and rows, what is behind buttons and what is drawn again; how other blocks are drawn is told in
`choosing` and `telling`; what a click does is `mha.ui.acting`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mha.app import errors, share
from mha.readers.settled import ReadPage, settled
from mha.screens import places
from mha.screens.inputs import Choose
from mha.screens.pages import blocks_of
from mha.ui import acting, bound, choosing, controls, page_run
from mha.ui.component import draw
from mha.ui.page_run import Draw, PageRun
from mha.ui.patience import follow
from mha.ui.telling import TELLING

OF_FRAME = {places.VIEW: controls.OF_THE_PAGE}


def together(drawing: PageRun, block: places.Together, place: str) -> None:
    acts, page = block.acts, drawing.link.page
    key, on = block.name or drawing.key(place, block.kind), block.on
    events: dict[str, Any] = {f"on_{name}_change": partial(acting.sent, page, key, name, on[name]) for name in on}
    if acts:
        events["on_act_change"] = partial(acting.pressed, page, key, acts)
    draw(block.blocks, key, large=False if block.small else None, room=block.room, **events)


def place(drawing: PageRun, block: places.Place, place: str) -> None:
    if block.name not in drawing.standing:
        drawing.standing[block.name] = st.container(key=block.name)
    with drawing.standing[block.name]:
        drawing.blocks(block.blocks, block.name)


def side(drawing: PageRun, block: places.Side, place: str) -> None:
    columns = st.columns(list(block.shares), gap=block.gap, vertical_alignment=block.align)
    for column, blocks in zip(columns, block.columns, strict=True):
        with column:
            drawing.blocks(blocks, place)


def row(drawing: PageRun, block: places.Row, place: str) -> None:
    stands: dict[str, Any] = {} if block.left else {"horizontal_alignment": "right"}
    stands |= {"vertical_alignment": block.align, "gap": block.gap}
    with st.container(key=block.name, horizontal=True, **stands):
        drawing.blocks(block.blocks, place)


def following(drawing: PageRun, block: places.Following, place: str) -> None:
    """Draw it now, and while it runs again and again, from the page as it is said then."""
    name, asked, pace, before = block.name, block.question, block.pace, block.running
    first, keys, standing = [block.blocks], Counter(drawing.keys), dict(drawing.standing)
    del block  # what is drawn is not to be kept for as long as the page is open

    def again() -> None:
        if st.session_state.pop(acting.WHOLE, False):
            st.rerun()
        drawing.keys, drawing.standing = Counter(keys), dict(standing)  # its own places are made anew
        drawing.blocks(first.pop() if first else _said_now(drawing, name), place)

    run = drawing.ask(asked)
    follow(lambda: run.state == "running", again, pace, before, job=run)


def _said_now(drawing: PageRun, name: str) -> places.Blocks:
    return places.part(blocks_of(acting.fitted_link(drawing.link.page), drawing.ask), name)


def more(drawing: PageRun, block: places.More, place: str) -> None:
    asked: dict[str, Any] = {"on_change": "rerun"} if block.late or block.while_open else {}
    part = st.expander(block.title, expanded=block.open, key=block.name or None, **asked)
    if not asked or (part.open if block.late else page_run.is_open(part)):
        with part:
            drawing.blocks(block.blocks, place)


def tabs(drawing: PageRun, block: places.Tabs, place: str) -> None:
    word = drawing.link.words[block.word]
    for option, tab in zip(word.kind.options(bound.shape()), bound.draw(word), strict=True):
        if option == block.open:
            with tab, errors.shown():
                drawing.blocks(block.blocks, place)


def menu(drawing: PageRun, block: places.Menu, place: str) -> None:
    """Draw controls behind a button while it is open; where it is closed, their words say what they would."""
    part: DeltaGenerator | None
    if block.title in OF_FRAME:
        part = st.session_state[OF_FRAME[block.title]]
    else:
        key = drawing.key(place, block.kind)
        button = st.popover(block.title, width="content" if block.narrow else "stretch", key=key, on_change="rerun")
        part = button if page_run.is_open(button) else None
    if part is None:
        for one in places.every(block.blocks):
            if isinstance(one, Choose):
                choosing.settle(drawing, one)
    else:
        with part:
            drawing.blocks(block.blocks, place)


def wait(drawing: PageRun, block: places.Wait, place: str) -> None:
    drawing.waits_at, drawing.waits_for = st.empty(), block.text


PLACING: Mapping[type, Draw] = {
    places.Together: together,
    places.Place: place,
    places.Side: side,
    places.Row: row,
    places.Following: following,
    places.More: more,
    places.Menu: menu,
    places.Wait: wait,
    places.Tabs: tabs,
}
DRAWN = {**PLACING, **choosing.CHOOSING, **TELLING}


def show(page: str) -> None:
    """Draw a page of `mha.screens.pages`, as the address and its controls say."""
    drawing = PageRun(acting.fitted_link(page), DRAWN)
    drawing.blocks(blocks_of(drawing.link, drawing.ask), page)


def read(page: str) -> ReadPage:
    """Return a page as a value, as the address and its controls say."""
    reading = PageRun(acting.fitted_link(page), DRAWN)
    return ReadPage(reading.link, settled(blocks_of(reading.link, reading.ask), reading.ask), share.link())
