"""The pinned heads, large and side by side on one scale: the second component.

`pinned_spec` decides what is said and shown; `assets/js/heads/pinned.js` draws it. Hovering, which lights one word in
all maps, and the choice of view stay in the browser.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.analysis.looks import Look, strongest_look
from mha.brief import brief
from mha.errors import InputError, ShapeError
from mha.figures.thumbnails import block_size, pool_largest
from mha.formats import labels, percent
from mha.link.view import MAX_PINS
from mha.link.view import PINNED_VIEWS as VIEWS
from mha.maps import AttentionMaps, HeadId, Token
from mha.screens.blocks import Span as Term
from mha.screens.drawing import Drawing
from mha.screens.heads.findings import Sentence, Span, sink_names
from mha.screens.heads.overview import check_heads
from mha.words import right_to_left

SIDE = 128  # rows and columns that travel in full; longer maps are pooled by their largest weight


def pinned_spec(
    shown: AttentionMaps,
    share: np.ndarray,
    pins: Sequence[HeadId],
    *,
    mass: np.ndarray | None = None,
    off: Collection[HeadId] = (),
    lock: int | None = None,
    look: str = "at",
    scale: str = "all",
    sinks: Sequence[Token] = (),
    view: str = "heatmaps",
    large: bool = False,
    steps: bool = False,
    cells: bool = False,
    brought: bool = False,
    terms: Sequence[Term] = (),
) -> Drawing:
    """Return what the pinned heads draw; ``steps`` offers the way from a head to its arithmetic, ``cells`` to a cell's.

    ``shown`` are the maps as drawn; ``share`` float [layer, head] and ``mass`` float [layer, head, query] are what was
    set aside of each head and of each row (``mass`` is None when sinks are shown); ``lock`` is a position on the shown
    key axis whose column is framed, or with another ``look`` than "at" its row. ``brought`` says that the maps are
    shares of what heads bring (`mha.brought`), not of their attention. ``terms`` is a line under the maps whose terms
    open their entries of the glossary.

    Raises:
        ShapeError: ``mass`` does not fit the maps.
        InputError: no pin or more than four, or a pin, the lock, the scale or the view is not one there is.
    """
    _check(shown, pins, mass, lock, look, scale, view)
    words = _Words(shown, pins, lock, look, mass, sinks, brought)
    weights = np.stack([shown[head] for head in pins])  # [pin, query, key]
    step_q, step_k = block_size(shown.n_queries, SIDE), block_size(shown.n_keys, SIDE)
    whole_rows = mass is not None or bool((weights.sum(axis=-1) > 0.99).all())
    rtl = right_to_left(shown.text)
    only_one_on = len(set(off)) == shown.n_layers * shown.n_heads - 1
    header: dict[str, Any] = {
        "title": "Pinned, side by side" if len(pins) > 1 else "Pinned",
        "about": {
            "heatmaps": words.about_heatmaps(scale, max(step_q, step_k)),
            "lines": words.about_lines(),
            "numbers": words.about_numbers(),
        },
        "axis": _axis(whole_rows, rtl),
        "aside_label": "set aside",
        "queries": pooled_labels(labels(shown.tokens), step_q),
        "keys": pooled_labels(labels(shown.key_tokens), step_k),
        "same_words": shown.kind == "self",
        "steps": [step_q, step_k],
        "causal": shown.causal and shown.kind == "self",
        "lock": None if lock is None else lock // (step_k if look == "at" else step_q),
        "look": look,
        "scale": scale,
        "view": view,
        "large": large,
        "of": "what each row is brought" if brought else "each row’s attention",
        "show_steps": steps,
        "cells": cells,
        "say": words.cells(max(step_q, step_k) > 1, cells),
        "heads": [
            {
                "name": str(head),
                "badge": words.badge(float(share[head])),
                "only": only_one_on and head not in off,
                "caption": words.caption(head),
                "label": words.alternative(head),
            }
            for head in pins
        ],
    }
    if terms:
        header["terms"] = list(terms)
    if rtl:  # columns run as the text does, the words of the rows stand where it begins
        header["rtl"] = True
    arrays = {"weights": np.rint(pool_largest(weights, SIDE) * 65535).astype(np.uint16)}
    if mass is not None:
        aside = np.stack([mass[head] for head in pins])[:, :, None]  # [pin, query, 1]
        arrays["mass"] = np.rint(pool_largest(aside, SIDE)[:, :, 0] * 65535).astype(np.uint16)
    return Drawing(header, arrays)


def _axis(whole_rows: bool, rtl: bool) -> str:
    columns = "the columns, which run from right to left" if rtl else "the columns"
    return f"a row looks at {columns}" + ("; each row adds up to 100" if whole_rows else "")


def _check(
    shown: AttentionMaps,
    pins: Sequence[HeadId],
    mass: np.ndarray | None,
    lock: int | None,
    look: str,
    scale: str,
    view: str,
) -> None:
    check_heads(shown, pins, lock, scale, look)
    if not pins:
        raise InputError(f"One to {MAX_PINS} heads can stand side by side; 0 were asked for.")
    expected = shown.weights.shape[:3]
    if mass is not None and np.shape(mass) != expected:
        raise ShapeError(f"The mass set aside must be [layer, head, query] {expected}; it is {np.shape(mass)}.")
    if view not in VIEWS:
        raise InputError(f"A view is one of {', '.join(VIEWS)}; this is {view!r}.")


@dataclass(frozen=True, eq=False)
class _Words:
    """The sentences for some pinned heads of some maps; ``lock`` is a position, ``look`` what of it is framed."""

    shown: AttentionMaps
    pins: Sequence[HeadId]
    lock: int | None
    look: str
    mass: np.ndarray | None
    sinks: Sequence[Token]
    brought: bool = False

    __repr__ = brief

    @property
    def of(self) -> str:
        """What the weights of a row are shares of."""
        return "what it is brought" if self.brought else "its attention"

    @property
    def all_of(self) -> str:
        """The same, where what was set aside is counted in."""
        return "all that it is brought" if self.brought else "all its attention"

    def strongest(self, head: HeadId) -> Look | None:
        """Return the head's strongest look, or its strongest at the locked word, or from it."""
        locked = {} if self.lock is None else {"key" if self.look == "at" else "query": self.lock}
        return strongest_look(self.shown, head, **locked)

    def badge(self, share: float) -> str:
        """Return what stands beside the head's name: how much of it was set aside, or rests on sinks."""
        if self.mass is not None:
            return f"{percent(share)} set aside"
        return f"{percent(share)} on {sink_names(self.sinks)}" if self.sinks else ""

    def caption(self, head: HeadId) -> Sentence:
        """Return the line under a map: the strongest look, and what it was before rescaling."""
        look, word, one = self.strongest(head), self._locked_word(), self.shown.units.removesuffix("s")
        if self.brought:
            return self._caption_of_brought(head, look, word, one)
        if look is None and word is None:
            return (("plain", f"No {one} looks at another with 1\u00a0% or more."),)
        if look is None:
            if self.look == "at":
                return ("plain", f"No other {one} looks at "), ("word", str(word)), ("plain", " with 1\u00a0% or more.")
            return ("plain", "From "), ("word", str(word)), ("plain", f": no other {one} with 1\u00a0% or more.")
        query, key = self._words(look)
        if word is None:
            sentence: list[Span] = [("plain", "Strongest look: "), ("word", query), ("plain", " at "), ("word", key)]
        elif self.look == "at":
            sentence = [("plain", "Most to "), ("word", key), ("plain", ": from "), ("word", query)]
        else:
            sentence = [("plain", "Most from "), ("word", query), ("plain", ": to "), ("word", key)]
        sentence.append(("plain", f", {percent(look.weight)}."))
        if self.mass is not None:
            aside = float(self.mass[head][look.query])
            before, gone = percent(look.weight * (1 - aside)), percent(aside)
            sentence.append(("plain", f" Before rescaling {before}, since {gone} of that row was set aside."))
        return tuple(sentence)

    def _caption_of_brought(self, head: HeadId, look: Look | None, word: str | None, one: str) -> Sentence:
        if look is None:
            if word is None:
                return (("plain", f"No {one} brings another 1\u00a0% or more."),)
            if self.look == "at":
                return ("word", str(word)), ("plain", f" brings no other {one} 1\u00a0% or more.")
            return ("plain", f"No other {one} brings "), ("word", str(word)), ("plain", " 1\u00a0% or more.")
        query, key = self._words(look)
        found: list[Span] = [("plain", "Brings most: "), ("word", key), ("plain", " to "), ("word", query)]
        found.append(("plain", f", {percent(look.weight)} of what comes to it."))
        if self.mass is not None:
            aside = float(self.mass[head][look.query])
            before, gone = percent(look.weight * (1 - aside)), percent(aside)
            found.append(("plain", f" Before rescaling {before}, since {gone} of that row was set aside."))
        return tuple(found)

    def alternative(self, head: HeadId) -> str:
        """Return the text alternative of a map."""
        look = self.strongest(head)
        strongest = "no look from 1\u00a0%"
        if look is not None:
            way = "{1} brings {0} {2}" if self.brought else "{0} looks at {1}, {2}"
            strongest = way.format(*self._words(look), percent(look.weight))
        size = f"{self.shown.n_queries} rows by {self.shown.n_keys} columns"
        return f"heatmap of {head}, {size}; strongest: {strongest}. The view Numbers has it as a table."

    def cells(self, pooled: bool, opens: bool = False) -> dict[str, Sentence | str]:
        """Return what is said of a cell that is pointed at: both its shares, where something was set aside.

        ``opens`` says that a click on it leads to every number behind it.

        Slots {query} {key} {share} {all} {aside} {ink}; the browser has the numbers, rounded as everywhere.
        """
        way = "; {click} it for every number behind them" if opens else ""
        point = ("plain", f"{{Point}} at a cell: its numbers stand here{way}.")
        one = {"at": ("plain", " looks at "), "row": ("word", "{query}"), "cell": ("word", "{key}")}
        begin = (one["row"], one["at"], one["cell"])
        itself = (one["row"], ("plain", " looks at itself"))
        units = self.shown.units
        if self.mass is None or pooled:
            share: Sentence = (("plain", f": {{share}} of {self.of}."),)
            if pooled:
                share = (("plain", ": {share} at most."),)
            return {"point": (point,), "cell": (*begin, *share), "itself": (*itself, *share)}
        share = (
            ("plain", ": "),
            ("strong", "{share}"),
            ("plain", " of what "),
            one["row"],
            ("plain", f" is brought by {units}, " if self.brought else f" gives to {units}, "),
            ("strong", "{all}"),
            ("plain", f" of {self.all_of}. {{aside}} of this row is set aside"),
        )
        return {
            "point": (point,),
            "cell": (*begin, *share),
            "itself": (*itself, *share),
            "faded": (("plain", ", so it is drawn at {ink} of its ink."),),
            "tip": f"{{share}} of what {units} bring" if self.brought else f"{{share}} of its looks at {units}",
            "tip_all": f"{{all}} of {self.all_of}; {{aside}} set aside",
        }

    def about_heatmaps(self, scale: str, pooled: int) -> Sentence:
        """Return the line under the heading of the heatmaps; ``pooled`` neighbours share a cell on each side."""
        scales = {"head": "Each head on its own scale. ", "row": "Each row on its own scale. "}
        one, word = self.shown.units.removesuffix("s"), self._locked_word()
        parts: list[Span] = [("plain", scales[scale])] if scale in scales else []
        if word is None:
            parts.append(
                ("plain", f"{{Click}} a {one} beside a map to frame its row, one above it to frame its column.")
            )
        else:
            framed = "column" if self.look == "at" else "row"
            parts += [("plain", f"The {framed} of "), ("word", word), ("plain", " is framed.")]
        if self.mass is not None and self.sinks:
            left = f" Numbers share what is left after {sink_names(self.sinks)} {self._are()} set aside; a row fades"
            parts.append(("plain", f"{left} when less than half is left."))
        if pooled > 1:
            parts.append(("plain", f" Each cell is the largest of {pooled}\u00a0×\u00a0{pooled} {self.shown.units}."))
        return tuple(parts)

    def _are(self) -> str:
        return "is" if len({(token.text, token.special) for token in self.sinks}) == 1 else "are"

    def about_lines(self) -> Sentence:
        """Return the line under the heading of the line view."""
        start, end = f"One scale{self._for_all()}: the thicker, the more. ", "Below 4\u00a0% nothing is drawn."
        word = self._locked_word()
        if word is None:
            one = self.shown.units.removesuffix("s")
            return (("plain", f"{start}Point at a {one} to see its lines alone. {end}"),)
        tail = f" are drawn in ink, all others in grey. {end}"
        return ("plain", f"{start}Lines into and out of "), ("word", word), ("plain", tail)

    def about_numbers(self) -> Sentence:
        """Return the line under the heading of the tables."""
        aside = " What was set aside of a row stands in the last column." if self.mass is not None else ""
        whole = "of what a row is brought" if self.brought else "of a row’s attention"
        return (("plain", f"Per cent {whole}; the row looks at the columns.{aside}"),)

    def _words(self, look: Look) -> tuple[str, str]:
        return labels(self.shown.tokens)[look.query], labels(self.shown.key_tokens)[look.key]

    @property
    def _axis(self) -> Sequence[Token]:
        return self.shown.key_tokens if self.look == "at" else self.shown.tokens

    def _locked_word(self) -> str | None:
        return None if self.lock is None else labels(self._axis)[self.lock]

    def _for_all(self) -> str:
        return {1: "", 2: " for both"}.get(len(self.pins), " for all")


def pooled_labels(names: Sequence[str], step: int) -> list[str]:
    """Return one label for each block of ``step`` neighbours: its first and last word."""
    blocks = [names[start : start + step] for start in range(0, len(names), step)]
    return [block[0] if len(block) == 1 else f"{block[0]} … {block[-1]}" for block in blocks]
