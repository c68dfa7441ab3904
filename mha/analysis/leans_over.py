"""Leans over many sentences beside their control: the same words in other orders, one maximum over heads and sides.

Rule: Westfall & Young 1993, as for one sentence in `mha.analysis.leaning`. Over sentences the control is the mean of
as many orders, one of each sentence at a time. A lean says where a head looks; what is beyond its floor says that the
places of the words matter to it, for which being near is enough, and never how a sentence is meant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mha.analysis.leaning import UNUSUAL_AT
from mha.brief import brief
from mha.errors import ShapeError

SAME = 1e-6  # leans this near are equal: of few words, some orders are the sentence again, in another batch


@dataclass(frozen=True, eq=False)
class SentenceLeans:
    """One sentence: the ``lean`` of every head [layer, head], and ``p``, how often chance reaches as far, likewise."""

    lean: np.ndarray
    p: np.ndarray

    __repr__ = brief

    @property
    def passes(self) -> np.ndarray:
        """Which heads lean further than the same words in other orders let any, bool [layer, head]."""
        return self.p <= UNUSUAL_AT


@dataclass(frozen=True, eq=False)
class LeansOver:
    """Means over ``n`` sentences, float64 [layer, head] each.

    ``lean`` is of the sentences, ``shuffled`` of their orders, ``spread`` the deviation over means of orders.
    ``passed`` counts the sentences in which a head passes, int; ``floor`` is what a mean lean has to exceed, in size.
    """

    n: int
    lean: np.ndarray
    shuffled: np.ndarray
    spread: np.ndarray
    passed: np.ndarray
    floor: float

    __repr__ = brief

    @property
    def beyond(self) -> np.ndarray:
        """Which heads' mean lean lies beyond the floor, either way, bool [layer, head]."""
        return np.abs(self.lean) > self.floor + SAME


class Gathering:
    """Leans of sentences as they come, in any order, of a model with so many layers and heads and so many orders."""

    def __init__(self, shape: tuple[int, int], n_orders: int) -> None:
        self.n_orders = n_orders
        self.sentences: dict[int, SentenceLeans] = {}
        self._orders = np.zeros((n_orders, *shape))  # sum over sentences, [order, layer, head]

    def add(self, number: int, lean: np.ndarray, orders: np.ndarray) -> None:
        """Keep a sentence: its leans [layer, head] beside those of its orders [order, layer, head].

        Raises:
            ShapeError: they are not that, or the sentence is there.
        """
        if orders.shape != self._orders.shape or lean.shape != orders.shape[1:] or number in self.sentences:
            raise ShapeError(f"Sentence {number} once, with orders {self._orders.shape}; these are {orders.shape}.")
        most = np.abs(orders).reshape(self.n_orders, -1).max(axis=1)  # [order]
        reached = (most[:, None, None] >= np.abs(lean) - SAME).sum(axis=0)  # [layer, head]
        self.sentences[number] = SentenceLeans(lean, (1 + reached) / (1 + self.n_orders))
        self._orders += orders

    def over(self) -> LeansOver | None:
        """Return the means over the sentences that are there; None before the first."""
        n = len(self.sentences)
        if not n:
            return None
        means = self._orders / n
        return LeansOver(
            n,
            np.mean([one.lean for one in self.sentences.values()], axis=0),
            means.mean(axis=0),
            means.std(axis=0),
            np.sum([one.passes for one in self.sentences.values()], axis=0),
            floor_of(np.abs(means).reshape(self.n_orders, -1).max(axis=1)),
        )


def floor_of(furthest: np.ndarray) -> float:
    """Return what a lean has to exceed for p ≤ .05, from the furthest lean of each order [order]; else infinity.

    p = (1 + orders that reach as far) / (1 + orders), so that too few orders let nothing pass.
    """
    allowed = int(np.floor(UNUSUAL_AT * (1 + len(furthest)) + 1e-9)) - 1  # orders that may reach as far
    return float(np.sort(furthest)[::-1][allowed]) if 0 <= allowed < len(furthest) else float("inf")
