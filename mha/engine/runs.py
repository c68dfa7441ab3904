"""Long runs by the question that each answers: begun once, shared, gone on with, and kept within so many bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

from mha.engine.following import FOLLOWERS
from mha.engine.jobs import Job
from mha.engine.question import Question

MOST_BYTES = 256 * 2**20
LEAST = 64 * 2**10  # bytes that a run counts for at least


class Long(Question[Any]):
    """What takes long: its answer is the run, under way or over, None where none was begun or it is forgotten."""

    def run(self) -> Job:
        """Return a run that finds what is asked, from its first step."""
        raise NotImplementedError

    def answer(self) -> Any:
        return RUNS.get(self)

    def known(self) -> Any:
        return self.answer()

    def begin(self, visitor: str | None = None) -> Any:
        """Return the run as `Runs.go_on` does."""
        return RUNS.go_on(self, visitor)


class Runs:
    """The runs of one process, of at most so many bytes together but for the last two; one that is let go ends.

    Those that take more than their share go first, the one asked about longest ago before the others: a calibration of
    an hour is a few kilobytes.
    """

    def __init__(self, most_bytes: float = MOST_BYTES) -> None:
        self._runs: OrderedDict[Long, Job] = OrderedDict()  # the one asked about longest ago first
        self._most_bytes = most_bytes
        self._lock = threading.Lock()

    def get(self, question: Long) -> Any:
        """Return the run of a question, under way or over; None where nobody has begun it, or it is forgotten."""
        with self._lock:
            if question in self._runs:
                self._runs.move_to_end(question)
            return self._runs.get(question)

    def go_on(self, question: Long, visitor: str | None = None) -> Job:
        """Return the run of a question, begun now unless it is under way or over; a stopped one goes on.

        Raises:
            Busy: the visitor who asks follows as many long jobs as one may.
            MHAError: what beginning it raises.
        """
        known = self.get(question)
        if visitor is not None:
            FOLLOWERS.check_room(visitor, [known] if known else [])
        made = known or question.run()  # which may have to wait for a recording: nobody else is to wait for that
        with self._lock:
            run = self._runs.setdefault(question, made)
            if run is not made:  # somebody asked for the same in between
                made.stop()
            run.go_on()
            self._runs.move_to_end(question)
            self._shrink()
        if visitor is not None:
            FOLLOWERS.follow(visitor, run)
        return run

    def _shrink(self) -> None:
        room = {question: max(LEAST, run.room) for question, run in self._runs.items()}
        while len(room) > 2 and sum(room.values()) > self._most_bytes:
            share = sum(room.values()) / len(room)
            first = next((one for one in list(room)[:-2] if room[one] >= share), next(iter(room)))
            del room[first]
            self._runs.pop(first).stop()


RUNS = Runs()
