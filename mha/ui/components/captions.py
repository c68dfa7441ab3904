"""Blocks that pages draw on their own: captions whose terms open their line of the glossary, definitions, the link.

A caption is written with its terms in double brackets, ``[[set aside]]`` or ``[[put aside|set aside]]``; words of the
reader's text come in as spans, so that they are only ever set as text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mha.screens.blocks import Span, say
from mha.ui.components.blocks import draw

COPY = {"kind": "copy_link", "label": "Copy a link to exactly this view"}


def caption(*parts: str | Sequence[Span], key: str, style: str = "cap") -> None:
    """Draw a caption of templates and ready spans; ``style`` "sub" is the larger line under a heading."""
    draw([caption_block(*parts, style=style)], key, large=False)


def caption_block(*parts: str | Sequence[Span], style: str = "cap") -> dict[str, Any]:
    """Return a caption as a block, for a page that draws it with others: every component costs a run of its own."""
    said: list[Span] = []
    for part in parts:
        said += say(part) if isinstance(part, str) else part
    return {"kind": "caption", "style": style, "spans": said}


def copy_link(key: str = "copy_link") -> None:
    """Draw the button that copies the address of this very view."""
    draw([COPY], key, large=False)


def definitions(entries: Sequence[Mapping[str, str]], key: str, compact: bool = False) -> None:
    """Draw entries as a list of definitions."""
    draw([definitions_block(entries, compact)], key, large=False)


def definitions_block(entries: Sequence[Mapping[str, str]], compact: bool = False) -> dict[str, Any]:
    """Return entries as a block that is a list of definitions."""
    return {"kind": "definitions", "entries": entries, "compact": compact}
