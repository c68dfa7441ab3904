"""The queue of all work. A job runs in steps. Short jobs come first, then long ones, then idle ones; of a visitor's
long jobs one takes steps at a time.

A step is a pass or a few, bounded where it is made (`mean_steps` of `mha.intervention.bank`, `changed_in_turn` of
`mha.intervention.predicting`): about half a second. After each step the next task is chosen again, so a short job waits
behind one step of a long one at most. While a short job runs in another lane, a long step begins only `LONG_STEP_PAUSE`
seconds after the last one ended. Idle tasks, such as the control of a sentence, take a step only while nothing else
waits or runs.
"""

import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from mha.models.files.catalog import model_row
from mha.words import split

LONG_COST = 4_096  # tokens × passes of MiniLM, a few seconds: a job that takes more is long
LANES = ("recording", "pass", "step")  # recordings, single passes of other questions, steps of experiments
PATIENCE = 5.0  # seconds after which a waiting task goes before others of its class
LONG_STEP_PAUSE = 0.5  # seconds between two long steps while a short task runs: both use all cores
SHORTEST_WAIT = 0.05  # seconds until the timer looks again for idle tasks that are due
FIRST_LOOK = 0.5  # the same for a new idle task, whose visitor is known a moment after it: each timer is a thread

log = logging.getLogger(__name__)


class Task:
    """Work in steps. ``cost`` is the estimated work of all steps, in tokens × passes of MiniLM.

    A task without an estimate (infinity) is long. A ``watched`` task shows its progress; it runs after the tasks of its
    owner that a page waits for.
    Tasks of one ``lane`` are done one after the other: a recording waits neither for a step of an experiment nor for
    the pass of a large model.
    An ``idle`` task takes a step only while no other task waits or runs, and not before `idle_seconds`.
    A short task with ``yields_to_texts`` takes a step only while no text waits or is read, and not before
    `pause_seconds`, unless it is late.
    """

    lane = "step"
    cost: float = math.inf
    watched = False
    idle = False
    yields_to_texts = False
    begun = False
    number = 0  # of its arrival
    turn = 0  # number of its last step
    waiting_since = 0.0  # when its last step ended, or when it arrived

    def owners(self) -> Collection[Hashable]:
        """Return the visitors or addresses that the task runs for; a task without any runs for itself."""
        return (self.number,)

    def step(self) -> bool:
        """Do the next step; return whether there is another one. Raises nothing."""
        raise NotImplementedError

    def idle_seconds(self) -> float:
        """Return the seconds until an idle task may take its next step; 0 if it may now."""
        return 0.0

    def pause_seconds(self) -> float:
        """Return the seconds until a task that yields to texts may take its next step; 0 if it may now."""
        return 0.0

    @property
    def long(self) -> bool:
        """Whether the task is long; an idle one is neither short nor long."""
        return self.cost > LONG_COST and not self.idle

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """The order of the long tasks of one owner: those a page waits for first, then begun ones, then by arrival."""
        return self.watched, not self.begun, self.number


@dataclass(eq=False)
class FunctionTask(Task):
    """A task of one function, by default in the lane of recordings. Its cost is 0: it goes before other short tasks."""

    function: Callable[[], object]
    lane: str = "recording"
    cost = 0.0

    def step(self) -> bool:
        """Call the function; it raises nothing."""
        self.function()
        return False


class Queue:
    """Waiting tasks and the threads that run them: a thread runs one step of the next task.

    Each lane has up to ``at_once`` threads. Short tasks go before long ones, the cheapest first; owners of long tasks
    alternate. A task that has waited for `PATIENCE` goes before the others of its class. Idle tasks run one at a time,
    after all others; a timer starts them when they are due.
    """

    def __init__(self, at_once: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        self._pool = ThreadPoolExecutor(len(LANES) * at_once, thread_name_prefix="queue")
        self._at_once, self._now = at_once, clock
        self._waiting: list[Task] = []
        self._under_way: list[Task] = []
        self._turns: dict[Hashable, int] = {}  # the number of an owner's last long step
        self._runners = self._numbers = 0
        self._long_ended = -math.inf  # when the last step of a long task ended
        self._timer: threading.Timer | None = None  # calls `_wake` when the first idle or held task is due
        self._timer_at = math.inf  # the time of that call
        self._lock = threading.Lock()

    def put(self, task: Task) -> None:
        """Let a task wait for its next step."""
        with self._lock:
            self._numbers += 1
            task.number = task.turn = self._numbers
            task.waiting_since = self._now()
            self._waiting.append(task)
            if task.idle:
                self._set_timer(max(task.idle_seconds(), FIRST_LOOK))
            else:
                self._add_runner()

    def expect(self, task: Task) -> None:
        """Look at a waiting idle task again when it is due, which may be earlier than it was before."""
        with self._lock:
            self._set_timer(task.idle_seconds())

    def _add_runner(self) -> None:
        if self._runners < len(LANES) * self._at_once:
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
            if task.long:
                self._turns |= dict.fromkeys(task.owners(), self._numbers)
        try:
            has_more = task.step()
        except BaseException:
            log.exception("a step raised instead of ending its task")
            has_more = False
        with self._lock:
            task.waiting_since = self._now()
            if task.long:
                self._long_ended = task.waiting_since
            self._under_way.remove(task)
            if has_more:
                self._waiting.append(task)
            if not self._waiting:
                self._turns.clear()
        self._pool.submit(self._run)

    def _next(self) -> Task | None:
        """Return the task whose step is next, or None."""
        lanes = Counter(task.lane for task in self._under_way)
        urgent = [task for task in self._waiting if not task.idle and lanes[task.lane] < self._at_once]
        # The seconds until each task that yields to texts may begin; a late one yields no longer.
        since = self._now() - PATIENCE
        behind_texts = [task for task in urgent if task.yields_to_texts and task.waiting_since >= since]
        yielding = {task: task.pause_seconds() for task in behind_texts}
        for seconds in yielding.values():
            if seconds > 0:
                self._set_timer(seconds)
        urgent = [task for task in urgent if yielding.get(task, 0.0) <= 0]
        if not urgent:
            return self._next_idle()
        short = [task for task in urgent if not task.long]
        if short:
            if any(task.lane != Task.lane for task in self._under_way + self._waiting):
                short = [task for task in short if task not in yielding]
            return min(short, key=self._order, default=None)  # None: until the text is recorded
        startable = self._startable()
        long = [task for task in urgent if task in startable]
        pause = self._long_ended + LONG_STEP_PAUSE - self._now()
        if long and pause > 0 and any(not task.long for task in self._under_way):
            self._set_timer(pause)  # the next task is chosen when the short task's step ends, often earlier
            return None
        return min(long, key=self._order, default=None)

    def _order(self, task: Task) -> tuple[bool, float, int]:
        """Return the order of a class: late tasks as they wait, else short ones by cost, long ones by owners' turns."""
        if self._now() - task.waiting_since > PATIENCE:
            return False, task.waiting_since, task.turn
        turns_or_cost = min(self._turns.get(owner, 0) for owner in task.owners()) if task.long else task.cost
        return True, turns_or_cost, task.turn

    def _startable(self) -> set[Task]:
        """Return the first long task of each owner."""
        startable: set[Task] = set()
        busy: set[Hashable] = set()
        tasks = [task for task in self._under_way + self._waiting if task.long]
        for task in sorted(tasks, key=lambda task: task.rank):
            free = [owner for owner in task.owners() if owner not in busy]
            if free:
                startable.add(task)
            busy.update(free[:1])
        return startable

    def _next_idle(self) -> Task | None:
        """Return the idle task that is due, if nothing else waits or runs; else let a timer look again.

        While a timer runs only begun tasks can be due: of all others it runs until the first is.
        """
        if self._under_way or not all(task.idle for task in self._waiting):
            return None  # the next task is chosen when the step under way ends
        tasks = [task for task in self._waiting if task.begun or self._timer is None]
        waits = [(task.idle_seconds(), task.waiting_since, task) for task in tasks]
        due = [(since, task) for seconds, since, task in waits if seconds <= 0]
        if due:
            return min(due, key=lambda pair: pair[0])[1]
        if waits:
            self._set_timer(min(seconds for seconds, _, _ in waits))
        return None

    def _set_timer(self, seconds: float) -> None:
        """Call `_wake` after so many seconds, unless the timer under way calls it before."""
        seconds = max(seconds, SHORTEST_WAIT)
        if self._now() + seconds >= self._timer_at:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = self._now() + seconds
        self._timer = threading.Timer(seconds, self._wake)
        self._timer.daemon = True
        self._timer.start()

    def _wake(self) -> None:
        """Look for the next task: an idle or a held one may be due."""
        with self._lock, suppress(RuntimeError):  # while the program ends, no thread begins
            self._timer, self._timer_at = None, math.inf
            self._add_runner()


MINILM_SIZE = 6 * 384**2  # layers × width²


def cost(passes: float, model: str, *texts: str | None) -> float:
    """Return the work of so many passes over texts, in tokens × passes of MiniLM.

    The tokens are estimated: the words and marks of each text, and one at each end.
    """
    row = model_row(model)
    size = row.n_layers * (row.n_heads * row.d_head) ** 2 / MINILM_SIZE
    n_tokens = sum(len(split(text)) + 2 for text in texts if text)
    return passes * n_tokens * max(1.0, size)
