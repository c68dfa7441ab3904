"""Captions as spans: `mha.screens.blocks.say` by its older names."""

from __future__ import annotations

from mha.screens.blocks import Span, say


def spans(template: str) -> list[Span]:
    """Return a template as `mha.screens.blocks.say` reads it."""
    return list(say(template))


prose = spans
