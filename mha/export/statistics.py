"""Files that leave the page: numbers with everything that is needed to know what they are.

What a reader typed travels twice: as JSON (lossless, and never a formula) and as a display column, in which a text that
a spreadsheet would take for a formula is led by an apostrophe.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence

import numpy as np

from mha.analysis.sinks import sink_columns
from mha.analysis.statistics import STATISTICS, head_statistics
from mha.errors import InputError
from mha.maps import AttentionMaps, HeadId

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
PROVENANCE = ("text", "text_json", "model", "revision", "origin", "units", "sinks")


def display(text: str) -> str:
    """Return a text that no spreadsheet runs: led by an apostrophe where it could begin a formula.

    >>> display("=1+1")
    "'=1+1"
    """
    return "'" + text if text.startswith(FORMULA_STARTS) else text


def provenance(maps: AttentionMaps) -> dict[str, str]:
    """Return what the numbers of these maps come from, as the columns `PROVENANCE`."""
    texts = [maps.text] if maps.pair is None else [maps.text, maps.pair]
    sinks = sink_columns(maps)
    names = dict.fromkeys(token.text for token, sink in zip(maps.key_tokens, sinks, strict=True) if sink)
    said = f"kept; set aside for largest_weight: {' '.join(names)}" if names else "none in this text"
    shown = (" / ".join(texts), json.dumps(texts if len(texts) > 1 else texts[0]))
    values = (*shown, maps.model, maps.revision, maps.origin, maps.units, said)
    return {name: display(value) for name, value in zip(PROVENANCE, values, strict=True)}


def statistics_csv(
    maps: AttentionMaps,
    heads: Sequence[tuple[int, int]] | None = None,
    statistics: Mapping[str, np.ndarray] | None = None,
) -> bytes:
    """Return the statistics of heads (all, unless given) as a CSV file in UTF-8, one row a head.

    Columns: head, layer, number, the keys of `STATISTICS` at full precision (an empty cell where a statistic has no
    value), then where they come from. ``statistics`` saves computing them again.

    Raises:
        InputError: there is no such head.
    """
    values = statistics if statistics is not None else head_statistics(maps)
    keys = [row.key for row in STATISTICS if row.key in values]
    source = provenance(maps)
    rows = []
    for layer, number in heads if heads is not None else maps.heads:
        head = HeadId(layer, number)
        if head not in maps.heads:
            last = HeadId(maps.n_layers - 1, maps.n_heads - 1)
            raise InputError(f"{maps.model or 'This model'} has heads L0H0 to {last}; you asked for {head}.")
        rows.append([str(head), *head, *(_number(values[key][head]) for key in keys), *source.values()])
    return csv_bytes(["head", "layer", "number", *keys, *source], rows)


def csv_bytes(header: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    """Return a table as CSV in UTF-8, lines ended as RFC 4180 has it; what UTF-8 cannot write is escaped."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue().encode("utf-8", errors="backslashreplace")


def _number(value: float) -> str:
    return "" if math.isnan(value) else repr(float(value))
