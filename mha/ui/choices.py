"""The frame's choices: each function writes bound keys, which the link is made of, and nothing else.

``pins`` as the link has them: an empty list is automatic, ["none"] is a choice of no head; ``on`` likewise.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import streamlit as st

from mha.examples import examples
from mha.link.acts import Pin
from mha.link.heads import CROSS, WRITE
from mha.link.kinds import NONE
from mha.link.link import Link
from mha.maps import HeadId
from mha.models.files.catalog import SMALL, model_row
from mha.screens.shown import Shown
from mha.ui import again
from mha.ui.bound import forget_link_notes

TABLE = "statistics"  # the key of the table of heads
BEFORE_ONLY = "before_only"  # what was pinned before one head was shown alone


def pick(pins: Sequence[HeadId], head: HeadId) -> None:
    """Pin a head or release it; ``pins`` are those on the screen, chosen by the app or by the reader."""
    state, act = st.session_state, Pin(head, tuple(pins))
    link = Link().with_(pins=tuple(HeadId.parse(name) for name in state["pins"] or () if name != NONE))
    if act.said(link):
        st.toast(act.said(link))
    state["pins"] = [str(pin) for pin in act.after(link).view.pins or ()] or [NONE]


def pin_rows(pins: Sequence[HeadId], heads: Sequence[HeadId]) -> None:
    """Pin or release the head of the table's row that was clicked or ticked; ``heads`` are the rows in order.

    The table shows the pins as its ticks (`mirror_pins`), so that what differs from them is what was done.
    """
    selection = st.session_state[TABLE]["selection"]
    cells = [heads[row] for row, _ in selection.get("cells", ()) if 0 <= row < len(heads)]
    ticked = {heads[row] for row in selection.get("rows", ()) if 0 <= row < len(heads)}
    for head in cells or sorted(ticked ^ {pin for pin in pins if pin in heads}):
        pick(pins, head)
        return  # one click, one head


def mirror_pins(pins: Sequence[HeadId], heads: Sequence[HeadId]) -> None:
    """Tick the rows of the pinned heads in the table."""
    rows = [row for row, head in enumerate(heads) if head in pins]
    st.session_state[TABLE] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    again.note(TABLE)


def only(heads: Sequence[HeadId], head: HeadId) -> None:
    """Switch every head but one off and pin that one alone; `all_back` brings back what was pinned before."""
    switch_off(heads, [str(other) for other in heads if other != head])
    st.session_state[BEFORE_ONLY] = {"only": [str(head)], "pins": st.session_state["pins"]}
    st.session_state["pins"] = [str(head)]


def all_back() -> None:
    """Switch all heads on, and pin what was pinned before one was shown alone, unless that was changed since."""
    before = st.session_state.pop(BEFORE_ONLY, None)
    if before and before["only"] == st.session_state["pins"]:
        st.session_state["pins"] = before["pins"]
    st.session_state["off"], st.session_state["on"] = [], []


def switch_off(heads: Sequence[HeadId], off: Collection[str]) -> None:
    """Switch heads off by name; the link stores these or those left on, whichever are fewer."""
    names = [str(head) for head in heads]
    off = [name for name in names if name in off]
    on = [name for name in names if name not in off]
    fewer = len(on) < len(off)
    st.session_state["off"] = [] if fewer else off
    st.session_state["on"] = (on or [NONE]) if fewer else []


def keep_on(shown: Shown, kept: Collection[str]) -> None:
    """Switch the heads of the shown layer off that are not among the kept ("H3"); other layers stay as they are."""
    off = {str(head) for head in shown.off if head.layer != shown.layer}
    own = [head for head in shown.full.heads if head.layer == shown.layer and f"H{head.head}" not in kept]
    switch_off(shown.full.heads, off | {str(head) for head in own})


def switch_layer(shown: Shown, on: bool) -> None:
    """Switch all heads of the shown layer on or off."""
    keep_on(shown, [f"H{head}" for head in range(shown.full.n_heads)] if on else ())


def choose_for_me() -> None:
    """Give the choice of pins, layer and locked word back to the app."""
    st.session_state["pins"] = []
    st.session_state["layer"] = None
    _lock(None, "at")


def lock(shown: Shown, look: str, position: int | None) -> None:
    """Lock the word at a position of the shown axis, by its column ("at") or its row ("from"), or none."""
    _lock(-1 if position is None else shown.position(position), "at" if position is None else look)


def lock_row(row: int | None) -> None:
    """Lock a row whose words are of another text than the columns', by its own place, or none."""
    _lock(-1 if row is None else row, "at" if row is None else "from")


def lock_place(place: int | None) -> None:
    """Lock the word at a place of the full axis by its row; -1 is none, None leaves it to the app."""
    _lock(place, "at" if place is None or place < 0 else "from")


def ask(shown: Shown, position: int | None) -> None:
    """Ask about the word at a position of the shown axis; None, or the same word again, closes the answers."""
    again = shown.look == "ask" and position == shown.lock
    place = shown.lock if position is None or again else position
    _lock(None if place is None else shown.position(place), "from" if position is None or again else "ask")


def unlock() -> None:
    """Give the locked word back to the app: in another text, or in other units, its place is another word's."""
    _lock(None, "at")
    close_cell()
    forget_link_notes()


def close_cell() -> None:
    """Show all heads again: in another text, or another model, one cell's places are others."""
    st.session_state["heads_cell"] = ""


def _lock(place: int | None, look: str) -> None:
    st.session_state["lock"], st.session_state["look"] = place, look


def pinned_view(name: str) -> None:
    """Keep how the pinned heads are drawn."""
    st.session_state["heads_pinned"] = name


def take(text: str) -> None:
    """Put a text into the sentence's field, as if it had been typed."""
    st.session_state["text"] = text
    unlock()


def take_example(label: str | None) -> None:
    """Take an example by its label, as the page writes it; None, a second click on it, changes nothing."""
    for example in examples():
        if example.label == label:
            take(st.session_state.get("examples_as", {}).get(label, example.text))


def take_model(name: str) -> None:
    """Take another model; the two that were trained here to write show it at once."""
    st.session_state["model"] = name
    if model_row(name) in SMALL:
        st.session_state["heads_prompt"], st.session_state["heads_stack"] = WRITE, CROSS
    reset_heads()


def reset_heads() -> None:
    """Give every choice of heads back to the app: another model has other heads."""
    choose_for_me()
    close_cell()
    st.session_state["off"], st.session_state["on"] = [], []
    forget_link_notes()
