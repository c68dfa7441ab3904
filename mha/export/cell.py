"""The numbers of one cell as a file: every number that its view draws, one row each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mha.export.provenance import provenance_of
from mha.export.tables import csv_bytes, display
from mha.maps import AttentionMaps

if TYPE_CHECKING:
    from mha.models.watch.cell import Cell

NAMES = ("part", "place", "token", "number")


def cell_csv(cell: Cell, maps: AttentionMaps) -> bytes:
    """Return one cell as a CSV file in UTF-8: part, place, token, number.

    Parts of the query, the key, their products, the value and what is added have the number's own place in its vector;
    scores, weights and lengths have the key's place and its token. Scores that the mask hides are left out. Where the
    numbers come from stands in the first row alone.
    """
    rows: list[tuple[str, str, str, str]] = []
    one = {
        "sum of products": cell.dot,
        "scale": cell.scale,
        "scaled": cell.scaled,
        "soft cap": cell.cap,
        "capped": None if cell.cap is None else cell.capped,
        "position bias": cell.position,
        "score of a sink that is no key": cell.sink,
        "length of what the layer got": cell.stream,
    }
    rows += [(part, "", "", _written(value)) for part, value in one.items() if value is not None]
    before = cell.before or (None, None)
    vectors = {
        "query": cell.q,
        "key": cell.k,
        "product": cell.products,
        "query before the rotation": before[0],
        "key before the rotation": before[1],
        "value": cell.value,
        "added by this cell": cell.brought,
        "added by the head": cell.added,
    }
    for part, vector in vectors.items():
        rows += [
            (part, str(place), "", _written(value)) for place, value in enumerate(() if vector is None else vector)
        ]
    by_key = {
        "score": cell.scores,
        "weight": cell.weights,
        "length of the value": cell.lengths,
        "length behind W_O": cell.through,
        "points along what the head adds": cell.along,
    }
    for part, values in by_key.items():
        for place, value in enumerate(() if values is None else values):
            if np.isfinite(value):
                rows.append((part, str(place), display(cell.key_tokens[place].text), _written(value)))
    told = {name: display(value) for name, value in provenance_of(maps).pairs().items()}
    which = {"head": str(cell.head), "stack": cell.stack, "query_place": cell.query, "key_place": cell.key}
    which |= {"looks": display(cell.tokens[cell.query].text), "looked_at": display(cell.key_tokens[cell.key].text)}
    first, *others = rows
    return csv_bytes([*NAMES, *which, *told], [(*first, *which.values(), *told.values()), *others])


def _written(value: float) -> str:
    return f"{float(value):.9g}"
