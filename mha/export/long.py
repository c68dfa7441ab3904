"""Every weight as a row of its own, for whoever counts on: layer, head, from, to, weight, set aside."""

from __future__ import annotations

import numpy as np

from mha.analysis.sinks import sink_columns
from mha.errors import InputError
from mha.export.provenance import provenance_of
from mha.export.tables import csv_bytes, display
from mha.maps import AttentionMaps

LONG = ("layer", "head", "from_place", "from", "to_place", "to", "weight", "set_aside")
MOST_ROWS = 1_048_575  # of a spreadsheet, beside the line of names


def n_weights(maps: AttentionMaps) -> int:
    """Return how many rows `weights_csv` has: every weight that the mask does not hide."""
    return maps.n_layers * maps.n_heads * int(maps.visible.sum())


def weights_csv(maps: AttentionMaps) -> bytes:
    """Return every weight as a CSV file in UTF-8, one row a weight.

    Weights are those before anything was set aside, so that each row of a map adds up to 1; set_aside is 1 where the
    piece looked at is a sink. Places count from 0 on the axis of these maps; hidden cells of a causal model have no
    row. Where the numbers come from stands in the first row alone, for there can be a million.

    Raises:
        InputError: there are more weights than a spreadsheet has rows.
    """
    if n_weights(maps) > MOST_ROWS:
        raise InputError(
            f"All weights of this text are {n_weights(maps):,} rows; a spreadsheet takes {MOST_ROWS:,}. Shorten it."
        )
    sinks, places = sink_columns(maps), np.argwhere(np.broadcast_to(maps.visible, (maps.n_queries, maps.n_keys)))
    froms, tos = ([display(token.text) for token in tokens] for tokens in (maps.tokens, maps.key_tokens))
    told = {name: display(value) for name, value in provenance_of(maps).pairs().items()}
    source: tuple[str, ...] = tuple(told.values())
    rows = []
    for head in maps.heads:
        weights = maps[head].astype(np.float64)
        for query, key in places:
            weight = f"{weights[query, key]:.7g}"
            rows.append((*head, query, froms[query], key, tos[key], weight, int(sinks[key]), *source))
            source = ()
    return csv_bytes([*LONG, *told], rows)
