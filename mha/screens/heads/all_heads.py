"""All heads in numbers: the table of their statistics, whose ticks are the pins, and the files to take away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mha.analysis.roles import HeadRoles
from mha.analysis.statistics import WORD_STATISTICS, undefined_statistics, word_statistics
from mha.brief import once_of_each
from mha.export.heads import statistics_csv, statistics_source
from mha.export.provenance import provenance_of
from mha.export.tables import MOST_ROWS, n_weights, source_json, weights_csv
from mha.figures.heatmaps import describe_layer
from mha.formats import labels, many, whole_percents
from mha.link.acts import KeepOn, OpenCell
from mha.link.sent import SentName, SentNames, SentNumber
from mha.link.view import AS_DRAWN, BOTH, TABLE_SINKS
from mha.maps import ATTENTION, AttentionMaps, HeadId
from mha.screens.blocks import Block, Drawing, Spans, caption, say
from mha.screens.heads.doing import doing, role_columns
from mha.screens.heads.findings import ONE_CELL, later, sink_names
from mha.screens.heads.overview import On
from mha.screens.heads.own import KIND as OWN
from mha.screens.heads.picture import SCALE_WORDS, Again, Picture, again
from mha.screens.heads.pinned import SIDE
from mha.screens.inputs import Pick, Press, Ticked
from mha.screens.places import ComponentPicture, Row
from mha.screens.shown import GRID_TOKENS, Shown, in_words, left_of_words
from mha.screens.takings import Download, OnRequest
from mha.words import right_to_left


def one_layer(picture: Picture) -> Iterator[Block]:
    """Yield the heads of the chosen layer side by side, with what switches heads."""
    shown = picture.shown
    full, heads = shown.full, heads_on(shown)
    numbers = tuple(str(number) for number in range(full.n_layers))
    names = tuple(f"Layer {number}" for number in numbers)
    yield Pick("layer", "Layer", numbers, str(shown.layer), names, look="segments", wrap=True)
    options = tuple(f"H{head}" for head in range(full.n_heads))
    here = shown.layer, full.n_layers, full.n_heads
    on = tuple(f"H{head.head}" for head in heads)
    acts = (KeepOn(SentNames("chosen", options), *here),)
    pills = Pick("layer_heads", "Heads shown", options, on, look="pills", wrap=True, acts=acts, several=True)
    every, none = Press("All", (KeepOn(options, *here),)), Press("None", (KeepOn((), *here),))
    yield Row((every, none, pills), "head_pills", left=True, align="center")
    instead = why_not(shown)
    if instead:
        yield caption(instead, style="sub")
        return
    cells = picture.row.kind != OWN  # of maps from a file nothing more can be asked
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
        "say": _cell_words(shown),
        "caption": layer_caption(picture),
    }
    layer, numbers = shown.layer, [head.head for head in heads]
    arrays = {"weights": np.rint(maps.weights[layer, numbers] * 65535).astype(np.uint16)}
    if shown.aside and shown.sinks:
        arrays["left"] = whole_percents(1 - shown.mass[layer, numbers])
    return Drawing(header, arrays)


def _cell_words(shown: Shown) -> dict[str, Any]:
    """Return what is said of a cell that is pointed at, slots {head} {query} {key} {share}."""
    measure, excluded = shown.full.measure, shown.aside and bool(shown.sinks)
    of, words = ("its attention", " to ") if measure == ATTENTION else ("what it receives", " from ")
    share = f"{{share}} of {of}{words + shown.maps.units if excluded else ''}."
    to, itself = (later(f"{{head}}: {way}, {share}") for way in ONE_CELL[measure])
    return {"cell": to, "itself": itself} if shown.maps.kind == "self" else {"cell": to}


def layer_caption(picture: Picture) -> Spans:
    """Return the line under the maps."""
    shown = picture.shown
    on, n_heads = len(heads_on(shown)), shown.full.n_heads
    hidden = f" ({n_heads - on} hidden)" if on < n_heads else ""
    said = f"Layer {shown.layer}: {on} of {many(n_heads, 'head')} shown{hidden}. Colour: {SCALE_WORDS[picture.scale]}. "
    if shown.full.measure != ATTENTION:
        said += "A cell is the contribution of its column to its row. "
    if shown.chosen_layer and shown.pins and not shown.chosen_pins:
        said += "Layer of your first pinned head."
    return say(said)


def cells_of_layer(picture: Picture, heads: Sequence[HeadId]) -> On:
    """Return the way from a map of one layer to one of its cells."""
    maps = picture.shown.maps
    query, key = SentNumber("query", maps.n_queries), SentNumber("key", maps.n_keys)
    return {"cell": (OpenCell(SentName("head", heads), query, key, SIDE),)}


SINKS = {AS_DRAWN: "As in the maps", BOTH: "With and without {sinks}"}
ALL_OFF = "All heads are hidden. Press *Show all heads*."
_FORMATS = {"share": "%.0f\u00a0%%", "bits": "%.2f", "places": "%.2f"}
UNCHANGED = "sink_share"  # has one value, whatever is set aside


def settings(shown: Shown, table: str) -> tuple[bool, ...]:
    """Return what happens to sinks in the table: as in the pictures above it, or both; ``table`` as in the link."""
    return (shown.aside,) if table == AS_DRAWN or not shown.sinks else (True, False)


@once_of_each
def statistics(maps: AttentionMaps, aside: bool) -> dict[str, np.ndarray]:
    """Return the statistics of recorded maps over word rows, sinks set aside or kept, measured once."""
    return word_statistics(in_words(maps), aside, left_of_words(maps))


def table_heads(shown: Shown) -> list[HeadId]:
    """Return the heads of the rows: those switched on, in their order, so that a click never moves a row."""
    return [head for head in shown.full.heads if head not in shown.off]


def table_columns(
    maps: AttentionMaps, heads: Sequence[HeadId], aside: Sequence[bool], told: HeadRoles | None
) -> tuple[dict[str, list[str] | np.ndarray], dict[str, tuple[str, str, str]]]:
    """Return the columns by name: the heads, their roles, then each statistic as float32 [row] in each setting.

    Also, of each statistic, its heading, its explanation, and its number format. Shares are in per cents; a role that
    is not known is left empty. Statistics that no head can have here (`undefined_statistics`) get no column.
    """
    layers, numbers = np.array(heads).T
    found: dict[str, list[str] | np.ndarray] = {"Head": [str(head) for head in heads]}
    found |= role_columns(told, heads)
    about = {}
    impossible = undefined_statistics(maps)
    for row in WORD_STATISTICS:
        if row.key in impossible:
            continue
        once = row.key == UNCHANGED
        for setting in aside[:1] if once else aside:
            tail = f", sinks {'excluded' if setting else 'included'}" if len(aside) > 1 and not once else ""
            unit = "" if row.unit == "share" else f", {row.unit}"
            explained = f"{row.formula}{tail}. {row.range} {unit.removeprefix(', ')}".rstrip()
            name, written = f"{row.title}{tail}", _FORMATS[row.unit]
            about[name] = f"{row.title}{unit}{tail}", f"{explained}. {row.source}.", written
            values = statistics(maps, setting)[row.key][layers, numbers]
            found[name] = (values * (100 if row.unit == "share" else 1)).astype(np.float32)
    return found, about


def table_caption(shown: Shown, heads: Sequence[HeadId], aside: Sequence[bool]) -> str:
    """Return the line under the table; the names of the sinks stand in its slot {sinks}."""
    if not shown.sinks:
        treated = "Measured on words. This text has no markers to exclude."
    elif len(aside) > 1:
        treated = "Measured on words, with and without {sinks}."
    else:
        treated = f"Measured on words, {'without' if aside[0] else 'with'} {{sinks}}."
    measured = "" if shown.full.measure == ATTENTION else "Based on contributions. "
    titles = {row.key: row.title for row in WORD_STATISTICS}
    without = "".join(f" No column “{titles[key]}”: {why}" for key, why in undefined_statistics(shown.full).items())
    return f"{measured}{treated}{without} {len(heads)} of {many(len(shown.full.heads), 'head')}."


def table_file(picture: Again, aside: Sequence[bool]) -> bytes:
    """Return the statistics of every head as a CSV file, in the settings of the table."""
    return statistics_csv(in_words(picture().recording.maps), aside=aside)


def table_source_file(picture: Again, aside: Sequence[bool]) -> bytes:
    """Return the provenance of the statistics."""
    return statistics_source(in_words(picture().recording.maps), aside)


def why_no_weights(shown: Shown) -> str:
    """Return why the file of all weights is not offered; "" where it is."""
    count = n_weights(shown.full)
    if count <= MOST_ROWS:
        return ""
    return (
        f"Too many numbers for a spreadsheet ({count:,} rows; it takes {MOST_ROWS:,}). Use `mha.attend(text).weights` "
        "in a notebook."
    )


def in_numbers(picture: Picture) -> Iterator[Block]:
    """Yield the table of the per-head statistics, whose ticks are the pins, and two files to take away."""
    shown, maps = picture.shown, picture.recording.maps
    heads, aside = table_heads(shown), settings(shown, picture.view.heads_table)
    names = tuple(SINKS[one].format(sinks=sink_names(shown.sinks, shown.full.text)) for one in TABLE_SINKS)
    sinks = Pick("heads_table", "Table shows", TABLE_SINKS, picture.view.heads_table, names, look="segments")
    if shown.sinks:
        yield sinks
    if not heads:
        yield caption(ALL_OFF, style="sub")
        return
    found, told = table_columns(maps, heads, aside, doing(shown))
    alt = f"Statistics of {many(len(heads), 'head')}, one row each; the downloaded file has the same numbers."
    yield Ticked(found, told, tuple(heads), shown.pins, alt, "parallax-table")
    under = say(table_caption(shown, heads, aside), sinks=sink_names(shown.sinks, shown.full.text))
    yield caption((*under, ("plain", " "), ("next", "Tick a row to pin its head.")))
    in_table, of_table = (OnRequest(make, (again(picture), aside)) for make in (table_file, table_source_file))
    instead = why_no_weights(shown)
    files = [
        Download("Download this table as CSV", "parallax-heads.csv", "text/csv", in_table),
        Download("Its source", "parallax-heads.source.json", "application/json", of_table),
    ]
    if not instead:
        of_weights = OnRequest(_weights_source, (again(picture),))
        files += [
            Download("Download all weights as CSV", "parallax-weights.csv", "text/csv", all_weights(picture)),
            Download("Source of the weights", "parallax-weights.source.json", "application/json", of_weights),
        ]
    yield Row(files, left=True, gap="medium")
    if instead:
        yield caption(instead)


def all_weights(picture: Picture) -> OnRequest:
    """Return all weights of a picture, to be taken away as CSV."""
    return OnRequest(_weights_file, (again(picture),))


def _weights_file(picture: Again) -> bytes:
    return weights_csv(picture().shown.full)


def _weights_source(picture: Again) -> bytes:
    return source_json(provenance_of(picture().shown.full))
