"""Opening one cell of any model: the arguments of a transformer's attention function, or the numbers of a toy."""

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mha.core import MultiHead
from mha.core import cell as by_hand
from mha.maps import HeadId, Recording
from mha.models import toy
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel, transformer_of
from mha.models.watch.anatomy import rotates
from mha.models.watch.attending import record_text
from mha.models.watch.cell import Cell, check_place, check_sums, put_together
from mha.models.watch.layers import Layer, before_rotation, layers_again
from mha.words import accept

SAME = 1e-4  # of the largest: equal, in float32


def cell(
    text: str,
    head: tuple[int, int] | str,
    query: int | str,
    key: int | str,
    model: str | LoadedModel = DEFAULT,
    pair: str | None = None,
    target: str | None = None,
    stack: str = "",
) -> Cell:
    """Return every number of one cell; ``query`` and ``key`` are places on the token axes, from 0.

    A token that occurs once may be given by its text instead of its position.

    ``stack`` is "self", or "encoder" (the default of two stacks), "decoder" or "cross"; ``target`` as for `mha.attend`.

    Raises:
        InputError: no such head, token or stack, or the text has no word.
        AttentionUnavailable: the heads cannot be reached, or the steps do not give the recorded weights.
        UnknownModel, ModelUnavailable: as `mha.attend`.
    """
    head_id, accepted = HeadId.of(head), accept(text)
    loaded = transformer_of(model)
    if loaded is None:
        recording = record_text(accepted, model, pair)
        row, column = check_place(recording, head_id, query, key, "self")
        return _of_numbers(recording, toy.heads(), head_id, row, column)
    recording = record_text(accepted, loaded, pair, ("hidden",), target=target)
    stack = stack or ("encoder" if loaded.row.two_sided else "self")
    row, column = check_place(recording, head_id, query, key, stack)
    layer = layers_again(loaded, recording, stack, target)[head_id.layer]
    return _of_layer(loaded, recording, layer, head_id, row, column, stack)


def _of_numbers(recording: Recording, layer: MultiHead, head: HeadId, query: int, key: int) -> Cell:
    """Return a cell of the toy, whose numbers are all there."""
    assert recording.query is not None
    assert recording.key is not None
    assert recording.value is not None
    arrays = (recording.query, recording.key, recording.value)
    queries, keys, values = (part[head.layer].astype(np.float64) for part in arrays)  # [head, token, d_head]
    computation = by_hand(queries[head.head], keys[head.head], (query, key))
    check_sums(recording.maps.model, computation.weights, recording.maps.weights[head.layer, head.head, query])
    return put_together(
        computation,
        values[head.head],
        values[head.head] @ layer.of_head("w_output", head.head),  # [key, d_model]
        key,
        head=head,
        stack="self",
        query=query,
        tokens=recording.maps.tokens,
        key_tokens=recording.maps.key_tokens,
        head_outputs=np.einsum("hk,hkd->hd", recording.maps.weights[head.layer, :, query].astype(np.float64), values),
        incoming=None if recording.hidden is None else recording.hidden[head.layer].astype(np.float64),
        group=(head.head,),
    )


def _incoming(recording: Recording, layer: int, stack: str) -> np.ndarray | None:
    """Return the input rows of a layer, [token, d_model], or None if blocks are not layers of attention."""
    hidden = recording.hidden
    if hidden is None or stack not in ("self", "encoder") or len(hidden) != recording.maps.n_layers + 1:
        return None
    return hidden[layer].astype(np.float64)


def _of_layer(
    loaded: LoadedModel, recording: Recording, layer: Layer, head: HeadId, query: int, key: int, stack: str
) -> Cell:
    maps = recording.attention(stack)
    number, options, rotated = head.head, layer.options, _rotated(loaded.model, stack)
    keys = _numbers(layer.for_each_head(layer.key)[number])  # [key, d_head]
    values = layer.for_each_head(layer.value)[number]
    cap, sink = options.get("softcap"), _sink(layer, number)
    added, hidden = _added(layer, number, query, len(keys))
    computation = by_hand(
        _numbers(layer.query[number, query])[None],
        keys,
        (0, key),
        mask=~hidden[None],
        scale=options.get("scaling"),
        cap=cap,
        position=added,
        sink=sink,
    )
    if hidden.all():
        computation = replace(computation, weights=np.full(len(keys), 1 / len(keys)))
    check_sums(loaded.row.short, computation.weights, _numbers(layer.weights[number, query]), maps.half_precision)
    return put_together(
        computation,
        _numbers(values),
        None if layer.matrix is None else _numbers(layer.through_output(values, number)),  # [key, d_model]
        key,
        head=head,
        stack=stack,
        query=query,
        tokens=maps.tokens,
        key_tokens=maps.key_tokens,
        head_outputs=_numbers(layer.output[:, query]),
        incoming=_incoming(recording, head.layer, stack),
        group=_sharing(layer, number),
        cap=None if cap is None else float(cap),
        position=None if added is None else float(added[key]),
        hidden=bool(hidden[key]),
        rotated=rotated,
        unrotated=_unrotated(layer, number, query, key) if rotated else None,
        sink=sink,
        causal=maps.causal and maps.kind == "self",
    )


def _sharing(layer: Layer, head: int) -> tuple[int, ...]:
    """Return the heads that share a head's keys and values."""
    group_size = layer.n_heads // layer.key.shape[0]
    return tuple(range(head // group_size * group_size, head // group_size * group_size + group_size))


def _numbers(tensor: Tensor) -> np.ndarray:
    return tensor.detach().double().cpu().numpy()


def _added(layer: Layer, head: int, query: int, n_keys: int) -> tuple[np.ndarray | None, np.ndarray]:
    """Return what places add to the scores [key], or None, and which keys the mask hides, bool [key]."""
    added, hidden = None, np.zeros(n_keys, dtype=bool)
    bias = layer.options.get("position_bias")
    if isinstance(bias, Tensor):
        of_places = _numbers(_row(bias[0], head, query))[:n_keys]
        added = of_places if of_places.any() else None
    if layer.mask is not None:
        row = _row(layer.mask, head, query)[:n_keys]
        if row.dtype == torch.bool:
            return added, ~row.cpu().numpy()
        hidden = (row <= torch.finfo(row.dtype).min / 2).cpu().numpy()
        position_bias = np.where(hidden, 0, _numbers(row))
        if position_bias.any():
            added = position_bias if added is None else added + position_bias
    return added, hidden


def _row(mask: Tensor, head: int, query: int) -> Tensor:
    """Return the row [key] of a mask or bias [head or 1, query or 1, key]."""
    of_head = mask[head if mask.shape[0] > 1 else 0]
    return of_head[query if of_head.shape[0] > 1 else 0]


def _sink(layer: Layer, head: int) -> float | None:
    """Return the score of a sink without a key (GPT-OSS), or None."""
    sinks = getattr(layer.module, "sinks", None)
    return float(sinks[head].detach()) if isinstance(sinks, Tensor) else None


def _rotated(model: Any, stack: str) -> bool:
    return stack != "cross" and rotates(model)


def _unrotated(layer: Layer, head: int, query: int, key: int) -> tuple[np.ndarray, np.ndarray] | None:
    queries, keys = before_rotation(layer, layer.query), before_rotation(layer, layer.key)
    if queries is None or keys is None:
        return None
    return _numbers(queries[head, query]), _numbers(layer.for_each_head(keys)[head, key])
