"""Attention that was made elsewhere, as maps: a plain array, or what other programs keep it in.

``docs/inputs.md`` lists every input that is accepted; each of its rows is a test. `mha.generated` reads the steps of
``model.generate``.
"""

import operator
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from mha.errors import AttentionUnavailable, InputError, ShapeError
from mha.maps import ROW_SUM_SLACK, AttentionMaps
from mha.padding import without_padding
from mha.saved import MOST_TOKENS, sound
from mha.tokens import Token, axes, special_names

STACKS = {
    "self": "attentions",
    "encoder": "encoder_attentions",
    "decoder": "decoder_attentions",
    "cross": "cross_attentions",
}
NO_WEIGHTS = (
    'There are no weights in it: SDPA and flash attention return none. Load the model with attn_implementation="eager" '
    "and ask for output_attentions=True, or use mha.record(model, …), which needs neither."
)
WAY_OUT = (
    "Pass weights[None] for one layer, weights[None, None] for one head, or outputs.attentions of a model that was "
    "called with output_attentions=True."
)
NUMBERS = f"Weights must be a full array of numbers: the same heads in every layer, equally long rows. {WAY_OUT}"
_PATTERN = re.compile(
    r"(.*?)(\d+)(\..*hook_(?:cross_)?pattern)"
)  # of TransformerLens: encoder_blocks.0.attn.hook_pattern
STEPS = (
    "These are the steps of generate, a tuple each: mha.from_generate(outputs, tokens) takes them, and "
    "mha.from_generate(outputs, target, source) the cross-attention of an encoder–decoder."
)


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
    are decoded. An incomplete character is shown as ``<E2>``, a line break as ``↵``. With ``text``, the text
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
        ShapeError: the weights are not [layer, head, query, key] of these tokens, or are not shares of attention.
        InputError: tokens are missing, too many, not texts, or outside the text; or ``text``,
            ``model``, ``revision``, ``item``, ``attention_mask`` or ``special`` is of another kind.
    """
    tokens, key_tokens, item = read_arguments(tokens, key_tokens, item)
    names = special_names(tokens, key_tokens, special)
    crosses = bool(key_tokens)
    array, half = _stacked(weights, item, crosses)  # [layer, head, query, key]
    array, tokens, key_tokens = without_padding(array, tokens, key_tokens, read_mask(attention_mask, item))
    of_one_text = not crosses or _has_last_rows(array, tokens, key_tokens, causal)
    if causal is None:
        causal = of_one_text and len(tokens) > 1 and (crosses or not _looks_ahead(array))
    queries, keys, text, pair = axes(
        key_tokens if of_one_text else tokens, () if of_one_text else key_tokens, text, names
    )
    maps = AttentionMaps(
        array,
        queries[-len(tokens) :],
        keys,
        text=text,
        pair=pair,
        model=model,
        revision=revision,
        origin="imported",
        kind="self" if of_one_text else "cross",
        causal=bool(causal),
        half_precision=half or bool(np.einsum("lhqk->lhq", array).max() > 1 + ROW_SUM_SLACK),  # float32 by now
    )
    return sound(maps)


def read_arguments(tokens: Any, key_tokens: Any, item: Any) -> tuple[list[Any], list[Any], int | None]:
    """Return the tokens of rows and columns as lists, and the number of a text in a batch.

    Raises:
        InputError: one of them has another type, or the tokens are missing or too many.
    """
    try:
        rows, columns = ([] if names is None else list(names) for names in (tokens, key_tokens))
        item = None if item is None else operator.index(item)
    except TypeError as error:
        raise InputError(f"Tokens are a list of texts, and item is the number of a text, from 0: {error}.") from error
    if strange := [token for token in (*rows, *columns) if not isinstance(token, str | Token)]:
        raise InputError(f"Tokens are texts, as tokenizer.convert_ids_to_tokens gives; {str(strange[0])[:40]} is not.")
    if not 1 <= len(rows) <= MOST_TOKENS or len(columns) > MOST_TOKENS:
        raise InputError(f"Maps have 1 to {MOST_TOKENS:,} tokens; {max(len(rows), len(columns)):,} were given.")
    return rows, columns, item


def _has_last_rows(weights: np.ndarray, tokens: list[Any], key_tokens: list[Any], causal: bool | None) -> bool:
    """Return whether these are the last rows (or all) of the columns' own text: equal tokens, and no row looks ahead.

    The last row has no later key, so that a full stop or ``</s>`` alone, which ends most texts, is not evidence.
    """
    if tokens != key_tokens[-len(tokens) :] or causal is False:
        return False
    is_evident = len(tokens) > 1 or causal or axes(tokens)[0][0].word is not None
    return bool(is_evident) and not _looks_ahead(weights)


def _looks_ahead(weights: np.ndarray) -> bool:
    """Return whether a row attends to a later key; the rows are the last ones of the columns."""
    n_rows, n_columns = weights.shape[2:]
    return bool(weights[..., np.triu(np.ones((n_rows, n_columns), dtype=bool), 1 + n_columns - n_rows)].any())


def _stacked(weights: Any, item: int | None, crosses: bool) -> tuple[np.ndarray, bool]:
    """Return weights in any accepted form as float32 [layer, head, query, key], and whether they are half precision.

    Layers without attention are left out with a warning.

    Raises:
        AttentionUnavailable: the weights are missing.
        ShapeError: they have other axes, or are of several texts and it is unknown which axis has them, or which text
            was chosen.
        InputError: they are steps of `generate`, or of several stacks.
    """
    layers = _layers_of(weights, crosses)
    if is_generated(layers):
        raise InputError(STEPS)
    is_list = isinstance(layers, list | tuple)
    half = is_half(layers if is_list else [layers])
    if is_list:
        numbers = layers_with_weights(layers)
        array = as_float32([as_float32(layers[number]) for number in numbers])
    else:
        array = as_float32(layers)
    if array.ndim not in (4, 5) or not array.size:
        raise ShapeError(f"Weights must be [layer, head, query, key]; these are {list(array.shape)}. {WAY_OUT}")
    array = array.reshape(len(array), -1, *array.shape[-3:])  # [layer, text, head, query, key]
    of_model = is_list and layers is not weights  # one tensor a layer
    by_layer = of_model or (item is not None and (isinstance(layers, tuple) or (is_list and len(layers) > 1)))
    if array.shape[1] > 1 and not by_layer:
        raise ShapeError(
            f"Maps are of one text. If these weights {list(array.shape)} are [layer, text, head, query, key], pass "
            f"tuple(weights) with item=0 to {array.shape[1] - 1}; if they are [text, layer, head, query, key], pass "
            "weights[0]."
        )
    return one_text(array, item, axis=1), half


def layers_with_weights(layers: Sequence[Any]) -> list[int]:
    """Return the numbers of the layers that are not None; a warning names them if others are left out.

    Raises:
        AttentionUnavailable: all of them are None.
    """
    numbers = [number for number, layer in enumerate(layers) if layer is not None]
    if not numbers:
        raise AttentionUnavailable(NO_WEIGHTS)
    if len(numbers) < len(layers):
        warnings.warn(
            "Layers without attention are left out: L0 and so on are the model's layers "
            f"{', '.join(map(str, numbers))}.",
            stacklevel=4,
        )
    return numbers


def _layers_of(weights: Any, crosses: bool) -> Any:
    """Return the layers in a model's outputs or in a cache of TransformerLens; plain weights as they are.

    Of an encoder–decoder, ``crosses`` takes the cross-attention; of the other two the caller has to choose one.

    Raises:
        InputError: several fields hold attention, or as `_layers_of_cache`.
    """
    weights = () if weights is None else getattr(weights, "cache_dict", weights)
    fields = [
        field
        for field in STACKS.values()
        if hasattr(weights, field) or (isinstance(weights, Mapping) and field in weights)
    ]
    if not fields:
        return _layers_of_cache(weights, crosses) if isinstance(weights, Mapping) else weights
    present = {field: layers for field in fields if hasattr(layers := field_of(weights, field), "ndim") or layers}
    choice = "cross_attentions" if crosses and "cross_attentions" in present else "attentions"
    if len(present) > 1 and choice not in present:
        field_names = ", ".join(f"outputs.{field}" for field in present)
        raise InputError(f"The model has an encoder and a decoder; hand over one of {field_names}.")
    return present.get(choice, next(iter(present.values()), ()))


def _layers_of_cache(cache: Mapping[Any, Any], crosses: bool) -> list[Any]:
    """Return the layers of one stack of a cache; a layer without a pattern is None, as in the outputs of hybrids.

    A cache of an encoder–decoder has several stacks: ``crosses`` takes the cross-attention, else there must be only one
    kind of self-attention.

    Raises:
        InputError: the names are not those of TransformerLens, or several stacks remain.
    """
    stacks = dict[str, dict[int, Any]]()  # layers by number; the name of a stack has * for the number
    for name in cache:
        if match := _PATTERN.fullmatch(str(name)):
            stacks.setdefault(f"{match[1]}*{match[3]}", {})[int(match[2])] = cache[name]
    selected = [name for name in stacks if ("cross" in name) == crosses] or list(stacks)
    names = ", ".join(ascii(str(name)[:40]) for name in selected or list(cache)[:4]) or "nothing"
    if not selected:
        raise InputError(
            f"A cache has blocks.0.attn.hook_pattern and so on; this one has {names}. If its values are the weights of "
            f"each layer, in order, pass list(cache.values()). {WAY_OUT}"
        )
    if len(selected) > 1:
        raise InputError(
            f"This cache has several stacks of layers: {names}. Pass one of them: {{name: cache[name] for name in "
            f"cache if name.startswith({selected[0].partition('*')[0][:40]!a})}}."
        )
    layers = stacks[selected[0]]
    return [layers.get(number) for number in range(max(layers) + 1)]


@np.errstate(over="ignore")  # an infinite value is not a share
def as_float32(value: Any, sentence: str = NUMBERS) -> np.ndarray:
    """Return numbers as float32, not always a copy; raise ShapeError with ``sentence`` if the array is ragged."""
    try:
        if hasattr(value, "detach"):  # a tensor, perhaps on another device
            value = value.detach().cpu().float().numpy()
        array: np.ndarray = np.ma.filled(value, 0).astype(np.float32, casting="same_kind", copy=False)
    except (ValueError, TypeError, OverflowError, RuntimeError) as error:
        raise ShapeError(sentence) from error
    return array


def is_half(arrays: Iterable[Any]) -> bool:
    """Return whether some arrays are in half precision: float16, or bfloat16, which numpy does not have."""
    return any(str(getattr(array, "dtype", "")).endswith("float16") for array in arrays)


def read_mask(attention_mask: Any, item: int | None, n_sequences: int = 0) -> np.ndarray | None:
    """Return the mask of one text, bool [token], or None; a mask of one text is that of every ``item``."""
    if attention_mask is None:
        return None
    sentence = "attention_mask is [token] or [text, token], as a tokenizer returns it."
    mask = np.atleast_2d(as_float32(attention_mask, sentence)) > 0
    return one_text(mask, text_number(item, len(mask), n_sequences), axis=0)


def text_number(item: int | None, n_texts: int, n_sequences: int) -> int | None:
    """Return which text a sequence was written of, if each of several has equally many; or None if there is one
    text."""
    return None if item is None or n_texts == 1 else item // max(1, n_sequences // n_texts)


def field_of(outputs: Any, name: str) -> Any:
    """Return one field of a model's outputs, or of the dictionary of them; None if it is missing."""
    return outputs.get(name) if isinstance(outputs, Mapping) else getattr(outputs, name, None)


def is_generated(weights: Any) -> bool:
    """Return whether these are all steps of `generate`: a tuple a step with a tensor, or None, a layer."""
    return (
        isinstance(weights, list | tuple)
        and len(weights) > 0
        and all(
            isinstance(step, list | tuple)
            and any(layer is not None for layer in step)
            and all(layer is None or getattr(layer, "ndim", 0) == 4 for layer in step)
            for step in weights
        )
    )


def one_text(array: np.ndarray, item: int | None, axis: int) -> np.ndarray:
    """Return a copy of one text of a batch: the only one, or ``item``.

    Raises:
        ShapeError: ``item`` is missing for several texts, or out of range.
    """
    count = array.shape[axis]
    if not 0 <= (item or 0) < count or (item is None and count > 1):
        raise ShapeError(f"Maps are of one text, and there are {count}: pass item=0 to {count - 1}, not {item}.")
    return array.take(item or 0, axis=axis)
