"""Trainings in the background: watched by any number of visitors, in turns, and kept when they are done.

One worker gives every run a chunk of steps in turn, so that nobody waits for another's run to end. Equal settings are
one run. A run that is stopped keeps its place and can go on; finished runs stay in a bounded cache. Those that come
with the app (`mha.engine.training_runs`) are there at once.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from mha.engine.training_runs import bundled_runs
from mha.errors import Busy, MHAError
from mha.training.curves import Curves
from mha.training.settings import Settings

MOST_RUNS = 64  # kept, whether finished or stopped
MOST_AT_ONCE = 12
MOMENTS = 48  # snapshots of a run, besides the one before the first step
FAILED = "This training stopped by a fault of ours; it has been logged."

log = logging.getLogger(__name__)
Train = Callable[..., Generator[Any, None, Any]]


@dataclass(frozen=True)
class Progress:
    """How far a run is: ``phase`` is "none", "training", "stopped", "finished" or "failed" (``message`` says why).

    ``curves`` is what it has shown so far, None before the first snapshot; ``bundled`` that it came with the app.
    """

    phase: str
    curves: Curves | None = None
    bundled: bool = False
    message: str = ""


@dataclass(eq=False)
class _Run:
    settings: Settings
    snapshots: list[Any] = field(default_factory=list)
    generator: Generator[Any, None, Any] | None = None
    wanted: set[str] = field(default_factory=set)  # visitors
    phase: str = "training"
    message: str = ""
    curves: Curves | None = None


class Trainer:
    """The trainings of one process; pages use the module's functions, tests make their own."""

    def __init__(self, train: Train | None = None) -> None:
        self._train = train or _train
        self._runs: OrderedDict[Settings, _Run] = OrderedDict()  # the one looked at longest ago first
        self._lock = threading.Lock()
        self._worker: threading.Thread | None = None

    def progress(self, settings: Settings, live: bool = False) -> Progress:
        """Return how far a run is; a bundled one is finished, unless ``live`` asks for one of this very process."""
        ready_made = None if live else bundled_runs().get(settings)
        if ready_made is not None:
            return Progress("finished", ready_made, bundled=True)
        with self._lock:
            run = self._runs.get(settings)
            if run is None:
                return Progress("none")
            self._runs.move_to_end(settings)
            if run.snapshots and (run.curves is None or len(run.curves) < len(run.snapshots)):
                run.curves = Curves.of(settings, run.snapshots)
            return Progress(run.phase, run.curves, message=run.message)

    def start(self, settings: Settings, visitor: str, anew: bool = False) -> None:
        """Begin a run, or go on with a stopped one; with ``anew``, from the first step unless it is under way.

        Raises:
            Busy: as many runs are under way as this process trains at once.
        """
        with self._lock:
            run = self._runs.get(settings)
            if run is not None and run.phase == "finished" and not anew:
                return
            if run is None or run.phase == "failed" or (anew and run.phase != "training"):
                self._make_room()
                run = self._runs[settings] = _Run(settings)
            elif run.phase == "stopped":
                self._make_room()
                run.phase = "training"
            run.wanted.add(visitor)
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, name="training", daemon=True)
                self._worker.start()

    def stop(self, settings: Settings, visitor: str) -> None:
        """Stop a run for one visitor: it goes on only as long as another watches it."""
        with self._lock:
            run = self._runs.get(settings)
            if run is not None:
                run.wanted.discard(visitor)
                if not run.wanted and run.phase == "training":
                    run.phase = "stopped"

    def _make_room(self) -> None:
        under_way = [run for run in self._runs.values() if run.phase == "training"]
        if len(under_way) >= MOST_AT_ONCE:
            raise Busy("Many trainings are under way right now. Try again in a few seconds.")
        for settings in [key for key, run in self._runs.items() if run.phase != "training"]:
            if len(self._runs) < MOST_RUNS:
                break
            del self._runs[settings]

    def _work(self) -> None:
        """Give each run under way one chunk after the other, until none is left."""
        while True:
            with self._lock:
                turn = [run for run in self._runs.values() if run.phase == "training"]
                if not turn:
                    self._worker = None
                    return
            for run in turn:
                self._chunk(run)

    def _chunk(self, run: _Run) -> None:
        if run.phase != "training":
            return
        try:
            if run.generator is None:
                run.generator = self._train(run.settings, every=max(1, run.settings.n_steps // MOMENTS))
            snapshot = next(run.generator)
        except StopIteration:
            run.phase, run.generator = "finished", None
        except MHAError as error:
            run.phase, run.generator, run.message = "failed", None, str(error)
        except Exception:
            log.exception("a training failed")
            run.phase, run.generator, run.message = "failed", None, FAILED
        else:
            run.snapshots.append(snapshot)
            if snapshot.step == run.settings.n_steps:
                run.phase, run.generator = "finished", None


def _train(settings: Settings, every: int) -> Generator[Any, None, Any]:
    from mha.training.loop import train

    return train(settings, every)


_trainer = Trainer()
progress = _trainer.progress
start = _trainer.start
stop = _trainer.stop
