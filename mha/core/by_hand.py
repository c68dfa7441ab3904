"""One cell of the weights by hand, from the numbers of a toy or of a recorded model."""

from __future__ import annotations

import numpy as np

from mha.brief import with_arrays
from mha.core.attention import check_shapes, default_scale, hide, softmax
from mha.errors import InputError


@with_arrays
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


def cell(
    query: np.ndarray,
    key: np.ndarray,
    position_pair: tuple[int, int],
    mask: np.ndarray | None = None,
    scale: float | None = None,
    temperature: float = 1.0,
    cap: float | None = None,
    position: np.ndarray | None = None,
    sink: float | None = None,
) -> CellByHand:
    """Return the computation of the cell ``position_pair`` = (query, key) of one head's weights.

    ``query`` is [query, d_head], ``key`` [key, d_head]; mask, scale and temperature as in `trace`. Some models add
    steps: ``cap`` bends the scaled scores to stay below it (cap · tanh(score / cap)), ``position`` [key] is added to
    those of this query, and ``sink`` is the score of an extra key without a token, which takes a share of the 100 %.

    Raises:
        InputError: the cell does not exist.
    """
    query, key = np.asarray(query, dtype=np.float64), np.asarray(key, dtype=np.float64)
    check_shapes(query, key, key)
    query_position, key_position = position_pair
    if not (0 <= query_position < len(query) and 0 <= key_position < len(key)):
        raise InputError(
            f"The weights have {len(query)} rows and {len(key)} columns; there is no cell {tuple(position_pair)}."
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
