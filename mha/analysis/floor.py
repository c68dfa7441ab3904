"""The control limit of a score change, and how often test pairs and control swaps name heads or order two words.

A *same-reading swap* exchanges one word of a sentence and keeps its reading; s = score(text) − score(other). The
*floor* φ of a kind of ambiguity is the 90th percentile of |s| over its swaps at the place that decides its pairs. φ
does not hold from one author's sentences to another's, so authors are redrawn as well as items, and a difference has to
pass the *upper end* of the interval; a smaller one may come from changing any word. Measured by this project; only
their authors judged the swaps.
"""

import functools
from dataclasses import dataclass

import numpy as np

from mha.memo import array_dataclass

POINT = 0.90  # the percentile of the swaps that is the floor
AGREE_WITHIN = 2.0  # both directions of a patch agree up to this factor


@array_dataclass
class Floor:
    """Changes of a score over the same-reading swaps of one kind.

    ``sizes`` are |s| of every swap, ascending, float64 [swap]; ``low`` and ``high`` the 95 % interval of `phi`, authors
    and whole items redrawn. ``heads`` is the largest |part of s| that one head carries, ascending, in units of the
    score, of the swaps of equal length in tokens, direct heads left out. ``full_stop`` is the share of test pairs whose
    change stays on its side of the limit if a final full stop is added or removed; NaN if it was not measured.
    """

    sizes: np.ndarray
    low: float
    high: float
    heads: np.ndarray
    full_stop: float = float("nan")

    @functools.cached_property
    def phi(self) -> float:
        """The floor: the 90th percentile of |s|."""
        return float(np.quantile(self.sizes, POINT))

    @property
    def limit(self) -> float:
        """The control limit, which a difference has to pass: the upper end of the interval of `phi`."""
        return self.high

    @functools.cached_property
    def head_bar(self) -> float:
        """Largest share of a head in nine of ten swaps, in units of the score; NaN if no swap was patched."""
        return float(np.quantile(self.heads, POINT)) if len(self.heads) else float("nan")

    @property
    def n_swaps(self) -> int:
        """How many swaps there are."""
        return len(self.sizes)

    def passes(self, separation: float) -> bool:
        """Return whether the size of a difference exceeds the control limit."""
        return bool(abs(separation) > self.limit)


def agree(into_text: np.ndarray, into_changed: np.ndarray) -> np.ndarray:
    """Return where two directions have the same sign and lie within a factor of two, as bool; NaN never agrees."""
    into_text, into_changed = np.asarray(into_text, dtype=np.float64), np.asarray(into_changed, dtype=np.float64)
    larger, smaller = (
        np.fmax(np.abs(into_text), np.abs(into_changed)),
        np.fmin(np.abs(into_text), np.abs(into_changed)),
    )
    with np.errstate(invalid="ignore"):
        return np.asarray((into_text * into_changed > 0) & (larger <= AGREE_WITHIN * smaller))


@dataclass(frozen=True)
class NamingRates:
    """In how many changes beyond the control limit any head passes its own, among control swaps and among pairs."""

    n_swaps: int
    swaps: int
    n_pairs: int
    pairs: int
