"""The message for a visitor who waits longer than a moment: the reason, and that the request continues by itself.

The page sets how a message is shown, and how a page that was left is noticed (`waiting_told`). In a notebook and over
HTTP no message is shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from mha.engine.following import FOLLOWERS
from mha.errors import Busy

AFTER = 1.5  # seconds until the message
LOOK = 0.25  # seconds between two checks that a caller still waits
AWAY = 1.0  # seconds that a connection may be away: a hop from one network to another
SENTENCES_FIRST = "Waiting for other visitors. Yours starts automatically within seconds."
EXPERIMENTS_FIRST = "Waiting for other experiments. This one starts automatically."
FULL = "Busy right now. Please try again in a few seconds."
LEFT = "The connection was lost, so this was not computed. Try again."

_tell: ContextVar[Callable[[str], None] | None] = ContextVar("tell", default=None)
_look: ContextVar[Callable[[], None]] = ContextVar("look", default=lambda: None)


@contextmanager
def waiting_told(tell: Callable[[str], None], look: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Show with ``tell`` why a request inside the block waits; it gets "" when a wait is over.

    ``look`` is called several times a second meanwhile, and raises once the page was left.
    """
    before, looked_before = _tell.set(tell), _look.set(look)
    try:
        yield
    finally:
        _tell.reset(before)
        _look.reset(looked_before)


def result(future: Future[Any], seconds: float, why: Callable[[], str], late: str) -> Any:
    """Return the result of a future; if it takes longer than `AFTER`, show the visitor ``why``.

    Raises:
        Busy: it took so many seconds (``late`` is the message), or the visitor has left.
        Exception: an error of the future, or of the callback that notices a page that was left.
    """
    begin, who = time.monotonic(), FOLLOWERS.who()
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
            seen = now if FOLLOWERS.waits(who) else seen
            if now - seen > AWAY:
                raise Busy(LEFT)
            if now - begin >= seconds:
                raise Busy(late)
            sentence = why() if now - begin >= AFTER else ""
            if sentence != shown:
                shown = sentence
                tell(sentence)
    finally:
        if shown:
            tell("")
