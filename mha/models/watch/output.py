"""Contributions of every connection through W_O, for any model on offer.

W_O is the matrix that the model itself hands the layer's head outputs to (`layers.py`). It is linear, so the
contribution of a connection is its weight times the value after W_O: ‖w[q, k] · v_k W_O^h‖ (Kobayashi et al. 2020). A
weight of 0.8 on a value in the null space of W_O contributes nothing. As in the paper biases belong to no key: the
value's bias is part of the value, that of W_O is left out.
"""

import dataclasses
from functools import cached_property

import numpy as np

from mha.core import MultiHead
from mha.errors import AttentionUnavailable
from mha.maps import CONTRIBUTION, AttentionMaps, Recording
from mha.memo import array_dataclass
from mha.models import toy
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel, transformer_of
from mha.models.watch.attending import record_text
from mha.words import accept


@array_dataclass
class Contributions:
    """The contributions of every head by key, and its weights.

    ``maps`` are the attention maps, ``lengths`` float64 [layer, head, key] the length of each key's value after W_O,
    ``norms`` float64 [layer, head, query, key] the length of each cell's contribution, in the model's own units.
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
        return dataclasses.replace(self.maps, weights=shares, measure=CONTRIBUTION)

    def as_maps(self) -> AttentionMaps:
        """Return the norms as maps whose rows sum to 1, for the pictures and measures of weights.

        A row without contributions stays 0. Lengths of different rows and heads can no longer be compared.
        """
        return self._shares


def contributions(
    text: str,
    model: str | LoadedModel = DEFAULT,
    pair: str | None = None,
    target: str | None = None,
    stack: str = "",
) -> Contributions:
    """Return the contributions of every head by key; ``stack`` and ``target`` as for `mha.attend`.

    Raises:
        InputError: the text has no words, or the stack is unknown.
        AttentionUnavailable: the heads cannot be reached, or their outputs do not enter a matrix unchanged.
        UnknownModel, ModelUnavailable: as `mha.attend`.
    """
    accepted, loaded = accept(text), transformer_of(model)
    if loaded is None:
        return _toy_contributions(record_text(accepted, model, pair), toy.heads())
    import torch

    from mha.models.watch.layers import layers_again

    recording = record_text(accepted, loaded, pair, target=target)
    stack = stack or next(iter(recording.stacks))
    maps = recording.attention(stack)
    layers = layers_again(loaded, recording, stack, target)
    if any(layer.matrix is None for layer in layers):
        raise AttentionUnavailable(
            f"{loaded.row.short} applies another step between its heads and W_O, so contributions are not available."
        )
    lengths = []
    for layer in layers:
        values = layer.for_each_head(layer.value)
        norms = [layer.through_output(values[head], head).norm(dim=-1) for head in range(layer.n_heads)]
        lengths.append(torch.stack(norms))
    return Contributions(maps, torch.stack(lengths).cpu().numpy())


def _toy_contributions(recording: Recording, layer: MultiHead) -> Contributions:
    assert recording.value is not None
    rows = layer.w_output.reshape(layer.n_heads, layer.d_head, layer.d_model)  # [head, d_head, d_model]
    through = np.einsum("lhkd,hdm->lhkm", recording.value.astype(np.float64), rows)
    return Contributions(recording.maps, np.linalg.norm(through, axis=-1))
