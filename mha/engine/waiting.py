"""Waiting for a turn with the one worker and for memory, and the message for a visitor who waits."""

import gc
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from mha.engine.followers import FOLLOWERS
from mha.errors import Busy
from mha.maps import AttentionMaps
from mha.models.files.environment import trim

AFTER = 1.5  # seconds until the message
LOOK = 0.25  # seconds between two checks that a caller still waits
AWAY = 1.0  # seconds that a connection may be away: a hop from one network to another
SENTENCES_FIRST = "Waiting for other visitors. Yours starts automatically within seconds."
EXPERIMENTS_FIRST = "Waiting for other experiments. This one starts automatically."
FULL = "Busy right now. Please try again in a few seconds."
VISITOR_LEFT = "The connection was lost, so this was not computed. Try again."

_show: ContextVar[Callable[[str], None] | None] = ContextVar("show", default=None)
_look: ContextVar[Callable[[], None]] = ContextVar("look", default=lambda: None)


@contextmanager
def show_waits(show: Callable[[str], None], look: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Show with ``show`` why a request inside the block waits; it gets "" when a wait is over.

    ``look`` is called several times a second meanwhile, and raises once the page was left.
    """
    previous, looked_before = _show.set(show), _look.set(look)
    try:
        yield
    finally:
        _show.reset(previous)
        _look.reset(looked_before)


def await_result(future: Future[Any], seconds: float, reason: Callable[[], str], late: str) -> Any:
    """Return the result of a future; if it takes longer than `AFTER`, show the visitor ``reason``.

    Raises:
        Busy: it took so many seconds (``late`` is the message), or the visitor has left.
        Exception: an error of the future, or of the callback that notices a page that was left.
    """
    begin, visitor = time.monotonic(), FOLLOWERS.caller()
    seen, visible = begin, ""
    show = _show.get() or (lambda reason: None)
    try:
        while True:
            waited = time.monotonic() - begin
            until = seconds if waited >= AFTER else min(AFTER, seconds)
            if wait([future], max(0.0, min(LOOK, until - waited))).done:
                return future.result()
            moment = time.monotonic()
            _look.get()()
            seen = moment if FOLLOWERS.waits(visitor) else seen
            if moment - seen > AWAY:
                raise Busy(VISITOR_LEFT)
            if moment - begin >= seconds:
                raise Busy(late)
            sentence = reason() if moment - begin >= AFTER else ""
            if sentence != visible:
                visible = sentence
                show(sentence)
    finally:
        if visible:
            show("")


LIMIT = 64
BATCH_SIZE = 8
MOST_LETTERS = 1600  # of a batch, filled up: eight texts of two hundred


@dataclass(eq=False)
class PendingRequest:
    """A request that waits or runs; the visitors who wait for it (None is a caller without one); their last deadline.

    ``first_owner`` requested it first: its result counts as theirs.
    """

    request: Any
    future: Future = field(default_factory=Future)
    visitors: set[str | None] = field(default_factory=set)
    deadline: float = 0.0
    first_owner: Hashable = None
    begun: bool = False  # the worker has taken it


class PendingRequests:
    """The pending requests of one worker, in the order in which they came."""

    def __init__(self, batch_size: int = BATCH_SIZE) -> None:
        self._batch_size = batch_size
        self.requests: dict[Any, PendingRequest] = {}  # waiting and under way, in the order in which they came
        self._lock = threading.Lock()

    def join(self, request: Any, visitor: str | None, seconds: float) -> tuple[PendingRequest, bool]:
        """Return the pending request equal to a request, and whether it is new: then the worker must be notified.

        Raises:
            Busy: too many wait.
        """
        with self._lock:
            pending = self.requests.get(request)
            new = pending is None
            if pending is None:
                if len(self.requests) >= LIMIT:
                    raise Busy(FULL)
                pending = self.requests[request] = PendingRequest(request)
            pending.visitors.add(visitor)
            pending.deadline = max(pending.deadline, time.monotonic() + seconds)
            return pending, new

    def take(self, first: PendingRequest) -> list[PendingRequest]:
        """Return a request and those that wait and fit it best, the shortest first; none if it was taken before."""
        with self._lock:
            if first.begun:
                return []
            first.begun = True
            batch, longest = [first], len(first.request.text)
            waiting = [pending for pending in self.requests.values() if not pending.begun]
            key = first.request.batch_key if waiting else None
            fitting = [pending for pending in waiting if key is not None and pending.request.batch_key == key]
            fitting.sort(key=lambda pending: abs(len(pending.request.text) - len(first.request.text)))
            for pending in fitting[: self._batch_size - 1]:
                longest = max(longest, len(pending.request.text))
                if longest * (len(batch) + 1) > MOST_LETTERS:
                    break
                pending.begun = True
                batch.append(pending)
            return sorted(batch, key=lambda pending: len(pending.request.text))

    def finish(self, pending: PendingRequest, outcome: Any) -> None:
        """End a pending request with its recording, or with the error that it raised."""
        with self._lock:
            self.requests.pop(pending.request, None)
        if isinstance(outcome, BaseException):
            pending.future.set_exception(outcome)
        else:
            pending.future.set_result(outcome)


BYTES = 48 * 2**20
COLLECTED = 1.0  # seconds between two collections while a caller waits
MAX_RECORDING_BYTES = 48 * 2**20  # largest estimate for a text before it is recorded
GLANCE = 0.1  # seconds between two checks for memory, whether or not some was released
SECONDS = 12.0  # longest wait for memory; then the caller goes on without


class MemoryLimit:
    """Bytes in use: by ``maps``, as long as they are referenced, and by recordings under way.

    ``free_memory`` is called if there is too little: it forgets a cached result, or returns False if there is none.
    ``owner`` is the visitor who takes it: a visitor does not wait for their own maps, for a page may compare two texts.
    """

    def __init__(self, free_memory: Callable[[], bool], max_bytes: int = BYTES, seconds: float = SECONDS) -> None:
        self._free_memory = free_memory
        self._max_bytes, self._seconds = max_bytes, seconds
        self._changed = threading.Condition(threading.RLock())
        self._under_way: Counter[Hashable] = Counter()  # bytes by owner
        self.maps: WeakKeyDictionary[AttentionMaps, tuple[int, Hashable]] = WeakKeyDictionary()  # bytes and owner

    def bytes_by_owner(self) -> Counter[Hashable]:
        """Return the bytes in use by owner."""
        totals = self._under_way.copy()
        for reference in self.maps.keyrefs():
            maps = reference()
            if maps is not None:
                n_bytes, owner = self.maps[maps]
                totals[owner] += n_bytes
        return totals

    def take(self, size: int, owner: Hashable = None) -> None:
        """Add memory for a recording once some is free, or after the longest wait; the caller subtracts it again."""
        end, collected = time.monotonic() + self._seconds, -math.inf
        while True:
            moment = time.monotonic()
            with self._changed:
                n_bytes = self.bytes_by_owner().total()
                if not n_bytes or n_bytes + size <= self._max_bytes:
                    self.add(size, owner)
                    break
            if self._free_memory():
                continue
            if moment - collected > COLLECTED:  # pages leave maps in cycles; Streamlit's own collection is off
                gc.collect()
                trim()
                collected = moment
                continue
            with self._changed:
                totals = self.bytes_by_owner()
                if totals.total() == totals[owner] or moment >= end:
                    self.add(size, owner)
                    break
                self._changed.wait(GLANCE)
        trim()  # freed memory between arrays in use

    def add(self, size: int, owner: Hashable = None) -> None:
        """Count so many bytes under way more, or fewer if the size is negative: then those who wait look again."""
        with self._changed:
            self._under_way[owner] += size
            if not self._under_way[owner]:
                del self._under_way[owner]
            self._changed.notify_all()
