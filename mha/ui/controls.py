"""The bound controls: the one place where the link's words meet Streamlit's widgets.

Every word of the link is one widget with ``bind="query-params"``, drawn by the frame on every page. What a page draws
in a prettier place (the picker's titles, a layer's pills, a click on a thumbnail) has no state of its own: its
callback writes the bound widget's key through `choices`, and widget and link follow.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha.examples import EXAMPLES, example_for
from mha.link import view as permalink
from mha.link.view import ModelShape, View
from mha.models.files.catalog import model_row, offered
from mha.ui import boundary, choices
from mha.words import MAX_CHARACTERS

FRONT = ("the telescope", "the hungry dog", "All is well", "money bank")  # the pills beside the popover


def models() -> dict[str, ModelShape]:
    """Return the shape of every model on offer, by its word in the link."""
    return {row.name: ModelShape(row.short, row.n_layers, row.n_heads) for row in offered()}


def draw(front: Sequence[str] = FRONT) -> None:
    """Draw the sentence, the model picker, the view settings and the examples, and say what a link got wrong.

    ``front`` are the labels of the examples that stand outside the popover.
    """
    notes = _link_notes()
    sentence, model, settings = st.columns([6, 2, 1], vertical_alignment="bottom", gap="small")
    with settings, st.popover("View", width="stretch"):
        _view_settings()
    with sentence:
        st.text_input(
            "Your sentence",
            value=permalink.DEFAULT_TEXT,
            key="text",
            max_chars=MAX_CHARACTERS,
            bind="query-params",
            on_change=choices.text_changed,
        )
    with model:
        _model_picker()
    _example_pills(front)
    for note in notes:
        boundary.say(note)


def view() -> View:
    """Return what the bound controls say now."""
    state = st.session_state
    shape = models()[state["model"]]
    query = {name: _strings(state[name]) for name in _NAMES if state.get(name) is not None and name in state}
    return permalink.parse({name: values for name, values in query.items() if values}, {state["model"]: shape})[0]


_NAMES = ("text", "model", "layer", "pins", "off", "scale", "units", "sinks", "lock", "reveal", "large", "heads_pinned")


def _strings(value: object) -> list[str]:
    if isinstance(value, list):
        return [str(item) for item in value]
    return [str(value).lower() if isinstance(value, bool) else str(value)]


def _link_notes() -> tuple[str, ...]:
    """Check the link before the widgets exist, once a visit: Streamlit drops what is wrong without a word."""
    params = st.query_params
    if "link_notes" not in st.session_state:
        asked, notes = permalink.parse({name: params.get_all(name) for name in params}, models())
        st.session_state["link_notes"] = notes
        st.session_state["link_view"] = asked
    if "v" not in params:
        params["v"] = permalink.VERSION
    return tuple(st.session_state["link_notes"])


def _model_picker() -> None:
    st.session_state["model_shown"] = st.session_state["model"]
    st.selectbox(
        "Model",
        list(models()),
        key="model_shown",
        format_func=lambda name: model_row(name).title,
        on_change=choices.model_shown_changed,
    )


def _view_settings() -> None:
    """Draw every bound widget but the text; each is also the keyboard's way to what the pictures offer."""
    st.segmented_control(
        "Show",
        permalink.UNITS,
        default="words",
        required=True,
        key="units",
        bind="query-params",
        on_change=choices.units_changed,
    )
    st.toggle("Set special tokens and final punctuation aside", value=True, key="sinks", bind="query-params")
    st.selectbox("Same colour scale for", permalink.SCALES, key="scale", bind="query-params")
    st.toggle("Large type, for a projector", value=False, key="large", bind="query-params")
    st.selectbox("Leans and findings: 1 at once, 0 guess first", ("1", "0"), key="reveal", bind="query-params")
    st.caption("The same by keyboard")
    st.selectbox("Model by name", list(models()), key="model", bind="query-params", on_change=choices.model_changed)
    shape = models()[st.session_state["model"]]
    heads = [f"L{layer}H{head}" for layer in range(shape.n_layers) for head in range(shape.n_heads)]
    chosen = "chosen for this text"
    st.multiselect(
        "Pinned heads",
        [*heads, permalink.NO_PINS],
        key="pins",
        max_selections=permalink.MAX_PINS,
        placeholder=chosen,
        bind="query-params",
    )
    st.multiselect("Heads switched off", heads, key="off", placeholder="none", bind="query-params")
    layers = [str(layer) for layer in range(shape.n_layers)]
    st.selectbox("Layer", layers, index=None, key="layer", placeholder=chosen, bind="query-params")
    st.number_input(
        "Locked word, by its place (−1: none)",
        min_value=-1,
        max_value=permalink.MAX_POSITION,
        value=None,
        step=1,
        key="lock",
        placeholder=chosen,
        bind="query-params",
    )
    st.selectbox("Pinned heads drawn as", permalink.PINNED_VIEWS, key="heads_pinned", bind="query-params")


def _example_pills(front: Sequence[str]) -> None:
    current = example_for(st.session_state["text"])
    rest = [example.label for example in EXAMPLES if example.label not in front]
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="examples"):
        st.session_state["example_front"] = current.label if current and current.label in front else None
        st.pills(
            "Examples",
            front,
            key="example_front",
            wrap=True,
            label_visibility="collapsed",
            on_change=choices.example_chosen,
            args=("example_front",),
        )
        with st.popover(f"{len(rest)} more"):
            st.session_state["example_rest"] = current.label if current and current.label in rest else None
            for_kind = {example.label: f"{example.label} · {example.kind}" for example in EXAMPLES}
            st.pills(
                "More examples",
                rest,
                key="example_rest",
                format_func=for_kind.__getitem__,
                wrap=True,
                label_visibility="collapsed",
                on_change=choices.example_chosen,
                args=("example_rest",),
            )
