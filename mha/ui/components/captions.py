"""Captions whose terms open their line of the glossary, and the button that copies the link.

A caption is written with its terms in double brackets, ``[[set aside]]`` or ``[[put aside|set aside]]``; words of the
reader's text come in as spans, so that they are only ever set as text.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from mha.glossary import glossary
from mha.ui.modules import joined_modules, stylesheet

Span = tuple[str, ...]
_TERM = re.compile(r"\[\[([^\]|]+)(?:\|([^\]]+))?\]\]")


def spans(template: str) -> list[Span]:
    """Return a caption as spans ["plain", text] and ["term", text, entry of the glossary].

    >>> spans("Rows are [[queries|query]].")
    [('plain', 'Rows are '), ('term', 'queries', 'query'), ('plain', '.')]

    Raises:
        KeyError: a term is not in the glossary.
    """
    found: list[Span] = []
    end = 0
    for match in _TERM.finditer(template):
        text, entry = match[1], match[2] or match[1]
        if entry not in glossary():
            raise KeyError(f"{entry!r} is not in docs/glossary.md")
        found += [("plain", template[end : match.start()]), ("term", text, entry)]
        end = match.end()
    return [span for span in [*found, ("plain", template[end:])] if span[1]]


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
