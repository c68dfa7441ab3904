"""The sections of the page of two readings, in the order of the page."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from mha import engine
from mha.errors import InputError
from mha.link.view import View
from mha.maps import AttentionMaps
from mha.models.files.catalog import model_row
from mha.screens.readings.ambiguity import Ambiguity, resolved
from mha.screens.readings.guess import guess_blocks, guess_choices, guess_more_blocks
from mha.screens.readings.options import OPENS_WITH, TABS
from mha.screens.readings.picture import Picture
from mha.screens.readings.sentence import sentence_spec
from mha.ui import boundary
from mha.ui.components.blocks import draw as draw_blocks
from mha.ui.components.captions import caption, copy_link
from mha.ui.components.sentence import contrast, sentence
from mha.ui.readings import carry as readings_tab_carry
from mha.ui.readings import controls as readings_controls
from mha.ui.readings import look as readings_tab_look
from mha.ui.readings import matter as readings_tab_matter
from mha.words import accept, words

SECTIONS: dict[str, Callable[[Picture], None]] = dict(
    zip(TABS, (readings_tab_look.draw, readings_tab_carry.draw, readings_tab_matter.draw), strict=True)
)


def ambiguity(view: View) -> Picture:
    """Draw the sentence with both readings, the contrast, the kind and the popover; return what the tabs need.

    Stops the page with a sentence where the readings are not complete yet, or the model does not see all of them.
    """
    try:
        accepted = accept(view.text)
        text, notes = accepted.text, list(accepted.notes)
    except InputError as error:
        text, notes = readings_controls.OPENING, [f"{error} The hungry dog stays until then."]
    notes += readings_controls.follow(text, model_row(view.model))
    top = st.container(key="readings_sentence")
    row = st.columns([14, 2.7, 3.5], vertical_alignment="bottom", gap="small")
    with row[2]:
        found = resolved(text, readings_controls.draw(text))
    with row[1]:
        readings_controls.kind_picker(found.kind)
    st.session_state["readings_before"] = found
    spec = sentence_spec(found, view.large)
    with top:
        sentence(spec, "ambiguity", lambda role, number: readings_controls.role_clicked(found, role, number))
    with row[0]:
        contrast(
            spec,
            "contrast",
            lambda number, other: readings_controls.word_changed(found, number, other),
            readings_controls.contrast_dropped,
        )
    for note in dict.fromkeys([*notes, *found.notes]):
        boundary.say(note)
    if found.missing:
        st.stop()
    with st.spinner("The model is waking up; this takes a few seconds once.", show_time=True):
        recording = engine.record(engine.Request(text, view.model))
    for note in recording.notes:
        if note not in notes:
            boundary.say(note)
    _check_seen(found, recording.maps)
    return Picture(view, found, recording.maps, model_row(view.model))


def _check_seen(found: Ambiguity, maps: AttentionMaps) -> None:
    """Raise InputError where a word of the readings was cut away by the model's length limit."""
    seen = {token.word for token in maps.tokens}
    said = words(found.text)
    for number in (found.pivot, *found.a, *found.b, found.cue):
        if number is not None and number not in seen:
            raise InputError(
                f"The word “{said[number]}” (number {number}) was cut away: this model reads only the first "
                f"{len(maps.tokens)} tokens of this text. Choose a word before it, or shorten the text."
            )


def foot(picture: Picture) -> None:
    """Say where the numbers come from and how they were treated; offer the link."""
    row = picture.row
    even = round(100 / len(words(picture.ambiguity.text)))
    caption(
        f"{row.short} ({row.source}), {row.origin}, {row.n_layers} {'layer' if row.n_layers == 1 else 'layers'} × "
        f"{row.n_heads} [[heads|head]]. [[Lean|lean]]: attention exchanged by [[pivot]] and [[partner]], both "
        "directions, words, special tokens and final punctuation [[set aside]]; A minus B. A head looks along "
        f"[[neither link|no opinion]] when both together get less than an even spread would give ({even} %). "
        "20 [[shuffles|shuffled]], seed 7; [[scrambled twin]], seed 1.",
        key="readings_foot",
        style="wide",
    )
    copy_link()


def revealed(picture: Picture) -> bool:
    """Return whether leans and findings may be shown; if not, draw two questions to guess at first.

    The link keeps them closed for whoever opens it next: only this visit remembers that they were shown.
    """
    if picture.view.reveal or st.session_state.get("readings_shown"):
        return True
    draw_blocks(guess_blocks(picture.ambiguity, list(SECTIONS)), "guess_first")
    first, second = guess_choices(picture.ambiguity)
    st.pills("Where will heads look?", first, key="guess_look", label_visibility="collapsed", wrap=True)
    if second:
        draw_blocks(guess_more_blocks(picture.ambiguity), "guess_second")
        st.pills("What changes?", second, key="guess_change", label_visibility="collapsed", wrap=True)
    st.button("Then show", on_click=_show)
    caption(
        "Nothing is stored or sent. “Then show” opens the tabs; the link keeps them closed for whoever opens it next.",
        key="guess_caption",
    )
    return False


def _show() -> None:
    st.session_state["readings_shown"] = True


def tabs(picture: Picture) -> None:
    """Draw the tabs; only the open one runs."""
    drawn = st.tabs(list(SECTIONS), default=OPENS_WITH, key="tab", bind="query-params")
    for label, tab in zip(SECTIONS, drawn, strict=True):
        if tab.open:
            with tab, boundary.shown():
                SECTIONS[label](picture)
