"""The question between two readings, for Heads; leaves with the old page of Heads."""

from __future__ import annotations

from mha.analysis.ambiguity_kinds import ATTACHMENT, PRONOUNS, RELATIVES, fits_kind, preposition_number
from mha.screens.blocks import Span, chip, say, word
from mha.screens.readings.ambiguity import Ambiguity

REFERRING = frozenset(("it", "he", "she", "they", "him", "her", "them", "its", "his", *PRONOUNS, *RELATIVES))


def suggestion(found: Ambiguity, badge: bool = True) -> tuple[Span, ...]:
    """Return what the readings are about, as a question that the page never answers; with a badge if suggested."""
    pivot = found.pivot_said
    a, b = ((chip(side.upper()), ("plain", "\u00a0"), (f"word_{side}", found.partner(side))) for side in ("a", "b"))
    if found.words[found.at].casefold() in REFERRING:
        asks = "Does {pivot} refer to {a} or {b}?"
    else:
        start = preposition_number(found.words, found.at)
        if start is not None and fits_kind(ATTACHMENT, found.words, found.at, (*found.a, *found.b)):
            pivot = word(" ".join(found.words[start : found.at + 1]))
        asks = "Does {pivot} go with {a} or {b}?"
    first: tuple[Span, ...] = (("suggested", "suggested"), ("plain", " ")) if badge else ()
    return (*first, *say(asks, pivot=pivot, a=a, b=b))
