"""The bound controls of Change a word, and the functions that write their keys."""

from __future__ import annotations

from typing import Any

import streamlit as st

from mha.link.compare import MODEL, SENTENCES, TWIN, Choices
from mha.models.files.catalog import model_row
from mha.screens.compare.case import pairs_of, second_text
from mha.ui import bound
from mha.ui.bound import models
from mha.ui.controls import OF_THE_PAGE

COPIED = "changes_copied"  # what the second side was filled with, so that it follows the first until it is edited
CHOSEN = "changes_chosen"  # the word of one side that waits for its partner, as (side, number)
ABOUT = "changes_about"  # the texts whose words were paired by hand
SIDES = {"first": 0, "second": 1}
MORE: dict[str, dict[str, Any]] = {
    "paired": {"placeholder": "6-5 2-3, counted from 0"},
    "swaps": {"placeholder": "chosen; or three, with commas"},
    "variants": {"placeholder": "up to 12 words with commas, or sentences, one a line"},
}


def draw(text: str, has_twin: bool) -> Choices:
    """Draw what stands on the second side, and in the popover all else that the link carries; return the choices."""
    state = st.session_state
    if not has_twin and state.get("compare_against") == TWIN:
        state["compare_against"] = Choices.of("against").default
    in_link = "compare_second" in bound.in_address() and COPIED not in state
    if not in_link and state.get("compare_second", "") in ("", state.get(COPIED, "")):
        state["compare_second"] = state[COPIED] = second_text(text)
    _forget_pairs((text, state.get("compare_second", "")))
    second, settings = st.columns([6, 3], vertical_alignment="bottom", gap="small")
    with settings, st.popover("Pairs, neutral words, variants, seed", width="stretch"):
        for name in ("paired", "swaps", "variants", "seed"):
            bound.draw(Choices.of(name), **MORE.get(name, {}))
    against = bound.draw(Choices.of("against"), label_visibility="collapsed")
    # Always drawn, so that the link keeps what the other kind of comparison had.
    bound.draw(Choices.of("second"), second, disabled=against != SENTENCES)
    here = bound.shape()._replace(models=tuple(models()))
    other = bound.draw(Choices.of("other"), state[OF_THE_PAGE], here)
    if against == MODEL:
        bound.mirror(
            st.selectbox, "Second model", list(models()), "compare_other_shown", other, bound.into("compare_other"),
            format_func=lambda name: model_row(name).title,
        )  # fmt: skip
    heads = here.heads()
    bound.draw(Choices.of("head"), state[OF_THE_PAGE], here, options=heads, placeholder="the first pinned")
    with state[OF_THE_PAGE]:
        bound.draw(Choices.of("weights"))
    return bound.now(Choices, here)


def _forget_pairs(texts: tuple[str, str]) -> None:
    """In other texts the places are other words': pairs made by hand, and a word that waits, go."""
    state = st.session_state
    if state.get(ABOUT, texts) != texts:
        state["compare_paired"] = ""
        state.pop(CHOSEN, None)
    state[ABOUT] = texts


def chosen() -> tuple[int, int] | None:
    """Return the word that waits for its partner."""
    return st.session_state.get(CHOSEN)


def choose(name: str) -> None:
    """Take a word by its side and number ("first 3"): the first waits, one of the other side is paired with it."""
    side, number = SIDES[name.split()[0]], int(name.split()[1])
    waits = st.session_state.get(CHOSEN)
    if waits is None or waits[0] == side:
        st.session_state[CHOSEN] = None if waits == (side, number) else (side, number)
        return
    pair = (number, waits[1]) if side == 0 else (waits[1], number)
    kept = [one for one in pairs_of(st.session_state["compare_paired"]) if one[0] != pair[0] and one[1] != pair[1]]
    st.session_state["compare_paired"] = " ".join(f"{first}-{second}" for first, second in sorted([*kept, pair]))
    st.session_state[CHOSEN] = None
    bound.forget_link_notes()


def as_found() -> None:
    """Give the pairs back to the app."""
    st.session_state["compare_paired"] = ""
    st.session_state[CHOSEN] = None
