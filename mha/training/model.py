"""The learner: the arithmetic of `core` in PyTorch, with its initial values and the numbers that each head reads.

A word's vector is its embedding plus its position; each layer adds what its heads gather; each reading has a reader
on the pivot's vector that names a noun. Parameters have the layout of `core.MultiHead`; a test compares the two
(`studies.trained_toy.to_core`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from mha.core import random_reads
from mha.training.grammar import NOUNS, Grammar
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


# Initial values for each setting of `start`: w_query, w_key, w_value [d_model, n_heads · d_head] and w_output
# [n_heads · d_head, d_model].
_STARTS: dict[str, Callable[[Settings, torch.Generator], list[Tensor]]] = {
    "usual": _usual,
    "small": _scaled(SMALL),
    "large": _scaled(LARGE),
    "orthogonal": _orthogonal,
    "identical": _identical(),
    "identical+noise": _identical(noise=NOISE),
    "identical, own output": _identical(own_output=True),
}


MAX_TOKENS = 20  # number of distinct positions
EMBEDDING_SPREAD = 0.2  # standard deviation of embeddings and positions at the start
READER_HIDDEN = 64


class Attention(nn.Module):
    """One multi-head layer that can be trained; parameters are kept head by head.

    Every head goes through the same products of the same shapes, so that equal heads get bitwise equal gradients.
    """

    def __init__(self, settings: Settings, generator: torch.Generator, layer: int) -> None:
        super().__init__()
        self.n_heads, self.d_head = settings.n_heads, settings.width
        self.reads = head_reads(settings, layer)
        *projections, w_output = _STARTS[settings.start](settings, generator)
        heads = [
            matrix.unflatten(1, (self.n_heads, self.d_head)).transpose(0, 1).contiguous() for matrix in projections
        ]
        self.w_query, self.w_key, self.w_value = map(nn.Parameter, heads)  # [head, d_model, d_head]
        self.w_output = nn.Parameter(w_output.unflatten(0, (self.n_heads, self.d_head)))  # [head, d_head, d_model]
        read = np.ones((self.n_heads, settings.d_model)) if self.reads is None else self.reads
        self.read = torch.from_numpy(read.astype(np.float32))[:, :, None]  # [head, d_model, 1]

    def forward(
        self, asking: Tensor, x: Tensor, visible: Tensor, ablated: Collection[int] = ()
    ) -> tuple[Tensor, Tensor]:
        """Return the output added to the querying words, [sentence, query, d_model], and the weights [head, sentence,
        query, key].

        ``asking`` is [sentence, query, d_model], ``x`` [sentence, token, d_model], ``visible`` bool [sentence, token];
        heads in ``ablated`` contribute nothing.
        """
        query = self._project(asking, self.w_query)  # [head, sentence, query, d_head]
        key = self._project(x, self.w_key)  # [head, sentence, token, d_head]
        value = self._project(x, self.w_value)  # [head, sentence, token, d_head]
        scores = query @ key.transpose(2, 3) / self.d_head**0.5  # [head, sentence, query, key]
        weights = scores.masked_fill(~visible[:, None, :], -torch.inf).softmax(dim=-1)
        gathered = weights @ value  # [head, sentence, query, d_head]
        contributions = (gathered.flatten(1, 2) @ self.w_output).unflatten(1, asking.shape[:2])
        active_heads = [head for head in range(self.n_heads) if head not in ablated]
        return contributions[active_heads].sum(dim=0), weights

    def _project(self, x: Tensor, matrix: Tensor) -> Tensor:
        """Return [head, sentence, token, d_head] from [sentence, token, d_model]."""
        rows = x.flatten(0, 1).expand(self.n_heads, -1, -1)  # [head, sentence · token, d_model]
        return (rows @ (matrix * self.read)).unflatten(1, x.shape[:2])


class Learner(nn.Module):
    """Embeddings, one or two layers, one reader for each reading."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        generator = torch.Generator().manual_seed(settings.seed)
        n_words = len(Grammar(settings.n_readings).vocabulary)
        self.embeddings = nn.Parameter(EMBEDDING_SPREAD * torch.randn(n_words, settings.d_model, generator=generator))
        self.positions = nn.Parameter(EMBEDDING_SPREAD * torch.randn(MAX_TOKENS, settings.d_model, generator=generator))
        self.layers = nn.ModuleList(Attention(settings, generator, layer) for layer in range(settings.n_layers))
        self.readers = nn.ModuleList(_reader(settings, generator) for _ in range(settings.n_readings))

    def forward(
        self, tokens: Tensor, visible: Tensor, pivot: Tensor, ablated: Collection[int] = ()
    ) -> tuple[Tensor, list[Tensor]]:
        """Return scores of the nouns [sentence, reading, noun] and each layer's weights; ``ablated`` are heads of the
        last layer.
        """
        x = embedding(tokens, self.embeddings) + self.positions[: tokens.shape[1]]  # [sentence, token, d_model]
        *below, last = self.layers
        looks = []
        for layer in below:
            output, look = layer(x, x, visible)
            x = x + output  # [sentence, token, d_model]
            looks.append(look)
        at_pivot = x[torch.arange(len(x)), pivot]  # [sentence, d_model]; of the last layer only the pivot is read
        output, look = last(at_pivot[:, None], x, visible, ablated)
        at_pivot = at_pivot + output[:, 0]  # [sentence, d_model]
        return torch.stack([reader(at_pivot) for reader in self.readers], dim=1), [*looks, look]

    def weights(self, tokens: Tensor) -> Tensor:
        """Return where every word of one sentence [token] looks, [layer, head, query, key]."""
        x = (self.embeddings[tokens] + self.positions[: len(tokens)])[None]  # [1, token, d_model]
        layers = []
        for layer in self.layers:
            output, look = layer(x, x, torch.ones(1, len(tokens), dtype=torch.bool))
            x = x + output
            layers.append(look[:, 0])  # [head, query, key]
        return torch.stack(layers)

    @property
    def last(self) -> Attention:
        """The layer whose output the readers read."""
        return cast(Attention, self.layers[-1])


def _reader(settings: Settings, generator: torch.Generator) -> nn.Module:
    """Return a linear reader, or one with a hidden layer, started from the run's own generator.

    The hidden layer is tanh: behind ReLU a single head still looks at one noun alone after 600 steps in some seeds.
    """
    if not settings.mlp_readers:
        return _linear(settings.d_model, len(NOUNS), generator)
    hidden = _linear(settings.d_model, READER_HIDDEN, generator)
    return nn.Sequential(hidden, nn.Tanh(), _linear(READER_HIDDEN, len(NOUNS), generator))


def _linear(n_in: int, n_out: int, generator: torch.Generator) -> nn.Linear:
    linear = nn.Linear(n_in, n_out)
    with torch.no_grad():
        nn.init.xavier_uniform_(linear.weight, generator=generator)
        nn.init.zeros_(linear.bias)
    return linear
