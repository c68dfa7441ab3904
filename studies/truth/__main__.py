"""Measure against a known truth, and resume from the file: ``python -m studies.truth [--out FILE]``."""

import argparse
import json
from pathlib import Path

from mha.assets import ASSETS
from studies.truth.agreement import summary
from studies.truth.study import rows

MODELS = Path(__file__).with_name("models.json")

parser = argparse.ArgumentParser(prog="python -m studies.truth", description="Measures of heads against a known truth.")
parser.add_argument(
    "--out", type=Path, default=MODELS, help="the file of all models; those in it are not measured again"
)
options = parser.parse_args()
results = summary(list(rows(options.out)))
(ASSETS / "measures.json").write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
