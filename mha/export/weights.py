"""Attention weights that leave the page: all of them as a NumPy archive, some heads as JSON or as a table of looks."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

from mha.errors import InputError
from mha.export.provenance import Provenance, provenance_array
from mha.export.tables import MOST_CELLS
from mha.maps import AttentionMaps, HeadId
from mha.saved import save_maps


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
