"""One cell as both its views read it, *One cell* and *Step by step*: its numbers, its words, what is said in both."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from mha.brief import with_arrays
from mha.formats import labels, percent
from mha.link.heads import CellPlace
from mha.maps import AttentionMaps, HeadId, piece_groups
from mha.models.files.rows import ModelRow
from mha.models.toy import by_hand as set_by_hand
from mha.models.watch.cell import HALF_SLACK, SLACK, Cell
from mha.screens.blocks import Span, joined, say, size_said, word
from mha.screens.shown import Shown


def share(weight: float) -> str:
    """Return a weight as whole per cents, below half a per cent as such.

    >>> share(0.003), share(0.0), share(0.84)
    ('less than 1\xa0%', '0\xa0%', '84\xa0%')
    """
    return "less than 1\u00a0%" if 0 < weight < 0.005 else percent(weight)


def decimals(values: np.ndarray) -> int:
    """Return how many decimals tell such numbers apart.

    >>> decimals(np.array([3.2, -0.1])), decimals(np.array([0.02]))
    (1, 3)
    """
    finite = np.abs(values[np.isfinite(values)])
    largest = float(finite.max()) if len(finite) else 1.0
    return 1 if largest >= 1 else 2 if largest >= 0.1 else 3


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


@with_arrays
class RecordedCell:
    """One cell of recorded maps; ``by_number`` orders its numbers as the head has them, ``before`` unturned."""

    cell: Cell
    maps: AttentionMaps
    row: ModelRow
    by_number: bool = False
    before: bool = False

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
    def place(self) -> CellPlace:
        """Which cell it is."""
        return CellPlace(self.cell.head, self.cell.query, self.cell.key)

    @property
    def crosses(self) -> bool:
        """Whether the token that looks stands in another text than the keys."""
        return self.maps.kind != "self"

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
    def brought(self) -> np.ndarray | None:
        """Weight × length behind W_O of each key, or None."""
        return None if self.cell.through is None else self.cell.weights * self.cell.through


def lead(maps: AttentionMaps, place: CellPlace, hidden: bool, steps: str, of: str = "") -> tuple[Span, ...]:
    """Return the sentence that each view begins with; ``steps`` produce the number, ``of`` which model's head it is.

    It needs nothing but the maps and whether a mask hides the key, so that it stands before the cell is opened.
    """
    head, query, key = place
    weight = float(maps[head][query, key])
    words: dict[str, Span | HeadId | str] = {"head": head, "of": of, "query": word(labels(maps.tokens)[query])}
    words["key"] = word(labels(maps.key_tokens)[key])
    if hidden and weight == 0:
        later = "later tokens." if maps.causal and maps.kind == "self" and key > query else "it."
        return say("In head {head}{of}, {query} cannot look at {key}, because a mask hides " + later, **words)
    if maps.kind == "self" and query == key:
        words["key"] = "itself"
    return say(
        f"In head {{head}}{{of}}, {{query}} gives {share(weight)} of its attention to {{key}}. {steps} produce that "
        "number.",
        **words,
    )


def source(case: RecordedCell) -> tuple[str | tuple[Span, ...], ...]:
    """Return where the numbers come from, and how near they are to the model's own."""
    row, found, maps = case.row, case.cell, case.maps
    random = row.kind == "toy" and not set_by_hand(maps.text)
    shared: tuple[Span, ...] = ()
    if len(found.group) > 1:
        names = joined([("head", f"L{found.head.layer}H{other}") for other in found.group])
        shared = say(" {names} share one key and one value (grouped queries).", names=names)
    near = HALF_SLACK if maps.half_precision else SLACK
    return (
        f"Model: {row.short} ({row.source}), {row.origin_said}, "
        f"{size_said(row.n_layers, row.n_heads)} of {case.d_head} numbers; head "
        f"{found.head}, tokens as the model sees them, nothing excluded.",
        " For these words its numbers are random: the steps are real, the result has no meaning." if random else "",
        " All numbers come from the model. Recomputed here, the attention differs by less than "
        f"{f'{near:.5f}'.rstrip('0')}.",
        shared,
        " Blue is positive, grey is negative.",
    )
