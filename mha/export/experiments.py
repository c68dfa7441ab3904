"""What experiments found and what a layer computes, as tables to take away: a row a head, a moment or a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mha.analysis.leaning import Leaning
from mha.export.provenance import Provenance
from mha.export.tables import Table
from mha.intervention.outcomes import Direct, Patch, Sweep
from mha.maps import HeadId
from mha.training.curves import Curves

LETTERS = "abc"


def leans_table(leaning: Leaning, source: Provenance) -> Table:
    """Return where every head leans, beside the other orders of the same words."""
    here, summary = leaning.here, leaning.summary
    columns = {"strength_a": here.a, "strength_b": here.b, "lean": here.lean, "share": here.share}
    columns |= {"mean_of_orders": summary.mean, "spread_of_orders": summary.spread}
    return _per_head(columns | {"looks_along_neither": here.no_opinion}, source)


def carried_table(patch: Patch, source: Provenance) -> Table:
    """Return what each head carries of the difference between two versions, a part of 1, in both directions."""
    columns = {"carried": patch.carried, "direct": patch.direct}
    if patch.into_text.size:
        columns |= {"into_text": patch.into_text, "into_contrast": patch.into_contrast}
    return _per_head(columns, source)


def sweep_table(sweep: Sweep, source: Provenance) -> Table:
    """Return what silencing each head does to the score; empty where it was not measured or cannot act."""
    columns = {"effect": sweep.effect, "direct": sweep.direct}
    return _per_head(columns | {"untouched": np.full(sweep.effect.shape, sweep.untouched)}, source)


def direct_table(found: Direct, source: Provenance) -> Table:
    """Return what each head gives directly to one next word over another, in logits."""
    return _per_head({"direct": found.heads, "total": np.full(found.heads.shape, found.total)}, source)


def curves_table(curves: Curves, source: Provenance) -> Table:
    """Return a training run, a row a moment: accuracies, where each head looks, and what is right without it."""
    columns = {"step": curves.step, "accuracy_unseen_pairs": curves.joint, "accuracy_training_pairs": curves.joint_seen}
    for head in range(curves.looks.shape[1]):
        for noun, letter in zip(range(curves.looks.shape[2]), LETTERS, strict=False):
            columns[f"h{head}_looks_at_noun_{letter}"] = curves.looks[:, head, noun]
            columns[f"right_{letter}_without_h{head}"] = curves.silenced[:, head, noun]
    measures = ("diverse_weights", "diverse_outputs", "diverse_overlap")
    return Table(columns | {name: getattr(curves, name) for name in measures}, source)


def arrays_table(arrays: Mapping[str, np.ndarray], source: Provenance) -> Table:
    """Return arrays [row, column] or [head, row, column], a row a number."""
    columns: dict[str, list[str] | list[int] | list[float]] = {"array": [], "head": [], "row": [], "column": []}
    values: list[float] = []
    for name, array in arrays.items():
        stacked = array if array.ndim == 3 else array[None]
        for place in np.ndindex(stacked.shape):
            where = (name, str(place[0]) if array.ndim == 3 else "", *place[1:])
            for column, value in zip(columns.values(), where, strict=True):
                column.append(value)
            values.append(float(stacked[place]))
    numbers = {name: np.array(columns[name], dtype=np.int64) for name in ("row", "column")}
    texts = {name: [str(value) for value in columns[name]] for name in ("array", "head")}
    return Table(texts | numbers | {"value": np.array(values)}, source)


def _per_head(columns: Mapping[str, np.ndarray], source: Provenance) -> Table:
    """Return arrays [layer, head] as columns beside the heads' names."""
    places = list(np.ndindex(next(iter(columns.values())).shape))
    named: dict[str, Sequence[str] | np.ndarray] = {"head": [str(HeadId(*place)) for place in places]}
    for name, array in columns.items():
        named[name] = np.asarray(array).ravel().astype(np.int64 if array.dtype == bool else np.float64)
    return Table(named, source)
