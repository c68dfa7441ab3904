"""Translation: an English sentence in Portuguese, and two heads without which a word changes."""

from functools import partial

import streamlit as st

from mha.app import answers, components, controls, cuts, downloads, link
from mha.app.errors import say
from mha.cuts import Cut
from mha.errors import InputError
from mha.formats import markdown
from mha.views import models, translation
from mha.views.cuts import source_text
from mha.views.heads_text import text_data

RESET_ON_TEXT = ("written", "cut")
names = [str(head) for head in translation.HEADS]
state = st.session_state


def ablate(*heads: str) -> None:
    """Ablate the heads, or restore them if all are ablated. Remove the cuts of ablated heads."""
    others = [name for name in state["without"] if name not in heads]
    ablated = others if set(heads) <= set(state["without"]) else [*heads, *others]
    link.set_values({"without": ablated, "cut": [cut for cut in state["cut"] if str(Cut.of(cut).head) not in ablated]})


# The text and the switch of both heads; the page has its own model.
controls.text_and_model(*RESET_ON_TEXT, has_model=False)
text = state["text"]
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="examples"):
    controls.examples(translation.EXAMPLES, *RESET_ON_TEXT)
    state["switch"] = not set(names) <= set(state["without"])
    st.toggle(f"Heads {' and '.join(f'`{name}`' for name in names)} on", key="switch", on_change=ablate, args=names)
link.restrict("cut", [cut for cut in state["cut"] if cut[0] in "EC"])  # heads of the translator
link.show_problems()
if translation.hindrance(translation.NAME):
    components.finding("The translator is not installed here. This command adds it (35 MB):")
    st.code(translation.COMMAND, "bash")
    st.stop()
model = models.model_row(translation.NAME)
if state["reveal"] == "0":
    components.sentence("sentence", data=text_data(text))
    controls.guess_first("How does the translator write this in Portuguese? Make a guess before you see the results.")


# Translations: all heads; without both; the visitor's heads ablated and links cut; the other version.
heads = translation.parse_heads(state["without"])
translate = partial(answers.translated, model=model.name)
try:
    with st.spinner(f"{model.short} writes …", show_time=True):
        other_text = translation.other_version(text)
        full, without_heads = translate(text), translate(text, heads=translation.HEADS)
        other_translation = translate(other_text) if other_text else None
        shown = cuts.with_cuts(lambda cut: translate(text, heads=heads, cut=cut))
        step = translation.pick_step(full, (other_translation, without_heads), state["written"])
        prefix, candidates = translation.candidates_at_step(full, step, (shown, without_heads, other_translation))
        prediction = answers.word_changes(text, model.name, prefix, candidates, heads, shown.cut)
        case = translation.TranslationCase(model, full, without_heads, shown, other_translation, step, prediction)
except InputError as error:  # no word in the text
    controls.end(markdown(str(error)))

# Both texts, the finding, the word with its alternative, the other version.
components.versions("sentence", data=translation.sentence_data(case), on_cut=cuts.toggle)
finding_place, words_place = st.columns([676, 400], gap="medium")
with finding_place:
    components.finding(translation.finding(case))
    cuts.draw_buttons(case)
    with st.container(key="explanation"):
        for line in translation.explanation(case):
            st.caption(line)
with words_place:
    components.next_words("next_words", data=translation.words_picture(case))
    st.caption(translation.other_text(case))
    controls.pick("Written word", "written", dict(enumerate(full.words)), full.tokens[case.step].word)

# Each head ablated alone.
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="grid_title"):
    st.header("Each head ablated alone", anchor=False, width="content")
    st.caption(translation.grid_caption(case))
components.heads("heads", data=translation.grid_data(case), on_head=ablate)
st.caption(translation.study_sentence())

# How it is measured, and what leaves the page.
with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="views"):
    st.button("Guess first", type="tertiary", on_click=link.set_value, args=("reveal", "0"))
    st.page_link("readings.py", label="Two readings")
with st.expander("How is this measured?", key="method", on_change="rerun") as disclosure:
    if disclosure.open:
        st.markdown(translation.METHOD)
st.caption(markdown(models.origin(model)))
for note in dict.fromkeys(full.notes + shown.notes):
    say(note)
tables = {"Change of the written word": partial(translation.table, case)}
downloads.button("Translation", source_text(case, heads) + models.origin(model), tables)
