"""Which places of an axis are padding: tokens that fill a batch up to its longest text, and that a mask hides.

Layer 0: knows tokens and numpy. Maps never contain padding: `mha.from_arrays`, `mha.from_generate`, `mha.record` and
`mha.survey` drop its rows and columns, so that every number equals the number of the unpadded text.
"""

import re
from collections.abc import Sequence
from itertools import compress, takewhile
from typing import Any

import numpy as np

from mha.errors import InputError, ShapeError
from mha.tokens import Token

# [PAD], <pad>, <|finetune_right_pad_id|>; other words name something else: <|image_pad|>, <fim_pad>
_NAME = re.compile(
    r"[\[<_|｜][\W_]*(?:(?:finetune|left|right|text)_)*pad(?:ding)?(?:[_ ]?token)?(?:_?id)?[_-]?[0-9]*[\W_]*",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"<[^<>\s]+>|\[[^\[\]\s]+\]")
_NEVER = re.compile(
    r"[\[<](cls|sep|mask)[\]>]|<0x[0-9a-f]{2}>|.*(?:image|img|vision|video|audio|_pad\b).*", re.IGNORECASE
)


def without_padding(
    weights: np.ndarray, tokens: list[Any], key_tokens: list[Any], mask: np.ndarray | None
) -> tuple[np.ndarray, list[Any], list[Any]]:
    """Return weights [layer, head, query, key] without the rows and columns of padding, and the tokens of both axes.

    ``mask`` is bool [key], False for padding; with it, tokens may name the text alone. Without a mask, padding is what
    `_padding_columns` recognises. Columns have ``tokens`` if ``key_tokens`` are empty. Rows that have the names of the
    last columns are padding where these columns are. Other rows are padding if they are named so and no text follows;
    the first row is text, since a decoder may begin with its padding token (T5, Marian).

    Raises:
        ShapeError: the mask has not one place for each column, or the tokens have not one for each row and column.
        InputError: the text attends to a column that the mask calls padding.
    """
    n_rows, n_columns = weights.shape[2:]
    columns = np.zeros(n_columns, dtype=bool) if mask is None else ~mask
    if columns.shape != (n_columns,) or columns.all():
        raise ShapeError(
            f"attention_mask must have a 1 or 0 for each of {n_columns} columns; this one is {list(columns.shape)} and "
            f"has {np.count_nonzero(~columns)} times 1."
        )
    keys = _names_of_places(key_tokens or tokens, columns)
    queries = keys if not key_tokens or tokens == key_tokens else tokens
    if (len(queries), len(keys)) != (n_rows, n_columns):
        inseq = " If they are [key, query, layer, head], as in inseq, pass weights.nan_to_num().permute(2, 3, 1, 0)."
        raise ShapeError(
            f"There are {len(tokens)} tokens for the rows and {len(key_tokens or tokens)} for the columns; the weights "
            f"have {n_rows} rows and {n_columns} columns. Name padding, too ([PAD]), or pass attention_mask=. Weights "
            "are [layer, head, query, key], as outputs.attentions are, not hidden states and not between heads."
            + inseq
            * (len(weights) == len(keys))
        )
    fillers = list(takewhile(is_padding, reversed(queries[1:])))
    of_columns = queries == keys[-n_rows:]
    rows = columns[-n_rows:] if of_columns else np.arange(n_rows) >= n_rows - len(fillers)  # a view, or fixed
    if mask is None:
        columns[:] = _padding_columns(weights, keys, None if of_columns else rows)
    if not rows.any() and not columns.any():
        return weights, queries, keys
    weights = weights[..., ~rows, :]
    if rows.all() or (weights[..., columns] > 0).any():
        raise InputError(
            "The rows are all padding, or the text attends to tokens that attention_mask calls padding. Pass the mask "
            "that the model was given, or leave it out."
        )
    return weights[..., ~columns], list(compress(queries, ~rows)), list(compress(keys, ~columns))


def is_padding(token: str | Token) -> bool:
    """Return whether a token is named as padding, such as ``[PAD]`` or ``<pad>``.

    >>> [is_padding(name) for name in ("[PAD]", "<|finetune_right_pad_id|>", "pad", "<|endoftext|>")]
    [True, True, False, False]
    """
    return _NAME.fullmatch(_raw(token)) is not None


def _names_of_places(names: list[Any], hidden: np.ndarray) -> list[Any]:
    """Return a name for each place; names of the text alone get ``[PAD]`` at the hidden places."""
    if len(names) + np.count_nonzero(hidden) != len(hidden):
        return names
    text = iter(names)
    return ["[PAD]" if is_hidden else next(text) for is_hidden in hidden]


def _padding_columns(weights: np.ndarray, tokens: Sequence[str | Token], padding_rows: np.ndarray | None) -> np.ndarray:
    """Return which columns of weights [layer, head, query, key] are padding, as bool [key].

    A column is padding if it is named so (``[PAD]``) and no row of the text attends to it in any head. A special token
    that has another use too (``<|endoftext|>``) is padding at an end of the text if it does not attend to itself
    either, which no softmax without a mask gives. Tokens that the model attended to, because it was run without an
    attention mask, are text. ``padding_rows`` is bool [query], or None if the rows are the last of the columns.
    """
    n_rows, n_columns = weights.shape[2:]
    first = n_columns - n_rows  # the column that the first row is of
    is_named = np.array([is_padding(token) for token in tokens], dtype=bool)
    padding = is_named | _special_ends(tokens)
    candidates = np.flatnonzero(padding)
    attends = weights[..., candidates] > 0  # [layer, head, query, candidate]
    if padding_rows is None:
        rows = candidates[candidates >= first] - first
        attends[:, :, rows] &= ~_hidden_rows(weights, rows)[..., None]
    attended = np.zeros((n_rows, n_columns), dtype=bool)
    attended[:, candidates] = attends.any(axis=(0, 1))
    if padding_rows is None:
        padding[first:] &= is_named[first:] | ~np.diagonal(attended, first)
        padding_rows = padding[first:]  # a view
    while (read := padding & attended[~padding_rows].any(axis=0)).any():  # text, which may attend to others
        padding &= ~read
    return padding & ~padding.all()


def _hidden_rows(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return which of some rows a mask hides as a whole, bool [layer, head, row]; they are the last of the columns.

    Softmax makes such a row even over later keys, too. The last row of a causal text may be even; it is hidden only if
    the row before it is hidden.
    """
    n_rows, n_columns = weights.shape[2:]
    previous_rows = np.minimum(rows, n_rows - 2)
    pairs = weights[:, :, np.stack([rows, previous_rows])]  # [layer, head, 2, row, key]
    is_even = (~(pairs > 0) | (pairs == pairs[..., :1])).all(axis=(2, 4))
    return is_even & (weights[:, :, previous_rows, previous_rows + n_columns - n_rows + 1] > 0) & (n_rows > 1)


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
