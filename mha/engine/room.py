"""How much memory the recordings take that somebody holds on to, and who waits until there is room for another.

Three people with long texts would otherwise have three sets of maps at the same time, and what is worked out from them.
"""

from __future__ import annotations

import gc
import math
import threading
import time
import weakref
from collections import Counter, deque
from collections.abc import Callable, Hashable

from mha.engine.patience import AFTER, ROOM, telling
from mha.maps import Recording
from mha.models.files.environment import trim

BYTES = 48 * 2**20
LONGEST = 48 * 2**20  # what a text is expected to take at most before it is recorded
COLLECTED = 1.0  # seconds between two collections while somebody waits
GLANCE = 0.1  # seconds until somebody who waits looks again, whether or not room was given back
SECONDS = 12.0  # that somebody waits for room; then they go on without


class Room:
    """Bytes that are taken: by recordings as long as anybody holds on to their maps, and for those being made.

    ``make_room`` is called where there is too little: it lets go of what is only kept for later; False if nothing is.
    ``who`` takes room is known, for nobody waits for what they hold themselves: a page may compare two texts.
    """

    def __init__(self, make_room: Callable[[], bool], most: int = BYTES, seconds: float = SECONDS) -> None:
        self._make_room = make_room
        self._most, self._seconds = most, seconds
        self._changed = threading.Condition(threading.RLock())
        self._by: Counter[Hashable] = Counter()
        self._waiting: deque[object] = deque()  # in the order in which they came: what is large would never get in else

    @property
    def taken(self) -> int:
        """All bytes that are taken."""
        return self._by.total()

    def hold(self, recording: Recording, size: int, who: Hashable = None) -> None:
        """Take room for a recording until nobody holds on to its maps any more."""
        self._add(size, who)
        weakref.finalize(recording.maps, self.give, size, who).atexit = False

    def take(self, size: int, who: Hashable = None) -> None:
        """Take room for what is going to be recorded, once there is some; whoever takes it gives it back."""
        if not size:
            return
        me = object()
        with self._changed:
            self._waiting.append(me)
        begin = time.monotonic()
        try:
            if not self._wait_for(size, who, me, begin + min(AFTER, self._seconds)):
                with telling(ROOM):
                    if not self._wait_for(size, who, me, begin + self._seconds):
                        self._add(size, who)
            trim()  # what those before left between what is still in use
        finally:
            with self._changed:
                self._waiting.remove(me)
                self._changed.notify_all()

    def _wait_for(self, size: int, who: Hashable, me: object, end: float) -> bool:
        """Take room as soon as there is some, and return whether that was before the ``end``."""
        collected = -math.inf
        while not self._took(size, who, me):
            first, now = self._waiting[0] is me, time.monotonic()
            if first and self._make_room():
                continue
            if first and now - collected > COLLECTED:  # pages leave maps in cycles; Streamlit's own collection is off
                gc.collect()
                trim()
                collected = now
                continue
            with self._changed:
                if first and self.taken == self._by[who]:
                    self._add(size, who)
                    return True
                if now >= end:
                    return False
                self._changed.wait(GLANCE)
        return True

    def give(self, size: int, who: Hashable = None) -> None:
        """Give room back."""
        with self._changed:
            self._add(-size, who)
            self._changed.notify_all()

    def _took(self, size: int, who: Hashable, me: object) -> bool:
        with self._changed:
            fits = self._waiting[0] is me and (not self.taken or self.taken + size <= self._most)
            self._add(size * fits, who)
            return fits

    def _add(self, size: int, who: Hashable) -> None:
        with self._changed:
            self._by[who] += size
            if not self._by[who]:
                del self._by[who]
