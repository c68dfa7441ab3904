"""Blocks that pages draw on their own: captions whose terms open their line of the glossary, definitions, the link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mha.screens import blocks
from mha.screens.blocks import Span
from mha.ui.components.blocks import draw

COPY = {"kind": "copy_link", "label": "Copy a link to exactly this view"}


def caption(*parts: str | Sequence[Span], key: str, style: str = "cap") -> None:
    """Draw a caption of templates and ready spans; ``style`` "sub" is the larger line under a heading."""
    draw([blocks.caption(*parts, style=style)], key, large=False)


def copy_link(key: str = "copy_link") -> None:
    """Draw the button that copies the address of this very view."""
    draw([COPY], key, large=False)


def definitions(entries: Sequence[Mapping[str, str]], key: str, compact: bool = False) -> None:
    """Draw entries as a list of definitions."""
    draw([blocks.Definitions(entries, compact)], key, large=False)
