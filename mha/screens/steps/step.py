"""What one step of a walk says and shows, the toy's or a model's, and how its formulas and products are written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mha.formats import bracketed
from mha.screens.arrays import Calculation, Flow, Line, Node, SayLine, Spans

MOST_TERMS = 6  # of a sum that is written out
_SLOT = re.compile(r"<(\w+)>")


@dataclass(frozen=True)
class Step:
    """The idea (a caption), the formula (LaTeX, in two lines), one number by hand, the arrays, one sentence."""

    title: str
    idea: str
    formula: str
    by_hand_title: str
    by_hand: Flow
    arrays: Flow
    so: Flow


def step(
    title: str,
    idea: str,
    formula: str,
    lines: tuple[Line, ...],
    arrays: Node,
    so: Spans,
    about: str,
    by_hand_title: str = "One number by hand",
) -> Step:
    """Return a step from its parts; ``about`` is the text alternative of its arrays."""
    by_hand, said = Flow(Calculation(lines), by_hand_title.lower()), Flow(SayLine(so), "in one sentence")
    return Step(
        title.replace(" ", " · ", 1), idea, two_lines(formula), by_hand_title, by_hand, Flow(arrays, about), said
    )


def filled(template: str, slots: Mapping[str, object]) -> str:
    r"""Return a template with its slots filled, also those that came in with another; LaTeX keeps its braces.

    >>> filled(r"\sqrt{<width>}", {"width": "<d>", "d": 4})
    '\\sqrt{4}'
    """
    while _SLOT.search(template):
        template = _SLOT.sub(lambda slot: str(slots[slot[1]]), template)
    return template


def two_lines(formula: str) -> str:
    r"""Return a formula with what stands after \qquad, its shapes, below it, so that both fit half a page."""
    what, _, shapes = formula.partition(r"\qquad")
    return rf"\begin{{aligned}} & {what} \\[8pt] & {shapes} \end{{aligned}}" if shapes else formula


def product(left: np.ndarray, right: np.ndarray, decimals: int = 2) -> str:
    """Return a sum of products written out, ``1.77×(−0.12) + …``."""
    terms = [f"{bracketed(a, decimals)}×{bracketed(b, decimals)}" for a, b in zip(left, right, strict=True)]
    rest = f" + … ({len(terms)} products)" if len(terms) > MOST_TERMS else ""
    return " + ".join(terms[:MOST_TERMS]) + rest
