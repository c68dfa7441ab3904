"""Two readings: the case of the open tab with the job that measures it, and the controls that choose words."""

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from mha.app import answers, jobs, link
from mha.errors import InputError
from mha.intervention.outcomes import NextWords
from mha.models.files.rows import ModelRow
from mha.views import models, readings, readings_change, readings_look, readings_matter, readings_words
from mha.views.readings_words import AmbiguousText

NAMES = (*readings_words.OF_WORDS, *readings_words.OF_CHANGE)
LOOK, CHANGE, MATTER = "Where they look", "What carries it", "Does it matter?"  # in the link
TITLES = {LOOK: "Where heads look", CHANGE: "What carries the change", MATTER: "Does it matter?"}
VIEWS: dict[str, Any] = {LOOK: readings_look, CHANGE: readings_change, MATTER: readings_matter}


@dataclass(frozen=True)
class OpenTab:
    """The first results of a tab and the ``job`` that measures the rest, or the reason why not (``refusal``)."""

    name: str
    case: Any = None
    job: Any = None
    refusal: readings.Refusal | None = None
    notes: tuple[str, ...] = ()

    @property
    def current(self) -> Any:
        """The case with what is measured so far."""
        return replace(self.case, result=self.job.result)


def choices() -> dict[str, Any]:
    """Return the words that the link chooses."""
    return {name: st.session_state[name] for name in NAMES}


def keep_words() -> None:
    """Callback: keep the chosen words that an edited text still has at their positions."""
    state = st.session_state
    words_kept = readings_words.choices_of_text(state["text"], state["link_values"]["text"], choices())
    link.reset(*NAMES)
    link.set_values(words_kept)


def first_tab(model: ModelRow, ambiguous: AmbiguousText) -> str:
    """Return the first tab that a model supports: its own answer needs no attention to the first word of a text."""
    is_refused = model.causal and readings.first_word_refusal(
        answers.recording(ambiguous.text, model.name).maps, ambiguous
    )
    return MATTER if is_refused and readings_matter.prompt_of(model, ambiguous) else LOOK


def open_tab(name: str, model: ModelRow, ambiguous: AmbiguousText) -> OpenTab:
    """Return a tab with the heads that the link pins or ablates."""
    pins, ablated = (models.parse_heads(st.session_state[key]) for key in ("pins", "ablate"))
    reason = ""
    if name == MATTER and (prompt := readings_matter.prompt_of(model, ambiguous)):
        try:
            words = readings_matter.candidate_words(ambiguous)
            return answer_tab(model, ambiguous, answers.next_words(prompt, model.name, words, ablated))
        except InputError as error:  # a candidate of several tokens is not a next word
            reason = str(error)
    recording = answers.recording(ambiguous.text, model.name)
    refusal = readings.first_word_refusal(recording.maps, ambiguous)
    if name != LOOK:
        refusal = refusal or readings.layers_refusal(model)
    if name == CHANGE:
        refusal = refusal or readings_change.refusal(model, ambiguous)
    if refusal:
        return OpenTab(name, refusal=refusal, notes=recording.notes)
    of_text = (ambiguous.text, ambiguous.readings, model.name)
    if name == LOOK:
        case: Any = readings_look.look_case(model, ambiguous, recording.maps, pins)
        job = jobs.PageJob(answers.iter_idle_leaning, of_text, model.name, idle=True)
    elif name == CHANGE:
        changed = answers.recording(ambiguous.changed_version, model.name) if pins else recording
        case = readings_change.change_case(model, ambiguous, pins, (recording.maps, changed.maps))
        job = jobs.PageJob(answers.iter_score_change, readings_change.arguments(case), model.name)
    else:
        sets = ((), ablated)
        scores = answers.scores(*of_text[:2], sets, "mean", model.name) if ablated else ()
        case = readings_matter.MatterCase(model, ambiguous, ablated=ablated, scores=scores, reason=reason)
        job = jobs.PageJob(answers.iter_closeness, of_text, model.name)
    return OpenTab(name, case, job, notes=recording.notes)


def answer_tab(model: ModelRow, ambiguous: AmbiguousText, prediction: NextWords) -> OpenTab:
    """Return *Does it matter?* of a model's own answer, which *Next word* would measure in the same way."""
    case, sweep = readings_matter.answer_case(model, ambiguous, prediction), prediction.sweep
    arguments = (sweep.text, model.name, sweep.ids, "", sweep.ids[case.indices[0]])
    return OpenTab(MATTER, case, jobs.PageJob(answers.WordSweepRequest, arguments), notes=sweep.notes)


def draw_boxes(ambiguous: AmbiguousText, heads: list[str]) -> None:
    """Draw a select box for each word of the readings, the type, and the heads."""
    labels = readings_words.word_labels(ambiguous.text)
    settings: Any = {"placeholder": "not changed", "on_change": link.set_value, "args": ("readings_by", None)}
    st.selectbox("Ambiguous word", labels, key="readings_pivot", index=None, **settings)
    st.multiselect("Candidate A", labels, key="readings_a", **settings)
    st.multiselect("Candidate B", labels, key="readings_b", **settings)
    st.selectbox("Word to replace", labels, key="readings_cue", index=None, placeholder="picked for this text")
    fits = {"A": "candidate A", "B": "candidate B"}
    st.selectbox(
        "The changed version fits only", list(fits), key="readings_forces", index=None, format_func=fits.__getitem__,
        placeholder=fits.get(ambiguous.forces, "not chosen"),
    )  # fmt: skip
    st.multiselect("Pinned heads", heads, key="pins", max_selections=link.MAX_PINS, placeholder="none")
    st.multiselect("Ablated heads", heads, key="ablate", max_selections=link.MAX_HEADS, placeholder="none")


def draw_fields(ambiguous: AmbiguousText) -> None:
    """Draw the field that replaces one word of the text, and those for a second word for each reading."""

    def replace_word() -> None:
        link.set_values(readings_words.replace_choices(ambiguous, st.session_state["replace_by"]))

    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="replace"):
        st.session_state["replace_by"] = readings.replacement(ambiguous)
        st.text_input(readings.replace_label(ambiguous), key="replace_by", max_chars=100, on_change=replace_word)
        for name, label, placeholder in readings_change.second_fields(ambiguous):
            st.text_input(label, key=name, max_chars=100, placeholder=placeholder)
