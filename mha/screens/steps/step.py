"""What one step of a walk says and shows, the toy's or a model's, and how its formulas and products are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.formats import bracketed
from mha.screens.arrays import Calculation, Flow, Line, Node
from mha.screens.blocks import Said, Spans, say

MOST_TERMS = 6  # of a sum that is written out
_SLOT = re.compile(r"<(\w+)>")


@dataclass(frozen=True)
class Step:
    """The idea (a caption), the formula (LaTeX), one number by hand, the arrays, one sentence."""

    title: str
    idea: str
    formula: str
    by_hand_title: str
    by_hand: Flow
    arrays: Flow
    so: Flow


@dataclass(frozen=True)
class StepText:
    """One row of the table of a walk, the toy's or a model's; each function takes what is walked through.

    The idea has terms of the glossary in double brackets, the formula LaTeX, both slots in angle brackets; ``so`` is
    one sentence, whatever the numbers, or made of them.
    """

    idea: str
    formula: str
    by_hand: Callable[[Any], tuple[Line, ...]]
    so: str | Callable[[Any], Spans | str]
    arrays: Callable[[Any], Node]

    def step(
        self,
        title: str,
        walk: Any,
        slots: Mapping[str, object],
        about: str,
        by_hand: str = "One number by hand",
        compact: bool = False,
    ) -> Step:
        """Return the step with the numbers of a walk; ``about`` is the text alternative of its arrays."""
        so = self.so if isinstance(self.so, str) else self.so(walk)
        return Step(
            title.replace(" ", " · ", 1),
            filled(self.idea, slots),
            filled(self.formula, slots),
            by_hand,
            Flow(Calculation(self.by_hand(walk)), by_hand.lower()),
            Flow(self.arrays(walk), about, compact),
            Flow(Said("finding", say(so) if isinstance(so, str) else so), "in one sentence"),
        )


def filled(template: str, slots: Mapping[str, object]) -> str:
    r"""Return a template with its slots filled, also those that came in with another; LaTeX keeps its braces.

    >>> filled(r"\sqrt{<width>}", {"width": "<d>", "d": 4})
    '\\sqrt{4}'
    """
    while _SLOT.search(template):
        template = _SLOT.sub(lambda slot: str(slots[slot[1]]), template)
    return template


def two_lines(formula: str) -> tuple[str, ...]:
    r"""Return a formula and what stands after \qquad, its shapes, so that both fit half a page."""
    return tuple(line.strip() for line in formula.split(r"\qquad"))


def product(left: np.ndarray, right: np.ndarray, decimals: int = 2) -> str:
    """Return a sum of products written out, ``1.77×(−0.12) + …``."""
    terms = [f"{bracketed(a, decimals)}×{bracketed(b, decimals)}" for a, b in zip(left, right, strict=True)]
    rest = f" + … ({len(terms)} products)" if len(terms) > MOST_TERMS else ""
    return " + ".join(terms[:MOST_TERMS]) + rest
