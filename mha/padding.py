"""Which places of an axis are padding: tokens that fill a batch up to its longest text, and that a mask hides.

Layer 0: knows tokens and numpy. Maps never contain padding: `mha.from_arrays`, `mha.from_generate`, `mha.record` and
`mha.survey` drop its rows and columns, so that every number equals the number of the unpadded text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from mha.errors import InputError, ShapeError
from mha.tokens import Token

_NAME = re.compile(r"[\[<_|｜].*(?<![a-z])pad(ding)?(?![a-z]).*", re.IGNORECASE)  # [PAD], <pad>, <|right_pad_id|>
_BRACKETS = re.compile(r"<[^<>\s]+>|\[[^\[\]\s]+\]")
_NEVER = re.compile(r"[\[<](cls|sep|mask)[\]>]|<0x[0-9a-f]{2}>", re.IGNORECASE)


def padding_mask(attention_mask: Any, count: int, item: int | None = None) -> np.ndarray:
    """Return which places are padding, bool [place], by an ``attention_mask``: 1 for text and 0 for padding.

    The mask is [place], or [text, place] of a batch; ``item`` chooses the text.

    Raises:
        ShapeError: the mask does not have ``count`` places, or holds several texts and ``item`` is missing.
    """
    mask = read_mask(attention_mask)
    if mask.ndim == 2 and (len(mask) == 1 or (item is not None and 0 <= item < len(mask))):
        mask = mask[item if len(mask) > 1 and item is not None else 0]
    if mask.shape != (count,) or not mask.any():
        raise ShapeError(
            f"attention_mask must have a 1 or 0 for each of {count} columns; this one is {list(mask.shape)}"
            f"{' without a 1' if mask.size and not mask.any() else ''}. Of a batch, choose a text with item=."
        )
    return ~mask


def read_mask(attention_mask: Any) -> np.ndarray:
    """Return an ``attention_mask`` as bool [place] or [text, place]; raise ShapeError if its rows are ragged."""
    if hasattr(attention_mask, "detach"):  # a tensor, perhaps on another device
        attention_mask = attention_mask.detach().cpu()
    try:
        return np.asarray(attention_mask).astype(bool)
    except ValueError as error:
        raise ShapeError("attention_mask is [token] or [text, token], as a tokenizer returns it.") from error


def is_padding(token: str | Token) -> bool:
    """Return whether a token is named as padding, such as ``[PAD]`` or ``<pad>``.

    >>> [is_padding(name) for name in ("[PAD]", "<|finetune_right_pad_id|>", "pad", "<|endoftext|>")]
    [True, True, False, False]
    """
    return _NAME.fullmatch(_raw(token)) is not None


def padding_columns(weights: np.ndarray, tokens: Sequence[str | Token]) -> np.ndarray:
    """Return which columns of cross-attention [layer, head, query, key] are padding, as bool [key].

    A column is padding if it is named so, or is a special token at an end of the axis, and no row attends to it.
    """
    named = np.array([is_padding(token) for token in tokens], dtype=bool)
    candidates = np.flatnonzero(named | _special_ends(tokens))
    columns = np.zeros(len(tokens), dtype=bool)
    columns[candidates] = ~(weights[..., candidates] > 0).any(axis=(0, 1, 2))
    return columns if not columns.all() else ~columns


def padding_rows(weights: np.ndarray, tokens: Sequence[str | Token]) -> np.ndarray:
    """Return which rows of cross-attention are padding, as bool [query]: named so, and NaN or at the end of the axis.

    A decoder may begin with its padding token (T5, Marian), so the beginning of the axis is text.
    """
    rows = np.array([is_padding(token) for token in tokens], dtype=bool)
    blank = np.isnan(weights).all(axis=(0, 1, 3))
    at_end = np.logical_and.accumulate(rows[::-1])[::-1]
    at_end[0] = False
    return rows & (blank | at_end)


def padding_places(weights: np.ndarray, tokens: Sequence[str | Token]) -> np.ndarray:
    """Return which places of self-attention [layer, head, query, key] are padding, as bool [token].

    Padding is what no token of the text attends to, in no head, if its name says so (``[PAD]``). A special token that
    has another use too (``<|endoftext|>``) is padding at an end of the text if it does not attend to itself either,
    which no softmax without a mask gives. Tokens that the model attended to, because it was run without an attention
    mask, are text.
    """
    named = np.array([is_padding(token) for token in tokens], dtype=bool)
    padding = _special_ends(tokens)
    padding[named] = True
    candidates = np.flatnonzero(padding)
    if not len(candidates):
        return padding
    weights = np.where(_blind(weights, candidates)[..., None], 0, weights[:, :, :, candidates])
    attended = np.asarray((weights > 0).any(axis=(0, 1)))  # [query, candidate]
    padding[candidates] &= named[candidates] | ~attended[candidates, np.arange(len(candidates))]
    while (read := padding[candidates] & attended[~padding].any(axis=0)).any():  # text, which may attend to others
        padding[candidates[read]] = False
    return padding if not padding.all() else ~padding


def _blind(weights: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return which rows of some places a mask hides as a whole, bool [layer, head, query].

    Softmax makes such a row NaN, or even over later keys, too. The last row of a causal text may be even; it is blind
    only if the row before it is.
    """
    rows = weights[:, :, places]  # [layer, head, place, key]
    is_even = (np.isnan(rows) | (rows == 0) | (rows == rows[..., :1])).all(axis=-1)
    looks_ahead = ((rows > 0) & (np.arange(rows.shape[-1]) > places[:, None])).any(axis=-1)
    blind = np.zeros(weights.shape[:3], dtype=bool)
    blind[:, :, places] = is_even & (looks_ahead | ~(rows > 0).any(axis=-1))
    if places[-1] == weights.shape[2] - 1 > 0:
        blind[:, :, -1] |= is_even[:, :, -1] & blind[:, :, -2]
    return blind


def drop_places(weights: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return weights [..., query, key] without the rows and columns that are padding.

    Raises:
        InputError: a remaining row attends to a column that is dropped.
    """
    if not rows.any() and not columns.any():
        return weights
    kept = weights[..., ~rows, :]
    if columns.any() and (kept[..., columns] > 0).any():
        raise InputError(
            "The text attends to tokens that attention_mask calls padding. Pass the mask that the model was given, or "
            "leave it out."
        )
    return kept[..., ~columns]


def _raw(token: str | Token) -> str:
    return (token.raw or token.text) if isinstance(token, Token) else token


def _special_ends(tokens: Sequence[str | Token]) -> np.ndarray:
    """Return the special tokens before and after the text that a batch may be filled up with, as bool [token]."""
    special = np.array(
        [
            (_BRACKETS.fullmatch(_raw(token)) is not None or (isinstance(token, Token) and token.special))
            and not _NEVER.fullmatch(_raw(token))
            for token in tokens
        ],
        dtype=bool,
    )
    return np.logical_and.accumulate(special) | np.logical_and.accumulate(special[::-1])[::-1]
