"""One layer, head by head: which layer, which of its heads, and their maps; and the table of all heads' numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mha.figures.heatmaps import describe_layer
from mha.formats import labels
from mha.link.acts import KeepOn, OpenCell
from mha.link.sent import SentName, SentNames, SentNumber
from mha.maps import ATTENTION, HeadId
from mha.screens.blocks import Block, Span, caption, say
from mha.screens.drawing import Drawing
from mha.screens.heads.overview import On
from mha.screens.heads.own import KIND as OWN
from mha.screens.heads.picture import SCALE_WORDS, Picture, Said
from mha.screens.heads.pinned import SIDE
from mha.screens.inputs import Pick, Press, Switches
from mha.screens.places import ComponentPicture, Row
from mha.screens.shown import GRID_TOKENS, Shown
from mha.words import right_to_left


def one_layer(picture: Picture, opened: bool) -> Iterator[Block]:
    """Yield the heads of the chosen layer side by side, with what switches heads; ``opened`` offers one cell."""
    shown = picture.shown
    full, heads = shown.full, heads_on(shown)
    numbers = tuple(str(number) for number in range(full.n_layers))
    names = tuple(f"Layer {number}" for number in numbers)
    yield Pick("layer", "Layer", numbers, str(shown.layer), names, beside=True, wrap=True)
    options = tuple(f"H{head}" for head in range(full.n_heads))
    here = shown.layer, full.n_layers, full.n_heads
    on = tuple(f"H{head.head}" for head in heads)
    acts = (KeepOn(SentNames("kept", options), *here),)
    pills = Switches("layer_heads", "Heads shown", options, on, acts)
    every, none = Press("All", (KeepOn(options, *here),)), Press("None", (KeepOn((), *here),))
    yield Row((every, none, pills), "head_pills", left=True, align="center")
    instead = why_not(shown)
    if instead:
        yield caption(instead, style="sub")
        return
    cells = opened and picture.row.kind != OWN  # of maps from a file nothing more can be asked
    on_cell = cells_of_layer(picture, heads) if cells else {}
    yield ComponentPicture("layer", layer_drawing(picture, cells), "layer_maps", on_cell)


def heads_on(shown: Shown) -> list[HeadId]:
    """Return the heads of the shown layer that are switched on."""
    every = (HeadId(shown.layer, head) for head in range(shown.full.n_heads))
    return [head for head in every if head not in shown.off]


def why_not(shown: Shown) -> str:
    """Return what stands in the picture's place, or nothing where it can be drawn."""
    if not heads_on(shown):
        return f"All heads of layer {shown.layer} are hidden. Press *All* to show them."
    if max(shown.maps.n_queries, shown.maps.n_keys) > GRID_TOKENS:
        return (
            f"Large maps need {GRID_TOKENS} {shown.maps.units} or fewer; this text has {shown.maps.n_keys}. The small "
            "maps above show everything."
        )
    return ""


def layer_drawing(picture: Picture, cells: bool = True) -> Drawing:
    """Return the maps of the shown layer's heads, on one scale; ``cells`` offers the way to every number of a cell.

    Its arrays: ``weights`` uint16 [head, query, key], 65535 a weight of 1, and where something was set aside ``left``
    uint8 [head, query], what is left of each row in whole per cents.
    """
    shown, maps = picture.shown, picture.shown.maps
    heads = heads_on(shown)
    header: dict[str, Any] = {
        "heads": [str(head) for head in heads],
        "pinned": [str(head) for head in heads if head in shown.pins],
        "queries": labels(maps.tokens),
        "keys": labels(maps.key_tokens),
        "causal": maps.causal and maps.kind == "self",
        "scale": picture.scale,
        "rtl": right_to_left(maps.text),
        "large": picture.view.large,
        "cells": cells,
        "label": describe_layer(maps, heads, picture.scale, shown.empty),
        "say": _cell_words(shown, cells),
        "caption": [span for part in layer_caption(picture) for span in (say(part) if isinstance(part, str) else part)],
    }
    layer, numbers = shown.layer, [head.head for head in heads]
    arrays = {"weights": np.rint(maps.weights[layer, numbers] * 65535).astype(np.uint16)}
    if shown.aside and shown.sinks:
        arrays["left"] = np.floor(100 * (1 - shown.mass[layer, numbers]) + 0.5).astype(np.uint8)
    return Drawing(header, arrays)


def _cell_words(shown: Shown, cells: bool) -> dict[str, Any]:
    """Return what is said of a cell that is pointed at, slots {head} {query} {key} {share}, and that one can be."""
    looks = shown.full.measure == ATTENTION
    row, column = ("word", "{query}"), ("word", "{key}")
    way: tuple[Span, ...] = (row, ("plain", " → "), column) if looks else (column, ("plain", " supplies "), row)
    of = (
        ("its attention", "its attention to {units}")
        if looks
        else ("what it receives", "what it receives from {units}")
    )
    begin: tuple[Span, ...] = (("head", "{head}"), ("plain", ": "))
    share: Span = ("plain", f", {{share}} of {of[shown.aside and bool(shown.sinks)].format(units=shown.maps.units)}.")
    words: dict[str, Any] = {
        "point": (),
        "cell": (*begin, *way, share),
    }
    if shown.maps.kind == "self":
        words["itself"] = (*begin, row, ("plain", " → itself" if looks else " supplies itself"), share)
    return words


def layer_caption(picture: Picture) -> Said:
    """Return the line under the maps."""
    shown = picture.shown
    on, n_heads = len(heads_on(shown)), shown.full.n_heads
    hidden = f" ({n_heads - on} hidden)" if on < n_heads else ""
    return (
        f"Layer {shown.layer}: {on} of {n_heads} heads shown{hidden}. Colour: {SCALE_WORDS[picture.scale]}. ",
        "" if shown.full.measure == ATTENTION else "A cell is the contribution of its column to its row. ",
        "Layer of your first pinned head." if shown.chosen_layer and shown.pins and not shown.chosen_pins else "",
    )


def cells_of_layer(picture: Picture, heads: Sequence[HeadId]) -> On:
    """Return the way from a map of one layer to one of its cells."""
    maps = picture.shown.maps
    query, key = SentNumber("query", maps.n_queries), SentNumber("key", maps.n_keys)
    return {"cell": (OpenCell(SentName("head", heads), query, key, SIDE),)}
