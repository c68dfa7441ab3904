"""The queue of all work: jobs in short steps, the short before the long, one long job of a visitor at a time.

A step is a pass or a few, bounded where it is made (`mha.intervention.batches`, `growing`): about half a second. After
each one the next is chosen again, so that a short job waits behind one step of a long one at most.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Hashable
from concurrent.futures import ThreadPoolExecutor

from mha.models.files.catalog import model_row
from mha.words import split

LONG = 4_096  # tokens × passes of MiniLM, a few seconds: a job that takes more is long
LANES = 2  # steps and recordings
PATIENCE = 5.0  # seconds after which a waiting job has its next step before all others

log = logging.getLogger(__name__)


class Task:
    """Work in steps. ``cost`` is that of all steps, in tokens × passes of MiniLM, about; unknown is long.

    ``watched`` work shows its progress: of one owner's long tasks, those that a page waits for come first.
    ``one_each`` is off for tasks that may be under way with another long one of their owner. Tasks of one ``lane`` are
    done one after the other: forward passes of visitors' texts do not wait for steps of experiments.
    """

    lane = "step"
    cost: float = math.inf
    watched = False
    one_each = True
    begun = False
    number = turn = 0  # of its arrival and of its last step, given by `Queue`
    since = 0.0  # when its last step ended, or it came

    def owners(self) -> Collection[Hashable]:
        """Return the visitors or addresses that the task runs for; a task without any runs for itself."""
        return ()

    def step(self) -> bool:
        """Do the next step; return whether there is another one. Raises nothing."""
        raise NotImplementedError

    @property
    def long(self) -> bool:
        """Whether the task is long."""
        return self.cost > LONG

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """The order in which the long tasks of one owner run: first those that a page waits for, then as they came."""
        return self.watched, not self.begun, self.number


class Call(Task):
    """One function, called in the lane of recordings before everything else."""

    lane = "recording"
    cost = 0.0

    def __init__(self, function: Callable[[], object]) -> None:
        self._function = function

    def step(self) -> bool:
        """Call the function; it raises nothing."""
        self._function()
        return False


class Queue:
    """Tasks that wait, and threads that do a step of the next one, up to ``at_once`` in each lane.

    The cheapest of the short tasks goes first, and owners of long ones alternate. A task that has waited for `PATIENCE`
    goes before all others.
    """

    def __init__(self, at_once: int = 1, now: Callable[[], float] = time.monotonic) -> None:
        self._pool = ThreadPoolExecutor(LANES * at_once, thread_name_prefix="queue")
        self._at_once, self._now = at_once, now
        self._waiting: list[Task] = []
        self._under_way: list[Task] = []
        self._turns: dict[Hashable, int] = {}  # the number of an owner's last step
        self._runners = self._numbers = 0
        self._lock = threading.Lock()

    def put(self, task: Task) -> None:
        """Let a task wait for its next step."""
        with self._lock:
            self._numbers += 1
            task.number = task.turn = self._numbers
            task.since = self._now()
            self._waiting.append(task)
            if self._runners < LANES * self._at_once:
                self._runners += 1
                self._pool.submit(self._run)

    def drop(self, task: Task) -> bool:
        """Remove a waiting task; return whether it waited: a step under way is not interrupted."""
        with self._lock:
            if task not in self._waiting:
                return False
            self._waiting.remove(task)
            return True

    def _run(self) -> None:
        """Do one step of the next task; then call for the one after it."""
        with self._lock:
            task = self._next()
            if task is None:
                self._runners -= 1
                return
            self._waiting.remove(task)
            self._under_way.append(task)
            self._numbers += 1
            task.begun, task.turn = True, self._numbers
            self._turns |= dict.fromkeys(_owners(task), self._numbers)
        try:
            has_more = task.step()
        except BaseException:
            log.exception("a step raised instead of ending its task")
            has_more = False
        with self._lock:
            task.since = self._now()
            self._under_way.remove(task)
            if has_more:
                self._waiting.append(task)
            if not self._waiting:
                self._turns.clear()
        self._pool.submit(self._run)

    def _next(self) -> Task | None:
        """Return the task whose turn it is, or None."""
        lanes = Counter(task.lane for task in self._under_way)
        ready = [task for task in self._waiting if lanes[task.lane] < self._at_once and self._may_run(task)]
        late = [task for task in ready if self._now() - task.since > PATIENCE]
        if late:
            return min(late, key=lambda task: task.since)
        return min(ready, key=self._order, default=None)

    def _order(self, task: Task) -> tuple[bool, float, int]:
        """Return the order of a ready task: short ones by cost, long ones by the last step of their owner."""
        turn = min(self._turns.get(owner, 0) for owner in _owners(task))
        return task.long, turn if task.long else task.cost, task.turn

    def _may_run(self, wanted: Task) -> bool:
        """Return whether a task is short, or the first long one of one of its owners."""
        if not wanted.long or not wanted.one_each:
            return True
        taken: set[Hashable] = set()
        for task in sorted(self._under_way + self._waiting, key=lambda task: task.rank):
            if task.long and task.one_each:
                free = [owner for owner in _owners(task) if owner not in taken]
                if task is wanted:
                    return bool(free)
                taken.update(free[:1])
        return False


def _owners(task: Task) -> Collection[Hashable]:
    return task.owners() or (task.number,)


MINILM = 6 * 384**2  # layers × width²


def tokens(*texts: str | None) -> int:
    """Return how many tokens texts have, about: words and marks, and one at each end."""
    return sum(len(split(text)) + 2 for text in texts if text)


def cost(passes: float, model: str, *texts: str | None) -> float:
    """Return the work of so many passes over texts, in tokens × passes of MiniLM."""
    row = model_row(model)
    size = row.n_layers * (row.n_heads * row.d_head) ** 2 / MINILM
    return passes * tokens(*texts) * max(1.0, size)
