"""Who is next: long work in short steps, the short before the long, in turns among those who ask.

A step is a pass or a few, bounded where it is made (`mha.intervention.batches`, `growing`): about half a second. After
each one the next is chosen anew, so that a short question waits behind one step of a long one at most.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Collection, Hashable
from concurrent.futures import ThreadPoolExecutor

from mha.models.files.catalog import model_row
from mha.words import split

LONG = 4_096  # tokens × passes of MiniLM, a few seconds: what is more is a long experiment
MOST_OWNERS = 1000  # whose last turns are known
PATIENCE = 5.0  # seconds that long work waits for short, again and again; then it has one step

log = logging.getLogger(__name__)


class Task:
    """Work in steps. ``cost`` is what it takes as a whole, in tokens × passes of MiniLM, about; unknown is long.

    Whatever waits is answered for by its ``owners``: visitors or addresses. No owner is one of its own.
    """

    cost: float = math.inf
    watched = False  # somebody watches it go on; for others a page stands still
    begun = False
    number = turn = 0  # of its arrival and of its last step, given by `Work`
    since = 0.0  # when its last step ended, or it came

    def owners(self) -> Collection[Hashable]:
        """Return on whose account it runs."""
        return ()

    def step(self) -> bool:
        """Do the next step; return whether there is another one. Raises nothing."""
        raise NotImplementedError

    @property
    def long(self) -> bool:
        """Whether it is a long experiment."""
        return self.cost > LONG


class Work:
    """The tasks of one kind of threads, a step at a time.

    Short ones go first, and of these the turn is the owner's who was served longest ago, then the cheapest one's. Of
    the long ones each owner has one under way at a time, unless ``one_each`` is off, and these alternate. What is long
    has a step all the same after `PATIENCE` seconds without any.
    """

    def __init__(
        self, name: str, threads: int = 1, one_each: bool = True, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._threads, self._one_each, self._now = threads, one_each, now
        self._waiting: list[Task] = []
        self._under_way: list[Task] = []
        self._served: dict[Hashable, int] = {}  # the number of an owner's last step
        self._runners = self._numbers = 0
        self._long_at = -math.inf  # when the last step of a long one ended
        self._lock = threading.Lock()

    def put(self, task: Task) -> None:
        """Let a task wait for its next step, as one that has just come."""
        with self._lock:
            self._numbers += 1
            task.number = task.turn = self._numbers
            task.since = self._now()
            self._waiting.append(task)
            if self._runners < self._threads:
                self._runners += 1
                self._pool.submit(self._run)

    def drop(self, task: Task) -> bool:
        """Let a task wait no longer; return whether it did: one whose step is under way does not."""
        with self._lock:
            if task not in self._waiting:
                return False
            self._waiting.remove(task)
            return True

    def behind_own(self, task: Task) -> bool:
        """Return whether a task waits because its owner has another long one under way."""
        with self._lock:
            return task in self._waiting and task.long and not self._claims(task)

    def _run(self) -> None:
        """Do one step, of whoever is next; then call for the one after it."""
        with self._lock:
            task = self._next()
            if task is None:
                self._runners -= 1
                return
            self._waiting.remove(task)
            self._under_way.append(task)
            self._numbers += 1
            task.begun, task.turn = True, self._numbers
            for owner in _owners(task):
                self._served[owner] = self._numbers
        try:
            more = task.step()
        except BaseException:
            log.exception("a step raised what it should have told")
            more = False
        with self._lock:
            task.since = self._now()
            self._under_way.remove(task)
            self._long_at = task.since if task.long else self._long_at
            if more:
                self._waiting.append(task)
            if len(self._served) > MOST_OWNERS or not (self._waiting or self._under_way):
                self._served.clear()
        self._pool.submit(self._run)

    def _next(self) -> Task | None:
        """Return the task whose turn it is; None where none may have one."""
        long = [task for task in self._waiting if task.long and self._claims(task)]
        short = [task for task in self._waiting if not task.long]
        waits_since = max(self._long_at, min((task.since for task in long), default=math.inf))
        if short and self._now() - waits_since <= PATIENCE:
            return min(short, key=lambda task: (self._last(task), task.cost, task.number))
        return min(long, key=lambda task: (self._last(task), task.turn), default=None)

    def _last(self, task: Task) -> int:
        """Return the number of the last step that one of a task's owners had, of the one who has waited longest."""
        return min(self._served.get(owner, 0) for owner in _owners(task))

    def _claims(self, wanted: Task) -> bool:
        """Return whether a long task is its owner's one: the first that began or came, what is watched after others."""
        if not self._one_each:
            return True
        taken: set[Hashable] = set()
        for task in sorted(self._under_way + self._waiting, key=lambda one: (one.watched, not one.begun, one.number)):
            if task.long:
                free = [owner for owner in _owners(task) if owner not in taken]
                if task is wanted:
                    return bool(free)
                taken.update(free[:1])
        return False


def _owners(task: Task) -> Collection[Hashable]:
    return task.owners() or ((task.number,),)


MINILM = 6 * 384**2  # layers × width²


def tokens(*texts: str | None) -> int:
    """Return how many tokens texts are, about: words and marks, and one at each end."""
    return sum(len(split(text)) + 2 for text in texts if text)


def cost(passes: float, model: str, *texts: str | None) -> float:
    """Return how much work so many passes over texts are, in tokens × passes of MiniLM."""
    row = model_row(model)
    size = row.n_layers * (row.n_heads * row.d_head) ** 2 / MINILM
    return passes * tokens(*texts) * max(1.0, size)
