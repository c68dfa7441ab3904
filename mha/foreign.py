"""Attention that was made elsewhere, as maps: a plain array, or what other programs keep it in.

``docs/inputs.md`` lists every input that is accepted; each of its rows is a test. `mha.generated` reads the steps of
``model.generate``.
"""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mha.errors import AttentionUnavailable, InputError, ShapeError
from mha.maps import ROW_SUM_SLACK, AttentionMaps
from mha.padding import drop_places, padding_columns, padding_mask, padding_places, padding_rows
from mha.saved import sound
from mha.tokens import Token, axes, special_names

MOST_TOKENS = 4096
FIELDS = ("attentions", "cross_attentions", "decoder_attentions", "encoder_attentions")
NO_WEIGHTS = (
    'There are no weights in it: SDPA and flash attention return none. Load the model with attn_implementation="eager" '
    "and ask for output_attentions=True, or use mha.record(model, …), which needs neither."
)
WAY_OUT = "Pass outputs.attentions of a model that was called with output_attentions=True."
STEPS = (
    "These are the steps of generate, a tuple each: mha.from_generate(outputs, tokens) takes them, and "
    "mha.from_generate(outputs, target, source) the cross-attention of an encoder–decoder."
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
    attention_mask: Any = None,
    special: Sequence[str | bool] | None = None,
) -> AttentionMaps:
    """Return weights that another program computed as maps, their origin "imported".

    ``weights`` is [layer, head, query, key], or what transformers, BertViz, inspect or TransformerLens keep attention
    in (``docs/inputs.md`` lists it); of a batch, ``item`` chooses the text. Layers that are None, as hybrid models have
    them, are left out with a warning that names them.

    ``tokens`` name the rows, and the columns unless ``key_tokens`` do; they are read as tokenizers write them
    (``docs/inputs.md`` lists that, too): ``##ing`` continues a word, ``Ġsaw`` and ``▁saw`` begin one, letters for bytes
    are decoded. A byte that is no whole character is shown as ``<E2>``, a line break as ``↵``. With ``text``, the text
    of the rows, words are its words, so ``didn ' t`` is one; a warning says if the tokens do not spell it. ``special``
    are the special tokens, or a boolean for each of ``tokens`` and then of ``key_tokens``; a token is special wherever
    it occurs. Without it names such as ``[CLS]``, ``<s>`` or ``<|im_start|>`` are special. If ``tokens`` are the last
    of ``key_tokens``, and every row looks back only, the maps have the last rows of one text; else ``key_tokens`` are a
    second text.

    Padding is dropped, its rows and its columns, so that all numbers are those of the unpadded text. It is recognised
    by ``attention_mask`` (1 for text, 0 for padding, for each column; of a batch [text, token]). Without a mask,
    tokens named as padding (``[PAD]``, ``<pad>``) are padding if no other token attends to them, and so are special
    tokens at an end of the text that a mask hid from every token, themselves included (``<|endoftext|>`` as padding).

    ``causal`` is read from the weights unless it is passed; so is half precision, if the weights are float32 by now.

    >>> from_arrays([[[[1, 0], [0.5, 0.5]]]], ["All", "well"], text="All well").causal
    True
    >>> len(from_arrays([[[[1, 0], [1, 0]]]], ["All", "[PAD]"]).tokens)
    1

    Raises:
        AttentionUnavailable: the model returned no weights, as with SDPA; the message has the remedy.
        ShapeError: the weights are not [layer, head, query, key] of these tokens, or are no shares of attention.
        InputError: there are no tokens, too many, some that are no text, or some outside the text; or ``text``,
            ``model``, ``revision``, ``item``, ``attention_mask`` or ``special`` is of another kind.
    """
    tokens, key_tokens, item = token_list(tokens), token_list(key_tokens), batch_item(item)
    if strange := [token for token in (*tokens, *key_tokens) if not isinstance(token, str | Token)]:
        raise InputError(f"Tokens are texts, as tokenizer.convert_ids_to_tokens gives; {str(strange[0])[:40]} is not.")
    if not 1 <= len(tokens) <= MOST_TOKENS or len(key_tokens) > MOST_TOKENS:
        raise InputError(f"Maps have 1 to {MOST_TOKENS:,} tokens; {max(len(tokens), len(key_tokens)):,} were given.")
    names = special_names(tokens, key_tokens, special)
    array, half = _stacked(weights, item, cross=bool(key_tokens))  # [layer, head, query, key]
    array, tokens, key_tokens = _without_padding(array, tokens, key_tokens, attention_mask, item)
    of_one_text = not key_tokens or _has_last_rows(array, tokens, key_tokens, causal)
    if key_tokens and of_one_text:
        _, keys, text, pair = axes(key_tokens, (), text, names)
        queries = keys[-len(tokens) :]
    else:
        queries, keys, text, pair = axes(tokens, key_tokens, text, names)
    maps = AttentionMaps(
        array,
        queries,
        keys,
        text=text,
        pair=pair,
        model=model,
        revision=revision,
        origin="imported",
        kind="self" if of_one_text else "cross",
        causal=of_one_text and _looks_back_only(array) if causal is None else bool(causal),
        half_precision=half or _sums_roughly(array),
    )
    return sound(maps)


def _without_padding(
    array: np.ndarray, tokens: list[Any], key_tokens: list[Any], attention_mask: Any, item: int | None
) -> tuple[np.ndarray, list[Any], list[Any]]:
    """Return weights and the tokens of both axes without padding; a mask allows tokens that name the text alone.

    Raises:
        ShapeError: there are not as many tokens as rows and columns.
    """
    n_rows, n_columns = array.shape[2:]
    hidden = None if attention_mask is None else padding_mask(attention_mask, n_columns, item)
    if hidden is not None:  # names of the text alone need no place for padding
        tokens, key_tokens = (_with_gaps(names, hidden) for names in (tokens, key_tokens))
    expected = len(tokens), len(key_tokens or tokens)
    if (n_rows, n_columns) != expected:
        raise ShapeError(
            f"There are {expected[0]} tokens for the rows and {expected[1]} for the columns; the weights have "
            f"{n_rows} rows and {n_columns} columns.{_diagnosis(array.shape, len(tokens))}"
        )
    if not key_tokens:
        rows = columns = padding_places(array, tokens) if hidden is None else hidden
    else:
        columns = padding_columns(array, key_tokens) if hidden is None else hidden
        rows = padding_rows(array, tokens)
        if tokens == key_tokens[-n_rows:] and n_rows < n_columns:
            rows = columns[-n_rows:]
    array = drop_places(array, rows, columns)
    return array, _text_of(tokens, rows), _text_of(key_tokens, columns)


def _with_gaps(names: list[Any], hidden: np.ndarray) -> list[Any]:
    """Return names of all places, where there is one for each token of the text alone."""
    if len(names) != np.count_nonzero(~hidden) or len(names) == len(hidden):
        return names
    remaining = iter(names)
    return ["[PAD]" if is_hidden else next(remaining) for is_hidden in hidden]


def _text_of(tokens: list[Any], padding: np.ndarray) -> list[Any]:
    return [token for token, is_dropped in zip(tokens, padding, strict=False) if not is_dropped]


def _has_last_rows(array: np.ndarray, tokens: list[Any], key_tokens: list[Any], causal: bool | None) -> bool:
    """Return whether these are the last rows (or all) of the columns' own text: equal tokens, and no row looks ahead.

    The last row has no later key, so that a full stop or ``</s>`` alone, which ends most texts, is not evidence.
    """
    if len(tokens) > len(key_tokens) or tokens != key_tokens[-len(tokens) :] or causal is False:
        return False
    if len(tokens) == 1 and causal is None:
        return any(token.word is not None for token in axes(tokens)[0])
    return not array[..., _ahead(array)].any()


def _diagnosis(shape: tuple[int, ...], n_tokens: int) -> str:
    """Return a sentence about weights [layer, head, query, key] that do not fit the tokens, or nothing."""
    _, heads, rows, columns = shape
    if heads == n_tokens and rows == columns:
        return " They may be [layer, token, head, head]: attention between heads; move the head axis before the tokens."
    if rows == n_tokens:
        return f" Columns must be tokens, too. Of hidden states this is not possible. {WAY_OUT}"
    if rows == columns and rows > n_tokens:
        return " If some of them are padding, name it too ([PAD]), or pass attention_mask=."
    return ""


def token_list(tokens: Any) -> list[Any]:
    """Return tokens as a list; None is an empty one."""
    try:
        return [] if tokens is None else list(tokens)
    except TypeError as error:
        raise InputError(f"Tokens are a list of texts; {str(tokens)[:40]} is not.") from error


def batch_item(item: Any) -> int | None:
    """Return the number of a text in a batch, or None."""
    try:
        return None if item is None else operator.index(item)
    except TypeError as error:
        raise InputError(f"item is the number of a text in a batch, from 0; {str(item)[:40]!r} is not.") from error


def _stacked(weights: Any, item: int | None, cross: bool) -> tuple[np.ndarray, bool]:
    """Return weights of any of the shapes as float32 [layer, head, query, key], and whether they came in half of it."""
    of_model = has_attention(weights)
    if of_model:
        weights = _layers_of(weights, cross)
    elif isinstance(weights, Mapping) or hasattr(weights, "cache_dict"):
        weights, of_model = _of_cache(weights), True
    if weights is None:
        raise AttentionUnavailable(NO_WEIGHTS)
    if is_generated(weights):
        raise InputError(STEPS)
    by_layer = isinstance(weights, tuple) or (isinstance(weights, list) and (of_model or len(weights) > 1))
    if isinstance(weights, list | tuple):
        layers, halves = zip(*map(as_float32, _with_attention(weights)), strict=True)
        shapes = {layer.shape for layer in layers}
        if len(shapes) != 1:
            named = ", ".join(map(str, sorted(shapes)[:4]))
            raise ShapeError(
                f"Every layer must have the same heads, rows and columns; there are {named}."
                f"{' ' + WAY_OUT if any(len(shape) < 3 for shape in shapes) else ''}"
            )
        array, half = np.stack(layers), any(halves)
    else:
        array, half = as_float32(weights)
    if array.ndim == 5 and array.shape[1] > 1 and (not by_layer or (item is None and not of_model)):
        raise ShapeError(_both_readings(array.shape, by_layer))
    if array.ndim == 5 and array.shape[1]:
        array = one_text(array, item, axis=1)
    elif item:
        raise ShapeError(f"These weights are of one text, so item is 0, not {item}.")
    if array.ndim != 4 or not array.size:
        raise ShapeError(f"Weights must be [layer, head, query, key]; these are {list(array.shape)}.{_advice(array)}")
    return array, half


def _both_readings(shape: tuple[int, ...], by_layer: bool) -> str:
    """Return a sentence about weights with two axes before the heads, either of which may be the batch."""
    first, second = shape[:2]
    if by_layer:
        return (
            f"Maps are of one text; these are of {second}. Take one of them with item=0 to {second - 1} if the list is "
            f"[layer][text, head, query, key]; if it is [text][layer, head, query, key], pass weights[0]."
        )
    return (
        f"Maps are of one text; these are of {second} if the axes are [layer, text, head, query, key] (pass "
        f"weights[:, 0] for the first text), and of {first} with {second} layers if they are [text, layer, head, "
        "query, key] (pass weights[0])."
    )


def _advice(array: np.ndarray) -> str:
    """Return how an array of another number of axes may be passed, as a sentence behind its shape."""
    square = array.ndim > 1 and array.shape[-1] == array.shape[-2] and array.size > 0
    if array.ndim == 3 and square:
        return " Of one layer [head, query, key], pass weights[None]; of one head a layer, weights[:, None]."
    if array.ndim == 2 and square:
        return " Of one head [query, key], pass weights[None, None]."
    if array.ndim == 3:
        return f" Of one layer [head, query, key], pass weights[None]. If they are hidden states: {WAY_OUT}"
    return f" {WAY_OUT}" if array.ndim < 4 else ""


def _of_cache(cache: Any) -> list[Any]:
    """Return the layers of a TransformerLens cache, in order."""
    arrays = getattr(cache, "cache_dict", cache)
    layers = {int(match[1]): value for name, value in arrays.items() if (match := _PATTERN.fullmatch(str(name)))}
    if not layers or sorted(layers) != list(range(len(layers))):
        numbers = ", ".join(map(str, sorted(layers)[:6])) or "none"
        names = ", ".join(ascii(str(name)[:40]) for name in list(arrays)[:4])
        outputs = f" It has {names}. {WAY_OUT}" if names and not layers else ""
        raise InputError(
            f"A cache has blocks.0.attn.hook_pattern and so on for every layer; this one has {numbers}.{outputs}"
        )
    return [layers[layer] for layer in range(len(layers))]


def as_float32(value: Any) -> tuple[np.ndarray, bool]:
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
    """Return whether no row attends to a later key; False if there is no later key, as in a text of one token."""
    ahead = _ahead(weights)
    return bool(ahead.any()) and not weights[..., ahead].any()


def _ahead(weights: np.ndarray) -> np.ndarray:
    """Return which keys come after each query, bool [query, key], if the rows are the last ones of the columns."""
    n_rows, n_columns = weights.shape[2:]
    return np.triu(np.ones((n_rows, n_columns), dtype=bool), 1 + max(0, n_columns - n_rows))


def field_of(outputs: Any, name: str) -> Any:
    """Return one field of a model's outputs, or of the dictionary of them; None if it is missing."""
    return outputs.get(name) if isinstance(outputs, Mapping) else getattr(outputs, name, None)


def has_attention(value: Any) -> bool:
    """Return whether these are a model's outputs: they have a field for attention, be it empty."""
    return any(hasattr(value, name) or (isinstance(value, Mapping) and name in value) for name in FIELDS)


def _layers_of(outputs: Any, cross: bool = False) -> Any:
    """Return the field with attention of a model's outputs: one tensor a layer.

    Of an encoder–decoder, ``cross`` takes the cross-attention; of the other two the caller has to choose one.

    Raises:
        AttentionUnavailable: no field holds weights. InputError: several do, or they are of `generate`.
    """
    fields = {name: field_of(outputs, name) for name in FIELDS}
    present = {name: value for name, value in fields.items() if hasattr(value, "ndim") or value}
    if cross and "cross_attentions" in present:
        return present["cross_attentions"]
    if "attentions" in present:
        return present["attentions"]
    if any(map(is_generated, present.values())):
        raise InputError(STEPS)
    of_one_text = [name for name in present if name != "cross_attentions"]
    if len(of_one_text) > 1 or (of_one_text and "cross_attentions" in present):
        named = ", ".join(f"outputs.{name}" for name in present)
        raise InputError(f"The model has an encoder and a decoder; hand over one of {named}.")
    if not present:
        raise AttentionUnavailable(NO_WEIGHTS)
    return next(iter(present.values()))


def is_generated(weights: Any) -> bool:
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


def one_text(array: np.ndarray, item: int | None, axis: int) -> np.ndarray:
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
