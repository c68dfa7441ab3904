"""The sections of the page of two readings, in the order of the page."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from mha import engine
from mha.examples import OPENS_TWO_READINGS
from mha.link.readings import TABS, Choices
from mha.link.view import View
from mha.models.files.catalog import model_row
from mha.screens.readings import guess
from mha.screens.readings.ambiguity import Ambiguity, resolved
from mha.screens.readings.case import Case, foot_said
from mha.screens.readings.sentence import LEAST, sentence_spec, way_out
from mha.ui import bound, boundary
from mha.ui.components import blocks
from mha.ui.components.captions import caption, copy_link
from mha.ui.components.sentence import contrast, sentence
from mha.ui.readings import carried, controls, look, matter
from mha.words import accept_or

SHOWN = "readings_shown"  # in this visit, although the link keeps them closed
SECTIONS: dict[str, Callable[[Case], None]] = dict(zip(TABS, (look.draw, carried.draw, matter.draw), strict=True))


def ambiguity(view: View) -> Case:
    """Draw the sentence with both readings, the contrast, the kind and the popover; return what the tabs need.

    Stops the page with a sentence where the readings are not complete yet, or the model does not see all of them.
    """
    row = model_row(view.model)
    accepted = accept_or(view.text, OPENS_TWO_READINGS, "The hungry dog stays until then.")
    text, notes = accepted.text, [*accepted.notes, *controls.follow(accepted.text)]
    top = st.container(key="readings_sentence")
    line, kind, readings = st.columns([14, 2.7, 3.5], vertical_alignment="bottom", gap="small")
    with readings:
        found = resolved(text, controls.draw(text))
    with kind:
        controls.kind_picker(found)
    st.session_state["readings_before"] = found
    spec = sentence_spec(found, view.large)
    with top:
        screen = sentence(spec, "ambiguity", lambda role, number: controls.give_role(found, role, number))
    for note in dict.fromkeys([*notes, *found.notes]):
        boundary.say(note)
    with line:
        if found.contrast is not None or not found.missing:  # an edit that takes a partner away keeps the contrast
            contrast(
                spec,
                "contrast",
                lambda number, other: controls.change_word(found, number, other),
                controls.drop_contrast,
            )
        if found.missing:
            _ways_out(found)
    if found.missing or not screen:
        st.stop()
    with st.spinner("The model is waking up; this takes a few seconds once.", show_time=True):
        recording = engine.record(engine.Request(text, view.model))
    for note in recording.notes:
        if note not in notes:
            boundary.say(note)
    return Case(view, found, recording.maps, row)


def _ways_out(found: Ambiguity) -> None:
    """Draw where else a sentence can be looked at whose readings are not complete, and the way back from a click."""
    with st.container(key="readings_ways_out", gap="xsmall"):
        caption(way_out(found), key="readings_way_out", style="body")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if found.pivot is not None and len(found.words) >= LEAST:
                st.button("Choose another word", on_click=controls.write, args=(Choices(),))
                return
            st.page_link("heads.py", label="Heads")
            st.page_link("compare.py", label="Change a word")
            st.button("Show me the hungry dog", on_click=controls.take_opening_example, type="tertiary")


def foot(case: Case) -> None:
    """Say where the numbers come from and how they were treated; offer the link."""
    caption(foot_said(case), key="readings_foot", style="wide")
    copy_link()


def revealed(case: Case) -> bool:
    """Return whether leans and findings may be shown; if not, draw two questions to guess at first.

    The link keeps them closed for whoever opens it next: only this visit remembers that they were shown. One button
    shows and hides: it stays where it is and what it is (another type would be another button), and so does the
    keyboard's focus.
    """
    if case.view.reveal:
        return True
    shown = st.session_state.get(SHOWN, False)
    place = st.container(key="readings_guess")
    if not shown:
        with place:
            _guesses(case)
    st.button(
        "Ask me again" if shown else "Then show",
        on_click=_show,
        args=(not shown,),
        key="readings_show",
    )
    if not shown:
        caption(guess.NOT_STORED, key="guess_caption")
    return shown


def _guesses(case: Case) -> None:
    blocks.draw(guess.guess_blocks(case.ambiguity, TABS), "guess_first")
    first, second = guess.guess_choices(case.ambiguity)
    st.pills("Where will heads look?", first, key="guess_look", label_visibility="collapsed", wrap=True)
    if second:
        blocks.draw(guess.guess_more_blocks(case.ambiguity), "guess_second")
        st.pills("What changes?", second, key="guess_change", label_visibility="collapsed", wrap=True)


def _show(shown: bool) -> None:
    st.session_state[SHOWN] = shown


def tabs(case: Case) -> None:
    """Draw the tabs; only the open one runs."""
    drawn = bound.draw(Choices.of("tab"))
    for label, tab in zip(TABS, drawn, strict=True):
        if tab.open:
            with tab, boundary.shown():
                SECTIONS[label](case)
