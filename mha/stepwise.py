"""Long work in steps: a generator that yields after each of its passes, and returns the result.

It yields its progress. A scheduler chooses the next generator after each step (`mha.engine.queue`) and closes abandoned
ones; `finished` runs a single one to its end.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from typing import Any, TypeVar

T = TypeVar("T")
Steps = Generator[int, None, T]
Progress = Callable[[int, int], None]  # done, all; may raise to cancel


def finished(steps: Steps[T]) -> T:
    """Run work in steps to its end and return its result.

    >>> def halves():
    ...     yield 1
    ...     yield 1
    ...     return "both"
    >>> finished(halves())
    'both'
    """
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


def each_inside(work: Iterator[T], context: Callable[[], AbstractContextManager[Any]]) -> Iterator[T]:
    """Yield what a generator yields; each of its steps runs inside a new context."""
    while True:
        with context():
            try:
                piece = next(work)
            except StopIteration:
                return
        yield piece


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
