"""Trainings in the background, followed by any number of visitors, and kept when they are done.

A run is a job that does a chunk of steps at a time and alternates with others. Equal settings are one run. A
stopped run keeps its state and can go on. Bundled runs (`mha.engine.bundled`) are there at once.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from mha.engine.bundled import bundled_runs
from mha.engine.following import FOLLOWERS
from mha.engine.jobs import RUNS, Job
from mha.engine.question import InPieces, Question
from mha.errors import MHAError
from mha.training.curves import Curves
from mha.training.settings import Settings

MOMENTS = 48  # snapshots of a run, besides the one before the first step
FAILED = "This training failed on our side and was logged."

PHASES = {"running": "training", "done": "finished", "stopped": "stopped", "failed": "failed"}  # of a job's states


@dataclass(frozen=True)
class Progress:
    """How far a run is: ``phase`` is "none", "training", "stopped", "finished" or "failed" (``message`` says why).

    A run that its last follower has left is "left": it goes on when it is started by another.

    ``curves`` is what it has shown so far, None before the first snapshot; ``bundled`` that it came with the app;
    ``shared`` that several follow it.
    """

    phase: str
    curves: Curves | None = None
    bundled: bool = False
    message: str = ""
    shared: bool = False


class TrainingRun(Job):
    """One training, with its snapshots so far."""

    one_each = False  # a page compares two
    resumes = True  # its rest is the whole training

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.snapshots: list[Any] = []
        self.curves: Curves | None = None
        self.whole = settings.n_steps
        super().__init__()

    @property
    def phase(self) -> str:
        """The job's state in the words of `Progress`."""
        if self.left:
            return "left"
        return "stopped" if self.stopping and self.state == "running" else PHASES[self.state]

    @property
    def message(self) -> str:
        """The reason of a failure, or ""."""
        return "" if self.error is None else str(self.error) if isinstance(self.error, MHAError) else FAILED

    def rest(self) -> InPieces:
        """Return the whole training: the same settings give the same snapshots, so that those that are here stay."""
        return InPieces(trained, (self.settings, max(1, self.settings.n_steps // MOMENTS)))

    def take(self, piece: Any) -> None:
        """Take the next snapshot."""
        if not self.snapshots or piece.step > self.done:
            self.snapshots.append(piece)
            self.done = piece.step

    def seen(self) -> Curves | None:
        """Return the curves so far, None before the first snapshot."""
        if self.snapshots and (self.curves is None or len(self.curves) < len(self.snapshots)):
            self.curves = Curves.of(self.settings, tuple(self.snapshots))  # it learns on meanwhile
        return self.curves


def trained(settings: Settings, every: int) -> Generator[Any, None, Any]:
    """Yield a snapshot every so many steps."""
    from mha.training.loop import train

    return train(settings, every)


def progress(settings: Settings, live: bool = False) -> Progress:
    """Return how far a run is; a bundled one is finished, unless ``live`` asks for one of this very process."""
    ready_made = None if live else bundled_runs().get(settings)
    if ready_made is not None:
        return Progress("finished", ready_made, bundled=True)
    run: TrainingRun | None = RUNS.get(TrainingRun.of(settings))
    if run is None:
        return Progress("none")
    return Progress(run.phase, run.seen(), message=run.message, shared=len(FOLLOWERS.of(run)) > 1)


def start(settings: Settings, visitor: str, anew: bool = False) -> None:
    """Begin a run, or go on with a stopped one; with ``anew``, from the first step unless it is under way.

    Raises:
        Busy: the visitor follows as many others that run.
    """
    asked = TrainingRun.of(settings)
    run: TrainingRun | None = RUNS.get(asked)
    if run is not None and run.phase == "finished" and not anew:
        return
    if run is None or not run.running:
        FOLLOWERS.check_room(visitor, [run] if run else [])
        if run is not None and (anew or run.phase == "failed"):
            RUNS.forget(asked)
    asked.begin(visitor)


def follow(settings: Settings, visitor: str) -> None:
    """Note that a visitor follows a run that is under way; one that was left goes on."""
    run: TrainingRun | None = RUNS.get(TrainingRun.of(settings))
    if run is not None and run.phase in ("training", "left"):
        FOLLOWERS.follow(visitor, run)


def stop(settings: Settings, visitor: str) -> None:
    """Stop a run for one visitor: it goes on only as long as another watches it."""
    run: TrainingRun | None = RUNS.get(TrainingRun.of(settings))
    if run is not None:
        FOLLOWERS.leave(visitor, run)
        if not FOLLOWERS.of(run):
            run.left = False  # it was said, not left: it waits for "Carry on"
            run.stop()


@dataclass(frozen=True)
class Watched(Question[list[Progress]]):
    """How far runs of `mha.training` are, those that come with the program among them."""

    settings: tuple[Settings, ...]

    def answer(self) -> list[Progress]:
        return [progress(settings) for settings in self.settings]
