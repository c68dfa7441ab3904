"""The pinned heads, large and side by side on one scale: the second component.

`pinned_spec` decides what is said and shown; `assets/js/heads/pinned.js` draws it. Hovering, which lights one word in
all maps, stays in the browser.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mha.analysis.looks import Look, strongest_look
from mha.brief import with_arrays
from mha.figures.thumbnails import block_size, pool_largest
from mha.formats import labels, many, percent
from mha.maps import BROUGHT, AttentionMaps, HeadId, Token
from mha.screens.blocks import Drawing, Spans, say, word
from mha.screens.heads.findings import ONE_CELL, later, nothing_template, sink_names

SIDE = 128  # rows and columns that travel in full; longer maps are pooled by their largest weight


@with_arrays
class Pins:
    """The maps of the pinned heads with what was set aside, and the sentences about them.

    ``maps`` are as drawn, of attention or of contributions; ``share`` float [layer, head] and ``mass`` float [layer,
    head, query] are what was set aside of each head and of each row (``mass`` is None when sinks are shown). ``lock``
    is a position on the drawn key axis whose column is framed, or with another ``look`` than "at" its row. ``rows`` and
    ``columns`` are the positions of the axes on the shown ones; ``note`` is said of what is drawn.
    """

    maps: AttentionMaps
    heads: Sequence[HeadId]
    share: np.ndarray
    mass: np.ndarray | None = None
    sinks: Sequence[Token] = ()
    lock: int | None = None
    look: str = "at"
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    note: str = ""

    @property
    def brought(self) -> bool:
        """Whether the weights are shares of what a row receives, not of its attention."""
        return self.maps.measure == BROUGHT

    @property
    def of(self) -> str:
        """What the weights of a row are shares of."""
        return "what it receives" if self.brought else "its attention"

    @property
    def all_of(self) -> str:
        """The same, where what was excluded is counted in."""
        return "all it receives" if self.brought else "all its attention"

    @property
    def of_units(self) -> str:
        """The same, without what was excluded."""
        units = self.maps.units
        return f"what it receives from {units}" if self.brought else f"its attention to {units}"

    @functools.cached_property
    def looks(self) -> dict[HeadId, Look | None]:
        """Each head's strongest look, or its strongest at the locked word, or from it."""
        locked = {} if self.lock is None else {"key" if self.look == "at" else "query": self.lock}
        return {head: strongest_look(self.maps, head, **locked) for head in self.heads}

    def badge(self, head: HeadId) -> str:
        """Return what stands beside the head's name: how much of it was excluded, or goes to sinks."""
        share = float(self.share[head])
        if self.mass is not None:
            return f"{percent(share)} excluded"
        return f"{percent(share)} to {sink_names(self.sinks, self.maps.text)}" if self.sinks else ""

    def caption(self, head: HeadId) -> Spans:
        """Return the line under a map: its strongest connection, with both shares where something was excluded."""
        look = self.looks[head]
        if look is None:
            return nothing_template(self.maps.units, self.look, self._locked_word(), self.maps.measure, head=None)
        share = f"{percent(look.weight)} of {self.of}"
        if self.mass is not None:
            before = percent(look.weight * (1 - float(self.mass[head][look.query])))
            share = f"{percent(look.weight)} of {self.of_units} ({before} of {self.all_of})"
        way = "Largest contribution: {key} to {query}" if self.brought else "Strongest: {query} → {key}"
        query, key = self._words(look)
        return say(f"{way}, {share}.", query=word(query), key=word(key))

    def alternative(self, head: HeadId) -> str:
        """Return the text alternative of a map."""
        look = self.looks[head]
        strongest = "no connection of 1\u00a0% or more"
        if look is not None:
            way = "{1} supplies {0} {2}" if self.brought else "{0} to {1}, {2}"
            strongest = way.format(*self._words(look), percent(look.weight))
        size = f"{many(self.maps.n_queries, 'row')} by {many(self.maps.n_keys, 'column')}"
        return f"Attention map of {head}, {size}. Strongest: {strongest}. Arrow keys read its cells."

    def cells(self, pooled: bool) -> dict[str, Spans | str]:
        """Return what is said of a cell that is pointed at: both its shares, where something was excluded.

        Slots {query} {key} {share} {all} {aside}; the browser has the numbers, rounded as everywhere.
        """
        if self.mass is None or pooled:
            share = f"{{share}} of {self.of}{' at most' if pooled else ''}."
            to, itself = ONE_CELL[self.maps.measure]
            return {"cell": later(f"{to}: {share}"), "itself": later(f"{itself}: {share}")}
        rest = f"; that is {{all}} of {self.all_of}. {{aside}} of the row is excluded."
        cell, itself = (f"{{query}} gives {{share}} of {self.of_units} to {to}{rest}" for to in ("{key}", "itself"))
        if self.brought:
            received = f"receives from {self.maps.units}{rest}"
            cell = f"{{key}} supplies {{share}} of what {{query}} {received}"
            itself = f"{{query}} itself supplies {{share}} of what it {received}"
        return {
            "cell": later(cell, share=("strong", "{share}")),
            "itself": later(itself, share=("strong", "{share}")),
            "faded": say(" Faded, since most of this row is excluded."),
            "tip": f"{{share}} of {self.of_units}",
            "tip_all": f"{{all}} of {self.all_of}; {{aside}} excluded",
        }

    def about(self, scale: str, pooled: int) -> Spans:
        """Return the line under the heading; ``pooled`` neighbours share a cell on each side."""
        scales = {"head": "Colour scale: each head’s own maximum. ", "row": "Colour scale: each row’s own maximum. "}
        said, name = scales.get(scale, ""), self._locked_word()
        if self.mass is not None and self.sinks:
            said += "Each row adds up to 100\u00a0% without {sinks}. Faded row: more than half went there."
        if pooled > 1:
            said += f" Each cell shows the largest of {pooled}\u00a0×\u00a0{pooled} {self.maps.units}."
        if name is not None:
            said += f" Highlighted: the {'column' if self.look == 'at' else 'row'} of {{name}}."
        return say(said, sinks=sink_names(self.sinks, self.maps.text), name=word(name or ""))

    def _words(self, look: Look) -> tuple[str, str]:
        return labels(self.maps.tokens)[look.query], labels(self.maps.key_tokens)[look.key]

    def _locked_word(self) -> str | None:
        tokens = self.maps.key_tokens if self.look == "at" else self.maps.tokens
        return None if self.lock is None else labels(tokens)[self.lock]


def pinned_spec(
    pins: Pins,
    *,
    scale: str = "all",
    large: bool = False,
    cells: bool = False,
    sides: Mapping[str, str] | None = None,
) -> Drawing:
    """Return what the pinned heads draw; ``cells`` offers the arithmetic of its numbers.

    ``sides`` has the reading, "a" or "b", that a head was picked for, by its name.
    """
    maps, heads = pins.maps, pins.heads
    weights = np.stack([maps[head] for head in heads])  # [pin, query, key]
    step_q, step_k = block_size(maps.n_queries, SIDE), block_size(maps.n_keys, SIDE)
    pooled = max(step_q, step_k)
    header: dict[str, Any] = {
        "title": "Pinned heads" if len(heads) > 1 else "Pinned head",
        "about": pins.about(scale, pooled),
        "aside_label": "excluded",
        "queries": pooled_labels(labels(maps.tokens), step_q),
        "keys": pooled_labels(labels(maps.key_tokens), step_k),
        "same_words": maps.kind == "self",
        "steps": [step_q, step_k],
        "causal": maps.causal and maps.kind == "self",
        "lock": None if pins.lock is None else pins.lock // (step_k if pins.look == "at" else step_q),
        "look": pins.look,
        "scale": scale,
        "large": large,
        "cells": cells,
        "say": pins.cells(pooled > 1),
        "heads": [
            {
                "name": str(head),
                "side": (sides or {}).get(str(head), ""),
                "badge": pins.badge(head),
                "caption": pins.caption(head),
                "label": pins.alternative(head),
            }
            for head in heads
        ],
    }
    arrays = {"weights": np.rint(pool_largest(weights, SIDE) * 65535).astype(np.uint16)}
    if pins.mass is not None:
        aside = np.stack([pins.mass[head] for head in heads])[:, :, None]  # [pin, query, 1]
        arrays["mass"] = np.rint(pool_largest(aside, SIDE)[:, :, 0] * 65535).astype(np.uint16)
    return Drawing(header, arrays)


def pooled_labels(names: Sequence[str], step: int) -> list[str]:
    """Return one label for each block of ``step`` neighbours: its first and last word."""
    blocks = [names[start : start + step] for start in range(0, len(names), step)]
    return [block[0] if len(block) == 1 else f"{block[0]} … {block[-1]}" for block in blocks]
