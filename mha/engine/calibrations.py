"""A model's calibration on the forced pairs, as a job."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mha.engine.jobs import Job
from mha.engine.question import InPieces
from mha.engine.runs import Long
from mha.intervention.calibrated import Calibration, calibration

if TYPE_CHECKING:  # these bring torch
    from mha.models.files.loading import LoadedModel


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
