"""Let it write: ten words that a model writes, and the attention of one head before each of them."""

import streamlit as st

from mha.app import components, controls, link
from mha.formats import markdown
from mha.views import models, next_word, writing

state = st.session_state

# The text and the model.
controls.text_and_model("step", "head", reset_on_model=("step", "head"))
text, model = state["text"], models.model_row(state["model"])
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="examples"):
    controls.examples(next_word.TEXT_PARAMS, "step", "head")
    options = st.popover("Options", key="options", on_change="rerun")
names = models.head_names(model)
link.restrict("head", names)
link.show_problems()
refusal = writing.refusal(text, model)
if refusal:
    controls.end(refusal, offers_smollm2=model.predicts != "next")
if options.open:
    with options:
        st.selectbox("Attention of head", names, key="head", index=None, placeholder="the largest share of any head")

# Guess first.
if state["reveal"] == "0":
    controls.guess_first(
        f"Which words does {model.short} write after this text? Make a guess before you see the results."
    )

# Results: the written words.
with st.spinner(f"{model.short} writes …", show_time=True):
    generation = writing.generate(text, model.name)
link.restrict("step", range(1, generation.n_steps + 1))
step = state["step"]
largest = writing.largest_head(generation, step)
head = models.parse_heads([state["head"]])[0] if state["head"] else largest

# The text and the written words, with the attention of the head at the step.
data = writing.sentence_data(text, model.name, generation, step, head)
components.sentence("sentence", data=data)
if generation.n_steps > 1:
    st.slider("Step", 1, generation.n_steps, key="step")
components.finding(writing.finding(generation, step, head, is_largest=head == largest))
st.caption(writing.steps_text(generation))
st.page_link("next.py", label="Next word", query_params=link.query_for_page("next"))
st.caption(markdown(models.origin(model)))
