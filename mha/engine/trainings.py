"""Trainings in the background: watched by any number of visitors, in turns, and kept when they are done.

Each run is a job of a worker of its own kind, which gives every one a chunk of steps in turn, so that nobody waits for
another's run to end. Equal settings are one run. A run that is stopped keeps its place and can go on; finished runs
stay in a bounded cache. Those that come with the app (`mha.engine.bundled`) are there at once.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from mha.engine.bundled import bundled_runs
from mha.engine.elsewhere import WAYS
from mha.engine.following import FOLLOWERS, Followers
from mha.engine.jobs import Job
from mha.engine.question import InPieces, Question
from mha.engine.work import Work
from mha.errors import Busy, MHAError
from mha.training.curves import Curves
from mha.training.settings import Settings

MOST_RUNS = 64  # kept, whether finished or stopped
MOST_AT_ONCE = 12
MOMENTS = 48  # snapshots of a run, besides the one before the first step
FAILED = "This training failed on our side and was logged."

PHASES = {"running": "training", "done": "finished", "stopped": "stopped", "failed": "failed"}  # of a job's states

Train = Callable[..., Generator[Any, None, Any]]


@dataclass(frozen=True)
class Progress:
    """How far a run is: ``phase`` is "none", "training", "stopped", "finished" or "failed" (``message`` says why).

    A run that its last follower has left is "left": it goes on when it is started by another.

    ``curves`` is what it has shown so far, None before the first snapshot; ``bundled`` that it came with the app.
    """

    phase: str
    curves: Curves | None = None
    bundled: bool = False
    message: str = ""


class _Run(Job):
    """One training, with its snapshots so far."""

    def __init__(self, settings: Settings, train: Train, work: Work) -> None:
        self.settings, self._train = settings, train
        self.snapshots: list[Any] = []
        self.curves: Curves | None = None
        self.whole = settings.n_steps
        super().__init__(work)

    @property
    def phase(self) -> str:
        """The job's state in the words of `Progress`."""
        if self.left:
            return "left"
        return "stopped" if self.stopping and self.state == "running" else PHASES[self.state]

    @property
    def message(self) -> str:
        """Why it failed, if it did."""
        return "" if self.error is None else str(self.error) if isinstance(self.error, MHAError) else FAILED

    def rest(self) -> InPieces:
        """Return the whole training: the same settings give the same snapshots, so that those that are here stay."""
        return InPieces(self._train, (self.settings, max(1, self.settings.n_steps // MOMENTS)))

    def take(self, piece: Any) -> None:
        """Take the next snapshot."""
        if not self.snapshots or piece.step > self.done:
            self.snapshots.append(piece)
            self.done = piece.step

    def seen(self) -> Curves | None:
        """Return the curves so far, None before the first snapshot."""
        if self.snapshots and (self.curves is None or len(self.curves) < len(self.snapshots)):
            self.curves = Curves.of(self.settings, self.snapshots)
        return self.curves


class Trainer:
    """The trainings of one process; pages use the module's functions, tests make their own."""

    def __init__(self, train: Train | None = None, followers: Followers | None = None) -> None:
        self._train = train or _train
        self._followers = followers or Followers()
        self._runs: OrderedDict[Settings, _Run] = OrderedDict()  # the one looked at longest ago first
        self._lock = threading.Lock()
        self._work = Work("training", WAYS.threads, one_each=False)

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
            return Progress(run.phase, run.seen(), message=run.message)

    def start(self, settings: Settings, visitor: str, anew: bool = False) -> None:
        """Begin a run, or go on with a stopped one; with ``anew``, from the first step unless it is under way.

        Raises:
            Busy: as many runs are under way as this process trains at once, or as one visitor may follow.
        """
        with self._lock:
            run = self._runs.get(settings)
            if run is not None and run.phase == "finished" and not anew:
                return
            self._followers.check_room(visitor, [run] if run else [])
            if run is None or run.phase == "failed" or (anew and run.phase != "training"):
                self._make_room()
                run = self._runs[settings] = _Run(settings, self._train, self._work)
            elif run.phase in ("stopped", "left"):
                self._make_room()
                run.go_on()
            self._followers.follow(visitor, run)

    def follow(self, settings: Settings, visitor: str) -> None:
        """Note that a visitor follows a run that is under way; one that was left goes on."""
        with self._lock:
            run = self._runs.get(settings)
            if run is not None and run.phase in ("training", "left"):
                self._followers.follow(visitor, run)

    def stop(self, settings: Settings, visitor: str) -> None:
        """Stop a run for one visitor: it goes on only as long as another watches it."""
        with self._lock:
            run = self._runs.get(settings)
            if run is not None:
                self._followers.leave(visitor, run)
                if not self._followers.of(run):
                    run.left = False  # it was said, not left: it waits for "Carry on"
                    run.stop()

    def _make_room(self) -> None:
        under_way = [run for run in self._runs.values() if run.phase == "training"]
        if len(under_way) >= MOST_AT_ONCE:
            raise Busy("Busy right now. Please try again in a few seconds.")
        for settings in [key for key, run in self._runs.items() if run.phase != "training"]:
            if len(self._runs) < MOST_RUNS:
                break
            del self._runs[settings]


def _train(settings: Settings, every: int) -> Generator[Any, None, Any]:
    from mha.training.loop import train

    return train(settings, every)


_trainer = Trainer(followers=FOLLOWERS)
progress = _trainer.progress
follow = _trainer.follow
start = _trainer.start
stop = _trainer.stop


@dataclass(frozen=True)
class Watched(Question[list[Progress]]):
    """How far runs of `mha.training` are, those that come with the program among them."""

    settings: tuple[Settings, ...]

    def answer(self) -> list[Progress]:
        return [progress(settings) for settings in self.settings]

    known = answer
