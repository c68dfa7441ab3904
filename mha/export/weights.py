"""Attention weights that leave the page: all of them as a NumPy archive or a row each, some heads as JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

import numpy as np

from mha.analysis.sinks import sink_columns
from mha.errors import InputError
from mha.export.provenance import Provenance, provenance_array, provenance_of
from mha.export.tables import MOST_CELLS, csv_bytes, display
from mha.maps import AttentionMaps, HeadId
from mha.saved import save_maps

LONG = ("layer", "head", "from_place", "from", "to_place", "to", "weight", "set_aside")
MOST_ROWS = 1_048_575  # of a spreadsheet, beside the line of names


def weights_npz(maps: AttentionMaps, provenance: Provenance) -> bytes:
    """Return all weights as a file that `mha.load_maps` reads, with ``provenance`` (JSON as uint8) in it."""
    buffer = io.BytesIO()
    save_maps(maps, buffer, provenance=provenance_array(provenance))
    return buffer.getvalue()


def weights_json(maps: AttentionMaps, provenance: Provenance, heads: Sequence[tuple[int, int]] | None = None) -> bytes:
    """Return heads (all, unless given) as JSON: ``provenance``, the texts of both axes, and each head's rows.

    Raises:
        InputError: there is no such head, or more weights than JSON is good for.
    """
    chosen = _chosen(maps, heads)
    content = {
        "provenance": provenance.as_json(),
        "queries": [token.text for token in maps.tokens],
        "keys": [token.text for token in maps.key_tokens],
        "heads": {str(head): [[float(str(value)) for value in row] for row in maps[head]] for head in chosen},
    }
    return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def _chosen(maps: AttentionMaps, heads: Sequence[tuple[int, int]] | None) -> list[HeadId]:
    """Return the heads by name, once it is clear that they exist and are not too many."""
    chosen = list(maps.heads) if heads is None else [HeadId(*head) for head in heads]
    for head in chosen:
        maps[head]  # raises InputError with the heads there are
    most = MOST_CELLS // (maps.n_queries * maps.n_keys)
    if len(chosen) > most:
        raise InputError(
            f"{len(chosen)} heads of {maps.n_queries} × {maps.n_keys} weights are too many for this format, which "
            f"takes {most} of them. Choose fewer heads, or take the NumPy archive."
        )
    return chosen


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
