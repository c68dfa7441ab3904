"""Two readings: where does each head look, what carries the change of a word, and does it matter?"""

from functools import partial

import streamlit as st

from mha.app import components, controls, downloads, jobs, link
from mha.app import readings as tabs
from mha.app.errors import say
from mha.formats import markdown
from mha.views import models, readings, readings_change, readings_look, translation

state = st.session_state

# The text, the model, and the words of both readings.
controls.text_and_model(of_model=("pins", "ablate"), on_text=tabs.keep_words)
text, model = state["text"], models.model_row(state["model"])
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="examples"):
    controls.examples(readings.example_values(), *readings.CHOICES)
    options = st.popover("Change words", key="options", on_change="rerun")
names = models.head_names(model)
for name in readings.ROLES:
    link.restrict(name, [*readings.word_labels(text), readings.NONE])
link.restrict("pins", names)
link.restrict("ablate", names)
link.fill(readings.suggested_choices(text, tabs.choices()))
link.show_problems()
ambiguous = readings.resolve(text, tabs.choices())
if options.open:
    with options:
        tabs.draw_boxes(text)
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
    name = state["tab"] or tabs.first_tab(model, ambiguous)
    view, tab_place = tabs.VIEWS[name], controls.tabs("tab", tabs.TITLES, name)
    tab = tabs.open_tab(name, model, ambiguous)


def draw_results() -> None:
    """Draw all that depends on what is measured so far."""
    current = tab.current
    components.finding(view.finding(current))
    with st.container(key="explanation"):
        if not current.is_complete and current.n_planned:
            jobs.draw_progress(tab.job, current.n_measured, current.n_planned, "Measure the rest", view.UNIT)
        for line in view.explanation(current):
            st.caption(line)
    if name == tabs.CHANGE:
        components.versions("versions", data=readings_change.versions_data(current))
        tabs.draw_field(ambiguous)
        st.markdown(readings_change.second_words_text(current))
    else:
        data = view.text_data(current) if name == tabs.LOOK else readings.sentence_data(ambiguous)
        components.sentence("sentence", data=data, on_select=choose_word)
    if grid := view.grid_data(current):
        st.header(view.TITLE, anchor=False)
        st.caption(view.grid_caption(current))
        act = partial(link.toggle, "ablate") if name == tabs.MATTER else partial(link.pin, state["pins"])
        components.heads("heads", data=grid, on_head=act)
    if name == tabs.LOOK and (chart := readings_look.chart(current, st.context.theme.type or "light")):
        components.chart(chart[0], "chart", chart[1])


with tab_place:
    if controls.guess_of(text):
        st.caption(f"Your guess: {controls.guess_of(text)}.")
    if state["ablate"] and name != tabs.MATTER:
        st.caption("Measured with all heads on.")
    if tab.refusal:
        components.finding(tab.refusal.finding)
        if tab.refusal.reason:
            say(tab.refusal.reason)
        if tab.refusal.values:
            st.button(tab.refusal.way_out, on_click=link.set_values, args=(tab.refusal.values,))
        components.sentence("sentence", data=readings.sentence_data(ambiguous), on_select=choose_word)
        if name == tabs.CHANGE and model.kind == "transformer":
            tabs.draw_field(ambiguous)
    else:
        jobs.follow(tab.job, draw_results, starts=not tab.current.is_complete)
        with st.expander("How is this measured?", key="method", on_change="rerun") as disclosure:
            if disclosure.open:  # it is as long as all other sentences together
                st.markdown(view.method(tab.current))

# More of this text, and what leaves the page.
with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="views"):
    st.button("Guess first", type="tertiary", on_click=link.set_value, args=("reveal", "0"))
    st.page_link("heads.py", label="Heads")
    st.page_link("next.py", label="Next word")
    if translation.other_version(text):  # one *she* or *he*
        st.page_link("translate.py", label="Translation")
st.caption(markdown(models.origin(model)))
for note in tab.notes:
    say(note)
if tab.case and tab.current.is_complete and view.grid_data(tab.current):
    table = partial(view.table, tab.current)
    downloads.button("Two readings", models.origin(model), {view.TITLE: table})
