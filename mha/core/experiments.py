"""Small experiments on a layer: its words in another order, one weighting instead of several, heads of any width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.core.attention import default_scale, softmax
from mha.core.multihead import MultiHead, check_input, merge
from mha.core.tracing import Trace, trace
from mha.errors import InputError


def shuffle(
    heads: MultiHead, embeddings: np.ndarray, order: Sequence[int], positions: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return a layer's output of the words in another order, and its first output in that order; both [token, d_model].

    They are equal under *equivariance*: the outputs are shuffled exactly as the words were. ``positions`` stay where
    they are.

    Raises:
        InputError: the order does not name every word once.
    """
    embeddings = check_input(heads, embeddings)
    if sorted(order) != list(range(len(embeddings))):
        raise InputError(f"An order names each of {len(embeddings)} words once; this one is {tuple(order)}.")
    rows = list(order)
    return trace(heads, embeddings[rows], positions)["output"], trace(heads, embeddings, positions)["output"][rows]


def average_weights(heads: MultiHead, steps: Trace) -> tuple[np.ndarray, np.ndarray]:
    """Return what is left of a traced layer when its heads may not differ in where they look.

    That is the one weighting that all share, the mean [query, key], and what comes out then, [token, d_model].
    """
    weights = steps["weights"].mean(axis=0)  # [query, key]
    return weights, merge(weights @ steps["value"]) @ heads.w_output


def random_scores(d_head: int) -> np.ndarray:
    """Return q·k for random q and k of variance 1, float64 [query, key]: the variance of these grows as d_head.

    Each of the d_head products has mean 0 and variance 1, and variances add. Source: Vaswani et al. 2017, footnote 4.
    """
    generator = np.random.default_rng(0)
    query = generator.standard_normal((512, d_head))
    key = generator.standard_normal((512, 8, d_head))  # fresh keys for each query, so that rows are independent
    return np.einsum("qd,qkd->qk", query, key)


@dataclass(frozen=True)
class Width:
    """What a head of this width does to random q and k of variance 1: ``variance`` of q·k, and after ÷ √d_head.

    ``largest_raw`` and ``largest_scaled`` are the mean largest of eight weights, without and with that division.
    """

    d_head: int
    variance: float
    variance_scaled: float
    largest_raw: float
    largest_scaled: float


def width_effect(d_head: int) -> Width:
    """Return how q·k and its softmax change with the width of a head. Source: Vaswani et al. 2017, footnote 4."""
    raw = random_scores(d_head)  # [query, key]
    scaled = raw * default_scale(d_head)
    return Width(
        d_head=d_head,
        variance=float(raw.var()),
        variance_scaled=float(scaled.var()),
        largest_raw=float(softmax(raw).max(axis=-1).mean()),
        largest_scaled=float(softmax(scaled).max(axis=-1).mean()),
    )
