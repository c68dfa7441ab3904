"""How numbers, counts and words are written, the same on every page: per cents, signs, labels, cutting, counting."""

import functools
import html
import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal, localcontext

import numpy as np

from mha.maps import Token

LABEL_LENGTH = 18  # characters of a word on an axis or in a sentence
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def labels(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return a label for each token: cut at 18 characters, numbered where it occurs more than once.

    >>> labels([Token("the"), Token("man"), Token("the")])
    ('the₁', 'man', 'the₂')
    """
    return number_repeats(tuple(truncate(token.text) for token in tokens))


@functools.lru_cache(maxsize=32)
def number_repeats(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return texts, each numbered where it occurs more than once.

    >>> number_repeats(("a", "dog", "and", "dog"))
    ('a', 'dog₁', 'and', 'dog₂')
    """
    total = Counter(texts)
    numbers: defaultdict[str, itertools.count[int]] = defaultdict(lambda: itertools.count(1))
    return tuple(text + str(next(numbers[text])).translate(_SUBSCRIPT) if total[text] > 1 else text for text in texts)


def truncate(text: str, limit: int = LABEL_LENGTH) -> str:
    """Return a text at the length of a label, or of so many characters at most."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


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
    return html.escape(truncate(label), quote=False)


_MARKS = re.compile(r"([!-/:-@\[-`{-~])")  # all punctuation of ASCII
_TRIGGERS = re.compile(r"(?<=[:@])|(?<=www)|(?<=http)|(?<=https)")


def markdown(text: str) -> str:
    """Return a text that Markdown shows letter by letter, on one line.

    Streamlit also reads emoji codes, directives and bare addresses, of which a word joiner breaks the pattern.

    >>> markdown("*a* [b](c)")
    '\\\\*a\\\\* \\\\[b\\\\]\\\\(c\\\\)'
    """
    return _MARKS.sub(r"\\\1", _TRIGGERS.sub("\u2060", " ".join(text.split())))


def plain(text: str) -> str:
    """Return a sentence of a page without the marks of Markdown, for a text alternative.

    >>> plain("`L2H1` gives *dog* 3 %.")
    'L2H1 gives dog 3 %.'
    """
    return text.translate(str.maketrans("", "", "`*\\"))


def whole_percent(share: float) -> int:
    """Return a share as whole per cents, halves rounded away from zero, as JavaScript does it above zero.

    >>> whole_percent(0.685), whole_percent(0.125), whole_percent(-0.125)
    (69, 13, -13)
    """
    return int(100 * float(share) + math.copysign(0.5, share))


def whole_percents(shares: np.ndarray) -> np.ndarray:
    """Return shares from 0 to 1 as `whole_percent` has each, as uint8 of the same shape.

    >>> whole_percents(np.array([0.685, 0.125, 1])).tolist()
    [69, 13, 100]
    """
    return np.floor(100 * np.clip(np.asarray(shares, dtype=np.float64), 0, 1) + 0.5).astype(np.uint8)


def percent(share: float) -> str:
    """Return a share as whole per cents with a true minus and a space that does not break; ``–`` if it is NaN.

    >>> percent(0.273), percent(-0.021), percent(float("nan"))
    ('27\\xa0%', '−2\\xa0%', '–')
    """
    return "–" if math.isnan(share) else f"{number(100 * float(share), 0)}\u00a0%"


def accuracy(share: float) -> str:
    """Return a share of right answers: as `percent`, with a decimal where rounding would hide that some are wrong.

    >>> accuracy(0.534), accuracy(0.996), accuracy(1.0)
    ('53\\xa0%', '99.6\\xa0%', '100\\xa0%')
    """
    return f"{100 * share:.1f}\u00a0%" if 0.985 < share < 0.9995 else percent(share)


def number(value: float, decimals: int = 2) -> str:
    """Return a number as the page writes it: halves rounded up as in JavaScript, a true minus, no minus before zero.

    A masked score is −∞, NaN is undefined.

    >>> number(-0.004), number(-1.5), number(0.125), number(2.5, 0), number(-math.inf)
    ('0.00', '−1.50', '0.13', '3', '−∞')
    """
    if math.isnan(value):
        return "undefined"
    with localcontext(rounding=ROUND_HALF_UP):
        digits = f"{Decimal(float(value)):z.{decimals}f}"
    return digits.replace("-", "−").replace("Infinity", "∞")


def signed(value: float, digits: int = 2) -> str:
    """Return a number as `number` writes it, with a plus if it is above zero.

    >>> signed(-0.123), signed(0.001), signed(0.5, 1)
    ('−0.12', '0.00', '+0.5')
    """
    text = number(value, digits)
    return f"+{text}" if value > 0 and text.strip("0.") else text


def in_brackets(value: float, decimals: int = 2) -> str:
    """Return a number, in brackets where it is negative, so that it can follow a sign."""
    digits = number(value, decimals)
    return f"({digits})" if digits.startswith("−") else digits


def capitalise_first(text: str) -> str:
    """Return a text with a capital first letter, as the beginning of a sentence.

    >>> capitalise_first("without L3H1")
    'Without L3H1'
    """
    return text[:1].upper() + text[1:]


def join_list(names: Sequence[str]) -> str:
    """Return names as a sentence lists them.

    >>> join_list([]), join_list(["A"]), join_list(["A", "B"]), join_list(["A", "B", "C"])
    ('', 'A', 'A and B', 'A, B and C')
    """
    return "".join(names) if len(names) < 2 else f"{', '.join(names[:-1])} and {names[-1]}"


def in_words(count: int, thing: str = "") -> str:
    """Return a count inside a sentence, as a word up to ten, with its noun.

    >>> in_words(1, "head"), in_words(0, "head"), in_words(0), in_words(8), in_words(512)
    ('one head', 'no heads', 'none', 'eight', '512')
    """
    if not (count or thing):
        return "none"
    word = NUMBERS[count] if 0 <= count <= 10 else f"{count:,}"
    return f"{word} {thing}{'s' if count != 1 else ''}" if thing else word


def in_figures(count: int, thing: str) -> str:
    """Return a count of something in figures.

    >>> in_figures(1, "layer"), in_figures(6, "layer")
    ('1 layer', '6 layers')
    """
    return f"{count} {thing}{'' if count == 1 else 's'}"


# ---- shares of probability: one rule for those below one per cent

SMALLEST_SHARE = 0.005  # half a per cent: smaller shares and changes have no whole number
NARROW_SPACE = "\u00a0"


def share(probability: float) -> str:
    """Return a probability as whole per cents, in words where rounding would show 0 or 100.

    >>> share(0.773), share(0.004), share(0.998)
    ('77\\xa0%', 'less than 1\\xa0%', 'more than 99\\xa0%')
    """
    if 0 < probability < SMALLEST_SHARE:
        return "less than 1\u00a0%"
    return "more than 99\u00a0%" if 1 - SMALLEST_SHARE < probability < 1 else f"{number(100 * probability, 0)}\u00a0%"


def short_share(probability: float) -> str:
    """Return `share` for a picture.

    >>> short_share(0.004), short_share(0.998)
    ('<1\\xa0%', '>99\\xa0%')
    """
    return in_signs(share(probability))


def in_signs(text: str) -> str:
    """Return a text of `share` with a sign for its words."""
    return text.replace("less than ", "<").replace("more than ", ">")


def from_to(first_share: float, second_share: float) -> str:
    """Return two different probabilities with one unit, with a decimal if whole per cents are equal.

    >>> from_to(0.77, 0.13), from_to(0.008, 0.11), from_to(0.002, 0.11), from_to(0.504, 0.496)
    ('77 to 13\\xa0%', '1 to 11\\xa0%', 'less than 1\\xa0% to 11\\xa0%', '50.4 to 49.6\\xa0%')
    """
    first, second = share(first_share), share(second_share)
    if first == second and first[0].isdigit():
        return f"{number(100 * first_share, 1)} to {number(100 * second_share, 1)}\u00a0%"
    plain = first[0].isdigit() and second[0].isdigit()
    return f"{first.removesuffix(NARROW_SPACE + '%') if plain else first} to {second}"


def moves(first_share: float, second_share: float) -> str:
    """Return how a probability changes, as a verb with its values; by less than half a per cent it stays.

    >>> moves(0.77, 0.13), moves(0.77, 0.7709), moves(0.002, 0.001)
    ('falls from 77 to 13\\xa0%', 'stays at 77\\xa0%', 'stays at less than 1\\xa0%')
    """
    is_small = abs(second_share - first_share) < SMALLEST_SHARE or not share(first_share)[0].isdigit()
    if is_small and share(first_share) == share(second_share):
        return f"stays at {share(first_share)}"
    return f"{'falls' if second_share < first_share else 'rises'} from {from_to(first_share, second_share)}"


def points(change: float) -> str:
    """Return a change of a probability as points of 100 with a true minus, "" below half a point.

    >>> points(-0.643), points(0.0042)
    ('−64', '')
    """
    return signed(100 * change, 0) if abs(change) >= SMALLEST_SHARE else ""


def nats(change: float) -> str:
    """Return a change in nats with one decimal and a true minus, "" where that would be 0.0.

    >>> nats(-1.79), nats(0.04)
    ('−1.8', '')
    """
    return signed(change, 1) if abs(change) >= 0.05 else ""


def ordinal(rank: int) -> str:
    """Return a rank as an ordinal number.

    >>> ordinal(1), ordinal(2), ordinal(11), ordinal(2079), ordinal(32_722)
    ('first', '2nd', '11th', '2,079th', '32,722nd')
    """
    if rank == 1:
        return "first"
    endings = {1: "st", 2: "nd", 3: "rd"}
    return f"{rank:,}{'th' if rank % 100 in (11, 12, 13) else endings.get(rank % 10, 'th')}"
