"""Answers of experiments: one worker, one run for equal questions, a bounded cache; and long ones that can be stopped.

The worker is not the one of `mha.engine.recordings`, so that a long experiment never keeps a visitor from a picture.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any

from cachetools import LRUCache

from mha.errors import Busy, MHAError

ITEMS = 512  # answers are arrays [layer, head] and small
WAITING_LIMIT = 32
SECONDS = 90.0

log = logging.getLogger(__name__)
_worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="experiment")


class Answers:
    """Answers by question, made once; equal questions that are under way share one run."""

    def __init__(self, worker: ThreadPoolExecutor = _worker, items: int = ITEMS) -> None:
        self._worker = worker
        self._cache: LRUCache[Hashable, Any] = LRUCache(items)
        self._pending: dict[Hashable, Future[Any]] = {}
        self._lock = threading.RLock()

    def known(self, question: Hashable) -> bool:
        """Return whether the answer is there already."""
        with self._lock:
            return question in self._cache

    def answer(self, question: Hashable, make: Callable[[], Any], seconds: float = SECONDS) -> Any:
        """Return the answer to a question, made now by ``make`` in the worker unless it is known or under way.

        Raises:
            Busy: too many questions wait, or this one took too long.
            MHAError: what ``make`` itself raises.
        """
        with self._lock:
            if question in self._cache:
                return self._cache[question]
            future = self._pending.get(question)
            if future is None:
                if len(self._pending) >= WAITING_LIMIT:
                    raise Busy("Many experiments are waiting right now. Try again in a few seconds.")
                future = self._worker.submit(make)
                self._pending[question] = future
                future.add_done_callback(lambda done: self._keep(question, done))
        try:
            return future.result(timeout=seconds)
        except FutureTimeout as error:
            raise Busy("This took too long and was given up. Try a shorter sentence.") from error

    def put(self, question: Hashable, answer: Any) -> None:
        """Keep an answer that was made elsewhere."""
        with self._lock:
            self._cache[question] = answer

    def _keep(self, question: Hashable, done: Future[Any]) -> None:
        with self._lock:
            self._pending.pop(question, None)
            if not done.cancelled() and done.exception() is None:
                self._cache[question] = done.result()


class Job:
    """A long experiment in short steps: each runs in the worker by itself, so that others get their turn.

    ``steps`` does one step whenever it is asked for the next; ``state`` is "running", "done", "stopped" or "failed"
    (see ``error``).
    """

    def __init__(self, steps: Iterator[None], worker: ThreadPoolExecutor = _worker) -> None:
        self._steps = steps
        self._worker = worker
        self._stop = threading.Event()
        self._ended = threading.Event()
        self.state = "running"
        self.error: Exception | None = None
        self._worker.submit(self._step)

    def stop(self) -> None:
        """End after the step that is running."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the end, at most so long; return whether it is over."""
        return self._ended.wait(seconds)

    def _step(self) -> None:
        if self._stop.is_set():
            self._end("stopped")
            return
        try:
            next(self._steps)
        except StopIteration:
            self._end("done")
        except Exception as error:
            if not isinstance(error, MHAError):
                log.exception("a step of a long experiment failed")
            self.error = error
            self._end("failed")
        else:
            self._worker.submit(self._step)

    def _end(self, state: str) -> None:
        self.state = state
        self._ended.set()
