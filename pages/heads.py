"""Heads: where does each head look in my sentence?"""

from functools import partial

import streamlit as st

from mha.app import answers, components, controls, downloads, jobs, link
from mha.app.errors import say
from mha.errors import MHAError
from mha.formats import markdown, percent
from mha.views import heads, models
from mha.views import heads_pictures as pictures
from mha.views import heads_text as text_views

state = st.session_state
WORD_PARAMS = ("lock", "look")
CLICKED_CELL_KEY = "heads_cell"  # its value is the head, the row and the column

# The text and the model.
controls.text_and_model(*WORD_PARAMS, reset_on_model=("pins", "ablate", "stack", *WORD_PARAMS))
model = models.model_row(state["model"])
examples = st.container(horizontal=True, vertical_alignment="center", gap="small", key="examples")
with examples:
    controls.examples(text_views.EXAMPLES, *WORD_PARAMS, n_first=len(text_views.FIRST_EXAMPLES))
    options = st.popover("Options", key="options", on_change="rerun")
    st.button("Guess first", type="tertiary", on_click=link.set_value, args=("reveal", "0"))
link.restrict("stack", text_views.STACKS if model.two_sided else ("Encoder",))
names = models.head_names(model, state["stack"])
link.restrict("pins", names)
link.restrict("ablate", models.head_names(model))
if options.open:
    with options:
        st.multiselect(
            "Pinned heads", names, key="pins", max_selections=link.MAX_PINS, placeholder="picked for this text"
        )
        st.multiselect("Ablated heads", models.head_names(model), key="ablate", placeholder="none")
        st.segmented_control(
            "Axis", ["words", "tokens"], key="units", required=True, on_change=link.reset, args=WORD_PARAMS
        )
        st.toggle("Exclude special tokens and final punctuation", key="sinks")
        st.toggle("Large type (projector)", key="large")
if model.two_sided:
    st.segmented_control("Attention", list(text_views.STACKS), key="stack", required=True, on_change=link.reset,
                         args=("pins", *WORD_PARAMS), format_func=text_views.STACKS.__getitem__)  # fmt: skip
if state["pair"]:
    st.text_input("Second text", key="pair")
source, unread_texts = text_views.input_of(model, state)
for sentence in unread_texts:
    say(sentence)

# Guess first.
if state["reveal"] == "0":
    link.show_problems()
    components.sentence("sentence", data=text_views.text_data(source.text))
    controls.guess_first(*text_views.guess_question(source.text), source.text)

# Results: the attention of every head, perhaps without the ablated ones.
try:
    with st.spinner(f"{model.short} reads the sentence …", show_time=True):
        recording = answers.recording(source.text, model.name, source.ablated, source.pair, source.stack)
except MHAError as error:
    link.show_problems()
    if source.ablated:
        st.button("Restore all", on_click=link.reset, args=("ablate",))
    controls.end(markdown(str(error)))
maps = recording.maps
link.restrict("lock", range(-1, (maps.merged_axes() if state["units"] == "words" else maps).n_keys))
link.show_problems()
has_steps = source.is_one_text and not source.ablated  # Step by step has these numbers
choice = heads.HeadsChoice(
    models.parse_heads(state["pins"]), state["lock"], state["look"], state["units"], state["sinks"], source.ablated
)
case = heads.select(maps, choice)
if CLICKED_CELL_KEY in state:  # a number of a large map
    head, row, column = state.pop(CLICKED_CELL_KEY)
    query = heads.steps_link(case, model.name, head, row, column, pictures.map_steps(case))
    st.switch_page("steps.py", query_params=query)

# The control of the opening connection: bundled, or measured by an idle job.
connection = heads.control_connection(case) if has_steps else None
control = answers.bundled_control(maps.text, model.name, connection) if connection else None
job = None
if connection and control is None:
    arguments = (maps.text, model.name, *connection)
    job = jobs.PageJob(answers.iter_idle_control, arguments, model.name, idle=True)
    control = job.result

# The sentences about the text, and the question about its ambiguous word.
for sentence in text_views.notices(case, model, recording, source.stack):
    say(sentence)
if question := text_views.question(case):
    with examples.container(horizontal=True, vertical_alignment="center", gap="small", key="heads_question"):
        st.markdown(question)
        query = {"v": "1", "text": maps.text, "model": model.name}
        st.page_link("readings.py", label="Compare the readings", query_params=query)

# The sentence with the arcs of two heads, the finding, and every head.
pin = partial(link.pin, [str(head) for head in case.pins])
select_word = partial(link.select_word, (case.word, case.look), case.kept)
open_cell = partial(link.keep_cell, CLICKED_CELL_KEY)
layout = text_views.head_layout(recording, "self" if source.stack == "Encoder" else source.stack.lower())
overview = pictures.overview(case, large=state["large"], control=control, layout=layout)
components.overview(overview, "overview", pin, select_word)
if guess := controls.guess_of(source.text):
    st.caption(f"Your guess: *{markdown(guess)}*.")

# The pinned heads, large.
large_maps = pictures.pinned(case, large=state["large"], cells=has_steps, ablates=source.is_one_text)
components.pinned_maps(large_maps, "pinned", pin, partial(link.toggle, "ablate"), select_word, open_cell)
cell = heads.leading_cell(case) if has_steps else None
with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="views"):
    if cell:
        share = percent(float(case.maps[cell[0]][cell[1:]]))
        query = heads.steps_link(case, model.name, *cell)
        st.page_link("steps.py", label=f"How is {share} computed?", query_params=query)
    if model.name in models.PROFILED:
        for head in case.pins:
            profile = {"v": "1", "model": model.name, "head": str(head)}
            st.page_link("atlas.py", label=f"The page of {head}", query_params=profile)
    if model.predicts == "next" and cell:
        cut = heads.cell_cut(case, *cell)
        values = {"text": source.text, "model": model.name, "cut": [str(cut)], "head": str(cut.head)}
        st.page_link("next.py", label=f"Cut this link of {cut.head}", query_params=link.encode("next", values))
    if model.predicts:
        st.page_link("next.py", label="Next word")

# The numbers, how they are measured, and what leaves the page.
if case.recorded.kind == "self":
    with st.expander("All heads in numbers", key="numbers", on_change="rerun") as numbers:
        if numbers.open:
            columns, sources = text_views.table_columns(case)
            components.head_table(columns, "heads_table", pin, "Statistics of all heads", sources)
            st.caption(text_views.table_caption(case))
with st.expander("How is this measured?", key="method", on_change="rerun") as disclosure:
    if disclosure.open:  # it is as long as all other sentences together
        st.markdown(text_views.method(case, model))
with st.container(key="foot"):
    st.caption(markdown(text_views.origin(case, model)))
make_case = partial(answers.heads_case, source, model.name, choice)
origin = models.origin(model, ablated=source.ablated)
downloads.button("Heads", origin, files=partial(downloads.heads_files, "heads", make_case))
if job is not None and (job.run is None or job.run.error is None):  # a failed control is not repeated
    jobs.follow(job, start=True)
