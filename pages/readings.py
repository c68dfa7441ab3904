"""Two readings: where does each head look, what carries the change of a word, and does it matter?"""

from functools import partial

import streamlit as st

from mha.app import components, controls, downloads, jobs, link
from mha.app import readings as readings_app
from mha.app.errors import say
from mha.formats import markdown
from mha.views import models, readings, readings_change, readings_look, translation

state = st.session_state

# The text, the model, and the words of both readings.
controls.text_and_model(reset_on_model=("pins", "ablate"), on_text=readings_app.keep_words)
text, model = state["text"], models.model_row(state["model"])
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="examples"):
    controls.examples(readings.example_values(), *readings.CHOICES)
    options = st.popover("Change words", key="options", on_change="rerun")
names = models.head_names(model)
for role in readings.ROLES:
    link.restrict(role, [*readings.word_labels(text), readings.NONE])
link.restrict("pins", names)
link.restrict("ablate", names)
link.set_page_choices(readings.suggested_choices(text, readings_app.choices()))
link.show_problems()
ambiguous = readings.resolve(text, readings_app.choices())
if options.open:
    with options:
        readings_app.draw_boxes(text)
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="question"):
    if not ambiguous.missing:
        badge = ":gray-badge[suggested] " if ambiguous.is_suggested else ""
        st.markdown(f"{badge}{readings.question(ambiguous)}", width="content")
        dismissed = {**readings.CHOICES, "readings_by": readings.DISMISSED}
        st.button("Not ambiguous", type="tertiary", on_click=link.set_values, args=(dismissed,))
    elif state["readings_by"]:
        st.button("Undo", on_click=link.reset, args=tuple(readings.CHOICES))
for note in ambiguous.notes:
    say(note)


def choose_word(number: int) -> None:
    link.set_values(readings.click_choices(ambiguous, number))


if ambiguous.missing:
    components.finding(readings.prompt(ambiguous))
    components.sentence("sentence", data=readings.sentence_data(ambiguous), on_select=choose_word)
    st.caption(readings.ways_out(text))
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="views"):
        st.page_link("heads.py", label="Heads")
        st.page_link("compare.py", label="Change a word")
    st.stop()

# Guess first.
if state["reveal"] == "0":
    components.sentence("sentence", data=readings.sentence_data(ambiguous), on_select=choose_word)
    controls.guess_first(*readings.guess_question(ambiguous), text)

# The open tab: what is computed at once, and the job that measures every head or the shuffled copies.
with st.spinner(f"{model.short} reads the text …", show_time=True):
    tab = state["tab"] or readings_app.first_tab(model, ambiguous)
    view, tab_place = readings_app.VIEWS[tab], controls.tabs("tab", readings_app.TITLES, tab)
    measurement = readings_app.open_tab(tab, model, ambiguous)


def draw_results() -> None:
    """Draw all that depends on what is measured so far."""
    current = measurement.current
    components.finding(view.finding(current))
    with st.container(key="explanation"):
        if not current.is_complete and current.n_planned:
            jobs.draw_progress(measurement.job, current.n_measured, current.n_planned, "Measure the rest", view.UNIT)
        for line in view.explanation(current):
            st.caption(line)
    if tab == readings_app.CHANGE:
        components.versions("versions", data=readings_change.versions_data(current))
        readings_app.draw_field(ambiguous)
        st.markdown(readings_change.second_words_text(current))
    else:
        data = view.text_data(current) if tab == readings_app.LOOK else readings.sentence_data(ambiguous)
        components.sentence("sentence", data=data, on_select=choose_word)
    if grid := view.grid_data(current):
        st.header(view.TITLE, anchor=False)
        st.caption(view.grid_caption(current))
        on_head = partial(link.toggle, "ablate") if tab == readings_app.MATTER else partial(link.pin, state["pins"])
        pinned = {} if tab == readings_app.MATTER else {"pinned": state["pins"]}
        components.heads("heads", data=grid | pinned, on_head=on_head)
    if tab == readings_app.LOOK and (chart := readings_look.chart(current, st.context.theme.type or "light")):
        components.chart(chart[0], "chart", chart[1])


with tab_place:
    if controls.guess_of(text):
        st.caption(f"Your guess: {controls.guess_of(text)}.")
    if state["ablate"] and tab != readings_app.MATTER:
        st.caption("Measured with all heads on.")
    if measurement.refusal:
        components.finding(measurement.refusal.finding)
        if measurement.refusal.reason:
            say(measurement.refusal.reason)
        if measurement.refusal.values:
            st.button(measurement.refusal.way_out, on_click=link.set_values, args=(measurement.refusal.values,))
        components.sentence("sentence", data=readings.sentence_data(ambiguous), on_select=choose_word)
        if tab == readings_app.CHANGE and model.kind == "transformer":
            readings_app.draw_field(ambiguous)
    else:
        jobs.follow(measurement.job, draw_results, start=not measurement.current.is_complete)
        with st.expander("How is this measured?", key="method", on_change="rerun") as disclosure:
            if disclosure.open:  # it is as long as all other sentences together
                st.markdown(view.method(measurement.current))

# More of this text, and what leaves the page.
with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="views"):
    st.button("Guess first", type="tertiary", on_click=link.set_value, args=("reveal", "0"))
    st.page_link("next.py", label="Next word")
    if translation.other_version(text):  # the translation page compares *she* and *he*
        st.page_link("translate.py", label="Translation")
st.caption(markdown(models.origin(model)))
for note in measurement.notes:
    say(note)
has_numbers = measurement.case and (tab == readings_app.LOOK or measurement.current.is_complete)  # leans at once
if has_numbers and view.grid_data(measurement.current):
    table = partial(view.table, measurement.current)
    downloads.button("Two readings", models.origin(model), {view.TITLE: table})
