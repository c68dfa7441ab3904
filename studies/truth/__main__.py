"""Measure against a known truth, and resume from the file: ``python -m studies.truth [--out FILE] [--csv FILE]
[--npz FILE]``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from mha.assets import ASSETS
from mha.errors import MHAError
from studies.truth.agreement import EVERY, N_SEEDS, as_csv, as_npz, summary, write_summary
from studies.truth.study import rows
from studies.truth.tasks import TASKS

MODELS = Path(__file__).with_name("models.json")

parser = argparse.ArgumentParser(prog="python -m studies.truth", description="Measures of heads against a known truth.")
parser.add_argument("--seeds", type=int, default=N_SEEDS, help="models of each task")
parser.add_argument("--task", action="append", choices=tuple(TASKS), help="only this task; may be said again")
parser.add_argument("--out", type=Path, default=MODELS, help="the file of all models")
parser.add_argument("--summary", type=Path, default=ASSETS / "measures.json", help="the file that the pages read")
parser.add_argument("--csv", type=Path, help="write a line for each head of each model")
parser.add_argument("--npz", type=Path, help="write every number as arrays, with the version that made them")
asked = parser.parse_args()

try:
    found = []
    for row in rows(asked.out, asked.task or tuple(TASKS), asked.seeds):
        found.append(row)
        print(f"{row.task}, seed {row.seed}: {row.right:.1%} right", flush=True)
    if asked.csv:
        as_csv(found, asked.csv)
    if asked.npz:
        made_by = f"python -m studies.truth, {asked.seeds} seeds; NumPy {np.__version__}, PyTorch {torch.__version__}"
        as_npz(found, asked.npz, made_by)
    whole = summary(found)
    write_summary(asked.summary, whole)
except MHAError as fault:
    raise SystemExit(str(fault)) from None
print(f"{whole.n_models} models; {whole.left_out} did not learn. A ranking by chance hits {whole.chance:.0%}.")
for one in whole.agreements:
    if one.task == EVERY:
        print(
            f"{one.measure:22} rank {one.rank:+.2f} [{one.rank_low:+.2f}, {one.rank_high:+.2f}]"
            f"  hit {one.hit:.0%} [{one.hit_low:.0%}, {one.hit_high:.0%}]"
        )
