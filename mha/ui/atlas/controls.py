"""The bound controls of Whole model, and the functions that write their keys."""

from __future__ import annotations

import streamlit as st

from mha.link.atlas import READINGS, Choices
from mha.link.kinds import NONE
from mha.link.view import MAX_PINS, VERSION
from mha.maps import HeadId
from mha.ui import bound

TO_HEADS = "atlas_goes_to_heads"
MORE = ("order", "least", "most", "layer", "like", "head")


def draw() -> Choices:
    """Draw over which texts, by what it is coloured, and in the popover all else that the link carries."""
    shape, state = bound.shape(), st.session_state
    for name, options in (("like", shape.heads()), ("head", shape.heads()), ("layer", None)):
        word = Choices.of(name)
        if state.get(word.name) not in (options or [str(layer) for layer in range(shape.n_layers)]):
            state[word.name] = None  # a head of another model
    over, colour, more = st.columns([5, 3, 2], vertical_alignment="bottom", gap="small")
    if bound.draw(Choices.of("over"), over, wrap=True) == READINGS:
        return bound.now(Choices, shape)  # what follows is of the map of heads
    bound.draw(Choices.of("colour"), colour)
    with more, st.popover("Range, order, heads", width="stretch"):
        for name in MORE:
            bound.draw(Choices.of(name), shape=shape)
    return bound.now(Choices, shape)


def to_heads(head: HeadId) -> None:
    """Pin a head beside those that are; a callback cannot change the page, so `follow_click` goes on to Heads."""
    others = [name for name in st.session_state["pins"] or () if name not in (NONE, str(head))]
    st.session_state["pins"] = [*others[1 - MAX_PINS :], str(head)]
    st.session_state[TO_HEADS] = True


def follow_click() -> None:
    """Go to Heads if a head was clicked, before anything is drawn; all that the frame says goes along."""
    if st.session_state.pop(TO_HEADS, False):
        st.session_state["link_frame"] |= {"pins": st.session_state["pins"]}  # what `bound.check_link` gives Heads
        st.switch_page("heads.py", query_params={"v": VERSION})


def like(head: HeadId) -> None:
    """Show the likes of a head."""
    st.session_state["atlas_like"] = str(head)
    bound.forget_link_notes()


def open_sheet(head: str | None) -> None:
    """Open the sheet of a head, or with None go back to the whole model."""
    st.session_state["atlas_head"] = head
    bound.forget_link_notes()
