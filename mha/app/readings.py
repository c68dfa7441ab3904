"""Two readings: the case of the open tab with the job that measures it, and the controls that choose words."""

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from mha.app import answers, jobs, link
from mha.errors import InputError
from mha.models.files.rows import ModelRow
from mha.views import models, readings, readings_change, readings_look, readings_matter
from mha.views.readings import AmbiguousText, Refusal
from mha.words import with_word

LOOK, CHANGE, MATTER = "Where they look", "What carries it", "Does it matter?"  # in the link
TITLES = {LOOK: "Where heads look", CHANGE: "What carries the change", MATTER: "Does it matter?"}
VIEWS: dict[str, Any] = {LOOK: readings_look, CHANGE: readings_change, MATTER: readings_matter}


@dataclass(frozen=True)
class OpenTab:
    """The first results of a tab and the ``job`` that measures the rest, or the reason why not (``refusal``)."""

    case: Any = None
    job: Any = None
    refusal: Refusal | None = None
    notes: tuple[str, ...] = ()

    @property
    def current(self) -> Any:
        """The case with what is measured so far."""
        return replace(self.case, result=self.job.result)


def choices() -> dict[str, Any]:
    """Return the words that the link chooses."""
    return {name: st.session_state[name] for name in readings.CHOICES}


def keep_words() -> None:
    """Callback: keep the chosen words if an edited text still has them at their positions."""
    link.set_values(readings.choices_of_text(st.session_state["text"], choices()))


def first_tab(model: ModelRow, ambiguous: AmbiguousText) -> str:
    """Return the first tab that a model supports: its own answer needs no attention to the first word of a text."""
    is_refused = model.causal and readings.first_word_refusal(
        answers.recording(ambiguous.text, model.name).maps, ambiguous
    )
    return MATTER if is_refused and readings_matter.prompt_of(model, ambiguous) else LOOK


def open_tab(name: str, model: ModelRow, ambiguous: AmbiguousText) -> OpenTab:
    """Return a tab with the heads that the link pins or ablates."""
    pins, ablated = (models.parse_heads(st.session_state[key]) for key in ("pins", "ablate"))
    if name == MATTER and (prompt := readings_matter.prompt_of(model, ambiguous)):
        try:
            prediction = answers.next_words(prompt, model.name, readings_matter.candidate_words(ambiguous), ablated)
        except InputError:  # a candidate of several tokens is not a next word
            pass
        else:
            answer, sweep = readings_matter.answer_case(model, ambiguous, prediction), prediction.sweep
            request = (sweep.text, model.name, sweep.ids, "", sweep.ids[answer.indices[0]])  # as on Next word
            return OpenTab(answer, jobs.PageJob(answers.WordSweepRequest, request), notes=sweep.notes)
    recording = answers.recording(ambiguous.text, model.name)
    refusal = readings.first_word_refusal(recording.maps, ambiguous)
    if name != LOOK and model.kind != "transformer":
        finding = f"{model.short} has no layers in which a change of a head could be measured."
        refusal = Refusal(finding, "Choose another model.", "Use MiniLM", {"model": "minilm"})
    if name == CHANGE:
        refusal = refusal or readings_change.refusal(model, ambiguous)
    if refusal:
        return OpenTab(refusal=refusal, notes=recording.notes)
    of_text = (ambiguous.text, ambiguous.readings, model.name)
    if name == LOOK:
        case: Any = readings_look.look_case(model, ambiguous, recording.maps, pins)
        job = jobs.PageJob(answers.iter_idle_leaning, of_text, model.name, idle=True)
    elif name == CHANGE:
        case = readings_change.ChangeCase(model, ambiguous, readings_change.calibration_of(model, ambiguous))
        texts = (ambiguous.text, ambiguous.changed_version, ambiguous.second_texts)
        arguments = (*texts, ambiguous.readings, case.limit, model.name)
        job = jobs.PageJob(answers.iter_score_change, arguments, model.name)
    else:
        scores = answers.scores(*of_text[:2], ((), ablated), "mean", model.name) if ablated else ()
        case = readings_matter.MatterCase(model, ambiguous, ablated=ablated, scores=scores)
        job = jobs.PageJob(answers.iter_closeness, of_text, model.name)
    return OpenTab(case, job, notes=recording.notes)


def draw_boxes(text: str) -> None:
    """Draw a select box for each word of the readings."""
    labels = readings.word_labels(text)
    settings: Any = {"placeholder": "not changed", "on_change": link.set_value, "args": ("readings_by", None)}
    st.selectbox("Ambiguous word", labels, key="readings_pivot", index=None, **settings)
    st.multiselect("Candidate A", labels, key="readings_a", **settings)
    st.multiselect("Candidate B", labels, key="readings_b", **settings)
    st.selectbox("Word to replace", labels, key="readings_cue", index=None, placeholder="picked for this text")


def draw_field(ambiguous: AmbiguousText) -> None:
    """Draw the field that replaces one word of the text; an empty one removes the changed version."""
    text, number = ambiguous.text, ambiguous.replaced_word

    def replace_word() -> None:
        word = st.session_state["replace_by"].strip()
        link.set_value("readings_contrast", with_word(text, number, word) if word else readings.NONE)

    with st.container(key="replace"):
        st.session_state["replace_by"] = readings.replacement(ambiguous)
        label = f"Replace {ambiguous.name(number).strip('*')} by"  # emphasis would be spelt out by a screen reader
        st.text_input(label, key="replace_by", max_chars=100, on_change=replace_word)
        if len(ambiguous.changed_words) == 1:
            seconds = ", ".join(filter(None, ambiguous.second_words)) or "two words with a comma"
            st.text_input("Another word for A, another for B", key="readings_seconds", placeholder=seconds)
