"""The steps of ``model.generate`` as maps: each step has the rows of the tokens that it read.

The first step reads the prompt, each later one the token that the step before it wrote; so the last token that was
written has no row. Caches shape the rows of a step: a sliding window has the last keys alone, a static cache is wider
than the text, and without a cache each step repeats all earlier rows.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from mha.errors import AttentionUnavailable, InputError, ShapeError
from mha.foreign import (
    NO_WEIGHTS,
    STACKS,
    as_float32,
    field_of,
    from_arrays,
    is_generated,
    is_half,
    layers_with_weights,
    one_text,
    read_arguments,
    read_mask,
    text_number,
)
from mha.maps import AttentionMaps
from mha.padding import is_padding
from mha.tokens import Token, axes, special_names

WHOLE = "mha.record(model, input_ids=outputs.sequences) reads the whole text at once."


def from_generate(
    outputs: Any,
    tokens: Sequence[str | Token],
    key_tokens: Sequence[str | Token] = (),
    *,
    stack: str = "",
    item: int | None = None,
    text: str = "",
    model: str = "",
    revision: str = "",
    attention_mask: Any = None,
    special: Sequence[str | bool] | None = None,
) -> AttentionMaps:
    """Return what ``model.generate(…, output_attentions=True, return_dict_in_generate=True)`` returned, as maps.

    ``tokens`` are those of ``outputs.sequences``: the prompt and the written ones, in order. The last one may be left
    out, since no step read it and it has no row. After ``generate(inputs_embeds=…)`` the prompt is missing in
    ``outputs.sequences``, and needs names of its own in front.

    Of an encoder–decoder, ``stack`` chooses "decoder" (each row is a token that the decoder read), "cross" (each row is
    the token to be written, ``key_tokens`` are the source) or "encoder" (``tokens`` are the source). The default is
    "cross" if ``key_tokens`` are passed, and else "decoder". ``item`` chooses the sequence if there are several; with
    beams its rows are followed through ``outputs.beam_indices``.

    Layers without attention, None in each step as hybrid models have them, are left out with a warning that names the
    others.

    Sliding windows, static caches and ``use_cache=False`` are understood; keys outside a window have weight 0.
    Padding is dropped as in `from_arrays`, and so are repetitions of the end token after a shorter text of a batch.
    ``attention_mask`` is the mask of the prompt (of the source for "cross" and "encoder"), a row for each text. All
    else is as in `from_arrays`.

    Raises:
        AttentionUnavailable: no weights were returned.
        InputError: the steps belong to other tokens, as with assisted decoding; or the model lacks this stack.
        ShapeError: the steps do not fit the tokens or each other, went on from a cache, or are of several texts and
            ``item`` is missing.
    """
    tokens, key_tokens, item = read_arguments(tokens, key_tokens, item)
    if isinstance(outputs, list | tuple):  # the steps alone
        outputs = {STACKS.get(stack, "cross_attentions" if key_tokens else "attentions"): outputs}
    stacks = {name: layers for name, field in STACKS.items() if (layers := field_of(outputs, field)) is not None}
    stack = stack or ("cross" if key_tokens else "decoder" if "decoder" in stacks else "self")
    if stacks and stack not in stacks:
        raise InputError(f"These outputs have {', '.join(stacks)}; there is no {str(stack)[:40]!r}.")
    steps: Any = stacks.get(stack)
    sequences = field_of(outputs, "sequences")
    n_sequences = 0 if sequences is None else len(sequences)
    mask = read_mask(attention_mask, item, n_sequences)
    names = special_names(tokens, key_tokens, special)
    options: dict[str, Any] = {"text": text, "model": model, "revision": revision, "special": names}
    if stack == "encoder":  # the encoder runs once for each text, however many sequences are written of it
        number = text_number(item, len(steps[0]), n_sequences) if steps and steps[0] is not None else None
        return from_arrays(steps, tokens, item=number, causal=False, attention_mask=mask, **options)
    if not is_generated(steps):
        raise AttentionUnavailable(NO_WEIGHTS)
    layers_with_weights(steps[0])  # warns of the others
    steps = [[layer for layer in step if layer is not None] for step in steps]
    n_places = len(steps[0][0])
    beams = field_of(outputs, "beam_indices")  # [sequence, step], negative after the end
    if beams is None:
        beams = np.tile(np.arange(n_places)[:, None], len(steps))
    places = [int(place) for place in one_text(as_float32(beams), item, axis=0) if place >= 0]
    rows = _rows_of_steps(steps, places, crosses=stack == "cross")
    n_named = 0 if sequences is None else np.shape(sequences)[-1]
    tokens = _names_of_rows(tokens, rows.shape[2], len(places), stack == "cross", n_named)
    if n_places > 1:
        tokens = tokens[: len(tokens) - _after_end(tokens, len(places))]
    rows = rows[:, :, : len(tokens)]
    if stack == "cross":
        key_tokens = key_tokens or [str(place) for place in range(rows.shape[3])]
    else:
        key_tokens, rows = [], rows[..., : len(tokens)]
        if mask is not None:  # of the prompt; the tokens that were written are text
            mask = np.append(mask, np.ones(max(0, rows.shape[2] - len(mask)), dtype=bool))[: rows.shape[2]]
    maps = from_arrays(rows, tokens, key_tokens, causal=stack != "cross", attention_mask=mask, **options)
    return replace(maps, half_precision=maps.half_precision or any(map(is_half, steps)))


def _rows_of_steps(steps: Any, places: Sequence[int], crosses: bool) -> np.ndarray:
    """Return one map a head, float32 [layer, head, query, key], of the steps' rows at these places of the batch.

    Keys that a sliding window has left have weight 0.

    Raises:
        ShapeError: the steps do not fit each other, or began with a cache. InputError: rows are of other tokens.
    """
    n_heads, n_read, n_source = one_text(as_float32(steps[0][0]), places[0], axis=0).shape
    n_tokens = n_read + len(places) - 1
    filled_rows = np.zeros((len(steps[0]), n_heads, n_tokens, n_source if crosses else n_tokens), dtype=np.float32)
    for number, (step, place) in enumerate(zip(steps, places, strict=False)):
        stop = n_read + number
        start = stop - 1 if number else 0
        end = n_source if crosses else stop  # of the keys
        for depth, layer in enumerate(step):
            rows = one_text(as_float32(layer), place, axis=0)  # [head, query, key]; a batch in float32 is large
            reach = min(end, rows.shape[2])  # a window has the last keys
            has_window = reach < end and number > 0 and not crosses
            fits = rows.shape[:2] in ((n_heads, stop - start), (n_heads, stop)) and len(step) == len(filled_rows)
            is_even = (rows == rows[..., :1]).all(axis=-1)  # a row of padding, which looks at the whole cache
            if not fits or (reach < end and not has_window) or rows[~is_even, reach:].any():
                raise ShapeError(
                    f"Step {number} has the weights {list(rows.shape)}; of {n_heads} heads a row for each of "
                    f"{stop - start} new tokens over the {end} that were read was expected. Generate without "
                    f"past_key_values and prefill_chunk_size, or {WHOLE} If this is cross-attention, pass its source, "
                    "too: mha.from_generate(outputs, target, source)."
                )
            filled_rows[depth, :, start:stop, end - reach : end] = rows[:, start - stop :, :reach]
    attends_to_itself = np.diagonal(filled_rows, axis1=-2, axis2=-1)[..., n_read:].any(axis=(0, 1))
    if not crosses and not attends_to_itself.all():  # every causal softmax gives a token some weight of its own
        raise InputError(
            f"The row of step {1 + int(np.argmin(attends_to_itself))} is not that of its token: the token does not "
            "attend to itself. Assisted decoding returns such rows; generate without assistant_model and "
            f"prompt_lookup_num_tokens, or {WHOLE}"
        )
    return filled_rows


def _names_of_rows(tokens: list[Any], n_rows: int, n_steps: int, crosses: bool, n_named: int) -> list[Any]:
    """Return the names of rows: the tokens read, or of cross-attention the tokens to be written.

    Raises:
        ShapeError: there are not as many as the steps read, or one more.
    """
    if len(tokens) == n_named > n_rows + 1:
        tokens = tokens[: n_rows + 1]  # of a beam that ended early
    if len(tokens) not in (n_rows, n_rows + 1):
        raise ShapeError(
            f"There are {len(tokens)} tokens for the rows; the steps have {n_rows} rows: {n_rows - n_steps + 1} tokens "
            f"were read at first, and {n_steps - 1} of those that were written. Pass {n_rows} tokens, or the last one "
            "that was written, too. After generate(inputs_embeds=…) outputs.sequences holds the written tokens alone: "
            f"put a name for each of the {n_rows - n_steps + 1} prompt tokens in front."
        )
    return tokens[len(tokens) - n_rows :] if crosses else tokens[:n_rows]


def _after_end(tokens: list[Any], n_steps: int) -> int:
    """Return how many tokens only repeat the special token that ended a text, while others of its batch went on."""
    end, repeated = next(groupby(reversed(tokens[-n_steps:])))
    return len(list(repeated)) - 1 if axes([end])[0][0].special or is_padding(end) else 0
