"""What each head of a layer adds to a token's row through W_O, of any model on offer.

W_O is the matrix that the model itself hands the layer's head outputs to (`layers.py`). It is linear, so what one head
adds is W_O applied to that head's numbers alone.
"""

from __future__ import annotations

import numpy as np

from mha.brief import with_arrays
from mha.core import MultiHead
from mha.errors import AttentionUnavailable, InputError
from mha.maps import HeadId, Recording
from mha.models.files.catalog import model_row
from mha.models.files.loading import LoadedModel
from mha.models.watch.attending import loaded_model, record_text
from mha.words import accept


@with_arrays
class Added:
    """What one layer makes of its heads' findings for one token, float64.

    ``found`` [head, d_head] is what each head gathered (weights × V), ``w_output`` [d_head, d_model] the rows of W_O
    of the head that was asked about, ``heads`` [head, d_model] what each head adds through its own rows, ``bias``
    [d_model] what is added whatever the heads find (0 where the model has none), and ``total`` [d_model] the output as
    the model itself computed it: the sum of ``heads`` and ``bias``.
    """

    found: np.ndarray
    w_output: np.ndarray
    heads: np.ndarray
    bias: np.ndarray
    total: np.ndarray


def added_by_heads(text: str, model: str | LoadedModel, head: HeadId, token: int) -> Added:
    """Return what every head of ``head``'s layer adds to a token (a place on the recording's own axis).

    Raises:
        InputError: there is no such head or token.
        AttentionUnavailable: the model does something between its heads and W_O, so that the parts cannot be told.
    """
    row = model.row if isinstance(model, LoadedModel) else model_row(model)
    if row.kind == "transformer":
        return _of_transformer(text, loaded_model(model), head, token)
    from mha.models import toy

    recording = record_text(text, row.name)
    _check(recording, head, token)
    return _of_numbers(recording, toy.heads() if row.kind == "toy" else toy.trained_toy().heads, head, token)


def _check(recording: Recording, head: HeadId, token: int) -> None:
    maps = recording.maps
    if not (0 <= head.layer < maps.n_layers and 0 <= head.head < maps.n_heads and 0 <= token < maps.n_queries):
        last = HeadId(maps.n_layers - 1, maps.n_heads - 1)
        raise InputError(
            f"{maps.model} has heads L0H0 to {last} and this text {maps.n_queries} tokens, counted from 0; you asked "
            f"for {head} and token {token}."
        )


def _of_numbers(recording: Recording, layer: MultiHead, head: HeadId, token: int) -> Added:
    assert recording.value is not None
    weights = recording.maps.weights[head.layer][:, token].astype(np.float64)  # [head, key]
    found = np.einsum("hk,hkd->hd", weights, recording.value[head.layer])  # [head, d_head]
    rows = layer.w_output.reshape(layer.n_heads, layer.d_head, layer.d_model)  # [head, d_head, d_model]
    parts = np.einsum("hd,hdm->hm", found, rows)  # [head, d_model]
    return Added(found, rows[head.head], parts, np.zeros(layer.d_model), parts.sum(axis=0))


def _of_transformer(text: str, loaded: LoadedModel, head: HeadId, token: int) -> Added:
    import torch

    from mha.models.watch.inputs import inputs_of, prepared
    from mha.models.watch.layers import layers_of

    recording = record_text(text, loaded)
    _check(recording, head, token)
    inputs = inputs_of(loaded, accept(text).text, None, None)[1]
    layers, _ = layers_of(loaded.model, prepared(loaded.model, inputs), next(iter(recording.stacks)))
    layer = layers[head.layer]
    if layer.matrix is None or layer.added is None:
        raise AttentionUnavailable(
            f"{loaded.row.short} adds a step before W_O, so what each head adds cannot be separated."
        )
    found = layer.output[:, token]  # [head, d_head]
    kind = next(layer.matrix.parameters())
    with torch.inference_mode():
        bias = layer.matrix(torch.zeros(1, found.numel(), dtype=kind.dtype, device=kind.device))[0]
    parts = torch.cat([layer.through_output(found[at, None], at) for at in range(len(found))])  # [head, d_model]
    rows = layer.through_output(torch.eye(found.shape[1]), head.head)  # [d_head, d_model]
    numbers = (part.detach().double().cpu().numpy() for part in (found, rows, parts, bias, layer.added[token]))
    return Added(*numbers)
