"""Small words of the readings page: numbers with a sign, counts as words, plural heads."""

from __future__ import annotations

import math
from collections.abc import Sequence

NAMED_FROM = 0.10  # the part of the difference from which a head is named; as in `mha.intervention.patching`
NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


def signed(value: float, digits: int = 2) -> str:
    """Return a number with its sign: a true minus, no sign before zero.

    >>> signed(-0.123), signed(0.001), signed(0.5, 1)
    ('−0.12', '0.00', '+0.5')
    """
    if math.isnan(value):
        return "undefined"
    text = f"{abs(value):.{digits}f}"
    if float(text) == 0:
        return text
    return f"{'−' if value < 0 else '+'}{text}"


def percent(share: float) -> str:
    """Return whole per cents with a space that does not break.

    >>> percent(0.273), percent(-0.021)
    ('27\\xa0%', '−2\\xa0%')
    """
    if share != share:  # not a number: there is nothing that it could be a part of
        return "–"
    whole = round(abs(share) * 100)
    return f"{'−' if share < 0 and whole else ''}{whole}\u00a0%"


def few(count: int) -> str:
    """Return a small count as a word, with a capital; larger ones in digits.

    >>> few(3), few(12)
    ('Three', '12')
    """
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def few_of(count: int | None) -> str:
    """Return a small count inside a sentence, before "of": none, one, two …

    >>> few_of(0), few_of(3)
    ('none', 'three')
    """
    return few(count).lower() if count else "none"


def outside_sentence(found: int, count: int, expected: float) -> str:
    """Return how many heads lie outside their own shuffles, beside what chance gives."""
    who = few(found) if found else "None"
    verb, own = ("lies", "its") if found < 2 else ("lie", "their")
    return f"{who} of {count} heads {verb} outside all {own} own shuffles; about {round(expected)} would by chance."


def layer_names(layers: Sequence[int]) -> str:
    """Return layers as an enumeration.

    >>> layer_names([2]), layer_names([1, 2, 4])
    ('layer 2', 'layers 1, 2 and 4')
    """
    if len(layers) == 1:
        return f"layer {layers[0]}"
    return f"layers {', '.join(map(str, layers[:-1]))} and {layers[-1]}"
