"""Which measures find the heads that matter: the results of `studies/truth`, as a section of the page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mha import assets
from mha.assets import ASSETS
from mha.formats import number, percent
from mha.screens.blocks import Block, caption, heading
from mha.screens.places import Chart, Listed, More, PageTable

FILE = ASSETS / "measures.json"
MARKS = "Dot and bar: the mean of all tasks and its 95 % interval over seeds. Rings: single tasks."
COUNTS = ("no task", "one task", "two tasks", "three tasks", "four tasks", "five tasks")


@dataclass(frozen=True)
class MeasureRow:
    """One measure of heads: its ``name``, its definition ``of`` a head, its source, and how well it ranks heads.

    ``rank`` is Spearman's correlation with the Shapley values and ``hit`` the share of the heads that matter among as
    many that the measure ranks first, each a mean over tasks and its 95 % interval over seeds. ``tasks`` has the rank
    correlation of single tasks.
    """

    name: str
    of: str
    source: str
    rank: tuple[float, float, float]
    hit: tuple[float, float, float]
    tasks: dict[str, float]


@dataclass(frozen=True)
class Study:
    """The summary of the study: measures, the best first, the number of models, and those that did not learn."""

    measures: tuple[MeasureRow, ...]
    n_models: int
    n_excluded: int

    @property
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks, in the order of the study."""
        return tuple(self.measures[0].tasks)


def truth() -> Iterator[Block]:
    """Yield how well each measure ranks the heads that matter, in models in which every set of heads was tried."""
    yield from study_section(read_study())


def study_section(study: Study) -> Iterator[Block]:
    """Yield the section of a study."""
    yield heading("Which measures find the heads that matter?")
    yield caption(finding(study), style="answer")
    yield agreement_chart(study.measures)
    yield caption(MARKS)
    columns = {
        "measure": [measure.name for measure in study.measures],
        "rank correlation": [_interval(measure) for measure in study.measures],
        "heads found": ["{} ({} to {})".format(*map(percent, measure.hit)) for measure in study.measures],
    }
    yield PageTable(columns, "How well each measure ranks heads", "parallax-truth")
    yield More("How is this measured?", (Listed(method(study)),))


def read_study() -> Study:
    """Return the summary that comes with the program.

    Raises:
        AssetError: the file is missing or damaged.
    """
    return assets.read(FILE, parse_study)


def parse_study(content: bytes) -> Study:
    """Return the summary in a file's bytes."""
    data = json.loads(content)
    rows = (row | {"rank": tuple(row["rank"]), "hit": tuple(row["hit"])} for row in data["measures"])
    return Study(tuple(MeasureRow(**row) for row in rows), data["n_models"], data["n_excluded"])


def agreement_chart(measures: Sequence[MeasureRow]) -> Chart:
    """Return how well each measure ranks heads, with intervals, and each task for itself."""
    data: dict[str, Any] = {
        "names": [measure.name for measure in measures],
        "means": [measure.rank for measure in measures],
        "tasks": {task: [measure.tasks[task] for measure in measures] for task in measures[0].tasks},
    }
    return Chart("agreement", data, "; ".join(f"{measure.name}: {_interval(measure)}" for measure in measures))


def finding(study: Study) -> str:
    """Return the finding in two sentences."""
    best, worst = study.measures[0], study.measures[-1]
    attention = next(measure for measure in study.measures if measure.name == "attention")
    first = (
        f"In {study.n_models} tiny models, trained here for {COUNTS[len(study.tasks)]}, {best.name} ranks heads best "
        f"by what they do (rank correlation {number(best.rank[0], 2)}), {worst.name} worst "
        f"({number(worst.rank[0], 2)})."
    )
    second = f"Attention to the words that decide reaches {number(attention.rank[0], 2)}"
    if attention.rank[2] < best.rank[1]:
        return f"{first} {second}: where a head looks says less about what it does."
    return f"{first} {second}; the difference is not clear."


def method(study: Study) -> tuple[str, ...]:
    """Return the method, a sentence or two a line."""
    excluded = "one model was" if study.n_excluded == 1 else f"{study.n_excluded or 'no'} models were"
    return (
        f"Tasks: {', '.join(study.tasks)}. Each model has two layers of four heads and its own seed; {excluded} "
        "excluded because the task was not learned.",
        "The reference is a head's Shapley value (Shapley 1953): what it adds to the share of right answers, averaged "
        "over all orders in which the eight heads could join. All 256 sets of heads were tried.",
        "Measures of attention were given the words that decide. In a pretrained model they are unknown, and what "
        "holds in a tiny model need not hold there.",
        "Measures: " + "; ".join(f"{row.name}, {row.of} ({row.source})" for row in study.measures) + ".",
        "`python -m studies.truth` repeats the study; `docs/claims.md` describes its method.",
    )


def _interval(measure: MeasureRow) -> str:
    return "{} ({} to {})".format(*(number(value, 2) for value in measure.rank))
