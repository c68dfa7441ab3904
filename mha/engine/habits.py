"""What each head of a model usually does, measured over the corpus; ``python -m mha.engine.habits`` writes MiniLM's.

A habit that does not come with the program is measured in steps, so that a job can show how far it is and be stopped.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mha.analysis.habit import Habit, file_of, habit, measuring, write
from mha.engine.jobs import Job, Long
from mha.engine.question import InPieces
from mha.intervention.calibrated import Calibration, calibration
from mha.pairs import corpus

if TYPE_CHECKING:
    from mha.models.files.loading import LoadedModel

if TYPE_CHECKING:  # these bring torch
    from mha.models.files.loading import LoadedModel


def habit_steps(model: str | LoadedModel) -> Iterator[tuple[int, int] | Habit]:
    """Yield how many corpus sentences are done, of how many, after each, and then the model's habit."""
    from mha.models.watch.attending import attend, loaded_model

    loaded = loaded_model(model)
    texts = corpus()
    return measuring((attend(text, loaded) for text in texts), len(texts), loaded.row.name, loaded.row.revision)


class HabitRun(Job):
    """The measuring of one model's habit, shared by all visitors; ``found`` is there at the end."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.found: Habit | None = None
        self.whole = len(corpus())
        super().__init__()

    def rest(self) -> InPieces:
        """Return all of it: one sentence of the corpus after the other."""
        return InPieces(habit_steps, (self.model,))

    def take(self, piece: tuple[int, int] | Habit) -> None:
        """Take how far it is, or what was found."""
        if isinstance(piece, Habit):
            self.found = piece
        else:
            self.done, self.whole = piece


@dataclass(frozen=True)
class HabitOf(Long):
    """What a model's heads usually do, over the bundled sentences."""

    model: str

    def run(self) -> HabitRun:
        return HabitRun(self.model)


def habit_of(model: str) -> Habit | None:
    """Return a model's habit: as it comes with the program, or was measured since it started; else None."""
    run = HabitOf(model).answer()
    return habit(model) or (run.found if run else None)


def main() -> None:
    """Measure the habit of the model that is named, and write it where it is looked for."""
    parser = argparse.ArgumentParser(prog="python -m mha.engine.habits", description=main.__doc__)
    parser.add_argument("model", nargs="?", default="minilm")
    for found in habit_steps(parser.parse_args().model):
        if isinstance(found, Habit):
            write(found, file_of(found.model))


if __name__ == "__main__":
    main()


@dataclass(frozen=True)
class CalibrationOn(Long):
    """A model's calibration on the forced pairs."""

    model: str

    def run(self) -> CalibrationRun:
        return CalibrationRun(self.model)


class CalibrationRun(Job):
    """One model's calibration on the forced pairs, shared by all visitors; ``found`` is there at the end."""

    def __init__(self, model: str | LoadedModel) -> None:
        self.model = model
        self.found: Calibration | None = None
        super().__init__()

    def rest(self) -> InPieces:
        """Return all of it: what is known in the midst is no use alone."""
        return InPieces(calibrated, (self.model,))

    def take(self, piece: tuple[int, int] | Calibration) -> None:
        """Take how far it is, or what was found."""
        if isinstance(piece, tuple):
            self.done, self.whole = piece
        else:
            self.found = piece


def calibrated(model: str | LoadedModel) -> Iterator[tuple[int, int] | Calibration]:
    """Measure the pairs of every kind, their other orders and the twins: yield how many steps are done, of how many."""
    from mha.intervention.calibrate import N_STEPS, calibrating
    from mha.intervention.subject import subject

    done, work = 0, calibrating(subject(model))
    while True:
        try:
            done += next(work)
        except StopIteration as end:
            yield end.value
            return
        yield done, N_STEPS


def calibration_of(model: str) -> Calibration | None:
    """Return what the forced pairs show: as it comes with the program, or was measured since it started; else None."""
    run = CalibrationOn(model).answer()
    return calibration(model) or (run.found if run else None)
