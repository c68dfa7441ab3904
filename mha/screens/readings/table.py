"""The table of all heads' leans: rows as columns of plain numbers, the same in the file to take away."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from mha.analysis.leaning import Leaning
from mha.intervention.calibrated import KindCalibration
from mha.maps import HeadId

PAIRS = ("AUC", "AUC from", "AUC to")


def lean_rows(leaning: Leaning, known: KindCalibration | None) -> dict[str, list[Any]]:
    """Return one column a number, each with one entry a head; the AUC only where the kind has forced pairs."""
    here, summary = leaning.here, leaning.summary
    layers, heads = here.a.shape
    arrays = {
        "a": here.a,
        "b": here.b,
        "lean": here.lean,
        "share": here.share,
        "shuffled": summary.mean,
        "spread": summary.spread,
    }
    columns: dict[str, list[Any]] = {
        "Head": [str(HeadId(layer, head)) for layer in range(layers) for head in range(heads)]
    }
    for name, array in arrays.items():
        columns[name] = [None if np.isnan(value) else round(float(value), 4) for value in array.ravel()]
    columns["looks along neither"] = here.no_opinion.ravel().tolist()
    columns["outside its shuffles"] = summary.outside.ravel().tolist()
    if known is not None:
        told = known.telling
        for name, array in zip(PAIRS, (told.auc, told.auc_low, told.auc_high), strict=True):
            columns[name] = [round(float(value), 4) for value in array.ravel()]
    return columns


def lean_csv(rows: dict[str, list[Any]]) -> str:
    """Return the rows as CSV, one line a head."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(rows)
    writer.writerows(zip(*rows.values(), strict=True))
    return text.getvalue()
