"""What somebody is told who waits longer than a moment: why, and that it goes on by itself.

Whoever draws a page says how it is told, and how it is noticed that the page was left (`waiting_told`); without that,
as in a notebook or over HTTP, nothing is told.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from mha.errors import Busy

AFTER = 1.5  # seconds until it is told
LOOK = 0.25  # seconds between two looks whether anybody still waits
AWAY = 1.0  # seconds that a connection may be away: a hop from one network to another
ROOM = (
    "Other long texts are being looked at here, and there is room for a few at a time. Yours follows by itself, within "
    "seconds."
)
SENTENCES_FIRST = "Waiting for other visitors. Yours starts automatically within seconds."
EXPERIMENTS_FIRST = "Waiting for other experiments. This one starts automatically."
FULL = "Busy right now. Please try again in a few seconds."
LEFT = "The connection was lost, so this was not computed. Try again."
OWN_FIRST = "Your other long experiment comes first. This one starts automatically."

_tell: ContextVar[Callable[[str], None] | None] = ContextVar("tell", default=None)
_look: ContextVar[Callable[[], None]] = ContextVar("look", default=lambda: None)
_unhurried: ContextVar[bool] = ContextVar("unhurried", default=False)


@contextmanager
def unhurried() -> Iterator[None]:
    """Let whatever is asked for inside the block take as long as it takes: a file that is written waits for all of it.

    Libraries alone can take a minute from a slow disk.
    """
    before = _unhurried.set(True)
    try:
        yield
    finally:
        _unhurried.reset(before)


def at_most(seconds: float) -> float:
    """Return how long whoever asks now waits: so long, or without an end where it is `unhurried`."""
    return math.inf if _unhurried.get() else seconds


@contextmanager
def waiting_told(tell: Callable[[str], None], look: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Let ``tell`` say why whatever is asked for inside the block waits; it gets "" when a wait is over.

    ``look`` is called several times a second meanwhile, and raises once nobody wants the answer any more.
    """
    before, looked_before = _tell.set(tell), _look.set(look)
    try:
        yield
    finally:
        _tell.reset(before)
        _look.reset(looked_before)


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


def result(
    future: Future[Any], seconds: float, why: Callable[[], str], there: Callable[[], bool] = lambda: True
) -> Any:
    """Return the result of a future; from `AFTER` on it is told ``why`` that is not there yet, again when it changes.

    Raises:
        TimeoutError: it is not there after so many seconds, unless it is `unhurried`.
        Busy: whoever waits is no longer ``there``.
        What the future raises, and what raises in whoever looks whether the page was left.
    """
    begin, seconds = time.monotonic(), at_most(seconds)
    seen, shown = begin, ""
    tell = _tell.get() or (lambda why: None)
    try:
        while True:
            waited = time.monotonic() - begin
            until = seconds if waited >= AFTER else min(AFTER, seconds)
            if wait([future], max(0.0, min(LOOK, until - waited))).done:
                return future.result()
            now = time.monotonic()
            _look.get()()
            seen = now if there() else seen
            if now - seen > AWAY:
                raise Busy(LEFT)
            if now - begin >= seconds:
                raise TimeoutError
            sentence = why() if now - begin >= AFTER else ""
            if sentence != shown:
                shown = sentence
                tell(sentence)
    finally:
        if shown:
            tell("")
