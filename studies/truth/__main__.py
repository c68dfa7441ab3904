"""Measure against a known truth, and resume from the file: ``python -m studies.truth [--out FILE] [--csv FILE]
[--npz FILE]``.
"""

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
options = parser.parse_args()

try:
    studied = []
    for row in rows(options.out, options.task or tuple(TASKS), options.seeds):
        studied.append(row)
        print(f"{row.task}, seed {row.seed}: {row.right:.1%} right", flush=True)
    if options.csv:
        as_csv(studied, options.csv)
    if options.npz:
        made_by = f"python -m studies.truth, {options.seeds} seeds; NumPy {np.__version__}, PyTorch {torch.__version__}"
        as_npz(studied, options.npz, made_by)
    result = summary(studied)
    write_summary(options.summary, result)
except MHAError as fault:
    raise SystemExit(str(fault)) from None
print(f"{result.n_models} models; {result.left_out} did not learn. A ranking by chance hits {result.chance:.0%}.")
for agreement in result.agreements:
    if agreement.task == EVERY:
        print(
            f"{agreement.measure:22} rank {agreement.rank:+.2f} [{agreement.rank_low:+.2f}, {agreement.rank_high:+.2f}]"
            f"  hit {agreement.hit:.0%} [{agreement.hit_low:.0%}, {agreement.hit_high:.0%}]"
        )
