"""What each head of a layer adds to a token's row through W_O, of any model on offer.

W_O is not looked up by name: it is the matrix that the model itself hands the layer's head outputs to, found by
watching one forward pass. It is linear, so what one head adds is W_O applied to that head's numbers alone.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.brief import brief
from mha.core import MultiHead
from mha.errors import AttentionUnavailable, InputError
from mha.maps import HeadId, Recording
from mha.models.files.catalog import model_row
from mha.models.files.loading import LoadedModel
from mha.models.watch.attending import loaded_model, record_text

TOLERANCE = 1e-3  # between what a matrix is handed and weights × V worked out again, of the largest number
HALF_TOLERANCE = 3e-2  # the same in float16 or bfloat16


@dataclass(frozen=True, eq=False)
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

    __repr__ = brief


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

    recording = record_text(text, loaded, keep=("value",))
    _check(recording, head, token)
    seen = _SeenProjection(
        _gathered(recording, head.layer), HALF_TOLERANCE if recording.maps.half_precision else TOLERANCE
    )
    with _watched(loaded.model, seen):
        record_text(text, loaded)  # now that what the heads found is known, the matrix that takes it can be
    if seen.matrix is None or seen.output is None:
        raise AttentionUnavailable(
            f"{loaded.row.short} adds a step before W_O, so what each head adds cannot be separated."
        )
    found = seen.found[:, token]  # [head, d_head]
    n_heads, d_head = found.shape
    alone = np.zeros((n_heads, n_heads, d_head))  # [head, head, d_head], each head's numbers and zeros for the others
    alone[range(n_heads), range(n_heads)] = found
    ones = np.zeros((d_head, n_heads, d_head))  # a 1 in each of the asked head's places in turn
    ones[range(d_head), head.head, range(d_head)] = 1
    inputs = np.concatenate([alone, ones, np.zeros((1, n_heads, d_head))]).reshape(-1, n_heads * d_head)
    kind = next(seen.matrix.parameters())
    with torch.inference_mode():
        outputs = seen.matrix(torch.as_tensor(inputs, dtype=kind.dtype, device=kind.device)).double().cpu().numpy()
    bias = outputs[-1]
    parts = outputs[:-1] - bias
    return Added(found, parts[n_heads:], parts[:n_heads], bias, seen.output[token])


def _gathered(recording: Recording, layer: int) -> np.ndarray:
    """Return what each head of a layer gathers for every token, float64 [head, token, d_head]."""
    assert recording.value is not None
    weights = recording.maps.weights[layer].astype(np.float64)  # [head, query, key]
    return weights @ recording.value[layer].astype(np.float64)


class _SeenProjection:
    """The first matrix that is handed a layer's head outputs, side by side, and what it made of them."""

    def __init__(self, found: np.ndarray, tolerance: float) -> None:
        self.found = found  # [head, token, d_head]
        self.tolerance = tolerance
        self.matrix: Any = None
        self.output: np.ndarray | None = None
        self.thread = threading.get_ident()

    def after(self, module: Any, arguments: tuple[Any, ...], output: Any) -> None:
        """Take the module if its input is what the heads found; other threads' passes are not looked at."""
        if self.matrix is not None or threading.get_ident() != self.thread or not arguments:
            return
        n_heads, n_tokens, d_head = self.found.shape
        if arguments[0].numel() != n_heads * n_tokens * d_head or arguments[0].shape[-1] != n_heads * d_head:
            return
        given = arguments[0].detach().double().cpu().numpy().reshape(n_tokens, n_heads, d_head)
        if np.abs(given - self.found.swapaxes(0, 1)).max() <= self.tolerance * max(1.0, np.abs(given).max()):
            self.matrix = module
            self.output = output.detach().double().cpu().numpy().reshape(n_tokens, -1)


@contextmanager
def _watched(model: Any, seen: _SeenProjection) -> Iterator[None]:
    import torch
    from transformers.pytorch_utils import Conv1D

    modules = [module for module in model.modules() if isinstance(module, torch.nn.Linear | Conv1D)]
    hooks = [module.register_forward_hook(seen.after) for module in modules]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
