"""Attention of a long text in blocks of queries, and the numbers that are kept of each block."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mha.maps import HeadId, Token
from mha.models.watch.attention import AttentionCall


@dataclass(frozen=True)
class Keeps:
    """Size of a survey: ``cell`` queries × keys are pooled to one; ``places`` are tokens, ``heads`` whole maps."""

    tokens: tuple[Token, ...]
    key_tokens: tuple[Token, ...]
    cell: int = 1
    places: Collection[int] = ()
    heads: Collection[HeadId] = ()


class Tally:
    """One stack's layers as they pass, whose ``block`` is a `mha.models.watch.tally.Watcher`.

    ``on_layer`` receives the index and the overview [head, cell, cell] of each finished layer; it may raise to stop.
    """

    def __init__(self, keeps: Keeps, on_layer: Callable[[int, np.ndarray], None] | None = None) -> None:
        self.keeps = keeps
        self.on_layer = on_layer
        self.overview: list[np.ndarray] = []  # each [head, cell, cell]
        self.rows: dict[int, list[np.ndarray]] = {}  # each [head, key]
        self.columns: dict[int, list[np.ndarray]] = {}  # each [head, query]
        self.maps: dict[HeadId, np.ndarray] = {}  # [query, key]

    def block(self, layer: int, first: int, begin: int, weights: Tensor) -> None:
        """Add a block's numbers; the last block of a layer reports the finished layer."""
        n_heads, n_rows, _ = weights.shape
        if len(self.overview) == layer:
            self._begin(n_heads)
        self._pool(layer, first, begin, weights)
        self._take_chosen(layer, first, begin, weights)
        if self.on_layer is not None and first + n_rows == len(self.keeps.tokens):
            self.on_layer(layer, self.overview[layer])

    def _begin(self, n_heads: int) -> None:
        """Make room for one layer."""
        n_queries, n_keys = len(self.keeps.tokens), len(self.keeps.key_tokens)
        side = self.keeps.cell
        self.overview.append(np.zeros((n_heads, -(-n_queries // side), -(-n_keys // side)), dtype=np.float32))
        for place in self.keeps.places:
            if place < n_queries:
                self.rows.setdefault(place, []).append(np.zeros((n_heads, n_keys), dtype=np.float32))
            if place < n_keys:
                self.columns.setdefault(place, []).append(np.zeros((n_heads, n_queries), dtype=np.float32))
        for head in self.keeps.heads:
            if head.layer == len(self.overview) - 1:
                self.maps[head] = np.zeros((n_queries, n_keys), dtype=np.float32)

    def _pool(self, layer: int, first: int, begin: int, weights: Tensor) -> None:
        """Lift the overview's cells to the largest weight in each; rows first, which are most of the work."""
        side, n_seen = self.keeps.cell, weights.shape[2]
        overview = torch.from_numpy(self.overview[layer])
        for row in range(first // side, (first + weights.shape[1] - 1) // side + 1):
            keys = weights[:, max(0, row * side - first) : (row + 1) * side - first].amax(dim=1)  # [head, key]
            cells = torch.nn.functional.pad(keys, (0, -n_seen % side)).unflatten(-1, (-1, side)).amax(dim=-1).cpu()
            lifted = overview[:, row, begin // side : begin // side + cells.shape[-1]]
            torch.maximum(lifted, cells, out=lifted)

    def _take_chosen(self, layer: int, first: int, begin: int, weights: Tensor) -> None:
        """Take the rows and columns of the chosen tokens, and the chosen heads' parts of their maps."""
        rows, keys = slice(first, first + weights.shape[1]), slice(begin, begin + weights.shape[2])
        for place, row in self.rows.items():
            if rows.start <= place < rows.stop:
                row[layer][:, keys] = weights[:, place - first].cpu().numpy()
        for place, column in self.columns.items():
            if keys.start <= place < keys.stop:
                column[layer][:, rows] = weights[:, :, place - begin].cpu().numpy()
        for head, head_map in self.maps.items():
            if head.layer == layer:
                head_map[rows, keys] = weights[head.head].cpu().numpy()


BLOCK_BYTES = 2**24  # of one block's weights; about five times as much is in use while it is computed


# Who is shown the blocks of every layer of one stack, in order: a layer's number, the numbers of the first query and of
# the first key, and weights [head, query, key]. Keys outside the given range have weight 0. The tensor
# may be used again after the call.
Watcher = Callable[[int, int, int, Tensor], None]


class InBlocks(AttentionCall):
    """A forward pass whose attention runs in blocks; ``watchers`` has the watcher of each stack, or None.

    ``align`` is the step at which the keys of a block may begin: the side of a cell for pooling watchers. ``rows`` is
    how many queries a block has, or None to fill `BLOCK_BYTES`.
    """

    def __init__(
        self, stack_of: Mapping[int, str], watchers: Mapping[str, Watcher], align: int = 1, rows: int | None = None
    ) -> None:
        super().__init__(stack_of, keep=())
        self.watchers = watchers
        self.align = align
        self.rows = rows
        self._spans: list[tuple[Tensor, list[tuple[int, int, int, int]]]] = []

    def attend(
        self, module: Any, eager: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """Run the module's own attention block by block, pass each to its watcher, and return the output without
        weights."""
        query, key, value, mask = arguments[:4]
        n_queries, n_keys = query.shape[2], key.shape[2]
        stack = self.stack_of[id(module)]
        layer = self.n_layers_run.get(stack, 0)
        watcher = self.watchers.get(stack)
        output = None
        for first, last, begin, end in self._blocks(mask, query.shape[1], n_queries, n_keys):
            part, weights = eager(
                module,
                query[:, :, first:last],
                key[:, :, begin:end],
                value[:, :, begin:end],
                _cut(mask, first, last, begin, end),
                *arguments[4:],
                **_cut_options(options, (n_queries, n_keys), first, last, begin, end),
            )  # [batch, query, head, d_head], [batch, head, query, key]
            if output is None:
                output = part.new_empty((part.shape[0], n_queries, *part.shape[2:]))
            output[:, first:last] = part
            if watcher is not None:
                watcher(layer, first, begin, weights[0].float())
        self.n_layers_run[stack] = layer + 1
        return output, None

    def _blocks(
        self, mask: Tensor | None, n_heads: int, n_queries: int, n_keys: int
    ) -> list[tuple[int, int, int, int]]:
        """Return first and last query, first and last key of each block; looked up once for each mask."""
        rows = self.rows or max(1, BLOCK_BYTES // (4 * n_heads * n_keys))
        if mask is None:
            return [(first, min(first + rows, n_queries), 0, n_keys) for first in range(0, n_queries, rows)]
        for known_mask, spans in self._spans:
            if known_mask is mask:
                return spans
        spans = list(_spans(mask, rows, n_queries, n_keys, self.align))
        self._spans.append((mask, spans))
        return spans


def _spans(mask: Tensor, rows: int, n_queries: int, n_keys: int, align: int) -> Iterator[tuple[int, int, int, int]]:
    for first in range(0, n_queries, rows):
        last = min(first + rows, n_queries)
        part = _cut(mask, first, last, 0, n_keys)
        seen = part if part.dtype == torch.bool else part > torch.finfo(part.dtype).min / 2
        begin, end = 0, n_keys
        if bool(seen.any(dim=-1).all()):  # a row that may see nothing spreads evenly over all keys
            keys = seen.flatten(0, -2).any(dim=0).nonzero()
            begin = int(keys[0]) // align * align
            end = min(-(-(int(keys[-1]) + 1) // align) * align, n_keys)
        yield first, last, begin, end


def _cut(mask: Any, first: int, last: int, begin: int, end: int) -> Any:
    """Return a mask's part for some queries and keys; a mask that is the same for all queries stays as it is."""
    if mask is None:
        return None
    return mask[..., begin:end] if mask.shape[-2] == 1 else mask[..., first:last, begin:end]


def _cut_options(
    options: dict[str, Any], shape: tuple[int, int], first: int, last: int, begin: int, end: int
) -> dict[str, Any]:
    """Return the options with tensors [query, key] (a position bias) cut to the block."""
    return {
        name: value[..., first:last, begin:end]
        if isinstance(value, Tensor) and value.ndim >= 2 and tuple(value.shape[-2:]) == shape
        else value
        for name, value in options.items()
    }
