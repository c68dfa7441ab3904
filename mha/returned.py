"""What a transformers model returned, as attention: of one pass, one text of a batch, or all steps of `generate`.

Nothing of transformers is imported: what it returns is known by its fields.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from mha.errors import AttentionUnavailable, InputError, ShapeError

FIELDS = ("attentions", "cross_attentions", "decoder_attentions", "encoder_attentions")
NO_WEIGHTS = (
    'There are no weights in it: SDPA and flash attention return none. Load the model with attn_implementation="eager" '
    "and ask for output_attentions=True, or use mha.record(model, …), which needs neither."
)


def is_output(value: Any) -> bool:
    """Return whether this is what a model returned: it has a field for attention, whatever stands in it."""
    return any(hasattr(value, field) for field in FIELDS)


def layers_of(outputs: Any, cross: bool = False) -> Any:
    """Return the field with attention of what a model returned: one tensor a layer.

    Of an encoder–decoder, ``cross`` takes the cross-attention; of its other two the reader has to take one.

    Raises:
        AttentionUnavailable: no field holds weights. InputError: several do, or they are of `generate`.
    """
    present = {field: value for field in FIELDS if (value := getattr(outputs, field, None))}
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


def is_generated(weights: Any) -> bool:
    """Return whether these are all steps of `generate`: a tuple a step with a tensor a layer."""
    if not (isinstance(weights, list | tuple) and weights):
        return False
    return all(
        isinstance(step, list | tuple) and step and all(getattr(layer, "ndim", 0) == 4 for layer in step)
        for step in weights
    )


def with_attention(layers: Sequence[Any]) -> list[Any]:
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


def one_of(array: np.ndarray, item: int | None, axis: int) -> np.ndarray:
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


def rows_of_steps(outputs: Any, array: Any, item: int | None = None) -> np.ndarray:
    """Return the weights of `generate` as one map a head, float32 [layer, head, token, token].

    The first step read the given text whole, and each later one the token that the step before it wrote, so the last
    token that was written has no row. ``array`` makes an array of a tensor.

    Raises:
        AttentionUnavailable: no weights were returned. InputError: beams, whose rows belong to several texts.
        ShapeError: the steps do not fit each other, or the batch has several texts and ``item`` names none.
    """
    if getattr(outputs, "beam_indices", None) is not None:
        raise InputError("With beams the rows belong to several texts; generate with num_beams=1.")
    steps = outputs if isinstance(outputs, list | tuple) else getattr(outputs, "attentions", None)
    if not steps or not is_generated(steps):
        raise AttentionUnavailable(NO_WEIGHTS)
    first = [one_of(array(layer), item, 0) for layer in steps[0]]  # each [head, query, key]
    n_read = first[0].shape[1]
    n_tokens = n_read + len(steps) - 1
    whole = np.zeros((len(first), len(first[0]), n_tokens, n_tokens), dtype=np.float32)
    for number, step in enumerate(steps):
        layers = first if number == 0 else [one_of(array(layer), item, 0) for layer in step]
        rows = slice(0, n_read) if number == 0 else slice(n_read + number - 1, n_read + number)
        reach = rows.stop
        for place, layer in enumerate(layers):
            if layer.shape[1] != rows.stop - rows.start or layer.shape[2] < reach or len(layers) != len(first):
                raise ShapeError(
                    f"Step {number} has the weights {list(layer.shape)}; "
                    f"a row for each of {rows.stop - rows.start} new tokens over {reach} was expected."
                )
            whole[place][:, rows, :reach] = layer[:, :, :reach]  # a static cache is wider than what was read
    return whole
