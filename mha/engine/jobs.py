"""Long work in short steps: shared, followed, stopped and gone on with; the sweep and the calibration are two of them.

Others get their turn between two steps (`mha.engine.work`).
"""

from __future__ import annotations

import logging
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Generator, Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from mha.engine.answers import WORK
from mha.engine.costs import cost
from mha.engine.elsewhere import WAYS
from mha.engine.following import FOLLOWERS
from mha.engine.question import InPieces
from mha.engine.score import Score
from mha.engine.work import Task, Work
from mha.errors import MHAError
from mha.intervention.calibrated import Calibration, calibration
from mha.intervention.outcomes import Sweep
from mha.maps import HeadId, Reading
from mha.models.files.catalog import model_row

if TYPE_CHECKING:  # these bring torch
    from mha.models.files.loading import LoadedModel

log = logging.getLogger(__name__)


class Job(Task):
    """Long work under way: its `rest` is asked for, here or on a cluster, and each piece that comes of it is a step.

    ``state`` is "running", "done", "stopped" or "failed" (see ``error``); ``done`` of ``whole`` says how far it is, and
    ``stopping`` that it is to end after the step that is under way; ``left`` that it ends for want of followers
    (`mha.engine.following`), and goes on as soon as there is one.
    """

    done = 0
    whole = 1
    watched = True
    anew = False  # what was stopped asks for its rest once more, rather than going on in the midst of it

    def __init__(self, work: Work = WORK) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._left: Iterator[None] | None = None  # the steps that are still to do
        self.stopping = self.left = False
        self.state = "running"
        self.error: Exception | None = None
        self._work.put(self)

    def rest(self) -> InPieces:
        """Return what is still to do."""
        raise NotImplementedError

    def take(self, piece: Any) -> None:
        """Add a piece to what is known."""
        raise NotImplementedError

    def steps(self) -> Iterator[None]:
        """Yield after each step; begun in its first turn, and begun anew after a failure."""
        return self.taking(self.rest)

    def taking(self, rest: Callable[[], InPieces]) -> Iterator[None]:
        """Take the pieces of what is left to do, one a step."""
        for piece in WAYS.pieces(rest):
            if not isinstance(piece, int):
                self.take(piece)
            yield

    def owners(self) -> Collection[Hashable]:
        """Return who answers for it: everyone who follows."""
        return [FOLLOWERS.owner(who) for who in FOLLOWERS.of(self)]

    def stop(self) -> None:
        """End after the step that is under way; what was done is kept."""
        with self._lock:
            self._stop()

    def leave(self) -> None:
        """End after the step that is under way, until somebody follows it again."""
        with self._lock:
            if self.running:
                self.left = True
                self._stop()

    def _stop(self) -> None:
        self.stopping = True
        if self._work.drop(self):  # it waits for its turn: there is no step to wait for
            self._end("stopped")

    @property
    def room(self) -> int:
        """How many bytes it holds, where that is counted."""
        return 0

    @property
    def behind(self) -> bool:
        """Whether it waits because whoever follows it has another long experiment under way."""
        return self._work.behind_own(self)

    @property
    def running(self) -> bool:
        """Whether it is under way and meant to go on."""
        return self.state == "running" and not self.stopping

    def go_on(self) -> None:
        """Do the steps that are missing; after a failure, all that it takes."""
        with self._lock:
            self.stopping = self.left = False
            if self.state in ("stopped", "failed"):
                self.state, self.error = "running", None
                self._ended.clear()
                self._work.put(self)

    def wait(self, seconds: float) -> bool:
        """Wait for the end, at most so long; return whether it is over."""
        return self._ended.wait(seconds)

    def step(self) -> bool:
        """Do the next step, unless it is to end."""
        with self._lock:
            if self.stopping:
                self._end("stopped")
                return False
        try:
            if self._left is None:
                self._left = self.steps()
            next(self._left)
        except StopIteration:
            self._end("done")
        except Exception as error:
            if not isinstance(error, MHAError):
                log.exception("a step of a long experiment failed")
            self._left, self.error = None, error
            self._end("failed")
        else:
            return True
        return False

    def _end(self, state: str) -> None:
        if state == "stopped" and (self.anew or WAYS.cluster) and isinstance(self._left, Generator):
            self._left.close()
            self._left = None
        self.state = state
        self._ended.set()


@dataclass(frozen=True)
class SweepRequest:
    """What is swept: one text between two readings, by one kind of silencing, with the score that is read."""

    text: str
    readings: tuple[Reading, Reading]
    kind: str
    model: str
    score: Score


class SweepRun(Job):
    """The sweep over all heads, low layers first, with what is known so far.

    ``effect`` is float64 [layer, head], NaN where it was not measured or cannot act.
    """

    def __init__(self, asked: SweepRequest) -> None:
        row = model_row(asked.model)
        self.asked = asked
        self.n_heads = row.n_heads
        self.effect = np.full((row.n_layers, row.n_heads), np.nan)
        self.untouched = float("nan")
        self.reach = asked.score.reach(row.n_layers)  # layers that can act on the score
        self.whole = self.reach * row.n_heads
        self.preparing: tuple[int, int] | None = None  # sentences of the corpus averaged so far, of how many
        self.cost = cost(self.whole / 2, asked.model, asked.text)  # layers below a silenced head are run once for all
        super().__init__()

    def wait(self, seconds: float) -> bool:
        """Wait for the end, at most so long; return whether it is over.

        Raises:
            MHAError: what the experiment itself raised.
        """
        over = super().wait(seconds)
        if self.state == "failed" and self.error is not None:
            raise self.error if isinstance(self.error, MHAError) else RuntimeError() from self.error
        return over

    def result(self) -> Sweep:
        """Return what is measured so far."""
        direct = np.zeros(self.effect.shape, dtype=bool)
        if self.asked.score.at_link:  # the heads whose block mixes the two vectors that are compared
            direct[self.reach - 1] = True
        return Sweep(
            text=self.asked.text,
            kind=self.asked.kind,
            at=self.reach,
            untouched=self.untouched,
            effect=self.effect.copy(),
            direct=direct,
            reach=self.reach,
        )

    def rest(self) -> InPieces:
        """Return the heads that are missing."""
        heads = [HeadId(int(layer), int(head)) for layer, head in np.argwhere(np.isnan(self.effect[: self.reach]))]
        return InPieces(swept, (self.asked, heads), self.cost)

    def take(self, piece: tuple[int, int] | Sweep) -> None:
        """Take how far the preparation is, or some heads' effects."""
        if isinstance(piece, tuple):
            self.preparing = piece
            return
        self.preparing = None
        measured = np.isfinite(piece.effect)
        self.effect[measured] = piece.effect[measured]
        self.untouched = piece.untouched
        self.done = int(np.isfinite(self.effect).sum())


def swept(asked: SweepRequest, heads: list[HeadId]) -> Iterator[tuple[int, int] | Sweep]:
    """Average what takes a head's place, where that is not known; then measure these heads."""
    from mha.intervention.bank import gathering
    from mha.intervention.subject import subject
    from mha.intervention.sweep import sweeping

    if asked.kind == "mean":
        yield from gathering(subject(asked.model))
    score = asked.score.readout(), asked.score.at
    yield from sweeping(asked.text, asked.readings, asked.kind, *score, asked.model, heads=heads)


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


Run = TypeVar("Run", bound=Job)


class KeptRuns(Generic[Run]):
    """Runs of one kind by what they are about, for whoever asks about the same.

    The last ``most`` are kept, of at most so many bytes together but for the last two; one that is let go ends.
    """

    def __init__(self, most: float = math.inf, most_bytes: float = math.inf) -> None:
        self._runs: OrderedDict[Hashable, Run] = OrderedDict()  # the one asked about longest ago first
        self._most, self._most_bytes = most, most_bytes
        self._lock = threading.Lock()

    def get(self, about: Hashable) -> Run | None:
        """Return the run about something, under way or over; None where nobody has begun it, or it is forgotten."""
        with self._lock:
            if about in self._runs:
                self._runs.move_to_end(about)
            return self._runs.get(about)

    def go_on(self, about: Hashable, begun: Callable[[], Run], visitor: str | None = None) -> Run:
        """Return the run about something, ``begun`` now unless it is under way or over; a stopped one goes on.

        Raises:
            Busy: the visitor who asks follows as many long jobs as one may.
        """
        with self._lock:
            known = self._runs.get(about)
            if visitor is not None:
                FOLLOWERS.check_room(visitor, [known] if known else [])
            run = self._runs[about] = known or begun()
            run.go_on()
            self._runs.move_to_end(about)
            while len(self._runs) > self._most or self._too_large():
                self._runs.popitem(last=False)[1].stop()
        if visitor is not None:
            FOLLOWERS.follow(visitor, run)
        return run

    def _too_large(self) -> bool:
        return len(self._runs) > 2 and sum(run.room for run in self._runs.values()) > self._most_bytes


class PerModel(Generic[Run]):
    """Runs of one kind, one for each model: begun once, followed by whoever waits, gone on with where one stopped."""

    def __init__(self, begun: Callable[[str], Run]) -> None:
        self._begun, self._runs = begun, KeptRuns[Run]()

    def get(self, model: str) -> Run | None:
        """Return a model's run, under way or over; None where nobody has begun it."""
        return self._runs.get(model)

    def go_on(self, model: str, visitor: str | None = None) -> Run:
        """Return a model's run as `KeptRuns.go_on` does."""
        return self._runs.go_on(model, lambda: self._begun(model), visitor)


_calibrations = PerModel(CalibrationRun)
calibration_run, calibrate = _calibrations.get, _calibrations.go_on


def calibration_of(model: str) -> Calibration | None:
    """Return what the forced pairs show: as it comes with the program, or was measured since it started; else None."""
    run = calibration_run(model)
    return calibration(model) or (run.found if run else None)
