"""Attention of a long text in blocks of queries, and the numbers that are kept of each block."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mha.maps import HALF_PRECISION_SLACK, ROW_SUM_SLACK, HeadId, Token, sink_places
from mha.models.watch.attention import AttentionCall

MOST_RUNS = 8  # of keys between sinks that are read one after the other
TINY = torch.finfo(torch.float32).tiny  # smaller numbers are denormal, and slow
EMPTY_BELOW = 0.01  # as in `mha.analysis.sinks`
ROWS = (
    "entropy",
    "distance",
    "largest",
    "left",
    "mass",
    "aside",
    "previous",
    "next",
    "same",
)  # one number a row and head


@dataclass(frozen=True)
class Keeps:
    """Size of a survey: ``cell`` queries × keys are pooled to one; ``places`` are tokens, ``heads`` whole maps."""

    tokens: tuple[Token, ...]
    key_tokens: tuple[Token, ...]
    cell: int = 1
    places: Collection[int] = ()
    heads: Collection[HeadId] = ()
    cross: bool = False
    half_precision: bool = False


class Tally:
    """One stack's layers as they pass, whose ``block`` is a `mha.models.watch.tally.Watcher`.

    ``on_layer`` receives the index and the overview [head, cell, cell] of each finished layer; it may raise to stop.
    """

    def __init__(self, keeps: Keeps, on_layer: Callable[[int, np.ndarray], None] | None = None) -> None:
        self.keeps = keeps
        self.each = on_layer
        self.causal = not keeps.cross and len(keeps.tokens) > 1  # until a weight ahead is seen
        self.overview: list[np.ndarray] = []  # each [head, cell, cell]
        self.per_row: dict[str, list[np.ndarray]] = {name: [] for name in ROWS}  # each [head, query]
        self.rows: dict[int, list[np.ndarray]] = {}  # each [head, key]
        self.columns: dict[int, list[np.ndarray]] = {}  # each [head, query]
        self.maps: dict[HeadId, np.ndarray] = {}  # [query, key]
        self._sinks: np.ndarray | None = None  # bool [key], known once it is known whether the model looks back only
        self._room = torch.empty(0)  # of a block's size, used again for every block

    def block(self, layer: int, first: int, begin: int, weights: Tensor) -> None:
        """Add a block's numbers; the last block of a layer reports the finished layer."""
        n_heads, n_rows, n_seen = weights.shape
        if len(self.overview) == layer:
            self._begin(n_heads)
        end = begin + n_seen
        if self.causal and _looks_ahead(weights, first - begin):
            self.causal = False
        if self._sinks is None:
            self._sinks = sink_places(self.keeps.key_tokens, first=self.causal)
        self._pool(layer, first, begin, weights)
        rows = slice(first, first + n_rows)
        numbers = {name: torch.from_numpy(self.per_row[name][layer])[:, rows] for name in ROWS}
        aside, other_parts = (
            _parts(weights, is_chosen) for is_chosen in (self._sinks[begin:end], ~self._sinks[begin:end])
        )
        none = weights.new_zeros(n_heads, n_rows)
        remaining = sum((part.sum(dim=-1) for part in other_parts), none)
        numbers["entropy"][:] = self._entropy(weights)
        on_sinks = sum((part.sum(dim=-1) for part in aside), none)
        numbers["left"][:], numbers["mass"][:] = remaining, remaining + on_sinks
        numbers["aside"][:] = self._aside(on_sinks, remaining)
        numbers["largest"][:] = torch.stack([none, *(part.amax(dim=-1) for part in other_parts)]).amax(dim=0)
        if not self.keeps.cross:
            numbers["distance"][:] = _distance(weights, first, begin)
            for name, offset in (("previous", -1), ("next", 1), ("same", 0)):
                self._take_beside(numbers[name], weights, first, begin, offset)
        self._take_chosen(layer, first, begin, weights)
        if self.each is not None and rows.stop == len(self.keeps.tokens):
            self.each(layer, self.overview[layer])

    def statistics(self) -> dict[str, np.ndarray]:
        """Return float64 [layer, head] by the keys of `mha.analysis.statistics`; defined and computed as there."""
        tokens = self.keeps.tokens
        rows = {name: np.stack(layers).astype(np.float64) for name, layers in self.per_row.items()}
        lacks = rows["mass"] < 1 - EMPTY_BELOW  # as `mha.analysis.sinks.on_tokens` has it
        mass = np.where(lacks, np.where(rows["mass"] < EMPTY_BELOW, np.nan, rows["mass"]), 1)
        entropy = np.maximum(rows["entropy"] / np.log(2) / mass + np.log2(mass), 0)  # of weights divided by their sum
        n_visible = np.arange(1, len(tokens) + 1) if self.causal else np.full(len(tokens), len(self.keeps.key_tokens))
        largest_entropy = np.where(n_visible > 1, np.log2(np.maximum(n_visible, 1)), np.nan)
        is_counted = (rows["left"] >= EMPTY_BELOW) & (self.keeps.cross | ~self._sinks_of_rows())
        plain = np.array([not token.special for token in tokens])
        values = {
            "entropy": _mean(entropy),
            "focus": _mean(np.clip(1 - entropy / largest_entropy, 0, 1)),
            "largest_weight": _mean(
                np.where(is_counted, rows["largest"] / np.maximum(rows["left"], EMPTY_BELOW), np.nan)
            ),
            "sink_share": _mean(rows["aside"][..., plain] if plain.any() else rows["aside"]),
        }
        if not self.keeps.cross:
            names = {"mean_distance": "distance", "previous_word": "previous", "next_word": "next", "same_word": "same"}
            values |= {key: _mean(rows[name] / mass) for key, name in names.items()}
            if self.causal:
                values["next_word"] = np.full_like(values["next_word"], np.nan)
        return values

    def _sinks_of_rows(self) -> np.ndarray:
        return sink_places(self.keeps.tokens, first=self.causal)

    def _begin(self, n_heads: int) -> None:
        """Make room for one layer."""
        n_queries, n_keys = len(self.keeps.tokens), len(self.keeps.key_tokens)
        side = self.keeps.cell
        self.overview.append(np.zeros((n_heads, -(-n_queries // side), -(-n_keys // side)), dtype=np.float32))
        for array in self.per_row.values():
            array.append(np.full((n_heads, n_queries), np.nan, dtype=np.float32))
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

    def _entropy(self, weights: Tensor) -> Tensor:
        """Return each row's entropy in nats, [head, query]; its buffers are reused."""
        if self._room.numel() < weights.numel() or self._room.device != weights.device:
            n_heads, n_rows, _ = weights.shape
            self._room = weights.new_empty(n_heads * n_rows * len(self.keeps.key_tokens))
        room = self._room[: weights.numel()].view(weights.shape)
        return -torch.clamp_min(weights, TINY, out=room).log_().mul_(weights).sum(dim=-1)

    def _aside(self, on_sinks: Tensor, remaining: Tensor) -> Tensor:
        """Return the mass that each row [head, query] puts on sinks or lacks altogether."""
        missing = 1 - (remaining + on_sinks)
        slack = HALF_PRECISION_SLACK if self.keeps.half_precision else ROW_SUM_SLACK
        return (on_sinks + missing.where(missing > slack, 0)).clamp_(0, 1)

    def _take_beside(self, into: Tensor, weights: Tensor, first: int, begin: int, offset: int) -> None:
        """Add each row's weight on the key at this distance: 0 outside the given keys, NaN outside the text."""
        n_rows, n_seen = weights.shape[1:]
        target = slice(max(0, -first - offset), min(n_rows, len(self.keeps.key_tokens) - first - offset))
        into[:, target] = 0
        start = first + offset - begin  # the first row's, among the keys that are given
        source = slice(max(0, -start), min(n_rows, n_seen - start))
        if source.stop > source.start:
            into[:, source] = weights.diagonal(start, dim1=1, dim2=2)

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


def _looks_ahead(weights: Tensor, diagonal: int) -> bool:
    """Return whether a query looks at a key behind its own; the first query's own key is number ``diagonal``."""
    start = max(0, diagonal + 1)
    return bool(weights[:, :, start:].amax(dim=0).triu(diagonal + 1 - start).any())


def _parts(weights: Tensor, is_chosen: np.ndarray) -> list[Tensor]:
    """Return the weights on chosen keys: each run of keys without a copy, or all in one copy where runs are many."""
    edges = np.flatnonzero(np.diff(is_chosen, prepend=False, append=False))
    if len(edges) > 2 * MOST_RUNS:
        return [weights[..., torch.from_numpy(np.flatnonzero(is_chosen)).to(weights.device)]]
    return [weights[..., start:stop] for start, stop in edges.reshape(-1, 2).tolist()]


def _distance(weights: Tensor, first: int, begin: int) -> Tensor:
    """Return Σ weight · |query - key| of each row [head, query], the keys counted from ``begin``.

    A key outside the block's own queries is as far from any of them as from the nearest end, and that end from the
    query: so most keys need a product with one vector, and only the block's own an array of distances.
    """
    n_rows, n_seen = weights.shape[1:]
    start, stop = (min(max(0, end - begin), n_seen) for end in (first, first + n_rows))
    place = torch.arange(n_rows, device=weights.device)  # of each query, and below of each key, in the block
    key = torch.arange(n_seen, device=weights.device) + (begin - first)
    earlier, same_block, behind = weights[..., :start], weights[..., start:stop], weights[..., stop:]
    distance = (same_block * (place[:, None] - key[start:stop]).abs()).sum(dim=-1)
    distance += earlier @ -key[:start].to(weights.dtype) + earlier.sum(dim=-1) * place
    return distance + behind @ (key[stop:] - (n_rows - 1)).to(weights.dtype) + behind.sum(dim=-1) * (n_rows - 1 - place)


def _mean(rows: np.ndarray) -> np.ndarray:
    """Return the mean over the rows with a value, float64 [layer, head]; NaN if there is no such row."""
    has_value = np.isfinite(rows)
    number = has_value.sum(axis=-1)
    return np.where(number > 0, np.where(has_value, rows, 0).sum(axis=-1) / np.maximum(number, 1), np.nan)


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
        layer = self.seen.get(stack, 0)
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
        self.seen[stack] = layer + 1
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
