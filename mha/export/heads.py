"""Tables of head measurements for export: statistics, experiments, a layer's arrays, one cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mha.analysis.leaning import Leaning
from mha.analysis.statistics import STATISTICS, head_statistics
from mha.export.provenance import Provenance, provenance_of
from mha.export.tables import Table
from mha.intervention.outcomes import Patch, Sweep
from mha.maps import AttentionMaps, HeadId
from mha.training.curves import Curves

if TYPE_CHECKING:
    from mha.models.watch.cell import Cell


def statistics_table(
    maps: AttentionMaps, source: Provenance, statistics: Mapping[str, np.ndarray] | None = None
) -> Table:
    """Return the statistics of all heads, a row each; ``statistics`` saves computing them again."""
    values = statistics if statistics is not None else head_statistics(maps)
    layers, numbers = np.array(maps.heads, dtype=np.int64).T
    columns: dict[str, Sequence[str] | np.ndarray] = {"head": [str(head) for head in maps.heads]}
    columns |= {"layer": layers, "number": numbers}
    return Table(columns | {row.key: values[row.key].ravel() for row in STATISTICS if row.key in values}, source)


LETTERS = "abc"


def leans_table(leaning: Leaning, source: Provenance) -> Table:
    """Return the lean of every head, with that in other orders of the same words."""
    leans, summary = leaning.here, leaning.summary
    columns = {"strength_a": leans.a, "strength_b": leans.b, "lean": leans.lean, "share": leans.share}
    columns |= {"mean_of_orders": summary.mean, "spread_of_orders": summary.spread}
    return _per_head(columns | {"looks_along_neither": leans.no_opinion}, source)


def carried_table(patch: Patch, source: Provenance) -> Table:
    """Return the share of the score change between two versions that each head carries, in both directions."""
    columns = {"carried": patch.carried, "direct": patch.direct}
    if patch.into_text.size:
        columns |= {"into_text": patch.into_text, "into_contrast": patch.into_contrast}
    return _per_head(columns, source)


def sweep_table(sweep: Sweep, source: Provenance) -> Table:
    """Return what silencing each head does to the score; empty where it was not measured or cannot act."""
    columns = {"effect": sweep.effect, "direct": sweep.direct}
    return _per_head(columns | {"untouched": np.full(sweep.effect.shape, sweep.untouched)}, source)


def curves_table(curves: Curves, source: Provenance) -> Table:
    """Return a training run, one row a moment: accuracies, attention of each head, and accuracy without it."""
    columns = {"step": curves.step, "accuracy_unseen_pairs": curves.joint, "accuracy_training_pairs": curves.joint_seen}
    for head in range(curves.looks.shape[1]):
        for noun, letter in zip(range(curves.looks.shape[2]), LETTERS, strict=False):
            columns[f"h{head}_looks_at_noun_{letter}"] = curves.looks[:, head, noun]
            columns[f"right_{letter}_without_h{head}"] = curves.silenced[:, head, noun]
    return Table(columns | {"diverse_weights": curves.diverse_weights}, source)


def arrays_table(arrays: Mapping[str, np.ndarray], source: Provenance) -> Table:
    """Return arrays [row, column] or [head, row, column], a row a number."""
    array_columns = [
        (name, str(place[0]) if array.ndim == 3 else "", *place[-2:], float(value))
        for name, array in arrays.items()
        for place, value in np.ndenumerate(array)
    ]
    names, heads, rows, columns, values = zip(*array_columns, strict=True)
    places = {"row": np.array(rows, dtype=np.int64), "column": np.array(columns, dtype=np.int64)}
    return Table({"array": names, "head": heads} | places | {"value": np.array(values)}, source)


def _per_head(columns: Mapping[str, np.ndarray], source: Provenance) -> Table:
    """Return arrays [layer, head] as columns, after the heads' names."""
    places = list(np.ndindex(next(iter(columns.values())).shape))
    table: dict[str, Sequence[str] | np.ndarray] = {"head": [str(HeadId(*place)) for place in places]}
    for name, array in columns.items():
        table[name] = np.asarray(array).ravel().astype(np.int64 if array.dtype == bool else np.float64)
    return Table(table, source)


def cell_table(cell: Cell, maps: AttentionMaps, link: str = "", model_sha256: str = "") -> Table:
    """Return one cell as a table: part, position, token, number, and the cell's name.

    Parts of the query, the key, their products, the value and what is added have the number's own place in its vector;
    scores, weights and lengths have the key's place and its token. Scores that the mask hides are left out.
    """
    rows: list[tuple[str, str, str, float]] = []
    constants = {
        "sum of products": cell.dot,
        "scale": cell.scale,
        "scaled": cell.scaled,
        "soft cap": cell.cap,
        "capped": None if cell.cap is None else cell.capped,
        "position bias": cell.position,
        "score of a sink that is no key": cell.sink,
        "length of what the layer got": cell.stream,
    }
    rows += [(part, "", "", float(value)) for part, value in constants.items() if value is not None]
    vectors_before = cell.before or (None, None)
    vectors = {
        "query": cell.q,
        "key": cell.k,
        "product": cell.products,
        "query before the rotation": vectors_before[0],
        "key before the rotation": vectors_before[1],
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
    provenance = provenance_of(
        maps, model_sha256=model_sha256, link=link, scale="as the model computes one cell; no rescaling"
    )
    return Table(columns | {name: text * len(rows) for name, text in which.items()}, provenance)
