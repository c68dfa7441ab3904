"""What somebody is told who waits longer than a moment: why, and that it goes on by itself.

Whoever draws a page says how it is told (`told`); without that, as in a notebook or over HTTP, nothing is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

AFTER = 1.5  # seconds until it is told
ROOM = (
    "Other long texts are being looked at here, and there is room for a few at a time. Yours follows by itself, within "
    "seconds."
)
SENTENCES_FIRST = "Other sentences came first. Yours follows by itself, within seconds."
EXPERIMENTS_FIRST = "Other experiments came first. This one follows by itself."

_tell: ContextVar[Callable[[str], None] | None] = ContextVar("tell", default=None)


@contextmanager
def told(tell: Callable[[str], None]) -> Iterator[None]:
    """Let ``tell`` say why whatever is asked for inside the block waits; it gets "" when a wait is over."""
    before = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(before)


@contextmanager
def telling(why: str) -> Iterator[None]:
    """Tell ``why`` this waits for as long as the block lasts; "" tells nothing."""
    tell = _tell.get()
    if tell is None or not why:
        yield
        return
    tell(why)
    try:
        yield
    finally:
        tell("")


def result(future: Future[Any], seconds: float, why: Callable[[], str]) -> Any:
    """Return the result of a future; from `AFTER` on it is told ``why`` that is not there yet.

    Raises:
        TimeoutError: it is not there after so many seconds; else what the future raises.
    """
    end = time.monotonic() + seconds
    if wait([future], min(AFTER, seconds)).done:
        return future.result()
    with telling(why()):
        return future.result(max(0.0, end - time.monotonic()))
