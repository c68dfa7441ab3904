"""The numbers of one cell as a file: every number that its view draws, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mha.export.provenance import provenance_of
from mha.export.tables import Table, table_csv
from mha.maps import AttentionMaps

if TYPE_CHECKING:
    from mha.models.watch.cell import Cell


def cell_table(cell: Cell, maps: AttentionMaps, link: str = "", model_sha256: str = "") -> Table:
    """Return one cell as a table: part, place, token, number, and which cell it is.

    Parts of the query, the key, their products, the value and what is added have the number's own place in its vector;
    scores, weights and lengths have the key's place and its token. Scores that the mask hides are left out.
    """
    rows: list[tuple[str, str, str, float]] = []
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
    rows += [(part, "", "", float(value)) for part, value in one.items() if value is not None]
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
        rows += [(part, str(place), "", float(value)) for place, value in enumerate(() if vector is None else vector)]
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
                rows.append((part, str(place), cell.key_tokens[place].text, float(value)))
    parts, places, tokens, numbers = zip(*rows, strict=True)
    which: dict[str, list[str]] = {
        "head": [str(cell.head)], "stack": [cell.stack], "query_place": [str(cell.query)],
        "key_place": [str(cell.key)], "looks": [cell.tokens[cell.query].text],
        "looked_at": [cell.key_tokens[cell.key].text],
    }  # fmt: skip
    columns: dict[str, Sequence[str] | np.ndarray] = {
        "part": parts, "place": places, "token": tokens, "number": np.array(numbers),
    }  # fmt: skip
    told = provenance_of(
        maps, model_sha256=model_sha256, link=link, scale="as the model reckons one cell; no rescaling"
    )
    return Table(columns | {name: said * len(rows) for name, said in which.items()}, told)


def cell_csv(cell: Cell, maps: AttentionMaps) -> bytes:
    """Return one cell as a CSV file in UTF-8, as `cell_table` has it; where it comes from stands in the first row."""
    return table_csv(cell_table(cell, maps))
