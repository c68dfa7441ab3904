"""The steps of ``model.generate`` as maps: each step has the rows of the tokens that it read.

The first step reads the prompt, each later one the token that the step before it wrote; so the last token that was
written has no row. Caches shape the rows of a step: a sliding window has the last keys alone, a static cache is wider
than the text, and without a cache each step repeats all earlier rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mha.errors import AttentionUnavailable, InputError, ShapeError
from mha.foreign import NO_WEIGHTS, as_float32, batch_item, field_of, from_arrays, is_generated, one_text, token_list
from mha.maps import AttentionMaps
from mha.padding import is_padding, read_mask
from mha.tokens import Token, axes, special_names

STACKS = {
    "self": "attentions",
    "encoder": "encoder_attentions",
    "decoder": "decoder_attentions",
    "cross": "cross_attentions",
}
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

    Sliding windows, static caches and ``use_cache=False`` are understood; keys outside a window have weight 0. Padding
    is dropped as in `from_arrays`, and so are repetitions of the end token after a shorter text of a batch.
    ``attention_mask`` is the mask of the prompt (of the source for "cross" and "encoder"), a row for each text. All
    else is as in `from_arrays`.

    Raises:
        AttentionUnavailable: no weights were returned.
        InputError: the steps belong to other tokens, as with assisted decoding; or there is no such stack.
        ShapeError: the steps do not fit the tokens or each other, went on from a cache, or are of several texts and
            ``item`` is missing.
    """
    tokens, key_tokens, item = token_list(tokens), token_list(key_tokens), batch_item(item)
    stack, steps = _steps_of(outputs, stack, crosses=bool(key_tokens))
    mask = _mask_of(attention_mask, outputs, item)
    names = special_names(tokens, key_tokens, special)
    options: dict[str, Any] = {"text": text, "model": model, "revision": revision, "special": names}
    if stack == "encoder":  # the encoder runs once for each text, however many sequences are written of it
        number = _text_number(outputs, len(steps[0]), item)
        return from_arrays(steps, tokens, item=number, causal=False, attention_mask=mask, **options)
    batch = _batch_places(outputs, steps, item)
    rows, half = _rows_of_steps(steps, batch, crosses=stack == "cross")
    several = len(steps[0][0]) > 1
    tokens = _named_rows(tokens, rows.shape[2], len(batch), stack, outputs, repeats_end=several)
    rows = rows[:, :, : len(tokens)] if stack == "cross" else rows[:, :, : len(tokens), : len(tokens)]
    if stack == "cross":
        keys = key_tokens or [str(place) for place in range(rows.shape[3])]
        maps = from_arrays(rows, tokens, keys, causal=False, attention_mask=mask, **options)
    else:
        if mask is not None:  # of the prompt; the tokens that were written are text
            mask = np.append(mask, np.ones(max(0, rows.shape[2] - len(mask)), dtype=bool))[: rows.shape[2]]
        maps = from_arrays(rows, tokens, causal=True, attention_mask=mask, **options)
    return replace(maps, half_precision=maps.half_precision or half)


def _steps_of(outputs: Any, stack: str, crosses: bool) -> tuple[str, Any]:
    """Return the name of a stack, and its steps [step][layer], or of an encoder its layers."""
    if stack and stack not in STACKS:
        raise InputError(f"A stack is one of {', '.join(STACKS)}; this is {str(stack)[:40]!r}.")
    if isinstance(outputs, list | tuple):
        steps = outputs
        stack = stack or ("cross" if crosses else "self")
    else:
        two_sided = field_of(outputs, "decoder_attentions") is not None
        stack = stack or ("self" if not two_sided else "cross" if crosses else "decoder")
        steps = field_of(outputs, STACKS[stack])
        if steps is None and any(field_of(outputs, name) is not None for name in STACKS.values()):
            present = ", ".join(name for name, field in STACKS.items() if field_of(outputs, field) is not None)
            raise InputError(f"These outputs have {present}; there is no {stack!r}.")
    if not steps or not (stack == "encoder" or is_generated(steps)):
        raise AttentionUnavailable(NO_WEIGHTS)
    return stack, steps


def _batch_places(outputs: Any, steps: Any, item: int | None) -> list[int]:
    """Return which place of the batch has the chosen sequence in each step; steps after its end are left out."""
    beams = field_of(outputs, "beam_indices") if not isinstance(outputs, list | tuple) else None
    count = len(steps[0][0]) if beams is None else len(beams)
    chosen = int(one_text(np.arange(count), item, axis=0))
    if beams is None:
        return [chosen] * len(steps)
    places = [int(place) for place in beams[chosen] if place >= 0]
    if not 1 <= len(places) <= len(steps):
        raise ShapeError(f"Of {len(steps)} steps the beams name {len(places)}; pass outputs as generate returned them.")
    return places


def _text_number(outputs: Any, n_texts: int, item: int | None) -> int | None:
    """Return which of ``n_texts`` the chosen sequence was written of."""
    sequences = field_of(outputs, "sequences") if not isinstance(outputs, list | tuple) else None
    if n_texts == 1:
        return 0
    return item if sequences is None or item is None else item // max(1, len(sequences) // n_texts)


def _mask_of(attention_mask: Any, outputs: Any, item: int | None) -> np.ndarray | None:
    """Return the mask of the chosen text, bool [token], or None."""
    if attention_mask is None:
        return None
    mask = np.atleast_2d(read_mask(attention_mask))
    return mask[int(one_text(np.arange(len(mask)), _text_number(outputs, len(mask), item), axis=0))]


def _rows_of_steps(steps: Any, batch: Sequence[int], crosses: bool) -> tuple[np.ndarray, bool]:
    """Return one map a head, float32 [layer, head, query, key], and whether the weights were in half precision.

    Raises:
        ShapeError: the steps do not fit each other, or began with a cache. InputError: rows are of other tokens.
    """
    halves: list[bool] = []

    def of_text(layer: Any, place: int) -> np.ndarray:  # one layer at a time: a batch in float32 is large
        array, half = as_float32(layer)
        halves.append(half)
        return one_text(array, place, 0)  # [head, query, key]

    first = [of_text(layer, batch[0]) for layer in steps[0]]
    n_heads, n_read, n_source = first[0].shape
    n_tokens = n_read + len(batch) - 1
    whole = np.zeros((len(first), n_heads, n_tokens, n_source if crosses else n_tokens), dtype=np.float32)
    for number, place in enumerate(batch):
        layers = first if number == 0 else [of_text(layer, place) for layer in steps[number]]
        stop = n_read + number
        start = 0 if number == 0 else stop - 1
        for depth, layer in enumerate(layers):
            fits = layer.shape[0] == n_heads and layer.shape[1] in (stop - start, stop) and len(layers) == len(first)
            reach = n_source if crosses else min(stop, layer.shape[2])
            if not fits or (reach != layer.shape[2] if crosses else not number and reach < n_read):
                raise ShapeError(
                    f"Step {number} has the weights {list(layer.shape)}; of {n_heads} heads a row for each of "
                    f"{stop - start} new tokens over {n_source if crosses else stop} was expected."
                )
            is_even = (layer == layer[..., :1]).all(axis=-1)  # a row of padding, which looks at the whole cache
            if layer[~is_even, reach:].any():  # a static cache is wider than what was read, with nothing there
                raise ShapeError(
                    f"Step {number} looks at {layer.shape[2]} tokens, and {stop} were read in these steps: "
                    f"{_why_wider(steps, batch)}"
                )
            columns = slice(0, n_source) if crosses else slice(stop - reach, stop)  # a window has the last keys
            whole[depth][:, start:stop, columns] = layer[:, start - stop :, :reach]
    if not crosses:
        _check_own_weight(whole, n_read)
    return whole, any(halves)


def _why_wider(steps: Any, batch: Sequence[int]) -> str:
    """Return why steps attend to more tokens than they read, with the remedy."""
    widths = {step[0].shape[-1] for step in steps}
    if len(batch) > 1 and len(widths) == 1 and steps[0][0].shape[2] == 1:
        return (
            "cross-attention does so. Pass its source, too: mha.from_generate(outputs, target, source). If it is not, "
            f"the model began with a cache of earlier tokens: generate without past_key_values, or {WHOLE}"
        )
    return (
        "the model began with a cache of earlier ones, or read the prompt in chunks. Generate without past_key_values "
        f"and prefill_chunk_size, or {WHOLE}"
    )


def _check_own_weight(whole: np.ndarray, n_read: int) -> None:
    """Raise InputError if a written token gives itself no weight in any head, which no causal softmax does."""
    own = np.diagonal(whole, axis1=-2, axis2=-1).max(axis=(0, 1), initial=0) > 0  # [token]
    if not own[n_read:].all() and whole[:, :, n_read:].any():
        number = int(np.argmin(own[n_read:])) + 1
        raise InputError(
            f"The row of step {number} is not that of its token: the token does not attend to itself. Assisted "
            f"decoding returns such rows; generate without assistant_model and prompt_lookup_num_tokens, or {WHOLE}"
        )


def _named_rows(tokens: list[Any], n_rows: int, n_steps: int, stack: str, outputs: Any, repeats_end: bool) -> list[Any]:
    """Return the names of rows: the tokens read, or of cross-attention the tokens to be written, without those after
    the end.

    Raises:
        ShapeError: there are not as many as the steps read, or one more.
    """
    sequences = field_of(outputs, "sequences") if not isinstance(outputs, list | tuple) else None
    if sequences is not None and len(tokens) == np.shape(sequences)[-1] > n_rows + 1:
        tokens = tokens[: n_rows + 1]  # of a beam that ended early
    if len(tokens) not in (n_rows, n_rows + 1):
        embeds = (
            " After generate(inputs_embeds=…) outputs.sequences holds the written tokens alone: put a name for each of "
            f"the {n_rows - n_steps + 1} prompt tokens in front."
            if len(tokens) in (n_steps, n_steps - 1)
            else ""
        )
        raise ShapeError(
            f"There are {len(tokens)} tokens for the rows; the steps have {n_rows} rows: {n_rows - n_steps + 1} tokens "
            f"were read at first, and {n_steps - 1} of those that were written. Pass {n_rows} tokens, or the last one "
            f"that was written, too.{embeds}"
        )
    if len(tokens) > n_rows:
        tokens = tokens[1:] if stack == "cross" else tokens[:-1]
    return tokens[: len(tokens) - _after_end(tokens, n_steps)] if repeats_end else tokens


def _after_end(tokens: list[Any], n_steps: int) -> int:
    """Return how many tokens only repeat the special token that ended a text, while others of its batch went on."""
    written = tokens[max(0, len(tokens) - n_steps) :]
    count = 0
    while count + 1 < len(written) and written[-1 - count] == written[-2 - count]:
        count += 1
    special = axes(tokens[-1:])[0][0].special or is_padding(tokens[-1])
    return count if special else 0
