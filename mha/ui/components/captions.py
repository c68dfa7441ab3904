"""Blocks that pages draw on their own: captions whose terms open their line of the glossary, definitions, the link.

A caption is written with its terms in double brackets, ``[[set aside]]`` or ``[[put aside|set aside]]``; words of the
reader's text come in as spans, so that they are only ever set as text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mha.screens.blocks import Span, say
from mha.ui.components.blocks import draw


def caption(*parts: str | Sequence[Span], key: str, style: str = "cap") -> None:
    """Draw a caption of templates and ready spans; ``style`` "sub" is the larger line under a heading."""
    said: list[Span] = []
    for part in parts:
        said += say(part) if isinstance(part, str) else part
    draw([{"kind": "caption", "style": style, "spans": said}], key, large=False)


def copy_link(key: str = "copy_link") -> None:
    """Draw the button that copies the address of this very view."""
    draw([{"kind": "copy_link", "label": "Copy a link to exactly this view"}], key, large=False)


def definitions(entries: Sequence[Mapping[str, str]], key: str, compact: bool = False) -> None:
    """Draw entries as a list of definitions."""
    draw([{"kind": "definitions", "entries": entries, "compact": compact}], key, large=False)
