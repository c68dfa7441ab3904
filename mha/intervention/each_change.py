"""Every test pair and control swap of a calibration, a line each: how far a head moves it, what each path carries."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mha.intervention.calibrated import Calibration, KindCalibration

COLUMNS = ("model", "revision", "kind", "change", "number", "author", "sentence", "measure", "value")
LARGEST, WHOLE = "largest head", "whole change"


def as_csv(found: Calibration, file: Path) -> None:
    """Write a line a change and measure: the largest head's move of the score, and each path's part of a lean."""
    with file.open("w", encoding="utf-8", newline="") as out:
        lines = csv.writer(out)
        lines.writerow(COLUMNS)
        for kind in found.kinds.values():
            for line in _lines(kind):
                lines.writerow((found.model, found.revision, kind.kind, *line))


def _lines(kind: KindCalibration) -> Iterator[tuple[str | int | float, ...]]:
    if kind.placebo is None:
        return
    measures: list[tuple[str, np.ndarray, np.ndarray]] = [(LARGEST, kind.placebo.pairs, kind.placebo.swaps)]
    for path in kind.paths:
        if path.kept is not None:
            name = f"{' '.join(map(str, path.senders))} > {path.receiver}"
            measures.append((name, path.kept.carried_of_pairs, path.kept.carried))
    for name, pairs, swaps in measures:
        for number, value in enumerate(pairs):
            yield "test pair", number, "", "", name, float(value)
        of_swaps = zip(kind.placebo.authors, kind.placebo.items, swaps, strict=False)
        for number, (author, item, value) in enumerate(of_swaps):
            yield "control swap", number, int(author), int(item), name, float(value)
    if kind.kept_apart is not None:
        for name, values in ((WHOLE, kind.kept_apart.scores), (LARGEST, kind.kept_apart.heads)):
            for number, value in enumerate(values):
                yield "pair kept apart", number, "", "", name, float(value)
