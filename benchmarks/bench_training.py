"""Do the lesson's figures come out? Joint accuracy on unseen noun pairs, per setting and seed.

`joint` is the share of unseen sentences with every reading right, one number a seed; `seen` the same on training
pairs; `each` every reading's share, `silenced` [head, reading] that share with one head off, `looks` [head, noun] the
pivot's mean weight on each noun, `diversity` at the end. `aim` is the range to be reproduced. Run as
``python -m benchmarks.bench_training`` (about ten minutes); ``--first 6``: the next six seeds, to tell what a range
owes to its draw. A quick look is at one seed of two heads.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import replace
from typing import Any

from benchmarks.command import NothingDrawn, answer, parser
from mha.training.settings import Settings
from studies.training_runs import finish

SEEDS = 6
QUICK = "2 heads"

FOUR = Settings(n_heads=4)
THREE_READINGS = Settings(n_readings=3)
EIGHT, HALF = replace(FOUR, n_reads=8), replace(FOUR, n_reads=16)

# setting, what it is, the range of the joint accuracy that is to be reproduced (None: not stated)
ROWS: tuple[tuple[str, Settings, tuple[float, float] | None], ...] = (
    ("1 head", Settings(n_heads=1), (0.30, 0.57)),
    ("1 head, d_head 64", Settings(n_heads=1, d_head=64), (0.52, 0.56)),
    ("1 head, three times the steps", Settings(n_heads=1, n_steps=3600), (0.52, 0.56)),
    ("1 head, MLP readers", Settings(n_heads=1, mlp_readers=True), (0.50, 0.62)),
    ("2 heads", Settings(n_heads=2), (0.99, 1.0)),
    ("4 heads", FOUR, (0.997, 1.0)),
    ("three readings, 1 head", replace(THREE_READINGS, n_heads=1), (0.18, 0.39)),
    ("three readings, 2 heads", replace(THREE_READINGS, n_heads=2), (0.75, 0.95)),
    ("three readings, 3 heads", replace(THREE_READINGS, n_heads=3, d_head=11), (0.95, 1.0)),
    ("three readings, 4 heads", replace(THREE_READINGS, n_heads=4), (0.99, 1.0)),
    ("2 layers of 1 head", Settings(n_heads=1, n_layers=2), (0.85, 1.0)),
    ("4 heads, identical", replace(FOUR, start="identical"), (0.07, 0.24)),
    ("4 heads, identical, regulariser", replace(FOUR, start="identical", pressure="positions"), (0.04, 0.17)),
    ("4 heads, identical, own output", replace(FOUR, start="identical, own output"), (1.0, 1.0)),
    ("4 heads, identical+noise", replace(FOUR, start="identical+noise"), (0.98, 0.99)),
    ("4 heads, small", replace(FOUR, start="small"), (0.96, 1.0)),
    ("4 heads, large", replace(FOUR, start="large"), (0.96, 1.0)),
    ("4 heads, orthogonal", replace(FOUR, start="orthogonal"), (0.96, 1.0)),
    ("4 heads, positions apart", replace(FOUR, pressure="positions"), (0.99, 1.0)),
    ("4 heads, slices of 8", replace(EIGHT, reads="slices"), (0.92, 1.0)),
    ("4 heads, random 8", replace(EIGHT, reads="random"), (0.94, 0.99)),
    ("4 heads, random 16", replace(HALF, reads="random"), (0.99, 1.0)),
    ("3 heads of 11, random", Settings(n_heads=3, d_head=11, reads="random"), (0.97, 1.0)),
)


def trained(settings: Settings, seeds: range) -> dict[str, Any]:
    """Train with each seed; return the figures, one entry a seed."""
    ends, seconds = [], []
    for seed in seeds:
        start = time.process_time()
        snapshot, learner = finish(replace(settings, seed=seed))
        seconds.append(round(time.process_time() - start, 2))
        ends.append(snapshot)
    return {
        "joint": [round(end.joint, 4) for end in ends],
        "mean": round(sum(end.joint for end in ends) / len(ends), 4),
        "seen": [round(end.joint_seen, 4) for end in ends],
        "each": [end.readings.round(4).tolist() for end in ends],
        "looks": [end.looks.astype(float).round(3).tolist() for end in ends],
        "silenced": [end.ablated.round(3).tolist() for end in ends],
        "diversity": [None if math.isnan(end.diversity) else round(end.diversity, 3) for end in ends],
        "parameters": sum(parameter.numel() for parameter in learner.parameters()),
        "cpu_seconds": seconds,
    }


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    found = parser(__doc__)
    found.add_argument("--first", type=int, default=0, help="the first of the seeds")
    found.add_argument("--only", help="settings whose name contains this")
    return found


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return a row for each setting."""
    seeds = range(chosen.first, chosen.first + (1 if chosen.quick else SEEDS))
    results = []
    for name, settings, aim in ROWS:
        if (chosen.quick and name != QUICK) or (chosen.only and chosen.only not in name):
            continue
        row = {"setting": name, **trained(settings, seeds), "aim": aim}
        results.append(row)
        print(f"{name}: {row['joint']} (aim {aim})", file=sys.stderr, flush=True)
    if not results:
        raise NothingDrawn(f"no setting's name contains {chosen.only!r}")
    return {"results": results, "seeds": list(seeds)}


if __name__ == "__main__":
    answer("training", arguments(), run)
