"""Next word: which word does the model expect, when does it appear, and which heads does that depend on?"""

from dataclasses import replace
from functools import partial

import streamlit as st

from mha.app import answers, components, controls, cuts, jobs, link
from mha.app.errors import say
from mha.errors import InputError
from mha.formats import markdown
from mha.views import models, next_word
from mha.views import next_word_sentences as sentences
from mha.views.cuts import text_data

RESET_ON_TEXT = ("word", "versus", "head", "cut")
state = st.session_state

# The text and the model.
controls.text_and_model(*RESET_ON_TEXT, reset_on_model=("ablate", *RESET_ON_TEXT))
text, model = state["text"], models.model_row(state["model"])
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="examples"):
    controls.examples(next_word.EXAMPLE_PARAMS, *RESET_ON_TEXT, n_first=4)
    options = st.popover("Options", key="options", on_change="rerun")
names = models.head_names(model)
link.restrict("ablate", names)
link.restrict("head", names)
link.show_problems()
refusal = next_word.refusal(text, model)
if refusal:
    controls.end(refusal, offers_smollm2=not model.predicts)
if options.open:
    with options:
        st.text_input("Show the effect on this word", key="word", max_chars=100, placeholder="the likeliest word")
        st.text_input("minus the effect on this word", key="versus", max_chars=100, placeholder="none")
        st.multiselect("Ablated heads", names, key="ablate", max_selections=link.MAX_HEADS, placeholder="none")
        st.selectbox("Attention of head", names, key="head", index=None, placeholder="picked for this text")
        if model.two_sided:
            st.text_input("Output so far", key="target", placeholder="none")
        st.caption(next_word.MEAN)

# The next words with the ablated heads and the cut links.
ablated, target = models.parse_heads(state["ablate"]), state["target"] if model.two_sided else ""
with st.spinner(f"{model.short} reads the text …", show_time=True):
    try:
        prediction = answers.next_words(text, model.name, (state["word"], state["versus"]), ablated, target)
    except InputError as error:  # a typed word that the model does not have, or a text that it refuses
        prediction = answers.next_words(text, model.name, (), ablated, target)
        say(str(error))
    prediction = cuts.cut_prediction(prediction, model)
case = next_word.case_of(model, prediction, state["word"], state["versus"], state["head"])
if state["versus"] and prediction.sweep.index_of(state["versus"]) == case.word_index:
    say(next_word.SAME_WORD)
word_id = case.sweep.ids[case.word_index]
case = replace(case, ranks=answers.bundled_ranks(text, model.name, word_id))

# Guess first.
select_word = partial(link.set_value, "word")
if state["reveal"] == "0":
    components.sentence("sentence", data=text_data(prediction, is_mask=model.predicts == "mask"), on_word=select_word)
    controls.guess_first(sentences.question(case), next_word.guesses(case), text)

# The ranks of the words and the leading heads as soon as no other visitor waits, the other heads as idle work.
job = jobs.PageJob(answers.WordSweepRequest, (text, model.name, prediction.sweep.ids, target, word_id))
case = next_word.with_run(case, job.run)


def ablate_or_restore(name: str) -> None:
    link.toggle("ablate", name)
    link.set_value("cut", [cut for cut in state["cut"] if not cut.startswith(f"{name}:")])
    link.set_value("head", name)


def draw_results() -> None:
    """Draw all that depends on the ranks and on the heads measured so far."""
    current = answers.next_word_case(next_word.with_run(case, job.run), text, target)

    # The text with the attention of one head, the finding and the next words.
    sentence, words = next_word.sentence_data(current), next_word.words_picture(current)
    has_short_text = len(current.sweep.text) <= next_word.SHORT_TEXT
    data = sentence | words if has_short_text else sentence
    components.sentence("sentence", data=data, on_word=select_word, on_cut=cuts.toggle)
    with st.container(key="results"):
        if has_short_text:
            finding_place = st.container()
        else:
            finding_place, words_place = st.columns([676, 400], gap="large")
            with words_place:
                components.next_words("next_words", data=words, on_word=select_word)
    with finding_place:
        components.finding(sentences.finding(current))
        with st.container(key="explanation"):
            with st.container(horizontal=True, vertical_alignment="center", gap="small", key="changes"):
                if prediction.cut:
                    cuts.draw_buttons(prediction)
                jobs.draw_progress(job, current.sweep.n_measured, current.n_heads, "Measure the other heads")
            st.caption(sentences.explanation(current, controls.guess_of(text), target))

    # The rank of the word after each layer.
    is_pending = current.ranks is None and job.is_running
    with st.container(key="rank_pending" if is_pending else "rank"):
        if current.ranks:
            components.rank_line("ranks", title=sentences.rank_title(current), **next_word.ranks_data(current))
        st.markdown(sentences.rank_text(current))

    # Each head ablated alone.
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="grid_title"):
        st.header("Each head ablated alone", anchor=False, width="content")
        st.caption(sentences.grid_caption(current))
        for name in state["ablate"]:
            st.button(f"{name} ×", key=f"restore_{name}", on_click=link.toggle, args=("ablate", name))
        if ablated:
            st.button("Restore all", type="tertiary", on_click=link.reset, args=("ablate",))
    components.heads("heads", data=next_word.grid_data(current), on_head=ablate_or_restore)

    # More of this text.
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="views"):
        st.button("Guess first", type="tertiary", on_click=link.set_value, args=("reveal", "0"))
        if model.predicts == "next":
            st.page_link("matters.py", label="Looks, adds, matters", query_params=link.query_for_page("matters"))
            st.page_link("write.py", label="Let it write", query_params=link.query_for_page("write"))
        if current.head and model.name in models.PROFILED:
            st.page_link(
                "atlas.py",
                label=f"The page of {current.head}",
                query_params={"model": model.name, "head": str(current.head)},
            )


jobs.follow(job, draw_results, start=not case.is_complete)

# How it is measured, and what leaves the page.
with st.expander("How is this measured?", key="method", on_change="rerun") as disclosure:
    if disclosure.open:  # it is as long as all other sentences together
        st.markdown(sentences.method(case))
st.caption(markdown(models.origin(model, has_source=False)))
for note in prediction.sweep.notes:
    say(note)
cuts.download_button(
    "Next word", prediction, model, {"Change without each head": partial(next_word.table, case.sweep, model)}
)
