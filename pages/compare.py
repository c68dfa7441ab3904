"""Change a word: which heads change when one word changes?"""

from functools import partial

import streamlit as st

from mha.app import answers, components, controls, downloads, link
from mha.app.errors import say
from mha.errors import InputError, NotComparable
from mha.formats import markdown, plain
from mha.views import compare, models

state = st.session_state

# Both sentences and the model.
if not state["second"].strip():  # an emptied field starts from a copy again
    link.reset("second")
controls.text_and_model(reset_on_model=("pins", "ablate"), second="Second sentence")
model = models.model_row(state["model"])
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="examples"):
    controls.examples(compare.EXAMPLES)
    options = st.popover("Options", key="options", on_change="rerun")
names = models.head_names(model)
link.restrict("pins", names)
link.restrict("ablate", names)
link.show_problems()
if options.open:
    with options:
        st.multiselect(
            "Pinned heads", names, key="pins", max_selections=link.MAX_PINS, placeholder="the head that stands out"
        )
        st.multiselect("Ablated heads", names, key="ablate", max_selections=link.MAX_HEADS, placeholder="none")
refusal = compare.refusal(state["text"], state["second"])
if refusal:
    controls.end(refusal)

# Results: the change of every head, and how far control words change it.
try:
    with st.spinner(f"{model.short} reads both sentences …", show_time=True):
        ablated = models.parse_heads(state["ablate"])
        case = answers.compare(state["text"], state["second"], model.name, ablated)
except NotComparable as error:
    components.finding(f"In {model.short}, this change reaches no word that stayed.")
    say(str(error))
    example = compare.EARLIER_EXAMPLE
    st.button("Show an earlier change", on_click=link.set_values, args=(example,))
    st.caption(compare.example_sentence(example))
    st.stop()
except InputError as error:
    controls.end(markdown(str(error)))

# Guess first.
if state["reveal"] == "0":
    components.versions("sentence", data=compare.sentence_data(case))
    controls.guess_first("Which word will change where it looks? Make a guess before you see the results.")

# The finding; both sentences with the attention of the head that stands out, or of the first pinned one.
heads = compare.map_heads(case, state["pins"])
components.finding(compare.finding(case, heads))
with st.container(key="explanation"):
    st.markdown(compare.explanation(case, heads))
components.versions("sentence", data=compare.sentence_data(case, compare.arc_connection(case, heads)))
pin = partial(link.pin, [str(head) for head in heads])

# The change of every head.
if case.is_measured:
    st.header("Change of every head", anchor=False)
    st.caption(compare.grid_caption(case))
    components.heads("heads", data=compare.grid_data(case, heads, model.n_shared), on_head=pin)

# The shown heads before the change, after it, and the difference.
if case.is_measured and heads:
    st.header("Before, after, difference", anchor=False)
    st.caption(compare.MAPS)
    for number, head in enumerate(heads):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(compare.map_title(case, head))
            if state["pins"]:
                st.button(f"Unpin {head}", key=f"unpin_{number}", type="tertiary", on_click=pin, args=(str(head),))
        components.arrays(f"map_{number}", **compare.map_data(case, head))

# The method, and the downloads.
with st.expander("How is this measured?", key="method", on_change="rerun") as disclosure:
    if disclosure.open:  # it is as long as all other sentences together
        st.markdown(compare.method(case))
st.caption(markdown(models.origin(model)))
for note in case.notes:
    say(note)
if case.is_measured:
    source = f"{plain(compare.ablated_sentence(case))} {models.origin(model)}".lstrip()
    downloads.button("Change a word", source, {"Change of every head": partial(compare.table, case, model)})
