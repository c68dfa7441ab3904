"""Captions whose terms open their line of the glossary, and the button that copies the link.

A caption is written with its terms in double brackets, ``[[set aside]]`` or ``[[put aside|set aside]]``; words of the
reader's text come in as spans, so that they are only ever set as text.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from mha.glossary import glossary
from mha.screens.spans import Span, spans
from mha.ui.components.modules import joined_modules, stylesheet


def caption(*parts: str | Sequence[Span], key: str, style: str = "cap") -> None:
    """Draw a caption of templates and ready spans; ``style`` "sub" is the larger line under a heading."""
    said: list[Span] = []
    for part in parts:
        said += spans(part) if isinstance(part, str) else [tuple(span) for span in part]
    terms = {span[2]: glossary()[span[2]] for span in said if span[0] == "term"}
    _caption()(key=key, data={"spans": [list(span) for span in said], "terms": terms, "style": style})


def copy_link(key: str = "copy_link") -> None:
    """Draw the button that copies the address of this very view."""
    _copy_link()(key=key, data={"label": "Copy a link to exactly this view"})


@functools.cache
def _caption() -> Callable[..., Any]:
    return st.components.v2.component(
        "parallax_caption",
        html='<div class="caption"></div>',
        css=stylesheet("caption.css"),
        js=joined_modules("caption.js"),
    )


@functools.cache
def _copy_link() -> Callable[..., Any]:
    return st.components.v2.component(
        "parallax_copy_link",
        html='<div class="caption"></div>',
        css=stylesheet("caption.css"),
        js=joined_modules("copy_link.js"),
    )
