"""What is kept of a whole text's attention, block by block: numbers of rows, pooled overviews, chosen rows and heads.

Every number of a row is as `mha.analysis.statistics` has it, and the mean over rows is taken there too; here they come
from blocks, so that memory grows with heads × tokens and not with heads × tokens².
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from mha.maps import HALF_PRECISION_SLACK, ROW_SUM_SLACK, HeadId, Token, sink_places

EMPTY_BELOW = 0.01  # as in `mha.analysis.sinks`
ROWS = ("entropy", "distance", "largest", "left", "aside", "previous", "next", "same")  # one number a row and head


@dataclass(frozen=True)
class Keeps:
    """What a survey keeps: ``cell`` queries × keys are pooled to one; ``places`` are tokens, ``heads`` whole maps."""

    tokens: tuple[Token, ...]
    key_tokens: tuple[Token, ...]
    cell: int
    places: Collection[int] = ()
    heads: Collection[HeadId] = ()
    cross: bool = False
    half_precision: bool = False


class Tally:
    """One stack's layers as they pass; see `mha.models.watch.blocks.Watcher`.

    ``each`` is told of each layer that is done: its number and its overview [head, cell, cell]; it may raise to stop.
    """

    def __init__(self, keeps: Keeps, each: Callable[[int, np.ndarray], None] | None = None) -> None:
        self.keeps = keeps
        self.each = each
        self.causal = not keeps.cross and len(keeps.tokens) > 1  # until a weight ahead is seen
        self.overview: list[np.ndarray] = []  # each [head, cell, cell]
        self.per_row: dict[str, list[np.ndarray]] = {name: [] for name in ROWS}  # each [head, query]
        self.rows: dict[int, list[np.ndarray]] = {}  # each [head, key]
        self.columns: dict[int, list[np.ndarray]] = {}  # each [head, query]
        self.maps: dict[HeadId, np.ndarray] = {}  # [query, key]
        self._sinks: np.ndarray | None = None  # bool [key], known once it is known whether the model looks back only
        self._room = torch.empty(0)

    def block(self, layer: int, first: int, begin: int, weights: Tensor) -> None:
        """Take a block's numbers."""
        n_heads, n_rows, n_seen = weights.shape
        if len(self.overview) == layer:
            self._begin(n_heads)
        end = begin + n_seen
        if self.causal and _looks_ahead(weights, first - begin):
            self.causal = False
        if self._sinks is None:
            self._sinks = sink_places(self.keeps.key_tokens, first=self.causal)
        cells = self._pool(layer, first, begin, weights)
        rows = slice(first, first + n_rows)
        kept = {name: torch.from_numpy(self.per_row[name][layer])[:, rows] for name in ROWS}
        sinks = self._sinks[begin:end]
        kept["entropy"][:] = -self._summed(weights, weights.clamp_min(1e-38).log_())
        kept["left"][:] = self._summed(weights, torch.from_numpy((~sinks).astype(np.float32)))
        kept["aside"][:] = self._aside(weights, torch.from_numpy(np.flatnonzero(sinks)))
        kept["largest"][:] = self._largest(cells, weights, sinks)
        if not self.keeps.cross:
            query = torch.arange(first, first + n_rows)
            distance = (query[:, None] - torch.arange(begin, end)).abs_().float()  # [query, key]
            kept["distance"][:] = self._summed(weights, distance)
            for name, offset in (("previous", -1), ("next", 1), ("same", 0)):
                self._take_beside(kept[name], weights, first, begin, offset)
        self._take_chosen(layer, first, begin, weights)

    def done(self, layer: int) -> None:
        """Tell whoever asked that a layer is complete."""
        if self.each is not None:
            self.each(layer, self.overview[layer])

    def statistics(self) -> dict[str, np.ndarray]:
        """Return float64 [layer, head] by the keys of `mha.analysis.statistics`; defined and computed as there."""
        tokens = self.keeps.tokens
        rows = {name: np.stack(layers).astype(np.float64) for name, layers in self.per_row.items()}
        entropy = np.maximum(rows["entropy"] / np.log(2), 0)
        n_visible = np.arange(1, len(tokens) + 1) if self.causal else np.full(len(tokens), len(self.keeps.key_tokens))
        most = np.where(n_visible > 1, np.log2(np.maximum(n_visible, 1)), np.nan)
        filled = (rows["left"] >= EMPTY_BELOW) & (self.keeps.cross | ~self._sinks_of_rows())
        plain = np.array([not token.special for token in tokens])
        found = {
            "entropy": _mean(entropy),
            "focus": _mean(np.clip(1 - entropy / most, 0, 1)),
            "largest_weight": _mean(np.where(filled, rows["largest"] / np.maximum(rows["left"], EMPTY_BELOW), np.nan)),
            "sink_share": _mean(rows["aside"][..., plain] if plain.any() else rows["aside"]),
        }
        if not self.keeps.cross:
            names = {"mean_distance": "distance", "previous_word": "previous", "next_word": "next", "same_word": "same"}
            found |= {key: _mean(rows[name]) for key, name in names.items()}
        return found

    def _sinks_of_rows(self) -> np.ndarray:
        return sink_places(self.keeps.tokens, first=self.causal)

    def _begin(self, n_heads: int) -> None:
        """Make room for one layer."""
        n_queries, n_keys = len(self.keeps.tokens), len(self.keeps.key_tokens)
        side = self.keeps.cell
        self.overview.append(np.zeros((n_heads, -(-n_queries // side), -(-n_keys // side)), dtype=np.float32))
        for kept in self.per_row.values():
            kept.append(np.full((n_heads, n_queries), np.nan, dtype=np.float32))
        for place in self.keeps.places:
            if place < n_queries:
                self.rows.setdefault(place, []).append(np.zeros((n_heads, n_keys), dtype=np.float32))
            if place < n_keys:
                self.columns.setdefault(place, []).append(np.zeros((n_heads, n_queries), dtype=np.float32))
        for head in self.keeps.heads:
            if head.layer == len(self.overview) - 1:
                self.maps[head] = np.zeros((n_queries, n_keys), dtype=np.float32)

    def _pool(self, layer: int, first: int, begin: int, weights: Tensor) -> Tensor:
        """Return the largest weight of each row in each cell [head, query, cell], and lift the overview to it."""
        side, n_seen = self.keeps.cell, weights.shape[2]
        whole = n_seen // side * side
        parts = [weights[..., :whole].unflatten(-1, (-1, side)).amax(dim=-1)] if whole else []
        if whole < n_seen:
            parts.append(weights[..., whole:].amax(dim=-1, keepdim=True))
        cells = torch.cat(parts, dim=-1)  # [head, query, cell]
        overview = torch.from_numpy(self.overview[layer])
        column = slice(begin // side, begin // side + cells.shape[-1])
        for row in range(first // side, (first + weights.shape[1] - 1) // side + 1):
            largest = cells[:, max(0, row * side - first) : (row + 1) * side - first].amax(dim=1).cpu()
            torch.maximum(overview[:, row, column], largest, out=overview[:, row, column])
        return cells

    def _largest(self, cells: Tensor, weights: Tensor, sinks: np.ndarray) -> Tensor:
        """Return each row's largest weight beside the sinks; whole cells were looked at already."""
        side = self.keeps.cell
        mixed = np.unique(np.flatnonzero(sinks) // side)  # cells with a sink in them
        plain = np.setdiff1d(np.arange(cells.shape[-1]), mixed)
        beside = np.array([key for key in np.flatnonzero(~sinks) if key // side in set(mixed)], dtype=np.int64)
        on = weights.device
        found = [cells[..., torch.from_numpy(plain).to(on)], weights[..., torch.from_numpy(beside).to(on)]]
        found = [part.amax(dim=-1) for part in found if part.shape[-1]]
        return torch.stack(found).amax(dim=0) if found else weights.new_zeros(weights.shape[:2])

    def _aside(self, weights: Tensor, sinks: Tensor) -> Tensor:
        """Return the mass that each row [head, query] puts on sinks or lacks altogether."""
        missing = 1 - weights.sum(dim=-1)
        slack = HALF_PRECISION_SLACK if self.keeps.half_precision else ROW_SUM_SLACK
        return (weights[..., sinks.to(weights.device)].sum(dim=-1) + missing.where(missing > slack, 0)).clamp_(0, 1)

    def _summed(self, weights: Tensor, factors: Tensor) -> Tensor:
        """Return the sum over keys of weights × factors, in room that is used again."""
        if self._room.shape != weights.shape or self._room.device != weights.device:
            self._room = torch.empty_like(weights)
        return torch.mul(weights, factors.to(weights.device), out=self._room).sum(dim=-1)

    def _take_beside(self, into: Tensor, weights: Tensor, first: int, begin: int, offset: int) -> None:
        """Take each row's weight on the key so many places on: 0 where it was not given, NaN where there is none."""
        n_rows, n_seen = weights.shape[1:]
        there = slice(max(0, -first - offset), min(n_rows, len(self.keeps.key_tokens) - first - offset))
        into[:, there] = 0
        start = first + offset - begin  # the first row's, among the keys that are given
        given = slice(max(0, -start), min(n_rows, n_seen - start))
        if given.stop > given.start:
            into[:, given] = weights.diagonal(start, dim1=1, dim2=2)

    def _take_chosen(self, layer: int, first: int, begin: int, weights: Tensor) -> None:
        """Take the rows and columns of the chosen tokens, and the chosen heads' parts of their maps."""
        rows, keys = slice(first, first + weights.shape[1]), slice(begin, begin + weights.shape[2])
        for place, row in self.rows.items():
            if rows.start <= place < rows.stop:
                row[layer][:, keys] = weights[:, place - first].cpu().numpy()
        for place, column in self.columns.items():
            if keys.start <= place < keys.stop:
                column[layer][:, rows] = weights[:, :, place - begin].cpu().numpy()
        for head, whole in self.maps.items():
            if head.layer == layer:
                whole[rows, keys] = weights[head.head].cpu().numpy()


def _looks_ahead(weights: Tensor, diagonal: int) -> bool:
    """Return whether a query looks at a key behind its own; the first query's own key is number ``diagonal``."""
    start = max(0, diagonal + 1)
    return bool(weights[:, :, start:].triu(diagonal + 1 - start).any())


def _mean(rows: np.ndarray) -> np.ndarray:
    """Return the mean over the rows that have an answer, float64 [layer, head]; NaN where none does."""
    counted = np.isfinite(rows)
    number = counted.sum(axis=-1)
    return np.where(number > 0, np.where(counted, rows, 0).sum(axis=-1) / np.maximum(number, 1), np.nan)
