"""Two readings: the case of the open tab with the job that measures it, and the controls that choose words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from mha.app import answers, jobs, link
from mha.errors import InputError
from mha.maps import HeadId
from mha.models.files.rows import ModelRow
from mha.views import (
    readings,
    readings_change,
    readings_look,
    readings_matter,
    readings_second_words,
    readings_words,
)
from mha.views.readings_words import AmbiguousText

NAMES = (*readings_words.OF_WORDS, *readings_words.OF_CHANGE)


@dataclass(frozen=True)
class OpenTab:
    """The first results of the open tab and the ``job`` that measures the rest, or the reason why not (``refusal``)."""

    case: Any = None
    job: Any = None
    refusal: readings.Refusal | None = None
    notes: tuple[str, ...] = ()


def choices() -> dict[str, Any]:
    """Return the words that the link chooses."""
    return {name: st.session_state[name] for name in NAMES}


def keep_words() -> None:
    """Callback: keep the chosen words that an edited text still has at their positions."""
    state = st.session_state
    words_kept = readings_words.choices_of_text(state["text"], state["link_values"]["text"], choices())
    link.reset(*NAMES)
    link.set_values(words_kept)


def look_tab(model: ModelRow, ambiguous: AmbiguousText, pins: tuple[HeadId, ...]) -> OpenTab:
    """Return the tab *Where heads look*; its shuffled copies are idle work."""
    recording = answers.recording(ambiguous.text, model.name)
    refusal = readings.refusal_of(recording.maps, ambiguous)
    if refusal:
        return OpenTab(None, None, refusal, recording.notes)
    case = readings_look.look_case(model, ambiguous, recording.maps, pins)
    arguments = (ambiguous.text, ambiguous.readings, model.name)
    job = jobs.PageJob(answers.iter_idle_leaning, arguments, model.name, idle=True)
    return OpenTab(case, job, None, recording.notes)


def change_tab(model: ModelRow, ambiguous: AmbiguousText, pins: tuple[HeadId, ...]) -> OpenTab:
    """Return the tab *What carries the change*; the changed version is recorded if heads are pinned."""
    recording = answers.recording(ambiguous.text, model.name)
    refusal = readings.refusal_of(recording.maps, ambiguous) or readings_change.refusal(model, ambiguous)
    if refusal:
        return OpenTab(None, None, refusal, recording.notes)
    changed = answers.recording(ambiguous.changed_version, model.name) if pins else recording
    case = readings_change.change_case(model, ambiguous, pins, (recording.maps, changed.maps))
    job = jobs.PageJob(answers.iter_score_change, readings_change.arguments(case), model.name)
    return OpenTab(case, job, None, recording.notes)


def matter_tab(model: ModelRow, ambiguous: AmbiguousText, ablated: tuple[HeadId, ...]) -> OpenTab:
    """Return the tab *Does it matter?*, of the model's own answer if it gives one, else of the closeness."""
    prompt, reason = readings_matter.prompt_of(model, ambiguous), ""
    if prompt:
        try:
            words = readings_matter.candidate_words(ambiguous)
            prediction = answers.next_words(prompt, model.name, words, ablated)
        except InputError as error:  # a candidate of several tokens is not a next word
            reason = str(error)
        else:
            case, ids = readings_matter.answer_case(model, ambiguous, prediction), prediction.sweep.ids
            arguments = (prompt, model.name, ids, "", ids[case.indices[0]])
            return OpenTab(case, jobs.PageJob(answers.WordSweepRequest, arguments), None, prediction.sweep.notes)
    recording = answers.recording(ambiguous.text, model.name)
    refusal = readings.refusal_of(recording.maps, ambiguous) or readings_matter.refusal(model, ambiguous)
    if refusal:
        return OpenTab(None, None, refusal, recording.notes)
    sets = ((), ablated)
    scores = answers.scores(ambiguous.text, ambiguous.readings, sets, "mean", model.name) if ablated else ()
    case = readings_matter.closeness_case(model, ambiguous, ablated, scores, reason)
    job = jobs.PageJob(answers.iter_closeness, (ambiguous.text, ambiguous.readings, model.name), model.name)
    return OpenTab(case, job, None, recording.notes)


def draw_boxes(ambiguous: AmbiguousText, heads: list[str]) -> None:
    """Draw a select box for each word of the readings, the type, and the heads."""
    labels = readings_words.word_labels(ambiguous.text)
    settings: Any = {"placeholder": "not changed", "on_change": link.set_value, "args": ("readings_by", None)}
    st.selectbox("Ambiguous word", labels, key="readings_pivot", index=None, **settings)
    st.multiselect("Candidate A", labels, key="readings_a", **settings)
    st.multiselect("Candidate B", labels, key="readings_b", **settings)
    deciding = [*labels, readings_words.NONE]
    st.selectbox("Word that decides", deciding, key="readings_cue", index=None, placeholder="picked for this text")
    fits = {"A": "candidate A", "B": "candidate B"}
    st.selectbox(
        "The changed version fits only", list(fits), key="readings_forces", index=None, format_func=fits.__getitem__,
        placeholder=fits.get(ambiguous.forces, "not chosen"),
    )  # fmt: skip
    st.selectbox("Type of ambiguity", readings.TYPES, key="readings_kind", index=None, placeholder=ambiguous.kind)
    st.multiselect("Pinned heads", heads, key="pins", max_selections=link.MAX_PINS, placeholder="none")
    st.multiselect("Ablated heads", heads, key="ablate", max_selections=link.MAX_HEADS, placeholder="none")


def draw_fields(ambiguous: AmbiguousText) -> None:
    """Draw the field that replaces one word of the text, and those for a second word for each reading."""

    def replace_word() -> None:
        link.set_values(readings_words.replace_choices(ambiguous, st.session_state["replace_by"]))

    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="replace"):
        st.session_state["replace_by"] = readings.replacement(ambiguous)
        st.text_input(readings.replace_label(ambiguous), key="replace_by", max_chars=100, on_change=replace_word)
        for name, label, placeholder in readings_second_words.second_fields(ambiguous):
            st.text_input(label, key=name, max_chars=100, placeholder=placeholder)
