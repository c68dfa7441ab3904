"""Files that leave the page: numbers with everything that is needed to know what they are.

What a reader typed travels twice: as JSON (lossless, and never a formula) and as a display column, in which a text that
a spreadsheet would take for a formula is led by an apostrophe.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence

import numpy as np

from mha.analysis.sinks import sink_columns
from mha.analysis.statistics import WORD_STATISTICS, word_statistics
from mha.errors import InputError
from mha.maps import AttentionMaps, HeadId

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
LONG = ("layer", "head", "from_place", "from", "to_place", "to", "weight", "set_aside")
MOST_ROWS = 1_048_575  # of a spreadsheet, beside the line of names
PROVENANCE = ("text", "text_json", "model", "revision", "origin", "units", "sinks")


def display(text: str) -> str:
    """Return a text that no spreadsheet runs: led by an apostrophe where it could begin a formula.

    >>> display("=1+1")
    "'=1+1"
    """
    return "'" + text if text.startswith(FORMULA_STARTS) else text


def provenance(maps: AttentionMaps, aside: bool = False) -> dict[str, str]:
    """Return what the numbers of these maps come from, as the columns `PROVENANCE`; ``aside`` as for the numbers."""
    texts = [maps.text] if maps.pair is None else [maps.text, maps.pair]
    sinks = sink_columns(maps)
    names = dict.fromkeys(token.text for token, sink in zip(maps.key_tokens, sinks, strict=True) if sink)
    said = f"{'set aside' if aside else 'kept'}: {' '.join(names)}" if names else "none in this text"
    shown = (" / ".join(texts), json.dumps(texts if len(texts) > 1 else texts[0]))
    values = (*shown, maps.model, maps.revision, maps.origin, maps.units, said)
    return {name: display(value) for name, value in zip(PROVENANCE, values, strict=True)}


def statistics_csv(
    maps: AttentionMaps,
    heads: Sequence[tuple[int, int]] | None = None,
    aside: Sequence[bool] = (False,),
) -> bytes:
    """Return the statistics of heads (all, unless given) as a CSV file in UTF-8, one row a head and setting.

    Columns: head, layer, number, the keys of `WORD_STATISTICS` over word rows at full precision (an empty cell where a
    statistic has no value), then where they come from; ``aside`` are the settings of the sinks, as `word_statistics`
    takes them, named in the column sinks.

    Raises:
        InputError: there is no such head.
    """
    merged = maps.merged()
    keys = [row.key for row in WORD_STATISTICS]
    rows = []
    for setting in aside:
        values, source = word_statistics(merged, setting), provenance(merged, setting)
        for layer, number in heads if heads is not None else maps.heads:
            head = HeadId(layer, number)
            if head not in maps.heads:
                last = HeadId(maps.n_layers - 1, maps.n_heads - 1)
                raise InputError(f"{maps.model or 'This model'} has heads L0H0 to {last}; you asked for {head}.")
            rows.append([str(head), *head, *(_number(values[key][head]) for key in keys), *source.values()])
    return csv_bytes(["head", "layer", "number", *keys, *PROVENANCE], rows)


def n_weights(maps: AttentionMaps) -> int:
    """Return how many rows `weights_csv` has: every weight that the mask does not hide."""
    return maps.n_layers * maps.n_heads * int(maps.visible.sum())


def weights_csv(maps: AttentionMaps) -> bytes:
    """Return every weight as a CSV file in UTF-8, one row a weight: layer, head, from, to, weight, set aside.

    Weights are those before anything was set aside, so that each row of a map adds up to 1; set_aside is 1 where the
    word looked at is a sink. Places count from 0 on the axis of these maps; hidden cells of a causal model have no row.
    Where the numbers come from stands in the first row alone, for there can be a million.

    Raises:
        InputError: there are more weights than a spreadsheet has rows.
    """
    if n_weights(maps) > MOST_ROWS:
        raise InputError(
            f"All weights of this text are {n_weights(maps):,} rows; a spreadsheet takes {MOST_ROWS:,}. Shorten it."
        )
    sinks, visible = sink_columns(maps), maps.visible
    froms, tos = ([display(token.text) for token in tokens] for tokens in (maps.tokens, maps.key_tokens))
    source: tuple[str, ...] = tuple(provenance(maps).values())
    rows = []
    for head in maps.heads:
        weights = maps[head].astype(np.float64)
        for query, key in np.argwhere(np.broadcast_to(visible, weights.shape)):
            weight = f"{weights[query, key]:.7g}"
            rows.append((*head, query, froms[query], key, tos[key], weight, int(sinks[key]), *source))
            source = ()
    return csv_bytes([*LONG, *PROVENANCE], rows)


def csv_bytes(header: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    """Return a table as CSV in UTF-8, lines ended as RFC 4180 has it; what UTF-8 cannot write is escaped."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue().encode("utf-8", errors="backslashreplace")


def _number(value: float) -> str:
    return "" if math.isnan(value) else repr(float(value))
