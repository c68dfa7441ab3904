"""How the heads' numbers start, and what of the embedding each head reads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from mha.core import random_reads
from mha.training.settings import Settings

SMALL, LARGE, NOISE = 0.1, 3.0, 1e-3


def head_reads(settings: Settings, layer: int = 0) -> np.ndarray | None:
    """Return which numbers of the embedding each head reads, bool [head, d_model]; None if all read everything."""
    if settings.reads == "everything":
        return None
    if settings.reads == "random":
        generator = np.random.default_rng([settings.seed, 2, layer])
        return random_reads(settings.d_model, settings.n_heads, settings.numbers_read, generator)
    reads = np.zeros((settings.n_heads, settings.d_model), dtype=bool)
    for head, row in enumerate(reads):
        row[head * settings.numbers_read : (head + 1) * settings.numbers_read] = True
    return reads


def start(settings: Settings, generator: torch.Generator) -> list[Tensor]:
    """Return w_query, w_key, w_value [d_model, n_heads · d_head] and w_output [n_heads · d_head, d_model]."""
    return _STARTS[settings.start](settings, generator)


def _usual(settings: Settings, generator: torch.Generator) -> list[Tensor]:
    """Xavier's uniform numbers, variance 2 / (rows + columns). Source: Glorot & Bengio 2010."""
    width = settings.n_heads * settings.width
    shapes = [(settings.d_model, width)] * 3 + [(width, settings.d_model)]
    return [torch.nn.init.xavier_uniform_(torch.empty(shape), generator=generator) for shape in shapes]


def _scaled(factor: float) -> Callable[[Settings, torch.Generator], list[Tensor]]:
    return lambda settings, generator: [factor * matrix for matrix in _usual(settings, generator)]


def _orthogonal(settings: Settings, generator: torch.Generator) -> list[Tensor]:
    return [torch.nn.init.orthogonal_(matrix, generator=generator) for matrix in _usual(settings, generator)]


def _identical(noise: float = 0.0, own_output: bool = False) -> Callable[[Settings, torch.Generator], list[Tensor]]:
    """Give every head the numbers of head 0; the usual size, so that only the symmetry is different."""

    def build(settings: Settings, generator: torch.Generator) -> list[Tensor]:
        *projections, w_output = _usual(settings, generator)
        copies = [matrix[:, : settings.width].repeat(1, settings.n_heads) for matrix in projections]
        copies.append(w_output if own_output else w_output[: settings.width].repeat(settings.n_heads, 1))
        return [copy + noise * torch.randn(copy.shape, generator=generator) for copy in copies]

    return build


_STARTS: dict[str, Callable[[Settings, torch.Generator], list[Tensor]]] = {
    "usual": _usual,
    "small": _scaled(SMALL),
    "large": _scaled(LARGE),
    "orthogonal": _orthogonal,
    "identical": _identical(),
    "identical+noise": _identical(noise=NOISE),
    "identical, own output": _identical(own_output=True),
}
