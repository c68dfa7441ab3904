"""What somebody is told who waits longer than a moment: why, and that it goes on by itself.

Whoever draws a page says how it is told, and how it is noticed that the page was left (`waiting_told`); without that,
as in a notebook or over HTTP, nothing is told.
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

AFTER = 1.5  # seconds until it is told
LOOK = 0.25  # seconds between two looks whether anybody still waits
AWAY = 1.0  # seconds that a connection may be away: a hop from one network to another
SENTENCES_FIRST = "Waiting for other visitors. Yours starts automatically within seconds."
EXPERIMENTS_FIRST = "Waiting for other experiments. This one starts automatically."
FULL = "Busy right now. Please try again in a few seconds."
LEFT = "The connection was lost, so this was not computed. Try again."

_tell: ContextVar[Callable[[str], None] | None] = ContextVar("tell", default=None)
_look: ContextVar[Callable[[], None]] = ContextVar("look", default=lambda: None)


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


def result(future: Future[Any], seconds: float, why: Callable[[], str], late: str) -> Any:
    """Return the result of a future; the visitor is told ``why`` it takes longer than `AFTER`.

    Raises:
        Busy: it took so many seconds (``late`` is the message), or the visitor has left.
        What the future raises, and what raises in the callback that notices that the page was left.
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
