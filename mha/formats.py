"""How numbers, counts and words are written, the same on every page: per cents, signs, labels, cutting, counting."""

from __future__ import annotations

import functools
import html
import math
import re
from collections import Counter
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

import numpy as np

from mha.maps import Token

LABEL_LENGTH = 18  # characters of a word on an axis or in a sentence
NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
_HALF_UP = Context(prec=400, rounding=ROUND_HALF_UP)  # a float has up to 309 digits before its point
_SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def labels(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return what to call each piece: cut at 18 characters, numbered where it occurs more than once.

    >>> labels([Token("the"), Token("man"), Token("the")])
    ('the₁', 'man', 'the₂')
    """
    return _numbered_labels(tuple(token.text for token in tokens))


@functools.lru_cache(maxsize=32)
def _numbered_labels(texts: tuple[str, ...]) -> tuple[str, ...]:
    return numbered([cut(text) for text in texts])


def numbered(texts: Sequence[str]) -> tuple[str, ...]:
    """Return texts, each numbered where it occurs more than once.

    >>> numbered(["a", "dog", "and", "dog"])
    ('a', 'dog₁', 'and', 'dog₂')
    """
    total, seen, names = Counter(texts), Counter[str](), []
    for text in texts:
        seen[text] += 1
        names.append(text + str(seen[text]).translate(_SUBSCRIPT) if total[text] > 1 else text)
    return tuple(names)


def cut(text: str, most: int = LABEL_LENGTH) -> str:
    """Return a text at the length of a label, or of so many characters at most."""
    return text if len(text) <= most else text[: most - 1] + "…"


def clean(text: str) -> str:
    """Return a text with a space for each character that is not printable; joiners of letters stay.

    >>> clean("a\u202eb")
    'a b'
    """
    return "".join(letter if letter.isprintable() or letter in "\u200c\u200d" else " " for letter in text)


def escape(label: str) -> str:
    """Return a label that plotly shows letter by letter: cut to 18 characters, then escaped.

    Plotly renders tags, links and entities in every label, so nothing typed reaches a figure without this.

    >>> escape("<b>bold</b>")
    '&lt;b&gt;bold&lt;/b&gt;'
    """
    return html.escape(cut(label), quote=False)


_MARKS = re.compile(r"([!-/:-@\[-`{-~])")  # all punctuation of ASCII
_TRIGGERS = re.compile(r"(?<=[:@])|(?<=www)|(?<=http)|(?<=https)")


def markdown(text: str) -> str:
    """Return a text that Markdown shows letter by letter, on one line.

    Streamlit also reads emoji codes, directives and bare addresses, of which a word joiner breaks the pattern.

    >>> markdown("*a* [b](c)")
    '\\\\*a\\\\* \\\\[b\\\\]\\\\(c\\\\)'
    """
    return _MARKS.sub(r"\\\1", _TRIGGERS.sub("\u2060", " ".join(text.split())))


def whole_percent(share: float) -> int:
    """Return a share as whole per cents, halves rounded away from zero, as JavaScript does it above zero.

    >>> whole_percent(0.685), whole_percent(0.125), whole_percent(-0.125)
    (69, 13, -13)
    """
    whole = math.floor(100 * abs(float(share)) + 0.5)
    return -whole if share < 0 else whole


def whole_percents(shares: np.ndarray) -> np.ndarray:
    """Return shares from 0 to 1 as `whole_percent` has each, as uint8 of the same shape.

    >>> whole_percents(np.array([0.685, 0.125, 1])).tolist()
    [69, 13, 100]
    """
    return np.floor(100 * np.clip(np.asarray(shares, dtype=np.float64), 0, 1) + 0.5).astype(np.uint8)


def percent(share: float) -> str:
    """Return a share as whole per cents with a true minus and a space that does not break; ``–`` where there is none.

    >>> percent(0.273), percent(-0.021), percent(float("nan"))
    ('27\\xa0%', '−2\\xa0%', '–')
    """
    if math.isnan(share):
        return "–"
    whole = whole_percent(share)
    return f"{'−' if whole < 0 else ''}{abs(whole)}\u00a0%"


def accuracy(share: float) -> str:
    """Return a share of right answers: as `percent`, with a decimal where rounding would hide that some are wrong.

    >>> accuracy(0.534), accuracy(0.996), accuracy(1.0)
    ('53\\xa0%', '99.6\\xa0%', '100\\xa0%')
    """
    return f"{100 * share:.1f}\u00a0%" if 0.985 < share < 0.9995 else percent(share)


def signed(value: float, digits: int = 2) -> str:
    """Return a number with its sign: a true minus, no sign before zero.

    >>> signed(-0.123), signed(0.001), signed(0.5, 1)
    ('−0.12', '0.00', '+0.5')
    """
    if math.isnan(value):
        return "undefined"
    text = _digits(value, digits)
    if float(text) == 0:
        return text
    return f"{'−' if value < 0 else '+'}{text}"


def number(value: float, decimals: int = 2) -> str:
    """Return a number as the page writes it: a true minus, no minus before zero, −∞ for a masked score.

    >>> number(-0.004), number(-1.5), number(0.125), number(2.5, 0)
    ('0.00', '−1.50', '0.13', '3')
    """
    if value == -math.inf:
        return "−∞"
    digits = _digits(value, decimals)
    return ("−" if value < 0 and float(digits) else "") + digits


def _digits(value: float, decimals: int) -> str:
    """Return the size of a number with so many decimals, halves rounded up, as JavaScript does it."""
    size = abs(float(value))
    if not math.isfinite(size):
        return str(size)
    return f"{_HALF_UP.quantize(Decimal(size), Decimal(1).scaleb(-decimals)):f}"


def bracketed(value: float, decimals: int = 2) -> str:
    """Return a number, in brackets where it is negative, so that it can follow a sign."""
    digits = number(value, decimals)
    return f"({digits})" if digits.startswith("−") else digits


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


def about(seconds: float) -> str:
    """Return about how long something takes, as roughly as it can be known.

    >>> about(20), about(75), about(400), about(9000)
    ('less than a minute', 'about a minute', 'about 7 minutes', 'about 2.5 hours')
    """
    minutes = seconds / 60
    if minutes < 0.75:
        return "less than a minute"
    if minutes < 90:
        return "about a minute" if minutes < 1.5 else f"about {minutes:.0f} minutes"
    return f"about {minutes / 60:.1f} hours"


def ordinal(number: int) -> str:
    """Return a place in order.

    >>> [ordinal(number) for number in (1, 2, 3, 7, 11, 22, 113)]
    ['1st', '2nd', '3rd', '7th', '11th', '22nd', '113th']
    """
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them.

    >>> listed([]), listed(["A"]), listed(["A", "B"]), listed(["A", "B", "C"])
    ('', 'A', 'A and B', 'A, B and C')
    """
    return "".join(names) if len(names) < 2 else f"{', '.join(names[:-1])} and {names[-1]}"


def layer_names(layers: Sequence[int]) -> str:
    """Return layers as an enumeration.

    >>> layer_names([2]), layer_names([1, 2, 4])
    ('layer 2', 'layers 1, 2 and 4')
    """
    if len(layers) == 1:
        return f"layer {layers[0]}"
    return f"layers {listed([str(layer) for layer in layers])}"


def counted(count: int, thing: str = "") -> str:
    """Return a count inside a sentence, as a word up to ten, with what is counted.

    >>> counted(1, "head"), counted(8), counted(512)
    ('one head', 'eight', '512')
    """
    word = (*NUMBERS, "Ten")[count].lower() if 0 <= count <= 10 else f"{count:,}"
    return f"{word} {thing}{'s' if count != 1 else ''}" if thing else word


def all_of(count: int, thing: str) -> str:
    """Return all there are of something, as a title begins with it.

    >>> all_of(1, "head"), all_of(72, "head")
    ('The one head', 'All 72 heads')
    """
    return f"The one {thing}" if count == 1 else f"All {count} {thing}s"


def many(count: int, thing: str) -> str:
    """Return a count of something in figures.

    >>> many(1, "layer"), many(6, "layer")
    ('1 layer', '6 layers')
    """
    return f"{count} {thing}{'' if count == 1 else 's'}"
