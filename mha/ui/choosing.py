"""What can be chosen, written and done on a page that Streamlit draws: its widgets, bound or mirrors of bound ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from mha.link.acts import Pin
from mha.link.kinds import Choice, LayerNumber
from mha.maps import HeadId
from mha.navigation import PAGES, ROWS, page_row
from mha.screens import inputs
from mha.ui import acting, again, bound
from mha.ui.page_run import HEAD, ROW, Draw, PageRun

TABLE, TICKED = "statistics", 9  # the key of the table of heads, and how many of its rows are in sight
HOME = PAGES[""].file  # every app has it
PICKED_FROM: Mapping[str, Callable[..., Any]] = {
    "list": st.selectbox,
    "segments": st.segmented_control,
    "pills": st.pills,
}
LINKS = {row.file: row.door for row in ROWS}


def ticked(drawing: PageRun, block: inputs.Ticked, place: str) -> None:
    """Draw the table of heads, of which the pinned ones are ticked."""
    import pyarrow as pa  # 25 MB that most visits never need; of its tables Streamlit makes none of pandas

    mirror_pins(block.pins, block.heads)
    of = {
        name: st.column_config.NumberColumn(None if label == name else label, help=about, format=how)
        for name, (label, about, how) in block.told.items()
    }
    st.dataframe(
        pa.table(dict(block.columns)), key=TABLE, hide_index=True, column_config=of, alt=block.alt,
        height=ROW * min(len(block.heads), TICKED) + HEAD, selection_mode=["multi-row", "single-cell"],
        on_select=partial(_row_pinned, drawing.link.page, block.pins, block.heads),
    )  # fmt: skip


def row_clicked(pins: Sequence[HeadId], heads: Sequence[HeadId]) -> HeadId | None:
    """Return the head of the table's row that was clicked or ticked, None where it is none; ``heads`` are its rows.

    The table shows the pins as its ticks (`mirror_pins`), so that what differs from them is what was done.
    """
    selection = st.session_state[TABLE]["selection"]
    cells = [heads[row] for row, _ in selection.get("cells", ()) if 0 <= row < len(heads)]
    ticked = {heads[row] for row in selection.get("rows", ()) if 0 <= row < len(heads)}
    return next(iter(cells or sorted(ticked ^ {pin for pin in pins if pin in heads})), None)  # one click, one head


def mirror_pins(pins: Sequence[HeadId], heads: Sequence[HeadId]) -> None:
    """Tick the rows of the pinned heads in the table."""
    rows = [row for row, head in enumerate(heads) if head in pins]
    st.session_state[TABLE] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    again.note(TABLE)


def _row_pinned(page: str, pins: tuple[HeadId, ...], heads: tuple[HeadId, ...]) -> None:
    head = row_clicked(pins, heads)
    if head is not None:
        acting.done(page, (Pin(head, pins),))


def put(drawing: PageRun, block: inputs.Put, place: str) -> None:
    bound.put(drawing.link.words[block.word], block.value)


def remember(drawing: PageRun, block: inputs.Remember, place: str) -> None:
    st.session_state[block.name] = block.value


def pick(drawing: PageRun, block: inputs.Pick, place: str) -> None:
    named = dict(zip(block.options, block.names, strict=True)) if block.names else {}
    given: dict[str, Any] = {} if block.width is None else {"width": block.width}
    given |= {} if block.look == "list" else {"label_visibility": "collapsed"}
    given |= {"required": True} if block.look == "segments" else {}
    bound.mirror(
        PICKED_FROM[block.look], block.label, list(block.options),
        f"{block.word}_shown", block.shows,
        bound.into(block.word), format_func=lambda one: named.get(one, one),
        **given,
    )  # fmt: skip


def door(drawing: PageRun, block: inputs.PageDoor, place: str) -> None:
    """Draw the link to the first of these pages that the navigation has, else to Heads; nothing where there is none.

    The sentence and the model go along.
    """
    for page in (*block.pages, HOME):
        with suppress(StreamlitPageNotFoundError):
            icon: Any = {"icon": ":material/arrow_forward:", "icon_position": "right"} if block.arrow else {}
            st.page_link(page, label=block.text or LINKS[page], **icon)
            return


def leave(drawing: PageRun, block: inputs.Leave, place: str) -> None:
    st.session_state[acting.LEAVES_FOR] = page_row(block.page).file, dict(block.words)
    st.rerun()  # the frame would write the link of the page that is left into the address


def out(drawing: PageRun, block: inputs.Out, place: str) -> None:
    st.link_button(block.text, block.address, type="tertiary" if block.faint else "secondary")


def settle(drawing: PageRun, block: inputs.Choose) -> None:
    """Let a word say what can be chosen of it: a head or a layer of another model cannot, and its first option may."""
    word, shape = drawing.link.words[block.word], drawing.shape
    value = st.session_state.get(word.name)
    offered = block.options or word.kind.options(shape)
    if isinstance(word.kind, Choice | LayerNumber) and value not in (None, *offered):
        st.session_state[word.name] = None if word.automatic else word.default
    if block.first is not None and st.session_state.get(word.name) is None:
        bound.let_stand(word, offered[block.first])


def choose(drawing: PageRun, block: inputs.Choose, place: str) -> None:
    settle(drawing, block)
    given: dict[str, Any] = {"label_visibility": "collapsed"} if block.bare else {}
    given |= {"wrap": True} if block.wrap else {}
    given |= {"placeholder": block.hint} if block.hint else {}
    given |= {"format": block.format} if block.format else {}
    given |= {"width": block.width} if block.width else {}
    given |= {"options": block.options} if block.options else {}
    given |= {"label": block.label} if block.label else {}
    given |= {"on_change": partial(acting.chosen, drawing.link.page, block.then)} if block.then else {}
    bound.draw(drawing.link.words[block.word], shape=drawing.shape, **given)


def press(drawing: PageRun, block: inputs.Press, place: str) -> None:
    does = "_".join([block.kind, *(type(act).__name__.lower() for act in block.acts)])
    # What does something else is another button, or the second of two clicks on one would be of what took its place.
    st.button(
        block.text, key=block.name or drawing.key(place, does), disabled=block.off,
        on_click=acting.done, args=(drawing.link.page, block.acts), shortcut=block.shortcut or None,
        type="tertiary" if block.faint else "secondary", width="content",
    )  # fmt: skip


def guess(drawing: PageRun, block: inputs.Guess, place: str) -> None:
    kept = st.session_state.get(inputs.guess_kept(block.name)) or {}
    shows = kept.get("word") if kept.get("text") == st.session_state["text"] else None
    bound.mirror(
        st.pills, block.label, list(block.options), block.name, shows if shows in block.options else None,
        partial(_keep, block.name), label_visibility="collapsed", wrap=True,
    )  # fmt: skip


def _keep(name: str, word: str | None) -> None:
    """Keep a guess with its sentence for as long as the visit lasts: its widget goes when findings are shown."""
    st.session_state[inputs.guess_kept(name)] = {"text": st.session_state["text"], "word": word or ""}


CHOOSING: Mapping[type, Draw] = {
    inputs.Put: put,
    inputs.Remember: remember,
    inputs.Pick: pick,
    inputs.PageDoor: door,
    inputs.Leave: leave,
    inputs.Out: out,
    inputs.Choose: choose,
    inputs.Press: press,
    inputs.Ticked: ticked,
    inputs.Guess: guess,
}
