"""Attention that was made elsewhere, as maps: a plain array, or what other programs keep it in.

What is understood, T tokens, one text:
    numpy or torch              [layer, head, query, key], or the same with an axis of one text after the layers
    BertViz, transformers       a tuple with [1, head, query, key] for each layer
    inspect                     the same as lists in lists, ``[layer][1, head, query, key]``
    TransformerLens             its cache, or a dictionary: "blocks.3.attn.hook_pattern" → [1, head, query, key]
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mha.errors import InputError, ShapeError
from mha.maps import AttentionMaps, Token

MOST_TOKENS = 4096
_PATTERN = re.compile(r"blocks\.([0-9]{1,4})\.attn\.hook_pattern")
_SPECIAL = re.compile(r"\[(CLS|SEP|PAD|MASK|UNK|BOS|EOS)\]|<(s|/s|pad|mask|unk|bos|eos)>|<\|[^|<>]{1,40}\|>")
_WORD_STARTS = ("Ġ", "▁")  # how byte-level and SentencePiece tokenizers write the space before a word


def from_arrays(
    weights: Any,
    tokens: Sequence[str | Token],
    key_tokens: Sequence[str | Token] = (),
    *,
    text: str = "",
    model: str = "",
    revision: str = "",
    causal: bool | None = None,
) -> AttentionMaps:
    """Return somebody's own weights as maps, their origin "imported".

    ``weights`` is any of the shapes above. ``tokens`` name the rows, and the columns unless ``key_tokens`` do; texts
    are understood as tokenizers write them: ``##ing`` goes on with a word, ``Ġsaw`` and ``▁saw`` begin one, ``[CLS]``
    and ``<s>`` are the model's own. ``causal`` is seen from the numbers unless it is said.

    >>> from_arrays([[[[1, 0], [0.5, 0.5]]]], ["All", "well"], text="All well").causal
    True

    Raises:
        ShapeError: the weights are not [layer, head, query, key] of these tokens, or are no shares of attention.
        InputError: there are no tokens, or too many.
    """
    if not 1 <= len(tokens) <= MOST_TOKENS or len(key_tokens) > MOST_TOKENS:
        raise InputError(f"Maps have 1 to {MOST_TOKENS:,} tokens; {max(len(tokens), len(key_tokens)):,} were given.")
    array = _stacked(weights)  # [layer, head, query, key]
    queries, said = _tokens(tokens)
    keys, _ = _tokens(key_tokens) if key_tokens else (queries, said)
    expected = (len(queries), len(keys))
    if array.shape[2:] != expected:
        rows, columns = array.shape[2:]
        raise ShapeError(
            f"There are {expected[0]} tokens for the rows and {expected[1]} for the columns; the weights have "
            f"{rows} rows and {columns} columns."
        )
    return AttentionMaps(
        array,
        queries,
        keys,
        text=text or said,
        model=model,
        revision=revision,
        origin="imported",
        kind="cross" if key_tokens else "self",
        causal=_looks_back_only(array) if causal is None else causal,
        half_precision=True,  # nobody says at which precision they were made
    )


def _stacked(weights: Any) -> np.ndarray:
    """Return weights of any of the shapes as float32 [layer, head, query, key]."""
    if isinstance(weights, Mapping) or hasattr(weights, "cache_dict"):
        weights = _of_cache(weights)
    if isinstance(weights, list | tuple):
        layers = [_array(layer) for layer in weights]
        shapes = {layer.shape for layer in layers}
        if len(shapes) != 1:
            listed = ", ".join(map(str, sorted(shapes)[:4])) or "none at all"
            raise ShapeError(f"Every layer must have the same heads, rows and columns; there are {listed}.")
        array = np.stack(layers)
    else:
        array = _array(weights)
    if array.ndim == 5 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim == 5 and array.shape[1] > 1:
        raise ShapeError(f"Maps are of one text; these are of {array.shape[1]}. Take one: weights[:, 0].")
    if array.ndim != 4 or not array.size:
        raise ShapeError(f"Weights must be [layer, head, query, key]; these are {list(array.shape)}.")
    return array


def _of_cache(cache: Any) -> list[Any]:
    """Return the layers of a TransformerLens cache, in order."""
    named = getattr(cache, "cache_dict", cache)
    found = {int(match[1]): value for name, value in named.items() if (match := _PATTERN.fullmatch(str(name)))}
    if not found or sorted(found) != list(range(len(found))):
        listed = ", ".join(map(str, sorted(found)[:6])) or "none"
        raise InputError(f"A cache has blocks.0.attn.hook_pattern and so on for every layer; this one has {listed}.")
    return [found[layer] for layer in range(len(found))]


def _array(value: Any) -> np.ndarray:
    if hasattr(value, "detach"):  # a tensor, perhaps on another device or of a type that numpy does not have
        value = value.detach().cpu().float().numpy()
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "fiub":
            raise ShapeError(f"Weights are numbers; these are {array.dtype}.")
        return array.astype(np.float32)
    except ValueError as error:
        if isinstance(error, ShapeError):
            raise
        raise ShapeError("Weights must be a full array: every row of a head equally long.") from error


def _tokens(given: Sequence[str | Token]) -> tuple[tuple[Token, ...], str]:
    """Return tokens and the text that they spell; those that know their words stay as they are."""
    if all(isinstance(token, Token) for token in given):
        tokens = tuple(token for token in given if isinstance(token, Token))
        return tokens, " ".join(token.text for token in tokens if not token.special)
    raws = [token.raw or token.text if isinstance(token, Token) else str(token) for token in given]
    marked = any(raw.startswith(_WORD_STARTS) for raw in raws)
    tokens_found: list[Token] = []
    text, words, open_word = "", 0, False
    for raw in raws:
        if _SPECIAL.fullmatch(raw):
            tokens_found.append(Token(raw, raw=raw, special=True, start=len(text), end=len(text)))
            open_word = False
            continue
        begins = raw.startswith(_WORD_STARTS) or (not marked and not raw.startswith("##"))
        piece = raw[1:] if raw.startswith(_WORD_STARTS) else raw.removeprefix("##") or raw
        mark = bool(piece) and all(unicodedata.category(letter).startswith("P") for letter in piece)
        goes_on = open_word and not begins and not mark
        if text and not goes_on and not mark and (begins or not marked):
            text += " "
        start = len(text)
        text += piece
        words += not mark and not goes_on
        tokens_found.append(Token(piece, raw=raw, word=None if mark else words - 1, start=start, end=len(text)))
        open_word = not mark
    return tuple(tokens_found), text


def _looks_back_only(weights: np.ndarray) -> bool:
    ahead = np.triu(np.ones(weights.shape[2:], dtype=bool), 1)
    return bool(ahead.any()) and not weights[..., ahead].any()
