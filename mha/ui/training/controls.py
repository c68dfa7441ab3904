"""The bound controls of Watch heads learn: every word of its part of the link is one widget."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mha.link.training import EXPERIMENTS, SIDES, Choices
from mha.ui import bound


def draw() -> DeltaGenerator:
    """Draw the experiments and both sides' settings; return the place for a button."""
    first = st.container()
    for side, column in zip(SIDES, st.columns(2, gap="large"), strict=True):
        with column:
            _side(side)
    *places, place = st.columns([2, 3, 2, 2, 2], vertical_alignment="bottom")
    for name, column in zip(("readings", "steps", "seed", "strength"), places, strict=True):
        bound.draw(Choices.of(name), column)
    with first:
        bound.mirror(
            st.pills, "Experiments", list(EXPERIMENTS), "training_experiment", chosen().experiment, take_experiment,
            wrap=True, label_visibility="collapsed",
        )  # fmt: skip
    return place


def look_back() -> None:
    """Draw the slider that goes back through the training."""
    bound.draw(Choices.of("at"), format="%d %%")


def chosen() -> Choices:
    """Return what the controls say. They must have been drawn: a link seeds them only then."""
    return bound.now(Choices)


def take_experiment(name: str | None) -> None:
    """Set every word to what an experiment says; None, a second click on it, changes nothing."""
    if name in EXPERIMENTS:
        bound.write(EXPERIMENTS[name])


def _side(side: str) -> None:
    heads, start, more = st.columns([12, 7, 4], vertical_alignment="bottom", gap="small")
    bound.draw(Choices.of(f"heads_{side}"), heads, wrap=True)
    bound.draw(Choices.of(f"start_{side}"), start)
    with more, st.popover("More", width="stretch"):
        for name in ("reads", "pressure", "layers"):
            bound.draw(Choices.of(f"{name}_{side}"))
