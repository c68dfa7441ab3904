"""Requests that wait for the one worker: equal ones share a place, those that fit together are taken together.

There is no waiting window: a batch is whatever waits when the worker is free.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from mha.errors import Busy

LIMIT = 64
TOGETHER = 8
MOST_LETTERS = 1600  # of a batch, filled up: eight texts of two hundred
FULL = "Many sentences are waiting right now. Try again in a few seconds."


@dataclass(eq=False)
class Flight:
    """One run that is asked for: who waits for it, None for no visitor, and until when somebody does.

    ``first`` asked for it first: what it gives is on their account.
    """

    request: Any
    future: Future = field(default_factory=Future)
    visitors: set[str | None] = field(default_factory=set)
    deadline: float = 0.0
    first: Hashable = None


class Waiting:
    """The flights of one worker, or of several that take one each, in the order in which they came."""

    def __init__(self, together: int = TOGETHER) -> None:
        self._together = together
        self.flights: dict[Any, Flight] = {}  # waiting and under way
        self._lock = threading.Lock()
        self._left: list[Flight] = []  # those that still wait

    def join(self, request: Any, visitor: str | None, seconds: float) -> tuple[Flight, bool]:
        """Return the flight of a request, and whether it is new: then the worker has to be told.

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
                self._left.append(flight)
            flight.visitors.add(visitor)
            flight.deadline = max(flight.deadline, time.monotonic() + seconds)
            return flight, new

    def waits(self, flight: Flight) -> bool:
        """Return whether a flight has not begun: the worker is with others."""
        with self._lock:
            return flight in self._left

    def take(self) -> list[Flight]:
        """Return the flight that has waited longest and those that fit it best; empty if none waits."""
        with self._lock:
            if not self._left:
                return []
            first = self._left[0]
            taken = [first] if first.request.kind is None else self._fitting(first)
            self._left = [flight for flight in self._left if flight not in taken]
            return taken

    def _fitting(self, first: Flight) -> list[Flight]:
        fitting = [flight for flight in self._left if flight.request.kind == first.request.kind]
        near = sorted(fitting, key=lambda flight: abs(flight.request.length - first.request.length))
        taken: list[Flight] = []
        for flight in near[: self._together]:
            longest = max(one.request.length for one in (*taken, flight))
            if taken and longest * (len(taken) + 1) > MOST_LETTERS:
                break
            taken.append(flight)
        return sorted(taken, key=lambda flight: flight.request.length)

    def land(self, flight: Flight, outcome: Any) -> None:
        """End a flight with its recording, or with the error that it raised."""
        with self._lock:
            self.flights.pop(flight.request, None)
        if isinstance(outcome, BaseException):
            flight.future.set_exception(outcome)
        else:
            flight.future.set_result(outcome)
