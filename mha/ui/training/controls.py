"""The bound controls of Watch heads learn: every word of its part of the link is one widget."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mha.screens.training.choices import (
    DEFAULTS,
    EXPERIMENTS,
    HEADS,
    LAYERS,
    PREFIX,
    READ,
    READ_WORDS,
    READINGS,
    SEEDS,
    SIDES,
    STEPS,
    STRENGTHS,
    WHOLE,
    WORDS,
    complaints,
    experiment_of,
)
from mha.training.settings import PRESSURES, STARTS
from mha.ui import boundary

SENTENCE_NOT_USED = """<style>
[data-testid="stHorizontalBlock"]:has(.st-key-text), .st-key-examples { display: none; }
</style>"""


def without_sentence() -> None:
    """Hide the frame's sentence and model: this page has a language of its own. The link keeps them."""
    st.html(SENTENCE_NOT_USED)


def draw() -> DeltaGenerator:
    """Draw the experiments and both sides' settings; say what a link got wrong; return the place for a button."""
    _link_notes()
    first = st.container()
    for side, column in zip(SIDES, st.columns(2, gap="large"), strict=True):
        with column:
            _side(side)
    readings, steps, seed, strength, place = st.columns([2, 3, 2, 2, 2], vertical_alignment="bottom")
    with readings:
        _segments("Readings to tell", READINGS, "readings")
    with steps:
        _segments("Training steps", STEPS, "steps")
    with seed:
        st.number_input(
            "Seed", min_value=SEEDS[0], max_value=SEEDS[1], value=DEFAULTS["seed"], step=1, key=PREFIX + "seed",
            bind="query-params",
        )  # fmt: skip
    with strength:
        st.number_input(
            "λ of “kept apart”", min_value=STRENGTHS[0], max_value=STRENGTHS[1], value=DEFAULTS["strength"], step=0.1,
            key=PREFIX + "strength", bind="query-params", help="How much being different counts beside the task.",
        )  # fmt: skip
    with first:
        _experiments()
    return place


def look_back() -> None:
    """Draw the slider that goes back through the training."""
    st.slider(
        "Look back: how much of the training is done", 0, WHOLE, value=DEFAULTS["at"], format="%d %%",
        key=PREFIX + "at", bind="query-params",
    )  # fmt: skip


def chosen() -> dict[str, Any]:
    """Return what the controls say, by word without prefix. They must have been drawn: a link seeds them only then."""
    return {word.name: st.session_state.get(PREFIX + word.name, word.default) for word in WORDS}


def _side(side: str) -> None:
    heads, start, more = st.columns([5, 4, 2], vertical_alignment="bottom", gap="small")
    with heads:
        _segments(f"{side.capitalize()}: heads", tuple(HEADS), f"heads_{side}")
    with start:
        _choice("How heads start", tuple(STARTS), f"start_{side}", STARTS)
    with more, st.popover("More", width="stretch"):
        _choice("Each head reads", tuple(READ), f"reads_{side}", READ_WORDS)
        _choice("Kept apart", tuple(PRESSURES), f"pressure_{side}", PRESSURES)
        _segments("Layers", LAYERS, f"layers_{side}")


def _segments(label: str, options: tuple[str, ...], name: str) -> None:
    st.segmented_control(
        label, options, default=DEFAULTS[name], required=True, key=PREFIX + name, bind="query-params"
    )  # fmt: skip


def _choice(label: str, options: tuple[str, ...], name: str, table: dict[str, str]) -> None:
    explained = "\n".join(f"- {option}: {about}" for option, about in table.items())
    st.selectbox(label, options, key=PREFIX + name, bind="query-params", help=explained)


def _experiments() -> None:
    mirror = PREFIX + "experiment"
    st.session_state[mirror] = experiment_of(chosen())
    st.pills(
        "Experiments", list(EXPERIMENTS), key=mirror, on_change=_experiment_chosen, wrap=True,
        label_visibility="collapsed",
    )  # fmt: skip


def _experiment_chosen() -> None:
    name = st.session_state[PREFIX + "experiment"]
    if name in EXPERIMENTS:
        for word, value in {**DEFAULTS, **EXPERIMENTS[name]}.items():
            st.session_state[PREFIX + word] = value
        st.session_state[PREFIX + "link_notes"] = ()


def _link_notes() -> None:
    """Check the link once a visit, before the widgets exist: Streamlit drops what is wrong without a word."""
    key = PREFIX + "link_notes"
    if key not in st.session_state:
        st.session_state[key] = complaints({name: st.query_params.get_all(name) for name in st.query_params})
    for note in st.session_state[key]:
        boundary.say(note)
