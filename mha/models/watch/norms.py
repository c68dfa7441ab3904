"""Looks weighted by what they bring: the length of weight × value behind W_O.

‖w[q, k] · v_k W_O^h‖ (Kobayashi et al. 2020): a weight of 0.8 on a value that W_O makes nothing of brings nothing. As
in the paper biases belong to no key: the value's bias is part of the value, that of W_O is left out.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Any

import numpy as np

from mha.brief import with_arrays
from mha.errors import AttentionUnavailable
from mha.maps import BROUGHT, AttentionMaps
from mha.models import toy
from mha.models.files.catalog import DEFAULT, model_row
from mha.models.files.hub import is_hub_id
from mha.models.files.loading import LoadedModel, load
from mha.models.watch.attending import record_text
from mha.stepwise import Steps, finished
from mha.words import accept


@with_arrays
class Brought:
    """What every head brings from every key, beside its weights.

    ``maps`` are the attention maps, ``lengths`` float64 [layer, head, key] the length of each key's value behind W_O,
    ``norms`` float64 [layer, head, query, key] the length of what each cell brings, in the model's own units.
    """

    maps: AttentionMaps
    lengths: np.ndarray

    @property
    def norms(self) -> np.ndarray:
        """Weight × length, float64 [layer, head, query, key]."""
        return self.maps.weights.astype(np.float64) * self.lengths[:, :, None]

    @cached_property
    def _shares(self) -> AttentionMaps:
        shares = np.zeros(self.maps.weights.shape, dtype=np.float32)
        for layer, weights in enumerate(self.maps.weights):  # all of a long text, in float64, are half a gigabyte
            norms = weights.astype(np.float64) * self.lengths[layer][:, None]
            total = norms.sum(axis=-1, keepdims=True)
            shares[layer] = np.divide(norms, total, out=np.zeros_like(norms), where=total > 0)
        return dataclasses.replace(self.maps, weights=shares, measure=BROUGHT)

    def as_maps(self) -> AttentionMaps:
        """Return the norms as maps whose rows sum to 1, to be drawn and measured as weights are.

        A row that brings nothing at all stays 0. Lengths of different rows and heads can no longer be compared.
        """
        return self._shares


def brought(
    text: str,
    model: str | LoadedModel = DEFAULT,
    pair: str | None = None,
    target: str | None = None,
    stack: str = "",
) -> Brought:
    """Return what every head brings from every key; ``stack`` and ``target`` as for `mha.attend`.

    Raises:
        InputError: there is no word in the text, or no such stack.
        AttentionUnavailable: the heads cannot be reached, or no matrix takes their findings as they are.
        UnknownModel, ModelUnavailable: as `mha.attend`.
    """
    return finished(bringing(text, model, pair, target, stack))


def bringing(
    text: str,
    model: str | LoadedModel = DEFAULT,
    pair: str | None = None,
    target: str | None = None,
    stack: str = "",
) -> Steps[Brought]:
    """Find what `brought` returns: a pass in each step, and then a layer."""
    accepted = accept(text)
    if isinstance(model, str):
        if not is_hub_id(model) and model_row(model).kind != "transformer":
            return _of_numbers(accepted.text, model, pair)
        model = load(model)
    import torch

    from mha.models.watch.inputs import inputs_of, prepared
    from mha.models.watch.layers import layers_of

    recording = record_text(accepted, model, pair, target=target)
    yield 1
    stack = stack or next(iter(recording.stacks))
    maps = recording.attention(stack)
    inputs: dict[str, Any] = inputs_of(
        model, accepted.text, pair and accept(pair).text, target and accept(target).text
    )[1]
    layers, _ = layers_of(model.model, prepared(model.model, inputs), stack)
    yield 1
    if any(layer.matrix is None for layer in layers):
        raise AttentionUnavailable(
            f"{model.row.short} applies another step between its heads and W_O, so contributions are not available."
        )
    lengths = []
    for layer in layers:
        values = layer.for_each_head(layer.value)
        one = [layer.through_output(values[head], head).norm(dim=-1) for head in range(layer.n_heads)]
        lengths.append(torch.stack(one))
        yield 1
    return Brought(maps, torch.stack(lengths).cpu().numpy())


def _of_numbers(text: str, model: str, pair: str | None) -> Brought:
    recording = record_text(text, model, pair)
    layer = toy.heads() if model_row(model).kind == "toy" else toy.trained_toy().heads
    assert recording.value is not None
    rows = layer.w_output.reshape(layer.n_heads, layer.d_head, layer.d_model)  # [head, d_head, d_model]
    through = np.einsum("lhkd,hdm->lhkm", recording.value.astype(np.float64), rows)
    return Brought(recording.maps, np.linalg.norm(through, axis=-1))
