"""The one cache of results: bounded by bytes; the result that was requested longest ago goes first."""

import os
import threading
from collections.abc import Callable, Hashable
from operator import itemgetter
from typing import Any, ParamSpec, TypeVar

import numpy as np
from cachetools import LRUCache

P = ParamSpec("P")
T = TypeVar("T")


def per_process(kind: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return an object for the life of the process; a forked process initialises the same object again.

    It lacks its parent's threads: a notebook that has drawn a page may hand texts to processes of its own.
    """
    instance = kind(*args, **kwargs)
    if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
        os.register_at_fork(after_in_child=lambda: type(instance).__init__(instance, *args, **kwargs))
    return instance


BYTES = 64 * 2**20
LEAST = 64 * 2**10  # bytes that a result counts for at least
NO_ARRAYS = (str, int, float, type(None))  # most fields of a token
PAGES_KEEP = 2  # times as much: pages keep maps merged into words, and without sinks


def size(result: Any) -> int:
    """Return how many bytes a result takes, with what pages compute of it and keep."""
    n_bytes, seen, waiting = 0, set[int](), [result]
    while waiting:  # arrays inside objects of this package, each counted once
        value = waiting.pop()
        if isinstance(value, NO_ARRAYS) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, np.ndarray):
            n_bytes += value.nbytes
        elif isinstance(value, list | tuple):
            waiting += value
        elif isinstance(value, dict):
            waiting += list(value.values())
        elif type(value).__module__.startswith("mha.") and hasattr(value, "__dict__"):
            waiting += list(vars(value).values())
    return max(LEAST, (1 + PAGES_KEEP) * n_bytes)


class Cache:
    """Results by question, for all threads; a result that is larger than the cache is alone in it."""

    def __init__(self, most_bytes: int = BYTES) -> None:
        self._most_bytes = most_bytes
        self._results: LRUCache[Hashable, tuple[Any, int]] = LRUCache(most_bytes, getsizeof=itemgetter(1))
        self._lock = threading.Lock()

    def get(self, question: Hashable) -> Any:
        """Return a result, or None."""
        with self._lock:
            return self._results.get(question, (None, 0))[0]

    def put(self, question: Hashable, result: Any, n_bytes: int | None = None) -> None:
        """Store a result of ``n_bytes``, by default its `size`, which is measured before the lock is taken."""
        n_bytes = size(result) if n_bytes is None else n_bytes
        with self._lock:
            self._results[question] = result, min(n_bytes, self._most_bytes)

    def drop_oldest(self) -> bool:
        """Forget the result that was requested longest ago; return whether there was one."""
        with self._lock:
            return bool(self._results) and bool(self._results.popitem())


CACHE = per_process(Cache)
