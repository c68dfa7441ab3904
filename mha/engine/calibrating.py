"""Calibrating a model on the forced pairs as a job: step by step, shared by all visitors, to be stopped and gone on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mha.engine.answers import Job
from mha.intervention.calibrated import Calibration, KindCalibration, calibration

if TYPE_CHECKING:
    from mha.models.files.loading import LoadedModel


class CalibrationRun:
    """One model's calibration under way; ``found`` is there at the end."""

    def __init__(self, model: str | LoadedModel) -> None:
        self.model = model
        self.found: Calibration | None = None
        self.done, self.whole = 0, 1
        self._work: Iterator[Calibration | None] | None = None
        self._job = Job(self._steps())

    @property
    def state(self) -> str:
        """One of "running", "done", "stopped", "failed"."""
        return self._job.state

    def stop(self) -> None:
        """End after the step that is under way; what was done is kept."""
        self._job.stop()

    def go_on(self) -> None:
        """Do the steps that are missing; after a failure, all of them again."""
        if self.state == "failed":
            self._work = None
        self._job = Job(self._steps())

    def wait(self, seconds: float) -> bool:
        """Wait for the end, at most so long; return whether it is over."""
        return self._job.wait(seconds)

    def _steps(self) -> Iterator[None]:
        from mha.intervention.calibrate import N_STEPS, calibrating
        from mha.intervention.subject import subject

        if self._work is None:
            self.done, self.whole = 0, N_STEPS
            self._work = calibrating(subject(self.model))
        for found in self._work:
            if found is not None:
                self.found = found
                return
            self.done += 1
            yield


_runs: dict[str, CalibrationRun] = {}
_lock = threading.Lock()


def run_of(model: str) -> CalibrationRun | None:
    """Return the run of a model, under way or over; None where nobody has begun one."""
    return _runs.get(model)


def begin(model: str) -> CalibrationRun:
    """Return the run of a model, begun now unless it is under way or over; a stopped one goes on."""
    with _lock:
        if model not in _runs:
            _runs[model] = CalibrationRun(model)
        elif _runs[model].state in ("stopped", "failed"):
            _runs[model].go_on()
        return _runs[model]


def known(kind: str, model: str) -> KindCalibration | None:
    """Return what the forced pairs of a kind show: as it comes with the program or was measured since it started."""
    run = run_of(model)
    found = calibration(model) or (run.found if run else None)
    return found.of(kind) if found else None
