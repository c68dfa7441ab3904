"""Next word: which word does the model expect, and which heads does that depend on?"""

from functools import partial

import streamlit as st

from mha.app import components, controls, downloads, jobs, link
from mha.app.errors import say
from mha.engine.writing import sweep_words
from mha.errors import InputError
from mha.figures import charts
from mha.formats import markdown
from mha.views import matters, models, next_word, writing

MODEL, SWEEP = "smollm2", "Ablate every head in turn"
state = st.session_state

if state["view"] == "matters" and state["text"] == link.default("next", "text") and models.is_offered(MODEL):
    state["text"] = matters.example_text(models.model_row(MODEL)) or state["text"]

# The text and the model.
controls.text_and_model("word", "versus", of_model=("ablate", "head", "word", "versus"))
text, model = state["text"], state["model"]
row = models.model_row(model)
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="examples"):
    controls.examples({label: {"text": text} for label, text in next_word.EXAMPLES.items()}, "word", "versus")
    options = st.popover("Options", key="options", on_change="rerun")
names = models.head_names(row)
link.restrict("ablate", names)
link.restrict("head", names)
link.show_problems()
refusal = next_word.refusal(text, row)
if refusal:
    components.finding(refusal)
    if not row.predicts and models.is_offered(MODEL):
        st.button("Use SmolLM2", on_click=link.set_value, args=("model", MODEL))
    st.stop()

# Results: the candidate words, with the ablated heads off.
if options.open:
    with options:
        st.text_input("Show the effect on this word", key="word", max_chars=100, placeholder="the likeliest word")
        st.text_input("minus the effect on this word", key="versus", max_chars=100, placeholder="none")
        st.multiselect("Ablated heads", names, key="ablate", max_selections=link.MAX_HEADS, placeholder="none")
        st.selectbox("Attention of head", names, key="head", index=None, placeholder="picked for this text")
        if row.two_sided:
            st.text_input("Output so far", key="target", placeholder="none")
        st.caption(next_word.MEAN)
ablated, target = models.parse_heads(state["ablate"]), state["target"] if row.two_sided else ""
with st.spinner(f"{row.short} reads the text …", show_time=True):
    try:
        words = next_word.ablate(text, model, (state["word"], state["versus"]), ablated, target)
    except InputError as error:  # a typed word that the model does not have, or a text that it refuses
        words = next_word.ablate(text, model, (), ablated, target)
        say(str(error))
word = next_word.index_of(words.sweep, state["word"]) or 0
versus = next_word.second_index_of(words.sweep, state["versus"], word)
handle = jobs.job(sweep_words, text, model, words.sweep.ids, target)
if jobs.result_of(handle) is not None:
    words = next_word.with_sweep(words, jobs.result_of(handle))
control, reason = next_word.control_of(words.sweep, model, word, versus)
select_word = partial(link.set_value, "word")


def end_view() -> None:
    """Draw the way back to the next word and the origin of the numbers, and end the page."""
    st.button("Back to the next word", on_click=link.set_value, args=("view", "next"))
    st.caption(markdown(models.origin(row)))
    st.stop()


downloads.button(
    "Next word", models.origin(row), {"Change without each head": partial(next_word.table, words.sweep, row)}
)

# Guess first.
if state["reveal"] == "0":
    components.sentence(next_word.guess_data(words, row.predicts == "mask"), "sentence", select_word)
    controls.guess_first(f"Which word does {row.short} expect? Make a guess before you see the results.")

# Let it write: ten words, step by step.
if state["view"] == "write" and row.predicts != "mask":
    with st.spinner(f"{row.short} writes …", show_time=True):
        generation = writing.generate(text, model)
    link.restrict("step", range(1, generation.n_steps + 1))
    step = state["step"]
    writer = models.parse_heads([state["head"]])[0] if state["head"] else writing.likeliest_head(generation, step)
    components.sentence(writing.sentence_data(text, model, generation, step, writer), "sentence", select_word)
    if generation.n_steps > 1:
        st.slider("Step", 1, generation.n_steps, key="step")
    components.finding(writing.finding(generation, step, writer))
    st.caption(writing.steps_text(generation))
    components.word_map(writing.steps_data(generation, step, writer), "steps", partial(link.set_value, "head"))
    end_view()

# Looks, adds, matters: three numbers of each head for two words.
if state["view"] == "matters" and row.predicts == "next":
    stored = matters.bundled_effects(text, (state["word"], state["versus"]), row)
    handle = jobs.job(matters.measure, text, model, state["word"], state["versus"])
    effects = stored.example if stored else jobs.result_of(handle)
    named = matters.named_heads(effects, stored.form if stored else None) if effects else ()
    if named:
        maps = next_word.attention(text, model)
        for name, named_head in zip(("hardest", "strongest"), named, strict=True):
            data = next_word.sentence_data(words, 0, maps, named_head) | {"candidates": []}
            components.sentence(data, name, select_word)
    if effects is None:
        components.finding(matters.NEEDED)
    elif not named or state["guess"]:
        components.finding(matters.finding(effects, named))
    else:
        components.finding(matters.question(effects))
        with st.container(horizontal=True, key="guesses"):
            for guess, label in zip(
                ("looks", "adds", "none"), (*map(str, named), "Show without guessing"), strict=True
            ):
                st.button(label, on_click=link.set_value, args=("guess", guess))
        st.stop()
    if not stored and state["word"] and state["versus"]:
        jobs.follow(handle, SWEEP, lambda _: False, partial(matters.progress, len(names)))
    if effects and effects.is_complete:
        left, right = st.columns([620, 460], gap="large")
        with left:
            limit, theme = stored.form.limit if stored else None, st.context.theme.type or "light"
            numbers = effects.looks, effects.direct, effects.matters
            figure = charts.effect_scatter(*numbers, limit, effects.words, list(map(str, named)), theme)
            components.chart(figure, "scatter", alt=matters.finding(effects, named))
        with right:
            for named_head, choice in zip(named, ("looks", "adds"), strict=False):
                st.markdown(matters.head_rows(effects, named_head, is_guess=state["guess"] == choice))
            if stored:
                st.caption(matters.control_text(stored, named))
        with st.expander("All heads as a table"):
            st.dataframe(matters.table(effects), hide_index=True)
    end_view()

# The text with the attention of one head, and the candidate words.
head = next_word.shown_head(state["head"], ablated, words.sweep, word, control)
maps = next_word.attention(text, model, target) if head else None
components.sentence(next_word.sentence_data(words, word, maps, head, row.predicts == "mask"), "sentence", select_word)
if row.two_sided:
    st.markdown(next_word.output_text(words, target))
components.finding(next_word.finding(words, row, word, versus, control))
explanation = next_word.explanation(words, word, versus, control, reason, maps, head)
if explanation:
    with st.container(key="explanation"):
        st.caption(explanation)


# Each head ablated alone.
def ablate_or_restore(name: str) -> None:
    link.toggle("ablate", name)
    link.set_value("head", name)


def draw_grid(sweep) -> bool:
    """Draw the change without each head, as far as it is measured; return whether a head was clicked."""
    data = next_word.grid_data(sweep, word, versus, control, ablated, head, row.n_shared)
    return components.heads(data, "heads", on_head=ablate_or_restore)


with st.container(horizontal=True, vertical_alignment="center", gap="small", key="grid_title"):
    st.header("Each head ablated alone", anchor=False)
    for name in state["ablate"]:
        st.button(f"{name} ×", key=f"restore_{name}", on_click=link.toggle, args=("ablate", name))
    if ablated:
        st.button("Restore all", type="tertiary", on_click=link.reset, args=("ablate",))
st.caption(next_word.grid_caption(words.sweep, word, versus))
jobs.follow(handle, SWEEP, draw_grid, lambda sweep: (sweep.n_measured, len(names)), first=words.sweep)

# More of this text, how it is measured, and what leaves the page.
if row.predicts != "mask":
    with st.container(horizontal=True, gap="medium", key="views"):
        st.button("Let it write", type="tertiary", on_click=link.set_value, args=("view", "write"))
        if row.predicts == "next":
            st.button("Looks, adds, matters", type="tertiary", on_click=link.set_value, args=("view", "matters"))
with st.expander("How is this measured?"):
    st.markdown(next_word.method(words.sweep, control))
st.caption(markdown(models.origin(row)))
for note in words.sweep.notes:
    say(note)
