"""What the view of one cell draws from: the cell, the words of its text, and how the reader wants it ordered."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mha.brief import brief
from mha.formats import labels
from mha.link.cell import CellPlace
from mha.maps import AttentionMaps, HeadId, piece_groups, sink_places
from mha.models.files.rows import ModelRow
from mha.models.watch.cell import Cell
from mha.screens.blocks import Span, word
from mha.screens.shown import Shown

SMALL = 64  # numbers of a head up to which all stand in the waterfall, the largest first


def picked(maps: AttentionMaps, shown: Shown, head: HeadId, query: int, key: int, step: tuple[int, int]) -> CellPlace:
    """Return the cell of recorded maps that a cell of drawn ones stands for, by tokens.

    A drawn cell may hold several: of joined words, and of the ``step`` [query, key] neighbours of a pooled map. The
    largest weight among them is it.
    """
    queries = _tokens(maps, shown, range(query, min(query + step[0], shown.maps.n_queries)), rows=True)
    keys = _tokens(maps, shown, range(key, min(key + step[1], shown.maps.n_keys)), rows=False)
    row, column = np.unravel_index(int(np.argmax(maps[head][np.ix_(queries, keys)])), (len(queries), len(keys)))
    return CellPlace(head, queries[row], keys[column])


def _tokens(maps: AttentionMaps, shown: Shown, positions: range, rows: bool) -> list[int]:
    whole = rows and maps.kind != "self"  # rows of cross-attention are never set aside
    places = [place if whole else shown.position(place) for place in positions]
    if shown.full.units == maps.units:
        return places
    groups = piece_groups(maps.tokens if rows else maps.key_tokens)
    return [token for place in places for token in groups[place]]


@dataclass(frozen=True, eq=False)
class RecordedCell:
    """One cell of recorded maps; ``by_number`` orders its numbers as the head has them, ``before`` unturned."""

    cell: Cell
    maps: AttentionMaps
    row: ModelRow
    by_number: bool = False
    before: bool = False

    __repr__ = brief

    @cached_property
    def names(self) -> tuple[str, ...]:
        """How the keys are called."""
        return labels(self.cell.key_tokens)

    @property
    def query(self) -> Span:
        """The token that looks."""
        return word(labels(self.cell.tokens)[self.cell.query])

    @property
    def key(self) -> Span:
        """The token that is looked at."""
        return self.name(self.cell.key)

    def name(self, key: int) -> Span:
        """A key by its place."""
        return word(self.names[key])

    @property
    def crosses(self) -> bool:
        """Whether the token that looks stands in another text than the keys."""
        return self.maps.kind != "self"

    @property
    def looking_at(self) -> int:
        """The place of the token that looks among the pieces of the hero: behind the keys of another text."""
        return self.cell.query + (len(self.cell.key_tokens) if self.crosses else 0)

    def ways(self) -> list[tuple[str, int, int, int]]:
        """Return what each click on a piece of the hero means: its way and place, and the query and key behind it.

        Of one text a click is about who looks ("from") or what is looked at ("at"); of two a word is one of them only.
        """
        query, key, n_keys = self.cell.query, self.cell.key, len(self.cell.key_tokens)
        if self.crosses:
            cells = [(at, query, at) for at in range(n_keys)]
            cells += [(n_keys + at, at, key) for at in range(len(self.cell.tokens))]
            return [(way, *cell) for way in ("from", "at") for cell in cells]
        froms = [("from", at, at, key) for at in range(len(self.cell.tokens))]
        return froms + [("at", at, query, at) for at in range(n_keys)]

    @property
    def itself(self) -> bool:
        """Whether a token looks at itself."""
        return self.maps.kind == "self" and self.cell.query == self.cell.key

    @property
    def d_head(self) -> int:
        """How many numbers a head makes of a token."""
        return len(self.cell.q)

    @property
    def unturned(self) -> bool:
        """Whether query and key are shown as they were before the rotation."""
        return self.before and self.cell.before is not None

    @property
    def pair(self) -> tuple[np.ndarray, np.ndarray]:
        """Query and key as they are shown, each [d_head]."""
        if self.unturned and self.cell.before is not None:
            return self.cell.before
        return self.cell.q, self.cell.k

    @cached_property
    def products(self) -> np.ndarray:
        """Their products [d_head]."""
        q, k = self.pair
        return q * k

    @property
    def cut_off(self) -> bool:
        """Whether the mask hides the key, so that nothing is given to it."""
        return self.cell.hidden and self.cell.weight == 0

    @cached_property
    def seen(self) -> np.ndarray:
        """Which keys the token may look at, by place."""
        return np.flatnonzero(np.isfinite(self.cell.scores))

    @property
    def other(self) -> int | None:
        """The key with the largest weight beside the one looked at; None where there is none."""
        others = [int(key) for key in self.seen if key != self.cell.key]
        return max(others, key=lambda key: float(self.cell.weights[key])) if others else None

    @property
    def sinks(self) -> np.ndarray:
        """The places of the sinks among the keys."""
        return np.flatnonzero(sink_places(self.cell.key_tokens, first=self.maps.causal and self.maps.kind == "self"))

    @property
    def brought(self) -> np.ndarray | None:
        """Weight × length behind W_O of each key, or None."""
        return None if self.cell.through is None else self.cell.weights * self.cell.through


def turning_pairs(before: tuple[np.ndarray, np.ndarray], after: tuple[np.ndarray, np.ndarray]) -> list[int] | None:
    """Return the order of a head's numbers in which those that turn together stand side by side, or None.

    A rotation keeps the length of each pair; models pair a number with the next one, or with one half further on, of
    all numbers or of a first part. Where several ways fit (nothing was turned), none is told.
    """
    size = len(before[0])
    fitting = []
    for turned in sorted({size, *(part for part in (size // 2, size // 4) if part % 2 == 0 and part)}, reverse=True):
        rest = list(range(turned, size))
        halves = [number for i in range(turned // 2) for number in (i, i + turned // 2)]
        for order in (list(range(turned)), halves):
            still = all(np.allclose(b[rest], a[rest], atol=1e-5) for b, a in zip(before, after, strict=True))
            if still and _kept(before, after, order):
                fitting.append(order + rest)
    return fitting[0] if len({tuple(order) for order in fitting}) == 1 else None


def _kept(before: tuple[np.ndarray, np.ndarray], after: tuple[np.ndarray, np.ndarray], order: list[int]) -> bool:
    """Return whether each two neighbours of an order keep their length."""
    if len(order) % 2:
        return False
    lengths = [np.hypot(*one[order].reshape(-1, 2).T) for one in (*before, *after)]
    size = max(1.0, *(float(one.max()) for one in lengths))
    return all(np.allclose(lengths[i], lengths[i + 2], atol=1e-4 * size) for i in (0, 1))
