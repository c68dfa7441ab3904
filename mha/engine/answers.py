"""Answers of experiments: one worker, one run for equal questions, a bounded cache.

The worker is not the one of `mha.engine.recordings`, so that a long experiment never keeps a visitor from a picture.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

from cachetools import LRUCache

from mha.engine.elsewhere import AT_ONCE, WAYS
from mha.engine.following import FOLLOWERS, LEFT
from mha.engine.patience import EXPERIMENTS_FIRST, result
from mha.errors import Busy
from mha.maps import AttentionMaps

ITEMS = 512  # answers are mostly arrays [layer, head] and small
USUAL = 64 * 2**10  # bytes; maps that are an answer take the place of as many usual ones as they are larger
WAITING_LIMIT = 32
SECONDS = 90.0

WORKER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="experiment")
P = ParamSpec("P")
T = TypeVar("T")


class Answers:
    """Answers by question, made once; equal questions that are under way share one run."""

    def __init__(self, worker: ThreadPoolExecutor = WORKER, items: int = ITEMS) -> None:
        self._worker = worker
        self._cache: LRUCache[Hashable, Any] = LRUCache(items, lambda answer: min(_places(answer), items))
        self._pending: dict[Hashable, Future[Any]] = {}
        self._waiting: dict[Hashable, set[str | None]] = {}  # who waits for each, None for no visitor
        self._lock = threading.RLock()

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
                self._waiting[question] = set()
                future = self._pending[question] = self._worker.submit(self._run, question, make)
            self._waiting[question].add(FOLLOWERS.here())
        try:
            return result(future, seconds, lambda: "" if future.running() else EXPERIMENTS_FIRST)
        except FutureTimeout as error:
            raise Busy("This took too long and was given up. Try a shorter sentence.") from error

    def _run(self, question: Hashable, make: Callable[[], Any]) -> Any:
        with self._lock:
            if not FOLLOWERS.anyone(self._waiting[question]):
                self._forget(question)
                raise Busy(LEFT)
        try:
            answer = make()
            with self._lock:
                self._cache[question] = answer
            return answer
        finally:
            with self._lock:
                self._forget(question)

    def _forget(self, question: Hashable) -> None:
        self._pending.pop(question, None)
        self._waiting.pop(question, None)


def _places(answer: Any) -> float:
    """Return how many usual answers an answer is as large as, one at least."""
    if isinstance(answer, AttentionMaps):
        return max(1, answer.weights.nbytes / USUAL)
    maps = getattr(answer, "maps", None)  # what looks bring: weights, and as many shares once they are asked for
    return max(1, 2 * maps.weights.nbytes / USUAL) if isinstance(maps, AttentionMaps) else 1


_answers = Answers(ThreadPoolExecutor(AT_ONCE, thread_name_prefix="asked") if WAYS.there else WORKER)
EXPERIMENTS: dict[str, Callable[..., Any]] = {}  # by name, those of the modules that were imported
HOMES = ("atlas", "experiments", "opened", "surveys", "writing")  # the modules of `mha.engine` that have any


def every_experiment() -> dict[str, Callable[..., Any]]:
    """Return all experiments by name, whatever was imported before."""
    for home in HOMES:
        import_module(f"mha.engine.{home}")
    return EXPERIMENTS


def answered(experiment: Callable[P, T]) -> Callable[P, T]:
    """Return an experiment that runs in the worker, once for equal calls: its name and arguments are the question.

    Raises:
        Busy: too much waits, or this took too long.
    """
    signature = inspect.signature(experiment)

    @functools.wraps(experiment)
    def ask(*args: P.args, **kwargs: P.kwargs) -> T:
        call = signature.bind(*args, **kwargs)
        call.apply_defaults()
        question = (experiment.__name__, *call.arguments.values())
        here = functools.partial(experiment, *args, **kwargs)
        answer: T = _answers.answer(question, lambda: WAYS.experiment(experiment.__name__, call.arguments, here))
        return answer

    EXPERIMENTS[experiment.__name__] = ask
    return ask
