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
    kept = readings_words.choices_of_text(state["text"], state["link_values"]["text"], choices())
    link.reset(*NAMES)
    link.set_values(kept)


def look_tab(model: ModelRow, found: AmbiguousText, pins: tuple[HeadId, ...]) -> OpenTab:
    """Return the tab *Where heads look*; its shuffled copies are idle work."""
    recording = answers.recording(found.text, model.name)
    refusal = readings.refusal_of(recording.maps, found)
    if refusal:
        return OpenTab(None, None, refusal, recording.notes)
    case = readings_look.look_case(model, found, recording.maps, pins)
    arguments = (found.text, found.readings, model.name)
    job = jobs.PageJob(answers.iter_idle_leaning, arguments, model.name, idle=True)
    return OpenTab(case, job, None, recording.notes)


def change_tab(model: ModelRow, found: AmbiguousText, pins: tuple[HeadId, ...]) -> OpenTab:
    """Return the tab *What carries the change*; the changed version is recorded if heads are pinned."""
    recording = answers.recording(found.text, model.name)
    refusal = readings.refusal_of(recording.maps, found) or readings_change.refusal(model, found)
    if refusal:
        return OpenTab(None, None, refusal, recording.notes)
    changed = answers.recording(found.changed_version, model.name) if pins else recording
    case = readings_change.change_case(model, found, pins, (recording.maps, changed.maps))
    job = jobs.PageJob(answers.iter_score_change, readings_change.arguments(case), model.name)
    return OpenTab(case, job, None, recording.notes)


def matter_tab(model: ModelRow, found: AmbiguousText, ablated: tuple[HeadId, ...]) -> OpenTab:
    """Return the tab *Does it matter?*, of the model's own answer if it gives one, else of the closeness."""
    prompt, reason = readings_matter.prompt_of(model, found), ""
    if prompt:
        try:
            words = readings_matter.candidate_words(found)
            prediction = answers.next_words(prompt, model.name, words, ablated)
        except InputError as error:  # a candidate of several tokens is not a next word
            reason = str(error)
        else:
            case, ids = readings_matter.answer_case(model, found, prediction), prediction.sweep.ids
            arguments = (prompt, model.name, ids, "", ids[case.indices[0]])
            return OpenTab(case, jobs.PageJob(answers.WordSweepRequest, arguments), None, prediction.sweep.notes)
    recording = answers.recording(found.text, model.name)
    refusal = readings.refusal_of(recording.maps, found) or readings_matter.refusal(model, found)
    if refusal:
        return OpenTab(None, None, refusal, recording.notes)
    sets = ((), ablated)
    scores = answers.scores(found.text, found.readings, sets, "mean", model.name) if ablated else ()
    case = readings_matter.closeness_case(model, found, ablated, scores, reason)
    job = jobs.PageJob(answers.iter_closeness, (found.text, found.readings, model.name), model.name)
    return OpenTab(case, job, None, recording.notes)


def draw_boxes(found: AmbiguousText, heads: list[str]) -> None:
    """Draw a select box for each word of the readings, the type, and the heads."""
    labels = readings_words.word_labels(found.text)
    own: Any = {"placeholder": "not changed", "on_change": link.set_value, "args": ("readings_by", None)}
    st.selectbox("Ambiguous word", labels, key="readings_pivot", index=None, **own)
    st.multiselect("Candidate A", labels, key="readings_a", **own)
    st.multiselect("Candidate B", labels, key="readings_b", **own)
    deciding = [*labels, readings_words.NONE]
    st.selectbox("Word that decides", deciding, key="readings_cue", index=None, placeholder="picked for this text")
    fits = {"A": "candidate A", "B": "candidate B"}
    st.selectbox(
        "The changed version fits only", list(fits), key="readings_forces", index=None, format_func=fits.__getitem__,
        placeholder=fits.get(found.forces, "not chosen"),
    )  # fmt: skip
    st.selectbox("Type of ambiguity", readings.TYPES, key="readings_kind", index=None, placeholder=found.kind)
    st.multiselect("Pinned heads", heads, key="pins", max_selections=link.MAX_PINS, placeholder="none")
    st.multiselect("Ablated heads", heads, key="ablate", max_selections=link.MAX_HEADS, placeholder="none")


def draw_fields(found: AmbiguousText) -> None:
    """Draw the field that replaces one word of the text, and those for a second word for each reading."""

    def replace_word() -> None:
        link.set_values(readings_words.replace_choices(found, st.session_state["replace_by"]))

    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="replace"):
        st.session_state["replace_by"] = readings.replacement(found)
        st.text_input(readings.replace_label(found), key="replace_by", max_chars=100, on_change=replace_word)
        for name, label, placeholder in readings_second_words.second_fields(found):
            st.text_input(label, key=name, max_chars=100, placeholder=placeholder)
