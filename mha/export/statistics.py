"""The statistics of heads as a table to take away."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np

from mha.analysis.statistics import STATISTICS, head_statistics, word_statistics
from mha.export.provenance import Provenance, provenance_of, sinks_kept
from mha.export.tables import Table, csv_bytes, display, number
from mha.maps import AttentionMaps, HeadId

PROVENANCE = ("text", "text_json", "model", "revision", "origin", "units", "sinks")


def provenance(maps: AttentionMaps, aside: bool = False) -> dict[str, str]:
    """Return what the numbers of these maps come from, as the columns `PROVENANCE`; ``aside`` as for the numbers."""
    texts = [maps.text] if maps.pair is None else [maps.text, maps.pair]
    shown = (" / ".join(texts), json.dumps(texts if len(texts) > 1 else texts[0]))
    values = (*shown, maps.model, maps.revision, maps.origin, maps.units, _treated(maps, aside))
    return {name: display(value) for name, value in zip(PROVENANCE, values, strict=True)}


def _treated(maps: AttentionMaps, aside: bool) -> str:
    return sinks_kept(maps).replace("kept:", "excluded:", 1) if aside else sinks_kept(maps)


def statistics_table(
    maps: AttentionMaps,
    source: Provenance | None = None,
    heads: Sequence[tuple[int, int]] | None = None,
    statistics: Mapping[str, np.ndarray] | None = None,
) -> Table:
    """Return the statistics of heads (all, unless given), a row each, with where they come from.

    ``statistics`` saves computing them again.

    Raises:
        InputError: there is no such head.
    """
    values = statistics if statistics is not None else head_statistics(maps)
    chosen = [HeadId(*head) for head in (maps.heads if heads is None else heads)]
    for head in chosen:
        maps[head]  # raises InputError with the heads there are
    layers, numbers = np.array(chosen, dtype=np.int64).reshape(-1, 2).T
    columns: dict[str, Sequence[str] | np.ndarray] = {"head": [str(head) for head in chosen]}
    columns |= {"layer": layers, "number": numbers}
    columns |= {row.key: values[row.key][layers, numbers] for row in STATISTICS if row.key in values}
    sinks = sinks_kept(maps).replace("kept:", "kept; excluded for largest_weight:", 1)
    return Table(columns, source or provenance_of(maps, sinks=sinks))


def statistics_csv(
    maps: AttentionMaps, heads: Sequence[tuple[int, int]] | None = None, aside: Sequence[bool] = (False,)
) -> bytes:
    """Return the statistics of heads (all, unless given) as a CSV file in UTF-8, one row a head and setting.

    Columns: head, layer, number, the keys of `WORD_STATISTICS` over word rows at full precision (an empty cell where a
    statistic has no value), then where they come from, in every row. ``aside`` are the settings of the sinks, as
    `word_statistics` takes them; the column sinks names them.

    Raises:
        InputError: there is no such head.
    """
    merged, rows, names = maps.merged(), [], []
    for setting in aside:
        told = provenance_of(merged, sinks=_treated(merged, setting))
        table = statistics_table(merged, told, heads, word_statistics(merged, setting))
        more = {name: display(value) for name, value in told.pairs().items() if name not in PROVENANCE and value}
        source = provenance(merged, setting) | more
        columns = [
            [number(v) if isinstance(v, float) else str(v) for v in _listed(table.columns[name])]
            for name in table.columns
        ]
        names = [*table.columns, *source]
        rows += [[*row, *source.values()] for row in zip(*columns, strict=True)]
    return csv_bytes(names, rows)


def _listed(column: Sequence[str] | np.ndarray) -> Sequence[object]:
    return column.tolist() if isinstance(column, np.ndarray) else column
