"""All heads in numbers: the table of their statistics, whose ticks are the pins, and the files to take away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mha.analysis.statistics import WORD_STATISTICS, undefined_statistics, word_statistics
from mha.brief import once_of_each
from mha.export.heads import statistics_csv, statistics_source
from mha.export.provenance import provenance_of
from mha.export.tables import MOST_ROWS, n_weights, source_json, weights_csv
from mha.formats import many
from mha.link.view import AS_DRAWN, BOTH, TABLE_SINKS
from mha.maps import ATTENTION, AttentionMaps, HeadId
from mha.screens.blocks import Block, caption, say
from mha.screens.heads.findings import sink_names
from mha.screens.heads.picture import Again, Picture, again
from mha.screens.inputs import Pick, Ticked
from mha.screens.places import Row
from mha.screens.shown import Shown, in_words, left_of_words
from mha.screens.takings import Download, OnRequest

SINKS = {AS_DRAWN: "As in the maps", BOTH: "With and without {sinks}"}
_FORMATS = {"share": "%.0f\u00a0%%", "bits": "%.2f", "places": "%.2f"}
UNCHANGED = "sink_share"  # has one value, whatever is set aside


def settings(shown: Shown, table: str) -> tuple[bool, ...]:
    """Return what happens to sinks in the table: as in the pictures above it, or both; ``table`` as in the link."""
    return (shown.aside,) if table == AS_DRAWN or not shown.sinks else (True, False)


@once_of_each
def statistics(maps: AttentionMaps, aside: bool) -> dict[str, np.ndarray]:
    """Return the statistics of recorded maps over word rows, sinks set aside or kept, measured once."""
    return word_statistics(in_words(maps), aside, left_of_words(maps))


def table_columns(
    maps: AttentionMaps, heads: Sequence[HeadId], aside: Sequence[bool]
) -> tuple[dict[str, list[str] | np.ndarray], dict[str, tuple[str, str, str]]]:
    """Return the columns by name: the heads, then each statistic as float32 [row] in each setting.

    Also, of each statistic, its heading, its explanation, and its number format. Shares are in per cents. Statistics
    that no head can have here (`undefined_statistics`) get no column.
    """
    layers, numbers = np.array(heads).T
    found: dict[str, list[str] | np.ndarray] = {"Head": [str(head) for head in heads]}
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


def table_caption(shown: Shown, aside: Sequence[bool]) -> str:
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
    return f"{measured}{treated}{without} {many(len(shown.full.heads), 'head')}."


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
    heads, aside = shown.full.heads, settings(shown, picture.view.heads_table)
    names = tuple(SINKS[one].format(sinks=sink_names(shown.sinks, shown.full.text)) for one in TABLE_SINKS)
    sinks = Pick("heads_table", "Table shows", TABLE_SINKS, picture.view.heads_table, names, look="segments")
    if shown.sinks:
        yield sinks
    found, told = table_columns(maps, heads, aside)
    alt = f"Statistics of {many(len(heads), 'head')}, one row each; the downloaded file has the same numbers."
    yield Ticked(found, told, tuple(heads), shown.pins, alt, "parallax-table")
    under = say(table_caption(shown, aside), sinks=sink_names(shown.sinks, shown.full.text))
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
