"""Long work in short steps: shared, followed, stopped and gone on with; the sweep is one.

Others get their turn between two steps (`mha.engine.work`).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Generator, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.engine.answers import WORK
from mha.engine.cache import held
from mha.engine.costs import cost
from mha.engine.elsewhere import WAYS
from mha.engine.following import FOLLOWERS
from mha.engine.question import InPieces
from mha.engine.score import Score
from mha.engine.work import Task, Work
from mha.errors import MHAError
from mha.intervention.outcomes import Sweep
from mha.maps import HeadId, Reading
from mha.models.files.catalog import model_row
from mha.pairs import OTHER

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
        """How many bytes it holds."""
        return held({name: value for name, value in list(vars(self).items()) if value is not self._work})

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
    like: str = OTHER  # whose sentences stand in, where another sentence's outputs do


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
            at=self.asked.score.read_at(len(self.effect)),
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
    yield from sweeping(asked.text, asked.readings, asked.kind, *score, asked.model, heads=heads, like=asked.like)
