"""The message for a visitor who waits longer than a moment: the reason, and that the request continues by itself.

The page sets how a message is shown, and how a page that was left is noticed (`show_waits`). In a notebook and over
HTTP no message is shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from mha.engine.followers import FOLLOWERS
from mha.errors import Busy

AFTER = 1.5  # seconds until the message
LOOK = 0.25  # seconds between two checks that a caller still waits
AWAY = 1.0  # seconds that a connection may be away: a hop from one network to another
SENTENCES_FIRST = "Waiting for other visitors. Yours starts automatically within seconds."
EXPERIMENTS_FIRST = "Waiting for other experiments. This one starts automatically."
FULL = "Busy right now. Please try again in a few seconds."
LEFT = "The connection was lost, so this was not computed. Try again."

_show: ContextVar[Callable[[str], None] | None] = ContextVar("show", default=None)
_look: ContextVar[Callable[[], None]] = ContextVar("look", default=lambda: None)


@contextmanager
def show_waits(show: Callable[[str], None], look: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Show with ``show`` why a request inside the block waits; it gets "" when a wait is over.

    ``look`` is called several times a second meanwhile, and raises once the page was left.
    """
    previous, looked_before = _show.set(show), _look.set(look)
    try:
        yield
    finally:
        _show.reset(previous)
        _look.reset(looked_before)


def await_result(future: Future[Any], seconds: float, reason: Callable[[], str], late: str) -> Any:
    """Return the result of a future; if it takes longer than `AFTER`, show the visitor ``reason``.

    Raises:
        Busy: it took so many seconds (``late`` is the message), or the visitor has left.
        Exception: an error of the future, or of the callback that notices a page that was left.
    """
    begin, visitor = time.monotonic(), FOLLOWERS.caller()
    seen, visible = begin, ""
    show = _show.get() or (lambda reason: None)
    try:
        while True:
            waited = time.monotonic() - begin
            until = seconds if waited >= AFTER else min(AFTER, seconds)
            if wait([future], max(0.0, min(LOOK, until - waited))).done:
                return future.result()
            moment = time.monotonic()
            _look.get()()
            seen = moment if FOLLOWERS.waits(visitor) else seen
            if moment - seen > AWAY:
                raise Busy(LEFT)
            if moment - begin >= seconds:
                raise Busy(late)
            sentence = reason() if moment - begin >= AFTER else ""
            if sentence != visible:
                visible = sentence
                show(sentence)
    finally:
        if visible:
            show("")
