"""How well measures rank the heads that matter: the rows of the study, and their summary; numpy only.

Which heads matter is the Shapley value with outputs of another text in place of a head's own. Two numbers describe how
well a measure ranks the eight heads of one model: Spearman's rank correlation, and the share of the heads that matter
among as many that the measure names first. Heads matter that, the largest first, hold four fifths of the whole.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from studies.separation import rank_correlation
from studies.truth.tasks import TASKS

KINDS = ("resample", "mean", "zero")  # replacement of a head's output; the first is the truth
N_SEEDS, N_TEXTS, STEPS = 20, 256, 800
LEARNED = 0.9  # a model with fewer right answers has not learned its task, and is excluded
HOLD = 0.8  # of the whole is held by the heads that matter
DRAWS, SEED = 2000, 0  # of the interval over seeds


@dataclass(frozen=True)
class RankedMeasure:
    """One measure: its ``name``, its description, and its paper."""

    name: str
    of: str
    source: str


MEASURES: dict[str, RankedMeasure] = {
    row.name: row
    for row in (
        RankedMeasure("attention", "attention from the asked word to the words that decide", "Vaswani et al. 2017"),
        RankedMeasure("contribution", "length of what arrives from the words that decide", "Kobayashi et al. 2020"),
        RankedMeasure("rollout", "fall of rollout to the words that decide, the head left out", "Abnar & Zuidema 2020"),
        RankedMeasure("gradient × attention", "size of Σ weight · gradient of log p(answer)", "Michel et al. 2019"),
        RankedMeasure("mean ablation", "fall of log p(answer), output replaced by its mean", "Wang et al. 2023"),
        RankedMeasure("zero ablation", "fall of log p(answer), output replaced by zero", "Michel et al. 2019"),
        RankedMeasure("resampling ablation", "fall of log p(answer), output of another text", "Zhang & Nanda 2023"),
        RankedMeasure("activation patching", "how far the output restores the answer", "Vig et al. 2020"),
        RankedMeasure("direct effect", "what the output adds to the answer's logit itself", "Elhage et al. 2021"),
    )
}


@dataclass(frozen=True)
class StudiedModel:
    """One model: its ``task`` and ``seed``, its share of ``right`` answers, and one number a head and measure.

    ``truth`` has the Shapley values by the replacement of a head's output (`KINDS`), ``found`` those of each
    measure; each is one number for every head, layer by layer.
    """

    task: str
    seed: int
    right: float
    truth: dict[str, list[float]]
    found: dict[str, list[float]]


def write(path: Path, models: Sequence[StudiedModel]) -> None:
    """Write rows as JSON with their provenance."""
    facts = {"study": "measures against a known truth", "version": 1, "texts": N_TEXTS, "steps": STEPS}
    ordered = sorted(models, key=lambda row: (row.task, row.seed))
    lines = ",\n".join(json.dumps(asdict(row)) for row in ordered)
    new = path.with_suffix(".new")
    new.write_text(f'{{"about": {json.dumps(facts)},\n"rows": [\n{lines}\n]}}\n')
    new.replace(path)


def read(path: Path) -> tuple[StudiedModel, ...]:
    """Return the rows of a file of the study."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return tuple(StudiedModel(**row) for row in content["rows"])


def matter(truth: np.ndarray) -> np.ndarray:
    """Return the heads that matter, int: the fewest that, the largest first, hold four fifths of the whole."""
    order = np.argsort(-truth, kind="stable")
    positive = np.clip(truth[order], 0, None)
    return order[: int(np.searchsorted(np.cumsum(positive), HOLD * positive.sum())) + 1]


def hits(truth: np.ndarray, measured_values: np.ndarray) -> float:
    """Return the share of the heads that matter among as many that a measure names first."""
    important = matter(truth)
    leading = np.argsort(-measured_values, kind="stable")[: len(important)]
    return len(set(important) & set(leading)) / len(important)


def summary(models: Sequence[StudiedModel]) -> dict[str, Any]:
    """Return the JSON that the pages read: measures, the best first, with how well they rank heads.

    A model that did not learn its task is excluded.
    """
    learned = [row for row in models if row.right >= LEARNED]
    rows_by_task = {name: [row for row in learned if row.task == name] for name in TASKS}
    rows_by_task = {name: rows for name, rows in rows_by_task.items() if rows}
    measures = [asdict(measure) | agreement(measure.name, rows_by_task) for measure in MEASURES.values()]
    measures.sort(key=lambda row: -row["rank"][0])
    counts = {"n_models": len(learned), "n_excluded": len(models) - len(learned)}
    return {"study": "python -m studies.truth", **counts, "measures": measures}


def agreement(measure: str, rows_by_task: dict[str, list[StudiedModel]]) -> dict[str, Any]:
    """Return the rank correlation and the hit of a measure, each with its interval, and its correlation in each task.

    All tasks count alike. Intervals redraw seeds within each task.
    """
    generator = np.random.default_rng(SEED)
    means, draws = [], []
    for rows in rows_by_task.values():
        pairs = [(np.array(row.found[measure]), np.array(row.truth[KINDS[0]])) for row in rows]
        numbers = np.array(
            [(rank_correlation(found, truth), hits(truth, found)) for found, truth in pairs]
        )  # [seed, 2]
        numbers = np.nan_to_num(numbers)  # a measure that is the same of all heads ranks none
        means.append(numbers.mean(axis=0))
        sample = generator.integers(len(numbers), size=(DRAWS, len(numbers)))
        draws.append(numbers[sample].mean(axis=1))  # [draw, 2]
    low, high = np.percentile(np.mean(draws, axis=0), [2.5, 97.5], axis=0)
    rank, hit = np.stack([np.mean(means, axis=0), low, high], axis=1).tolist()
    tasks = {task: float(mean[0]) for task, mean in zip(rows_by_task, means, strict=True)}
    return {"rank": rank, "hit": hit, "tasks": tasks}
