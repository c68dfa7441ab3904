"""Two readings: where does each head look, what carries the change of a word, and does it matter?"""

from functools import partial
from typing import Any

import streamlit as st

from mha.app import answers, components, controls, downloads, jobs, link
from mha.app.errors import say
from mha.errors import InputError
from mha.formats import markdown
from mha.views import models, readings
from mha.views import readings_change as change
from mha.views import readings_look as look
from mha.views import readings_matter as matter
from mha.views import readings_words as choices

LOOK, CHANGE, MATTER = "Where they look", "What carries it", "Does it matter?"  # in the link
TABS = {LOOK: "Where heads look", CHANGE: "What carries the change", MATTER: "Does it matter?"}
NAMES = (*choices.OF_WORDS, *choices.OF_CHANGE)
state = st.session_state


def keep_words() -> None:
    """Keep what of the readings is still in place in an edited text."""
    kept = choices.choices_of_text(state["text"], state["link_values"]["text"], {name: state[name] for name in NAMES})
    link.reset(*NAMES)
    link.set_values(kept)


# The text, the model, and the words of both readings.
controls.text_and_model(of_model=("pins", "ablate"), on_text=keep_words)
text, model = state["text"], models.model_row(state["model"])
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="examples"):
    controls.examples(readings.example_values(), *NAMES)
    options = st.popover("Change words", key="options", on_change="rerun")
labels, names = choices.word_labels(text), models.head_names(model)
for name in choices.ROLES:
    link.restrict(name, [*labels, choices.NONE])
link.restrict("pins", names)
link.restrict("ablate", names)
link.fill(choices.suggested_choices(text, {name: state[name] for name in NAMES}))
link.show_problems()
found = choices.resolve(text, {name: state[name] for name in NAMES})
if options.open:
    with options:
        own: Any = {"placeholder": "not changed", "on_change": link.set_value, "args": ("readings_by", None)}
        st.selectbox("Ambiguous word", labels, key="readings_pivot", index=None, **own)
        st.multiselect("Candidate A", labels, key="readings_a", **own)
        st.multiselect("Candidate B", labels, key="readings_b", **own)
        deciding = [*labels, choices.NONE]
        st.selectbox("Word that decides", deciding, key="readings_cue", index=None, placeholder="picked for this text")
        st.selectbox("Type of ambiguity", readings.TYPES, key="readings_kind", index=None, placeholder=found.kind)
        st.multiselect("Pinned heads", names, key="pins", max_selections=link.MAX_PINS, placeholder="none")
        st.multiselect("Ablated heads", names, key="ablate", max_selections=link.MAX_HEADS, placeholder="none")
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="question"):
    if not found.missing:
        st.markdown(readings.question(found), width="content")
        st.button("Not ambiguous", type="tertiary", on_click=link.set_values, args=(readings.NOT_AMBIGUOUS,))
    elif state["readings_by"]:
        st.button("Undo", on_click=link.reset, args=NAMES)
for note in found.notes:
    say(note)


def choose_word(number: int) -> None:
    link.set_values(choices.click_choices(found, number))


if found.missing:
    components.finding(readings.prompt(found, state["readings_by"]))
    components.sentence(readings.sentence_data(found), "sentence", on_select=choose_word)
    st.caption(readings.ways_out(text))
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="views"):
        st.page_link("heads.py", label="Heads")
        st.page_link("compare.py", label="Change a word")
        st.button("Show an example", on_click=link.set_values, args=(readings.OPENING,))
    st.stop()

# Guess first.
if state["reveal"] == "0":
    components.sentence(readings.sentence_data(found), "sentence", on_select=choose_word)
    controls.guess_first(readings.GUESS, text=text, choices=readings.guesses(found))

# Results of the open tab: what is computed at once, and the job that measures every head.
pins, ablated = models.parse_heads(state["pins"]), models.parse_heads(state["ablate"])
tab: Any = {LOOK: look, CHANGE: change, MATTER: matter}[state["tab"]]
open_tab = controls.tabs("tab", TABS)
prompt = matter.prompt_of(model, found) if tab is matter else ""
arguments, reason = (text, found.readings, model.name), ""
case: Any = None
job: Any = None
refusal: readings.Refusal | None = None
notes: tuple[str, ...] = ()
with open_tab, st.spinner(f"{model.short} reads the text …", show_time=True):
    if prompt:
        try:
            prediction = answers.next_words(prompt, model.name, matter.candidate_words(found), ablated)
            case, notes, ids = (
                matter.answer_case(model, found, prediction),
                prediction.sweep.notes,
                prediction.sweep.ids,
            )
            job = jobs.PageJob(answers.WordSweepRequest, (prompt, model.name, ids, "", ids[case.indices[0]]))
        except InputError as error:  # a candidate of several tokens is not a next word
            reason = str(error)
    if case is None:
        recording = answers.recording(text, model.name)
        notes, refusal = recording.notes, readings.refusal_of(recording.maps, found) or tab.refusal(model, found)
    if refusal or case:
        pass
    elif tab is look:
        case = look.look_case(model, found, recording.maps, pins)
        job = jobs.PageJob(answers.iter_idle_leaning, arguments, model.name, idle=True)
    elif tab is change:
        changed = answers.recording(found.changed_version, model.name) if pins else recording
        case = change.change_case(model, found, pins, (recording.maps, changed.maps))
        job = jobs.PageJob(answers.iter_score_change, change.arguments(case), model.name)
    else:
        scores = answers.scores(text, found.readings, ((), ablated), "mean", model.name) if ablated else ()
        case = matter.closeness_case(model, found, ablated, scores, reason)
        job = jobs.PageJob(answers.iter_closeness, arguments, model.name)


def replace_word() -> None:
    link.set_values(choices.replace_choices(found, state["replace_by"]))


def draw_fields() -> None:
    """Draw the field that replaces one word of the text, and those for a second word for each reading."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="replace"):
        state["replace_by"] = readings.replacement(found)
        st.text_input(readings.replace_label(found), key="replace_by", max_chars=100, on_change=replace_word)
        for name, label, placeholder in change.second_fields(found):
            st.text_input(label, key=name, max_chars=100, placeholder=placeholder)


def draw_results() -> None:
    """Draw all that depends on the heads, or on the shuffled copies, measured so far."""
    current = tab.with_result(case, job.result)
    components.finding(tab.finding(current))
    with st.container(key="explanation"):
        if not current.is_complete and current.n_planned:
            jobs.draw_progress(job, current.n_measured, current.n_planned, "Measure the rest", tab.UNIT)
        for line in tab.explanation(current):
            st.caption(line)
    if tab is change:
        components.versions(change.versions_data(current), "versions")
        draw_fields()
        st.markdown(change.second_words_text(current))
    else:
        components.sentence(tab.text_data(current), "sentence", on_select=choose_word)
    if current.has_grid:
        st.header(tab.TITLE, anchor=False)
        st.caption(tab.grid_caption(current))
        act = partial(link.toggle, "ablate") if tab is matter else partial(link.pin, state["pins"])
        components.heads(tab.grid_data(current), "heads", on_head=act)
    if current.has_chart:
        figure, alt = tab.chart(current, st.context.theme.type or "light")
        components.chart(figure, "chart", alt)


# The open tab, how it is measured, and what leaves the page.
with open_tab:
    if controls.guess_of(text):
        st.caption(f"Your guess: {controls.guess_of(text)}.")
    if ablated and tab is not matter:
        st.caption("Measured with all heads on.")
    if refusal:
        components.finding(refusal.finding)
        if refusal.reason:
            say(refusal.reason)
        if refusal.values:
            st.button(refusal.way_out, on_click=link.set_values, args=(refusal.values,))
        components.sentence(readings.sentence_data(found), "sentence", on_select=choose_word)
        if tab is change and model.kind == "transformer":
            draw_fields()
    else:
        jobs.follow(job, draw_results, starts=not tab.with_result(case, job.result).is_complete)
        with st.expander("How is this measured?", key="method", on_change="rerun") as disclosure:
            if disclosure.open:
                st.markdown(tab.method(tab.with_result(case, job.result)))
with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="views"):
    st.button("Guess first", type="tertiary", on_click=link.set_value, args=("reveal", "0"))
    st.page_link("heads.py", label="Heads")
    st.page_link("next.py", label="Next word")
st.caption(markdown(models.origin(model)))
for note in notes:
    say(note)
if case and tab.with_result(case, job.result).has_table:
    table = partial(tab.table, tab.with_result(case, job.result))
    downloads.button("Two readings", models.origin(model), {tab.TITLE: table})
