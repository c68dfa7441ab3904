"""What a click does: callbacks that write the bound widgets' keys, and nothing else.

``pins`` as the link has them: an empty list is automatic, ["none"] is a choice of no head.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha.examples import EXAMPLES
from mha.link.view import MAX_PINS, NO_PINS
from mha.maps import HeadId
from mha.screens.shown import Shown


def toggled(pins: Sequence[HeadId], head: HeadId) -> list[str]:
    """Return the pins, as the link has them, after a click on a head: pinned or released; the oldest makes room.

    >>> toggled([HeadId(0, 1)], HeadId(0, 9))
    ['L0H1', 'L0H9']
    >>> toggled([HeadId(0, 1)], HeadId(0, 1))
    ['none']
    """
    if head in pins:
        return [str(pin) for pin in pins if pin != head] or [NO_PINS]
    return [str(pin) for pin in [*pins, head][-MAX_PINS:]]


def pick(pins: Sequence[HeadId], head: HeadId) -> None:
    """Pin a head or release it; ``pins`` are those on the screen, chosen by the app or by the reader."""
    if head not in pins and len(pins) == MAX_PINS:
        st.toast(f"{MAX_PINS} heads can be pinned; {pins[0]} was released.")
    st.session_state["pins"] = toggled(pins, head)


def only(heads: Sequence[HeadId], pins: Sequence[HeadId], head: HeadId) -> None:
    """Switch every head but one off, and pin that one if it is not."""
    st.session_state["off"] = [str(other) for other in heads if other != head]
    if head not in pins:
        st.session_state["pins"] = toggled(pins, head)


def all_back() -> None:
    """Switch all heads on."""
    st.session_state["off"] = []


def choose_for_me() -> None:
    """Give the choice of pins, layer and locked word back to the app."""
    st.session_state["pins"] = []
    st.session_state["layer"] = None
    st.session_state["lock"] = None


def lock(shown: Shown, position: int | None) -> None:
    """Lock the column of the word at a position of the shown axis, or none."""
    st.session_state["lock"] = -1 if position is None else shown.position(position)


def layer_shown_changed() -> None:
    """Follow the layer's segmented control; a second click on the chosen layer gives the choice back to the app."""
    st.session_state["layer"] = st.session_state["layer_shown"]


def layer_heads_changed(layer: int, n_heads: int) -> None:
    """Follow the pills of a layer's heads: what is not chosen is switched off; other layers stay."""
    names = [f"L{layer}H{head}" for head in range(n_heads)]
    on = {f"L{layer}{head}" for head in st.session_state["layer_heads"]}
    others = [name for name in st.session_state["off"] if name not in names]
    st.session_state["off"] = others + [name for name in names if name not in on]


def switch_layer(layer: int, n_heads: int, on: bool) -> None:
    """Switch all heads of a layer on or off."""
    names = [f"L{layer}H{head}" for head in range(n_heads)]
    others = [name for name in st.session_state["off"] if name not in names]
    st.session_state["off"] = others if on else others + names


def pinned_view(name: str) -> None:
    """Keep how the pinned heads are drawn."""
    st.session_state["heads_pinned"] = name


def row_chosen(pins: Sequence[HeadId], heads: Sequence[HeadId]) -> None:
    """Pin the head of the table's row that was clicked; ``heads`` are the rows in order."""
    selection = st.session_state["statistics"]["selection"]
    rows = [*selection.get("rows", ()), *(cell[0] for cell in selection.get("cells", ()))]
    for row in rows[:1]:
        if 0 <= row < len(heads) and heads[row] not in pins:
            pick(pins, heads[row])


def text_changed() -> None:
    """Another text has other words: what was locked by its place is no longer meant."""
    st.session_state["lock"] = None
    forget_link_notes()


def take(text: str) -> None:
    """Put a text into the sentence's field, as if it had been typed."""
    st.session_state["text"] = text
    text_changed()


def take_unlocked(text: str, model: str | None = None) -> None:
    """Take a text, and perhaps a model, with every head's strongest look drawn, whatever the word."""
    if model is not None:
        st.session_state["model"] = model
        model_changed()
    take(text)
    st.session_state["lock"] = -1


def units_changed() -> None:
    """Words and tokens count places differently."""
    st.session_state["lock"] = None


def model_shown_changed() -> None:
    """Follow the model picker."""
    st.session_state["model"] = st.session_state["model_shown"]
    model_changed()


def model_changed() -> None:
    """Another model has other heads: every choice of heads goes back to the app."""
    choose_for_me()
    st.session_state["off"] = []
    forget_link_notes()


def example_chosen(key: str) -> None:
    """Take the example whose pill was chosen, as the page writes it; a second click on it changes nothing."""
    label = st.session_state[key]
    for example in EXAMPLES:
        if example.label == label:
            take(st.session_state.get("examples_as", {}).get(label, example.text))


def forget_link_notes() -> None:
    """What the link got wrong is old news once the reader has chosen something else."""
    st.session_state["link_notes"] = ()
