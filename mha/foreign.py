"""Attention that was made elsewhere, as maps: a plain array, or what other programs keep it in.

What is understood, T tokens, one text:
    numpy or torch              [layer, head, query, key], or the same with an axis of one text after the layers
    BertViz, transformers       a tuple with [1, head, query, key] for each layer, or all that the model returned
    inspect                     the same as lists in lists, ``[layer][1, head, query, key]``
    TransformerLens             its cache, or a dictionary: "blocks.3.attn.hook_pattern" → [1, head, query, key]
"""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mha.errors import AttentionUnavailable, InputError, ShapeError
from mha.maps import ROW_SUM_SLACK, AttentionMaps
from mha.saved import sound
from mha.tokens import Token, axes

MOST_TOKENS = 4096
FIELDS = ("attentions", "cross_attentions", "decoder_attentions", "encoder_attentions")
NO_WEIGHTS = (
    'There are no weights in it: SDPA and flash attention return none. Load the model with attn_implementation="eager" '
    "and ask for output_attentions=True, or use mha.record(model, …), which needs neither."
)
_PATTERN = re.compile(r"blocks\.([0-9]{1,4})\.attn\.hook_pattern")


def from_arrays(
    weights: Any,
    tokens: Sequence[str | Token],
    key_tokens: Sequence[str | Token] = (),
    *,
    text: str = "",
    model: str = "",
    revision: str = "",
    causal: bool | None = None,
    item: int | None = None,
) -> AttentionMaps:
    """Return somebody's own weights as maps, their origin "imported".

    ``weights`` is [layer, head, query, key], or what transformers, BertViz, inspect or TransformerLens keep attention
    in (`mha.foreign` lists it); of a batch, ``item`` says which text. Layers that are None, as hybrid
    models have them, are left out with a warning that names them. ``tokens`` name the rows, and the columns unless
    ``key_tokens`` do; texts are understood as tokenizers write them: ``##ing`` goes on with a word, ``Ġsaw`` and
    ``▁saw`` begin one, ``[CLS]`` and ``<s>`` are the model's own. ``text`` is what the rows were read from, where it is
    not just the tokens side by side. ``causal`` is seen from the numbers unless it is said; so is half precision, where
    they do not come in it.

    >>> from_arrays([[[[1, 0], [0.5, 0.5]]]], ["All", "well"], text="All well").causal
    True

    Raises:
        AttentionUnavailable: the model returned no weights, as with SDPA; the message says what to do.
        ShapeError: the weights are not [layer, head, query, key] of these tokens, or are no shares of attention.
        InputError: there are no tokens, too many, some that are no text, or some that stand outside the text; or
            ``text``, ``model``, ``revision`` or ``item`` is of another kind.
    """
    tokens, key_tokens, item = _listed(tokens), _listed(key_tokens), _place(item)
    if strange := [one for one in (*tokens, *key_tokens) if not isinstance(one, str | Token)]:
        raise InputError(f"Tokens are texts, as tokenizer.convert_ids_to_tokens gives; {str(strange[0])[:40]} is not.")
    if not 1 <= len(tokens) <= MOST_TOKENS or len(key_tokens) > MOST_TOKENS:
        raise InputError(f"Maps have 1 to {MOST_TOKENS:,} tokens; {max(len(tokens), len(key_tokens)):,} were given.")
    array, half = _stacked(weights, item, cross=bool(key_tokens))  # [layer, head, query, key]
    queries, keys, text, pair = axes(tokens, key_tokens, text)
    expected = (len(queries), len(keys))
    if array.shape[2:] != expected:
        rows, columns = array.shape[2:]
        raise ShapeError(
            f"There are {expected[0]} tokens for the rows and {expected[1]} for the columns; the weights have "
            f"{rows} rows and {columns} columns."
        )
    maps = AttentionMaps(
        array,
        queries,
        keys,
        text=text,
        pair=pair,
        model=model,
        revision=revision,
        origin="imported",
        kind="cross" if key_tokens else "self",
        causal=_looks_back_only(array) if causal is None else bool(causal),
        half_precision=half or _sums_roughly(array),
    )
    return sound(maps)


def from_generate(
    outputs: Any,
    tokens: Sequence[str | Token],
    *,
    item: int | None = None,
    text: str = "",
    model: str = "",
    revision: str = "",
) -> AttentionMaps:
    """Return what ``model.generate(…, output_attentions=True, return_dict_in_generate=True)`` returned, as maps.

    ``tokens`` are those that were given and those that were written, in order; the last one may be left out, since
    nothing was read after it was written and it has no row. All else as `from_arrays`.

    Raises:
        AttentionUnavailable: no weights were returned. InputError: they are of beams, or of an encoder–decoder.
        ShapeError: they do not fit the tokens, or a batch has several texts and ``item`` names none.
    """
    if getattr(outputs, "decoder_attentions", None) is not None:
        raise InputError("This is of an encoder–decoder; mha.generate(text, model=…) records one step by step.")
    tokens = _listed(tokens)
    whole, half = _rows_of_steps(outputs, _place(item))
    read = tokens[:-1] if len(tokens) == whole.shape[2] + 1 else tokens
    maps = from_arrays(whole, read, text=text, model=model, revision=revision, causal=True)
    return replace(maps, half_precision=maps.half_precision or half)


def _rows_of_steps(outputs: Any, item: int | None) -> tuple[np.ndarray, bool]:
    """Return the weights of `generate` as one map a head, float32 [layer, head, token, token]; and whether in half.

    The first step read the given text whole, and each later one the token that the step before it wrote, so the last
    token that was written has no row.

    Raises:
        AttentionUnavailable: no weights were returned. InputError: beams, whose rows belong to several texts.
        ShapeError: the steps do not fit each other, or the batch has several texts and ``item`` names none.
    """
    if getattr(outputs, "beam_indices", None) is not None:
        raise InputError("With beams the rows belong to several texts; generate with num_beams=1.")
    steps = outputs if isinstance(outputs, list | tuple) else getattr(outputs, "attentions", None)
    if not steps or not _is_generated(steps):
        raise AttentionUnavailable(NO_WEIGHTS)
    halves: list[bool] = []

    def one(layer: Any) -> np.ndarray:  # one layer at a time: a batch as float32 is not kept beside what is taken of it
        array, half = _array(layer)
        halves.append(half)
        return _one_of(array, item, 0)  # [head, query, key]

    every = [[one(layer) for layer in step] for step in steps]
    first = every[0]
    n_read = first[0].shape[1]
    n_tokens = n_read + len(steps) - 1
    whole = np.zeros((len(first), len(first[0]), n_tokens, n_tokens), dtype=np.float32)
    for number, layers in enumerate(every):
        rows = slice(0, n_read) if number == 0 else slice(n_read + number - 1, n_read + number)
        reach = rows.stop
        for place, layer in enumerate(layers):
            n_heads, n_rows, n_keys = layer.shape
            fits = n_heads == len(first[0]) and n_rows == rows.stop - rows.start and n_keys >= reach
            if not fits or len(layers) != len(first):
                raise ShapeError(
                    f"Step {number} has the weights {list(layer.shape)}; of {len(first[0])} heads a row for each of "
                    f"{rows.stop - rows.start} new tokens over {reach} was expected."
                )
            if layer[:, :, reach:].any():  # a static cache is wider than what was read, with nothing there
                raise ShapeError(
                    f"Step {number} looks at {layer.shape[2]} tokens, and {reach} were read in these steps: the model "
                    "began with a cache of earlier ones. Generate without past_key_values."
                )
            whole[place][:, rows, :reach] = layer[:, :, :reach]
    return whole, any(halves)


def _listed(tokens: Any) -> list[Any]:
    """Return what tokens were given, None for none, as a list."""
    try:
        return [] if tokens is None else list(tokens)
    except TypeError as error:
        raise InputError(f"Tokens are a list of texts; {str(tokens)[:40]} is not.") from error


def _place(item: Any) -> int | None:
    """Return which text of a batch is meant, None where that is not said."""
    try:
        return None if item is None else operator.index(item)
    except TypeError as error:
        raise InputError(f"item is the number of a text in a batch, from 0; {str(item)[:40]!r} is not.") from error


def _stacked(weights: Any, item: int | None, cross: bool) -> tuple[np.ndarray, bool]:
    """Return weights of any of the shapes as float32 [layer, head, query, key], and whether they came in half of it."""
    if _is_output(weights):
        weights = _layers_of(weights, cross)
    elif isinstance(weights, Mapping) or hasattr(weights, "cache_dict"):
        weights = _of_cache(weights)
    if weights is None:
        raise AttentionUnavailable(NO_WEIGHTS)
    if _is_generated(weights):
        raise InputError(
            "These are the steps of generate, a tuple each: mha.from_generate(outputs, tokens) takes them."
        )
    if isinstance(weights, list | tuple):
        layers, halves = zip(*map(_array, _with_attention(weights)), strict=True)
        shapes = {layer.shape for layer in layers}
        if len(shapes) != 1:
            listed = ", ".join(map(str, sorted(shapes)[:4]))
            raise ShapeError(f"Every layer must have the same heads, rows and columns; there are {listed}.")
        array, half = np.stack(layers), any(halves)
    else:
        array, half = _array(weights)
    if array.ndim == 5 and array.shape[1]:
        array = _one_of(array, item, axis=1)
    elif item:
        raise ShapeError(f"These weights are of one text, so item is 0, not {item}.")
    if array.ndim != 4 or not array.size:
        raise ShapeError(f"Weights must be [layer, head, query, key]; these are {list(array.shape)}.")
    return array, half


def _of_cache(cache: Any) -> list[Any]:
    """Return the layers of a TransformerLens cache, in order."""
    named = getattr(cache, "cache_dict", cache)
    found = {int(match[1]): value for name, value in named.items() if (match := _PATTERN.fullmatch(str(name)))}
    if not found or sorted(found) != list(range(len(found))):
        listed = ", ".join(map(str, sorted(found)[:6])) or "none"
        raise InputError(f"A cache has blocks.0.attn.hook_pattern and so on for every layer; this one has {listed}.")
    return [found[layer] for layer in range(len(found))]


def _array(value: Any) -> tuple[np.ndarray, bool]:
    """Return numbers as float32, and whether they came in half precision."""
    half = str(getattr(value, "dtype", "")).endswith("float16")  # or bfloat16, which numpy does not have
    try:
        if hasattr(value, "detach"):  # a tensor, perhaps on another device
            value = value.detach().cpu().float().numpy()
        array = np.ma.filled(value, 0) if np.ma.isMaskedArray(value) else np.asarray(value)
        if array.dtype.kind not in "fiub":
            raise ShapeError(f"Weights are numbers; these are {str(array.dtype)[:40]}.")
        with np.errstate(over="ignore"):  # what becomes infinite is no share
            return array.astype(np.float32), half
    except (ValueError, TypeError, OverflowError, RuntimeError) as error:
        if isinstance(error, ShapeError):
            raise
        raise ShapeError("Weights must be a full array: every row of a head equally long.") from error


def _sums_roughly(weights: np.ndarray) -> bool:
    """Return whether a row sums to more than float32 rounds to: then less exact numbers were made float32 later."""
    return bool(np.einsum("lhqk->lhq", weights).max() > 1 + ROW_SUM_SLACK)


def _looks_back_only(weights: np.ndarray) -> bool:
    ahead = np.triu(np.ones(weights.shape[2:], dtype=bool), 1)
    return bool(ahead.any()) and not weights[..., ahead].any()


def _is_output(value: Any) -> bool:
    """Return whether this is what a model returned: it has a field for attention, whatever stands in it."""
    return any(hasattr(value, field) for field in FIELDS)


def _layers_of(outputs: Any, cross: bool = False) -> Any:
    """Return the field with attention of what a model returned: one tensor a layer.

    Of an encoder–decoder, ``cross`` takes the cross-attention; of its other two the reader has to take one.

    Raises:
        AttentionUnavailable: no field holds weights. InputError: several do, or they are of `generate`.
    """
    given = {field: getattr(outputs, field, None) for field in FIELDS}
    present = {field: value for field, value in given.items() if hasattr(value, "ndim") or value}
    if cross and "cross_attentions" in present:
        return present["cross_attentions"]
    if "attentions" in present:
        return present["attentions"]
    own = [field for field in present if field != "cross_attentions"]
    if len(own) > 1 or (own and "cross_attentions" in present):
        named = ", ".join(f"outputs.{field}" for field in present)
        raise InputError(f"The model has an encoder and a decoder; hand over one of {named}.")
    if not present:
        raise AttentionUnavailable(NO_WEIGHTS)
    return next(iter(present.values()))


def _is_generated(weights: Any) -> bool:
    """Return whether these are all steps of `generate`: a tuple a step with a tensor a layer."""
    if not (isinstance(weights, list | tuple) and weights):
        return False
    return all(
        isinstance(step, list | tuple) and step and all(getattr(layer, "ndim", 0) == 4 for layer in step)
        for step in weights
    )


def _with_attention(layers: Sequence[Any]) -> list[Any]:
    """Return the layers that have attention; those of a hybrid model that have none are named in a warning.

    Raises:
        AttentionUnavailable: none has any.
    """
    kept = [layer for layer in layers if layer is not None]
    if not kept:
        raise AttentionUnavailable(NO_WEIGHTS)
    if len(kept) < len(layers):
        left_out = ", ".join(str(number) for number, layer in enumerate(layers) if layer is None)
        there = ", ".join(str(number) for number, layer in enumerate(layers) if layer is not None)
        warnings.warn(
            f"Layers without attention are left out: {left_out}. L0 and so on are the model's layers {there}.",
            stacklevel=4,
        )
    return kept


def _one_of(array: np.ndarray, item: int | None, axis: int) -> np.ndarray:
    """Return one text of a batch: the only one, or ``item``.

    Raises:
        ShapeError: there are several and none was chosen, or there is no such one.
    """
    count = array.shape[axis]
    if item is None and count != 1:
        raise ShapeError(f"Maps are of one text; these are of {count}. Take one of them with item=0 to {count - 1}.")
    if item is not None and not 0 <= item < count:
        raise ShapeError(f"There are {count} texts, so item is 0 to {count - 1}, not {item}.")
    return array.take(item or 0, axis=axis)
