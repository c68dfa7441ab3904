"""What was measured of heads as tables to take away: statistics, experiments, a layer's arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np

from mha.analysis.leaning import Leaning
from mha.analysis.statistics import STATISTICS, head_statistics, word_statistics
from mha.export.provenance import Provenance, provenance_of, sinks_kept
from mha.export.tables import Table, csv_bytes, display, written
from mha.intervention.outcomes import Direct, Patch, Sweep
from mha.maps import AttentionMaps, HeadId
from mha.training.curves import Curves

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
        names = [*table.columns, *source]
        columns = map(written, table.columns.values())
        rows += [[*row, *source.values()] for row in zip(*columns, strict=True)]
    return csv_bytes(names, rows)


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
    each = [
        (name, str(place[0]) if array.ndim == 3 else "", *place[-2:], float(value))
        for name, array in arrays.items()
        for place, value in np.ndenumerate(array)
    ]
    names, heads, rows, columns, values = zip(*each, strict=True)
    places = {"row": np.array(rows, dtype=np.int64), "column": np.array(columns, dtype=np.int64)}
    return Table({"array": names, "head": heads} | places | {"value": np.array(values)}, source)


def _per_head(columns: Mapping[str, np.ndarray], source: Provenance) -> Table:
    """Return arrays [layer, head] as columns beside the heads' names."""
    places = list(np.ndindex(next(iter(columns.values())).shape))
    named: dict[str, Sequence[str] | np.ndarray] = {"head": [str(HeadId(*place)) for place in places]}
    for name, array in columns.items():
        named[name] = np.asarray(array).ravel().astype(np.int64 if array.dtype == bool else np.float64)
    return Table(named, source)
