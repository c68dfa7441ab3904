"""Small experiments on a layer, each with one number as its answer: order, width, one weighting instead of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.brief import with_arrays
from mha.core.attention import default_scale, softmax
from mha.core.by_hand import random_scores
from mha.core.multihead import MultiHead, check_input, merge
from mha.core.tracing import Trace, trace
from mha.errors import InputError


@with_arrays
class Shuffled:
    """The outputs of the words in another order, and the first outputs in that order; both [token, d_model].

    ``difference`` is the largest difference between the two: 0 means *equivariance*, the outputs are shuffled exactly
    as the words were.
    """

    order: tuple[int, ...]
    of_shuffled: np.ndarray
    shuffled_of: np.ndarray
    difference: float


def shuffle(
    heads: MultiHead, embeddings: np.ndarray, order: Sequence[int], positions: np.ndarray | None = None
) -> Shuffled:
    """Return what a layer makes of the words in another order; ``positions`` stay where they are.

    Raises:
        InputError: the order does not name every word once.
    """
    embeddings = check_input(heads, embeddings)
    if sorted(order) != list(range(len(embeddings))):
        raise InputError(f"An order names each of {len(embeddings)} words once; this one is {tuple(order)}.")
    rows = list(order)
    of_shuffled = trace(heads, embeddings[rows], positions)["output"]  # [token, d_model]
    shuffled_of = trace(heads, embeddings, positions)["output"][rows]  # [token, d_model]
    return Shuffled(tuple(rows), of_shuffled, shuffled_of, float(np.abs(of_shuffled - shuffled_of).max(initial=0)))


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


def width_effect(d_head: int, n_queries: int = 512, seed: int = 0) -> Width:
    """Return how q·k and its softmax change with the width of a head. Source: Vaswani et al. 2017, footnote 4."""
    raw = random_scores(d_head, n_queries=n_queries, seed=seed)  # [query, key]
    scaled = raw * default_scale(d_head)
    return Width(
        d_head=d_head,
        variance=float(raw.var()),
        variance_scaled=float(scaled.var()),
        largest_raw=float(softmax(raw).max(axis=-1).mean()),
        largest_scaled=float(softmax(scaled).max(axis=-1).mean()),
    )


@with_arrays
class Averaged:
    """A layer in which every head must share one weighting, the mean of all: ``weights`` [query, key].

    ``output`` [token, d_model] is what comes out then, ``difference`` how far that is from the layer's own output.
    """

    weights: np.ndarray
    output: np.ndarray
    difference: float


def average_weights(heads: MultiHead, steps: Trace) -> Averaged:
    """Return what is left of a traced layer when its heads may not differ in where they look."""
    weights = steps["weights"].mean(axis=0)  # [query, key]
    output = merge(weights @ steps["value"]) @ heads.w_output  # [token, d_model]
    return Averaged(weights, output, float(np.abs(output - steps["output"]).max(initial=0)))
