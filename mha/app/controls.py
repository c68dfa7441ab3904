"""The controls above every page: the text and the model."""

from __future__ import annotations

import streamlit as st

from mha.app import link
from mha.models.files.catalog import offered_on_pages
from mha.words import MAX_CHARACTERS


def text_and_model(*of_text: str, of_model: tuple[str, ...] = ()) -> None:
    """Draw the text and the model; parameters that belong to the old text or model go back to their defaults."""
    titles = {row.name: row.title for row in offered_on_pages()}
    link.restrict("model", titles)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="of_the_view"):
        st.text_area(
            "Your text", key="text", max_chars=MAX_CHARACTERS, height="content", on_change=link.reset, args=of_text
        )
        st.selectbox("Model", titles, key="model", format_func=titles.__getitem__, on_change=link.reset, args=of_model)


def examples(texts: dict[str, str]) -> None:
    """Draw a row of examples by their labels; a click writes the example's text."""
    state = st.session_state
    state["example"] = next((label for label, text in texts.items() if text == state["text"]), None)
    st.pills("Examples", list(texts), key="example", label_visibility="collapsed", on_change=_take, args=(texts,))


def _take(texts: dict[str, str]) -> None:
    label = st.session_state["example"]
    if label is not None:
        st.session_state["text"] = texts[label]
        link.reset("word", "versus")
