"""Long work: the question, its run in short steps, and the runs that are kept.

Runs are shared, followed, stopped and gone on with; others get their turn between two steps (`mha.engine.queue`).
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Collection, Generator, Hashable, Iterator
from typing import Any

from mha.engine.cache import LEAST, per_process, size
from mha.engine.followers import FOLLOWERS
from mha.engine.queue import Queue, Task
from mha.engine.remote import DISPATCHER, InPieces
from mha.errors import Busy, MHAError

MOST_BYTES = 256 * 2**20
MOST_RUNS = 256  # each text of Heads begins one

SCHEDULING = {"_queue", "_lock", "_ended", "_steps_left", "followers"}  # attributes of a job other than results

QUEUE = per_process(Queue, DISPATCHER.threads)

log = logging.getLogger(__name__)


class Job(Task):
    """Long work with progress: its `missing_work` is requested, here or from a cluster, and each piece of it is a step.

    An ``idle`` job takes its steps while nothing else waits or runs, some time after its visitor's last run.

    ``state`` is "running", "done", "stopped" or "failed" (see ``error``); ``n_done`` of ``total`` is the progress, and
    ``result`` the last piece that is not progress. A job that is ``stopping`` ends after the step that is under way. A
    job that all its ``followers`` have left (``was_left``) ends too, and goes on as soon as there is one.
    """

    n_done = 0
    total = 1
    n_bytes = LEAST  # of its results, measured when it ends
    watched = True
    goes_on: tuple[str, ...] = ("stopped", "failed")  # states from which it can go on
    request: Any = None  # the newest of the equal questions that it answers

    def __init__(self, work: InPieces | None = None, total: int = 1, queue: Queue = QUEUE) -> None:
        if work is not None:
            self._work, self.cost, self.idle, self.total = work, work.cost, work.idle, total
        self.result: Any = None
        self.followers: dict[str, float] = {}  # when each was last there
        self._queue = queue
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._steps_left: Iterator[Any] | None = None  # the steps that are still to do
        self.stopping = self.was_left = False
        self.state = "running"
        self.error: Exception | None = None
        self._queue.put(self)

    def missing_work(self) -> InPieces:
        """Return the pieces that are missing."""
        return self._work

    def take(self, piece: Any) -> None:
        """Take progress, (n_done, total), or a result."""
        if type(piece) is tuple:
            self.n_done, self.total = piece
        else:
            self.result = piece

    def steps(self) -> Iterator[Any]:
        """Yield after each step; begun in its first turn, and again after a failure."""
        for piece in DISPATCHER.pieces(self.missing_work):
            if not isinstance(piece, int):
                self.take(piece)
            yield

    def owners(self) -> Collection[Hashable]:
        """Return the owners of its followers."""
        return [FOLLOWERS.owner(visitor) for visitor in list(self.followers)] or super().owners()

    def idle_seconds(self) -> float:
        """Return the seconds until an idle job may take a step, by its followers' last runs and others' requests."""
        return FOLLOWERS.idle_seconds(self)

    def pause_seconds(self) -> float:
        """Return the seconds until a job that yields to texts may take a step, while others ask for passes."""
        return FOLLOWERS.pause_seconds(self)

    def stop(self, was_left: bool = False) -> None:
        """End after the step that is under way; the results stay. A job that ``was_left`` goes on with a follower."""
        with self._lock:
            if was_left and not self.running:
                return
            self.stopping, self.was_left = True, was_left
            if self._queue.drop(self):  # it waits for its turn: no step is under way
                self._end("stopped")

    @property
    def running(self) -> bool:
        """Whether it is under way and meant to go on."""
        return self.state == "running" and not self.stopping

    def go_on(self) -> None:
        """Do the steps that are missing; after a failure, all that it takes."""
        with self._lock:
            self.stopping = self.was_left = False
            if self.state in self.goes_on:
                self.state, self.error = "running", None
                self._ended.clear()
                self._queue.put(self)
            elif self.idle:  # a further follower may make it due earlier
                self._queue.expect(self)

    def wait(self, seconds: float) -> bool:
        """Wait for the end, at most so long; return whether it is over."""
        return self._ended.wait(seconds)

    def step(self) -> bool:
        """Do the next step, unless it is to end."""
        FOLLOWERS.check(self)
        try:
            if not self.stopping:
                self._steps_left = self._steps_left or self.steps()
                next(self._steps_left)
        except StopIteration:
            self._end("done")
            return False
        except Exception as error:
            if not isinstance(error, MHAError):
                log.exception("a step of a long experiment failed")
            self._steps_left, self.error = None, error
            self._end("failed")
            return False
        with self._lock:  # an idle job might wait long for a further step
            if self.stopping:
                self._end("stopped")
            return not self.stopping

    def _end(self, state: str) -> None:
        """Note the end; a stopped job releases its half-done steps and their arrays: it goes on with `missing_work`."""
        if state == "stopped" and isinstance(self._steps_left, Generator):
            self._steps_left.close()
            self._steps_left = None
        self.n_bytes = size([value for name, value in vars(self).items() if name not in SCHEDULING])
        self.state = state
        self._ended.set()


class LongQuestion:
    """A long question whose run is a job of its own kind, frozen and hashable."""

    idle = False

    def run(self) -> Job:
        """Return a new run that answers the question."""
        raise NotImplementedError


class Runs:
    """The `MOST_RUNS` newest runs of one process by their questions; all but two fit in ``most_bytes``.

    A forgotten run ends.
    """

    def __init__(self, most_bytes: float = MOST_BYTES) -> None:
        self._runs: OrderedDict[LongQuestion | InPieces, Job] = OrderedDict()  # the one asked about longest ago first
        self._most_bytes = most_bytes
        self._lock = threading.Lock()

    def get(self, question: LongQuestion | InPieces) -> Any:
        """Return the run of a question, under way or over, or None if it was never begun or is forgotten."""
        with self._lock:
            if question in self._runs:
                self._runs.move_to_end(question)
            return self._runs.get(question)

    def go_on(self, question: LongQuestion | InPieces, visitor: str | None = None) -> Any:
        """Return the run of a question, begun now unless it is under way or over; a stopped one goes on.

        The ``visitor`` follows it.

        Raises:
            Busy: the visitor who asks follows as many long jobs as one may.
            MHAError: what beginning it raises.
        """
        existing = self.get(question)
        if visitor is not None and not question.idle:
            FOLLOWERS.check_room(visitor, [existing] if existing else [])
        candidate = existing or (Job(question) if isinstance(question, InPieces) else question.run())
        with self._lock:
            run = self._runs.setdefault(question, candidate)
            self._runs.move_to_end(question)
            surplus, n_bytes = [], sum(kept.n_bytes for kept in self._runs.values())  # measured when they ended
            while len(self._runs) > MOST_RUNS or (len(self._runs) > 2 and n_bytes > self._most_bytes):
                _, oldest = self._runs.popitem(last=False)
                n_bytes -= oldest.n_bytes
                surplus.append(oldest)
        if run is not candidate:  # another caller began the same run meanwhile
            surplus.append(candidate)
        for job in surplus:
            job.stop()
        run.request = question
        if visitor is not None:
            try:
                FOLLOWERS.follow(visitor, run)
            except Busy:
                if not run.followers:
                    self.forget(question)
                raise
        if existing is not None:  # a new one is in the queue
            run.go_on()
        return run

    def forget(self, question: LongQuestion | InPieces) -> None:
        """Let go of a run: the next request starts another one."""
        with self._lock:
            run = self._runs.pop(question, None)
        if run is not None:
            run.stop()


RUNS = per_process(Runs)
