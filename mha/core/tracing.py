"""One call of a multi-head layer with every intermediate array kept, and two experiments on it.

The arrays stand in the order in which they come about:

for name, array in trace(heads, embeddings).items():
    print(name, array.shape)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mha.core.attention import default_scale, hide, softmax
from mha.core.multihead import MultiHead, check_input, merge, separate
from mha.errors import InputError, ShapeError

Trace = dict[str, np.ndarray]  # every array of one call by the name of its step


def trace(
    heads: MultiHead,
    embeddings: np.ndarray,
    positions: np.ndarray | None = None,
    mask: np.ndarray | None = None,
    scale: float | None = None,
    temperature: float = 1.0,
) -> Trace:
    """Return every intermediate array of ``attend(heads, embeddings + positions, mask, scale)``.

    ``embeddings`` and ``positions`` are [token, d_model], no positions meaning zeros; ``mask`` is True where a query
    may look; ``scale`` multiplies the scores, 1/√d_head unless given (1 switches it off); ``temperature`` divides
    them once more inside the softmax.

    Raises:
        ShapeError: an array does not fit the heads.
    """
    embeddings = check_input(heads, embeddings)
    positions = np.zeros_like(embeddings) if positions is None else check_input(heads, positions)
    if positions.shape != embeddings.shape:
        raise ShapeError(f"There are {len(embeddings)} words but {len(positions)} positions; each word needs one.")
    x = embeddings + positions  # [token, d_model]
    query = separate(x @ heads.w_query, heads.n_heads)  # [head, token, d_head]
    key = separate(x @ heads.w_key, heads.n_heads)  # [head, token, d_head]
    value = separate(x @ heads.w_value, heads.n_heads)  # [head, token, d_head]
    scores = query @ key.swapaxes(1, 2)  # [head, query, key]
    scaled = scores * (default_scale(heads.d_head) if scale is None else scale)  # [head, query, key]
    masked = hide(scaled, mask)  # [head, query, key], −inf where a query may not look
    weights = softmax(masked, temperature)  # [head, query, key], rows sum to 1
    gathered = weights @ value  # [head, token, d_head]
    concatenation = merge(gathered)  # [token, n_heads · d_head]
    w_output = heads.w_output.reshape(heads.n_heads, heads.d_head, heads.d_model)  # [head, d_head, d_model]
    contributions = gathered @ w_output  # [head, token, d_model]
    output = concatenation @ heads.w_output  # [token, d_model], the sum of the contributions
    return {
        "embeddings": embeddings,
        "positions": positions,
        "input": x,
        "query": query,
        "key": key,
        "value": value,
        "scores": scores,
        "scaled": scaled,
        "masked": masked,
        "weights": weights,
        "heads": gathered,
        "concatenation": concatenation,
        "contributions": contributions,
        "output": output,
    }


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
