"""The engine elsewhere while it answers, this process while it does not: nobody waits over five seconds to hear of it.

What broke off elsewhere is asked again, for another replica may take it. Where nothing answers, the model is loaded
here, in the background, and this process answers until the other is tried again, after 5, 10, 20 … s.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from mha.engine.breaker import Breaker
from mha.engine.elsewhere.client import Away
from mha.errors import Busy, MHAError, ModelUnavailable

PATIENCE = 4.0  # seconds until somebody hears that it cannot be answered now
TRIES, PAUSE = 3, 0.25  # of what broke off, and the seconds between them
POLL = 0.25
WAKING_SECONDS = 60.0  # what an engine elsewhere may take to load its model
LOST = "The machine that looks at sentences does not answer. Try again in a few seconds."

log = logging.getLogger(__name__)
T = TypeVar("T")


class There(Protocol):
    """As much of an engine as is asked here."""

    def health(self) -> Any: ...


class Either:
    """Asks elsewhere first, and here where that is away; ``load`` wakes the model here, None where it never may."""

    def __init__(self, there: There, load: Callable[[], None] | None) -> None:
        self._there = there
        self._load = load
        self._breaker = Breaker()
        self._lock = threading.Lock()
        self._waking: threading.Thread | None = None
        self._awake = threading.Event()
        self.answered_here = 0  # for whoever counts

    @property
    def away(self) -> bool:
        """Whether elsewhere did not answer when it was last asked."""
        return self._breaker.failures > 0

    @property
    def able(self) -> bool:
        """Whether a new text is answered at once, elsewhere or here."""
        return not self.away or self._awake.is_set()

    def ask(self, ask: Callable[[], T], here: Callable[[], T]) -> T:
        """Return what elsewhere answers, or what this process does.

        Raises:
            Busy: neither can, for now.
            MHAError: what the answer itself is.
        """
        end = time.monotonic() + PATIENCE
        try:
            return self._elsewhere(ask)
        except Away as away:
            if self._load is None:
                raise Busy(LOST) from away
        self._wake_here()
        if not self._awake.wait(max(0.0, end - time.monotonic())):
            raise Busy(LOST)
        self.answered_here += 1
        return here()

    def _elsewhere(self, ask: Callable[[], T]) -> T:
        if self._breaker.open:
            raise Away("it was away a moment ago")
        for left in reversed(range(TRIES)):
            try:
                found = ask()
            except Away as away:
                if away.again and left:
                    time.sleep(PAUSE)
                    continue
                with self._lock:
                    if not self._breaker.open:  # of those who wait together the first one counts
                        log.warning("the engine elsewhere is away: %s", away)
                        self._breaker.failed(away)
                raise
            except MHAError:
                self._breaker.failures = 0
                raise
            self._breaker.failures = 0
            return found
        raise AssertionError("unreachable")

    def _wake_here(self) -> None:
        with self._lock:
            if self._awake.is_set() or (self._waking is not None and self._waking.is_alive()):
                return
            self._waking = threading.Thread(target=self._load_here, name="fallback", daemon=True)
            self._waking.start()

    def _load_here(self) -> None:
        assert self._load is not None
        try:
            self._load()
        except Exception:
            log.exception("the model could not be loaded here either")
        else:
            self._awake.set()

    def wake(self) -> None:
        """Return once a new text would be answered, elsewhere or here.

        Raises:
            ModelUnavailable: by neither.
        """
        end = time.monotonic() + WAKING_SECONDS
        try:
            while not (health := self._there.health()).ready:
                if health.phase == "failed" or time.monotonic() > end:
                    raise Away(health.message)
                time.sleep(POLL)
            return
        except (Away, Busy) as away:
            log.warning("the engine elsewhere is away: %s", away)
            self._breaker.failed(away)
        if self._load is None:
            raise ModelUnavailable(LOST)
        self._load()
        self._awake.set()
