"""Attention, the whole of it: a softmax over scaled dot products, used to average values.

    Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V                    Vaswani et al. 2017, section 3.2.1

Their d_k is our d_head. Everything here is float64 and takes any number of leading axes: heads, batches, or none.
"""

from dataclasses import dataclass

import numpy as np

from mha.errors import InputError, ShapeError
from mha.memo import array_dataclass
from mha.old_names import takes_old_names


def softmax(scores: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """Return the scores of each row (last axis) as shares: positive, summing to 1, in the same order.

    weights_k = exp(scores_k / temperature) / Σ_j exp(scores_j / temperature). A low temperature sharpens, a high one
    evens out. A score of −inf gets exactly 0; a row in which every score is −inf is all 0: nothing to look at.

    Raises:
        ShapeError: a score is NaN or +inf, or the temperature is not above 0.
    """
    if not temperature > 0:
        raise ShapeError(f"A temperature is above 0; this one is {temperature}.")
    scores = np.asarray(scores, dtype=np.float64)
    if np.isnan(scores).any() or np.isposinf(scores).any():
        raise ShapeError("A score is a finite number, or −inf where a query may not look; one of these is NaN or +inf.")
    peak = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    above = scores - np.where(np.isneginf(peak), 0, peak)  # at most 0, so that exp cannot overflow
    powers = np.exp(above / temperature)
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def scaled_dot_product_attention(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, mask: np.ndarray | None = None, scale: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the output of every query, [..., query, d_value], and its weights, [..., query, key].

    ``query`` is [..., query, d_head], ``key`` [..., key, d_head], ``value`` [..., key, d_value]. ``mask`` is boolean,
    True where a query may look, and broadcasts to [..., query, key]. ``scale`` multiplies the scores: 1/√d_head unless
    given. A query that may look at nothing gets weights of 0 and an output of 0, as in PyTorch.

    >>> output, weights = scaled_dot_product_attention(np.eye(2), np.eye(2), np.eye(2), mask=causal_mask(2))
    >>> weights[0]
    array([1., 0.])

    Raises:
        ShapeError: the arrays do not fit each other, or the mask is not boolean.
    """
    query, key, value = (np.asarray(array, dtype=np.float64) for array in (query, key, value))
    check_shapes(query, key, value)
    scores = query @ np.swapaxes(key, -1, -2)  # [..., query, key]
    scores = scores * (default_scale(query.shape[-1]) if scale is None else scale)
    weights = softmax(hide(scores, mask))  # [..., query, key], rows sum to 1
    return weights @ value, weights  # [..., query, d_value]


def default_scale(d_head: int) -> float:
    """Return 1/√d_head: for random q and k the variance of q·k is d_head, and division by √d_head restores 1."""
    return 1 / np.sqrt(d_head)


def causal_mask(n_tokens: int) -> np.ndarray:
    """Return the mask under which each token sees itself and earlier tokens, bool [query, key]."""
    return np.tril(np.ones((n_tokens, n_tokens), dtype=bool))


def hide(scores: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    """Return the scores with −inf where the mask is False, so that softmax gives those keys exactly nothing."""
    if mask is None:
        return scores
    mask = np.asarray(mask)
    if mask.dtype != bool:
        raise ShapeError(f"A mask is boolean, True where a query may look; this one is {mask.dtype}.")
    try:
        return np.where(np.broadcast_to(mask, scores.shape), scores, -np.inf)
    except ValueError as error:
        raise ShapeError(f"The mask is {mask.shape}; the scores it should cover are {scores.shape}.") from error


def check_shapes(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> None:
    """Raise ShapeError unless queries and keys have one width, and every key has its value."""
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise ShapeError("Queries, keys and values each need two axes at least: [token, d_head].")
    if query.shape[-1] != key.shape[-1]:
        raise ShapeError(f"A query has {query.shape[-1]} numbers and a key {key.shape[-1]}; they need equally many.")
    if key.shape[-2] != value.shape[-2]:
        raise ShapeError(f"There are {key.shape[-2]} keys but {value.shape[-2]} values; each key needs one.")


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
    """Effect of a head's width on random q and k of variance 1: ``variance`` of q·k.

    ``largest_raw`` and ``largest_scaled`` are the mean largest of eight weights, without and with that division.
    """

    d_head: int
    variance: float
    largest_raw: float
    largest_scaled: float


def width_effect(d_head: int) -> Width:
    """Return how q·k and its softmax change with the width of a head. Source: Vaswani et al. 2017, footnote 4."""
    raw = random_scores(d_head)  # [query, key]
    scaled = raw * default_scale(d_head)
    return Width(
        d_head=d_head,
        variance=float(raw.var()),
        largest_raw=float(softmax(raw).max(axis=-1).mean()),
        largest_scaled=float(softmax(scaled).max(axis=-1).mean()),
    )


@array_dataclass
class CellByHand:
    """How much one query looks at one key, and every number on the way.

    ``query`` and ``key`` are the two vectors [d_head], ``products`` their product per dimension [d_head]; ``score`` is
    the sum of these, ``scaled`` that times ``scale``. ``dots`` are the sums of this query with all keys [key], ``row``
    its final scores for them [key] (−inf where it may not look), ``powers`` their exponentials, each divided by
    exp(``peak``) only so that nothing overflows, and ``weight`` = power / sum of powers. ``weights`` is the whole row
    [key].
    """

    query: np.ndarray
    key: np.ndarray
    products: np.ndarray
    score: float
    scale: float
    scaled: float
    dots: np.ndarray
    row: np.ndarray
    peak: float
    powers: np.ndarray
    weights: np.ndarray
    weight: float


@takes_old_names
def cell(
    query: np.ndarray,
    key: np.ndarray,
    cell_position: tuple[int, int],
    mask: np.ndarray | None = None,
    scale: float | None = None,
    temperature: float = 1.0,
    cap: float | None = None,
    position: np.ndarray | None = None,
    sink: float | None = None,
) -> CellByHand:
    """Return the computation of one cell, ``cell_position`` = (query, key), of one head's weights.

    ``query`` is [query, d_head], ``key`` [key, d_head]; mask, scale and temperature as in `trace`. Some models add
    steps: ``cap`` bends the scaled scores to stay below it (cap · tanh(score / cap)), ``position`` [key] is added to
    those of this query, and ``sink`` is the score of an extra key without a token, which takes a share of the 100 %.

    Raises:
        InputError: the cell does not exist.
    """
    query, key = np.asarray(query, dtype=np.float64), np.asarray(key, dtype=np.float64)
    check_shapes(query, key, key)
    query_position, key_position = cell_position
    if not (0 <= query_position < len(query) and 0 <= key_position < len(key)):
        raise InputError(
            f"The weights have {len(query)} rows and {len(key)} columns; there is no cell {tuple(cell_position)}."
        )
    scale = default_scale(query.shape[1]) if scale is None else scale
    products = query[query_position] * key[key_position]  # [d_head]
    dots = query @ key.T  # [query, key]
    scores = dots * scale if cap is None else cap * np.tanh(dots * scale / cap)
    row = hide(scores if position is None else scores + position, mask)[query_position] / temperature  # [key]
    weights = softmax(row if sink is None else np.append(row, sink))[: len(row)]  # [key]
    peak = float(row.max()) if np.isfinite(row).any() else 0.0
    return CellByHand(
        query=query[query_position],
        key=key[key_position],
        products=products,
        score=float(products.sum()),
        scale=float(scale),
        scaled=float(products.sum() * scale / temperature),
        dots=dots[query_position],
        row=row,
        peak=peak,
        powers=np.exp(row - peak),
        weights=weights,
        weight=float(weights[key_position]),
    )
