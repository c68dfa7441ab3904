"""Waiting: for a turn with the one worker, for room in memory, and the message for a visitor who waits."""

import gc
import math
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from mha.engine.followers import FOLLOWERS
from mha.errors import Busy
from mha.maps import Recording
from mha.models.files.environment import trim

AFTER = 1.5  # seconds until the message
LOOK = 0.25  # seconds between two checks that a caller still waits
AWAY = 1.0  # seconds that a connection may be away: a hop from one network to another
SENTENCES_FIRST = "Waiting for other visitors. Yours starts automatically within seconds."
EXPERIMENTS_FIRST = "Waiting for other experiments. This one starts automatically."
FULL = "Busy right now. Please try again in a few seconds."
LEFT = "The connection was lost, so this was not computed. Try again."

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
                raise Busy(LEFT)
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
TOGETHER = 8
MOST_LETTERS = 1600  # of a batch, filled up: eight texts of two hundred


@dataclass(eq=False)
class Flight:
    """One requested run: the visitors who wait for it (a caller without a visitor is None), and their last deadline.

    ``first`` requested it first: its result counts as theirs.
    """

    request: Any
    future: Future = field(default_factory=Future)
    visitors: set[str | None] = field(default_factory=set)
    deadline: float = 0.0
    first: Hashable = None
    begun: bool = False  # the worker has taken it


class Waiting:
    """The flights of one worker, or of several that take one each, in the order in which they came."""

    def __init__(self, batch_size: int = TOGETHER) -> None:
        self._batch_size = batch_size
        self.flights: dict[Any, Flight] = {}  # waiting and under way, in the order in which they came
        self._lock = threading.Lock()

    def join(self, request: Any, visitor: str | None, seconds: float) -> tuple[Flight, bool]:
        """Return the flight of a request, and whether it is new: then the worker must be notified.

        Raises:
            Busy: too many wait.
        """
        with self._lock:
            flight = self.flights.get(request)
            new = flight is None
            if flight is None:
                if len(self.flights) >= LIMIT:
                    raise Busy(FULL)
                flight = self.flights[request] = Flight(request)
            flight.visitors.add(visitor)
            flight.deadline = max(flight.deadline, time.monotonic() + seconds)
            return flight, new

    def take(self) -> list[Flight]:
        """Return the oldest waiting flight and the flights that fit it best, or an empty list."""
        with self._lock:
            waiting = [flight for flight in self.flights.values() if not flight.begun]
            if not waiting:
                return []
            batch, first = waiting[:1], waiting[0].request
            longest, kind = first.length, first.kind
            fitting = [flight for flight in waiting[1:] if kind is not None and flight.request.kind == kind]
            fitting.sort(key=lambda flight: abs(flight.request.length - first.length))
            for flight in fitting[: self._batch_size - 1]:
                longest = max(longest, flight.request.length)
                if longest * (len(batch) + 1) > MOST_LETTERS:
                    break
                batch.append(flight)
            for flight in batch:
                flight.begun = True
            return sorted(batch, key=lambda flight: flight.request.length)

    def land(self, flight: Flight, outcome: Any) -> None:
        """End a flight with its recording, or with the error that it raised."""
        with self._lock:
            self.flights.pop(flight.request, None)
        if isinstance(outcome, BaseException):
            flight.future.set_exception(outcome)
        else:
            flight.future.set_result(outcome)


BYTES = 48 * 2**20
COLLECTED = 1.0  # seconds between two collections while a caller waits
LONGEST = 48 * 2**20  # largest estimate for a text before it is recorded
GLANCE = 0.1  # seconds between two checks for room, whether or not some was released
SECONDS = 12.0  # longest wait for room; then the caller goes on without


class Room:
    """Bytes in use: by recordings as long as their maps are referenced, and by recordings under way.

    ``make_room`` is called if there is too little: it forgets a cached result, and returns False if the cache is empty.
    ``owner`` is the visitor who takes it: a visitor does not wait for their own maps, for a page may compare two texts.
    """

    def __init__(self, make_room: Callable[[], bool], max_bytes: int = BYTES, seconds: float = SECONDS) -> None:
        self._make_room = make_room
        self._max_bytes, self._seconds = max_bytes, seconds
        self._changed = threading.Condition(threading.RLock())
        self._by: Counter[Hashable] = Counter()

    @property
    def n_bytes(self) -> int:
        """All bytes in use."""
        return self._by.total()

    def hold(self, recording: Recording, size: int, owner: Hashable = None) -> None:
        """Take room for a recording until its maps are collected."""
        self._add(size, owner)
        weakref.finalize(recording.maps, self.give, size, owner).atexit = False

    def take(self, size: int, owner: Hashable = None) -> None:
        """Take room for a recording once there is some, or after the longest wait; the caller gives it back."""
        if not size:
            return
        if not self._wait_for(size, owner):
            self._add(size, owner)
        trim()  # freed memory between arrays in use

    def _wait_for(self, size: int, owner: Hashable) -> bool:
        """Take room as soon as there is some, and return whether there was some before the longest wait."""
        end, collected = time.monotonic() + self._seconds, -math.inf
        while True:
            moment = time.monotonic()
            with self._changed:
                if not self.n_bytes or self.n_bytes + size <= self._max_bytes:
                    self._add(size, owner)
                    return True
            if self._make_room():
                continue
            if moment - collected > COLLECTED:  # pages leave maps in cycles; Streamlit's own collection is off
                gc.collect()
                trim()
                collected = moment
                continue
            with self._changed:
                if self.n_bytes == self._by[owner]:
                    self._add(size, owner)
                    return True
                if moment >= end:
                    return False
                self._changed.wait(GLANCE)

    def give(self, size: int, owner: Hashable = None) -> None:
        """Release room."""
        with self._changed:
            self._add(-size, owner)
            self._changed.notify_all()

    def _add(self, size: int, owner: Hashable) -> None:
        with self._changed:
            self._by[owner] += size
            if not self._by[owner]:
                del self._by[owner]
