"""How well measures rank the heads that matter: the rows of the study, and their summary; numpy only.

Which heads matter is the Shapley value with outputs of another text in place of a head's own. Two numbers describe how
well a measure ranks the eight heads of one model: Spearman's rank correlation, and the share of the heads that matter
among as many that the measure names first. Heads matter that, the largest first, hold four fifths of the whole.
"""

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from mha.errors import InputError
from mha.memo import array_dataclass
from studies.separation import rank_correlation
from studies.truth.tasks import TASKS

VERSION = 1  # of the rule; a file of another version is not read
KINDS = ("resample", "mean", "zero")  # replacement of a head's output; the first is the truth
N_SEEDS, N_TEXTS, STEPS = 20, 256, 800
LEARNED = 0.9  # a model with fewer right answers has not learned its task, and is excluded
HOLD = 0.8  # of the whole is held by the heads that matter
DRAWS, SEED = 2000, 0  # of the interval over seeds
EVERY = "all"  # tasks together


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


@dataclass(frozen=True)
class Agreement:
    """How well a measure ranks the heads of ``n`` models: a mean and its 95 % interval over seeds."""

    measure: str
    task: str
    n: int
    rank: float
    rank_low: float
    rank_high: float
    hit: float
    hit_low: float
    hit_high: float


def write(path: Path, models: Sequence[StudiedModel]) -> None:
    """Write rows as JSON with their provenance."""
    facts = {"study": "measures against a known truth", "version": VERSION, "texts": N_TEXTS, "steps": STEPS}
    ordered = sorted(models, key=lambda row: (row.task, row.seed))
    lines = ",\n".join(json.dumps(asdict(row)) for row in ordered)
    new = path.with_suffix(".new")
    new.write_text(f'{{"about": {json.dumps(facts)},\n"rows": [\n{lines}\n]}}\n')
    new.replace(path)


def read(path: Path) -> tuple[StudiedModel, ...]:
    """Return the rows of a file.

    Raises:
        InputError: it is not a file of this study, or of another version of its rule.
    """
    try:
        return parsed(path.read_bytes())
    except OSError as fault:
        raise InputError(f"{path.name} cannot be read.") from fault
    except InputError as fault:
        raise InputError(f"{path.name}: {fault}") from fault


def parsed(content: bytes) -> tuple[StudiedModel, ...]:
    """Return the rows of a file's bytes; raises as `read` does."""
    try:
        content_dict = json.loads(content)
        version, models = content_dict["about"]["version"], tuple(StudiedModel(**row) for row in content_dict["rows"])
    except (ValueError, TypeError, KeyError) as fault:
        raise InputError("This is not a file of the study.") from fault
    if version != VERSION:
        raise InputError(f"It is of version {version} of the study; this is version {VERSION}.")
    return models


def as_csv(models: Sequence[StudiedModel], path: Path) -> None:
    """Write one line for each head of each model."""
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["task", "seed", "right", "head", *(f"truth, {kind}" for kind in KINDS), *MEASURES])
        for row in models:
            for head in range(len(row.truth[KINDS[0]])):
                truth = [row.truth[kind][head] for kind in KINDS]
                table.writerow([row.task, row.seed, row.right, head, *truth, *(row.found[m][head] for m in MEASURES)])


def as_npz(models: Sequence[StudiedModel], path: Path, note: str = "") -> None:
    """Write every number as arrays: ``truth`` [kind, model, head], ``models`` [measure, model, head], and their names.

    ``note`` is their provenance.
    """
    np.savez_compressed(
        path,
        task=np.array([row.task for row in models]),
        seed=np.array([row.seed for row in models]),
        right=np.array([row.right for row in models]),
        kinds=np.array(KINDS),
        truth=np.array([[row.truth[kind] for row in models] for kind in KINDS]),
        measures=np.array(list(MEASURES)),
        found=np.array([[row.found[name] for row in models] for name in MEASURES]),
        about=np.array(note),
    )


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


@array_dataclass
class Summary:
    """How well every measure ranks heads: in each task that was learned, and over all of them (task "all").

    ``left_out`` counts the models that did not learn their task, ``chance`` is the hit of a ranking by chance,
    ``truths`` how well the values with means and with zeros rank as the truth does (Spearman).
    """

    agreements: tuple[Agreement, ...]
    n_models: int
    left_out: int
    chance: float
    truths: dict[str, float]

    def agreement(self, measure: str, name: str = EVERY) -> Agreement:
        """Return one measure's agreement in one task, or over all.

        Raises:
            InputError: it was not measured there.
        """
        for agreement in self.agreements:
            if (agreement.measure, agreement.task) == (measure, name):
                return agreement
        raise InputError(f"{measure!r} was not measured in {name!r}.")


def summary(models: Sequence[StudiedModel]) -> Summary:
    """Return how well every measure ranks heads; intervals resample seeds within each task.

    Raises:
        InputError: no model has learned its task.
    """
    learned_models = [row for row in models if row.right >= LEARNED]
    if not learned_models:
        raise InputError("No model has learned its task, so nothing can be ranked.")
    tasks = [name for name in TASKS if any(row.task == name for row in learned_models)]
    agreements = [
        agreement
        for measure in learned_models[0].found
        for agreement in _agreements(
            measure, {name: [row for row in learned_models if row.task == name] for name in tasks}
        )
    ]
    truth = [np.array(row.truth[KINDS[0]]) for row in learned_models]
    chance = float(np.mean([len(matter(values)) / len(values) for values in truth]))
    pairs = list(zip(learned_models, truth, strict=True))
    kind_agreements = {
        kind: float(np.nanmean([rank_correlation(np.array(row.truth[kind]), values) for row, values in pairs]))
        for kind in KINDS[1:]
    }
    return Summary(tuple(agreements), len(learned_models), len(models) - len(learned_models), chance, kind_agreements)


def write_summary(path: Path, study: Summary) -> None:
    """Write a summary as JSON for the pages: measures, the best first, with ranks, hits and their intervals."""
    tasks = [name for name in TASKS if any(row.task == name for row in study.agreements)]
    names = {row.measure for row in study.agreements}
    rows = [
        {
            **asdict(measure),
            "rank": [agreement.rank, agreement.rank_low, agreement.rank_high],
            "hit": [agreement.hit, agreement.hit_low, agreement.hit_high],
            "tasks": {task: study.agreement(measure.name, task).rank for task in tasks},
        }
        for measure in MEASURES.values()
        if measure.name in names
        for agreement in [study.agreement(measure.name)]
    ]
    rows.sort(key=lambda row: -row["rank"][0])
    data = {"study": "python -m studies.truth", "n_models": study.n_models, "n_excluded": study.left_out}
    path.write_text(json.dumps(data | {"measures": rows}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _agreements(measure: str, of_task: dict[str, list[StudiedModel]]) -> Iterator[Agreement]:
    """Yield a measure's agreement in every task, and the mean of tasks at the end."""
    generator = np.random.default_rng(SEED)
    means, redrawn = [], []
    for name, rows in of_task.items():
        truth = [np.array(row.truth[KINDS[0]]) for row in rows]
        values = [np.array(row.found[measure]) for row in rows]
        both = np.array([(rank_correlation(a, b), hits(b, a)) for a, b in zip(values, truth, strict=True)])  # [seed, 2]
        both = np.nan_to_num(both)  # a measure that is the same of all heads ranks none
        draws = both[generator.integers(len(both), size=(DRAWS, len(both)))].mean(axis=1)  # [draw, 2]
        means.append(both.mean(axis=0))
        redrawn.append(draws)
        yield _agreement(measure, name, len(both), means[-1], draws)
    yield _agreement(measure, EVERY, sum(map(len, of_task.values())), np.mean(means, axis=0), np.mean(redrawn, axis=0))


def _agreement(measure: str, name: str, n: int, mean: np.ndarray, draws: np.ndarray) -> Agreement:
    low, high = np.percentile(draws, [2.5, 97.5], axis=0)
    return Agreement(measure, name, n, *map(float, (mean[0], low[0], high[0], mean[1], low[1], high[1])))
