"""Every number of one cell, from query and key to its weight and contribution; and the contributions of all cells.

The steps are those of the attention function: q∘k, their sum, its scale, a soft cap and a position bias if the layer
has them, the mask, a softmax over all keys. They are computed again (`mha.core.cell`) from the arguments of that
function and compared with the recorded weights: if they differ, the cell is refused. This module is light.

W_O is the matrix that the model itself hands the layer's head outputs to (`layers.py`). It is linear, so the
contribution of a connection is its weight times the value after W_O: ‖w[q, k] · v_k W_O^h‖ (Kobayashi et al. 2020). A
weight of 0.8 on a value in the null space of W_O contributes nothing. As in the paper biases belong to no key: the
value's bias is part of the value, that of W_O is left out.
"""

import dataclasses
from functools import cached_property
from typing import Any

import numpy as np

from mha.core import CellByHand, MultiHead
from mha.errors import AttentionUnavailable, InputError
from mha.maps import CONTRIBUTION, AttentionMaps, HeadId, Recording, Token
from mha.memo import array_dataclass
from mha.models import toy
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel, transformer_of
from mha.models.watch.attending import record_text
from mha.tokens import place_of
from mha.words import accept

SLACK = 1e-5  # between the weights worked out again and those recorded
HALF_SLACK = 2e-2


@array_dataclass
class Cell:
    """One cell of one head's map, step by step; float64.

    ``q`` and ``k`` are [d_head], after the rotation if the model is ``rotated``; ``unrotated`` has both before it, if
    known. Their products sum to ``dot``; times ``scale`` it is ``scaled``; ``cap`` is the soft cap, or None, and
    ``capped`` the score under it; ``position`` is the position bias of the two tokens, or None. ``hidden`` is true if
    the mask hides the key. ``dots`` [key] are the sums of products with every key, ``scores`` [key] all scores of the
    query (−inf if hidden), ``sink`` the score of a learned sink, or None; ``weights`` [key] is their softmax.

    ``values`` [key, d_head] are this head's values of every key, ``head_outputs`` [head, d_head] the outputs of all
    heads of the layer for the query, ``through`` [key] the length of each value after W_O. ``contribution`` [d_model]
    is the vector that this cell adds to the query's token, and ``added`` [d_model] the sum over all keys; ``along``
    [key] is the length of each key's part in the direction of that sum. These four are None if W_O is unknown.
    ``incoming`` [token, d_model] are the inputs of the layer, or None if unknown. ``group`` are the heads of the layer
    that share this head's keys and values, itself among them. ``causal`` is true if no token looks ahead.
    """

    head: HeadId
    stack: str
    query: int
    key: int
    tokens: tuple[Token, ...]
    key_tokens: tuple[Token, ...]
    q: np.ndarray
    k: np.ndarray
    scale: float
    dots: np.ndarray
    scores: np.ndarray
    weights: np.ndarray
    values: np.ndarray
    head_outputs: np.ndarray
    through: np.ndarray | None = None
    contribution: np.ndarray | None = None
    added: np.ndarray | None = None
    along: np.ndarray | None = None
    incoming: np.ndarray | None = None
    group: tuple[int, ...] = ()
    cap: float | None = None
    position: float | None = None
    hidden: bool = False
    rotated: bool = False
    unrotated: tuple[np.ndarray, np.ndarray] | None = None
    sink: float | None = None
    causal: bool = False

    @property
    def products(self) -> np.ndarray:
        """q∘k, dimension by dimension, [d_head]."""
        return self.q * self.k

    @property
    def dot(self) -> float:
        """The sum of the products."""
        return float(self.products.sum())

    @property
    def scaled(self) -> float:
        """The sum times its scale."""
        return self.dot * self.scale

    @property
    def capped(self) -> float:
        """The scaled sum under the soft cap."""
        return self.scaled if self.cap is None else float(self.cap * np.tanh(self.scaled / self.cap))

    @property
    def weight(self) -> float:
        """The cell's own weight."""
        return float(self.weights[self.key])

    @property
    def value(self) -> np.ndarray:
        """The key's value, [d_head]."""
        return self.values[self.key]

    @property
    def lengths(self) -> np.ndarray:
        """The length of each key's value, [key]."""
        return np.linalg.norm(self.values, axis=-1)

    @property
    def stream(self) -> float | None:
        """The length of the layer's input vector at the query, or None if it is unknown."""
        return None if self.incoming is None else float(np.linalg.norm(self.incoming[self.query]))


def check_place(recording: Recording, head: HeadId, query: int | str, key: int | str, stack: str) -> tuple[int, int]:
    """Return the places of query and key; raise InputError unless the recording has this stack, head and both."""
    if stack not in recording.stacks:
        raise InputError(f"{recording.maps.model} has {', '.join(recording.stacks)}; there is no {stack!r}.")
    n_layers, n_heads, n_queries, n_keys = recording.stacks[stack].shape
    if isinstance(query, str) or isinstance(key, str):  # only texts need the stack's own tokens, which takes maps
        maps = recording.attention(stack)
        row, column = place_of(maps.tokens, query), place_of(maps.key_tokens, key)
    else:
        row, column = place_of((), query), place_of((), key)
    if not (0 <= head.layer < n_layers and 0 <= head.head < n_heads and 0 <= row < n_queries and 0 <= column < n_keys):
        last = HeadId(n_layers - 1, n_heads - 1)
        raise InputError(
            f"{recording.maps.model} has heads L0H0 to {last} here, {n_queries} tokens that look and {n_keys} that are "
            f"looked at, counted from 0; you asked for {head}, {row} and {column}."
        )
    return row, column


def parts_along(weights: np.ndarray, through: np.ndarray) -> np.ndarray:
    """Return how far weights [key] × vectors [key, d_model] point the way of their sum, float64 [key]."""
    added = weights @ through
    length = float(np.linalg.norm(added))
    return weights * (through @ added) / length if length > 0 else np.zeros(len(weights))


def check_sums(name: str, weights: np.ndarray, model_weights: np.ndarray, half: bool = False) -> None:
    """Raise AttentionUnavailable unless the weights that were worked out again are those recorded."""
    furthest = float(np.abs(weights - model_weights).max())
    if not furthest <= (HALF_SLACK if half else SLACK):
        raise AttentionUnavailable(
            f"The steps that are known here do not give the weights of {name} (off by {furthest:.1e}); it computes "
            f"them in a way of its own, and they are not available one by one."
        )


def put_together(
    computation: CellByHand, values: np.ndarray, through: np.ndarray | None, key: int, **fields: Any
) -> Cell:
    """Return a cell from the steps to its weight, all values [key, d_head] and their images under W_O [key, d_model].

    ``fields`` are the other fields of `Cell`; the images are None if W_O is unknown.
    """
    weights = computation.weights
    if through is not None:
        fields |= {"through": np.linalg.norm(through, axis=-1), "contribution": weights[key] * through[key]}
        fields |= {"added": weights @ through, "along": parts_along(weights, through)}
    fields |= {
        "q": computation.query,
        "k": computation.key,
        "scale": computation.scale,
        "dots": computation.dots,
        "scores": computation.row,
    }
    return Cell(key=key, weights=weights, values=values, **fields)


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
