"""Long work in steps: a generator that yields after each of its passes, and returns the result.

It yields its progress. A scheduler chooses the next generator after each step (`mha.engine.queue`) and closes abandoned
ones; `finished` runs a single one to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, closing, nullcontext
from typing import Any, TypeVar

T = TypeVar("T")
Steps = Generator[int, None, T]
Progress = Callable[[int, int], None]  # done, all; may raise to cancel


def finished(steps: Steps[T], progress: Progress | None = None, total: int = 0) -> T:
    """Run work in steps to its end and return its result; ``progress`` receives the finished part of ``total``.

    >>> def halves():
    ...     yield 1
    ...     yield 1
    ...     return "both"
    >>> finished(halves())
    'both'
    """
    count = 0
    if progress is not None:
        progress(0, total)
    while True:
        try:
            more = next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        count += more
        if more and progress is not None:
            progress(count, total)


def in_turns(make: Callable[[], Any], turn: AbstractContextManager[Any] = nullcontext()) -> Steps[Any]:  # noqa: B008
    """Run work, in steps if it is a generator, each inside ``turn``; return the result."""
    with turn:
        work = make()
    if not isinstance(work, Generator):
        return work
    with closing(work):
        while True:
            with turn:
                try:
                    more = next(work)
                except StopIteration as end:
                    return end.value
            yield more
