"""How much memory the recordings take that somebody holds on to, and who waits until there is room for another.

Three people with long texts would otherwise have three sets of maps at the same time, and what is worked out from them.
"""

from __future__ import annotations

import gc
import math
import threading
import time
import weakref
from collections.abc import Callable

from mha.maps import Recording

BYTES = 96 * 2**20
LONGEST = 64 * 2**20  # what a text is expected to take at most before it is recorded
COLLECTED = 1.0  # seconds between two collections while somebody waits
GLANCE = 0.1  # seconds until somebody who waits looks again, whether or not room was given back
SECONDS = 1.5  # that somebody waits for room; then they go on without


class Room:
    """Bytes that are taken: by recordings as long as anybody holds on to their maps, and for those being made.

    ``make_room`` is called where there is too little: it lets go of what is only kept for later; False if nothing is.
    """

    def __init__(self, make_room: Callable[[], bool], most: int = BYTES, seconds: float = SECONDS) -> None:
        self._make_room = make_room
        self._most, self._seconds = most, seconds
        self._changed = threading.Condition(threading.RLock())
        self.taken = 0

    def hold(self, recording: Recording, size: int) -> None:
        """Take room for a recording until nobody holds on to its maps any more."""
        with self._changed:
            self.taken += size
        weakref.finalize(recording.maps, self.give, size).atexit = False

    def take(self, size: int) -> None:
        """Take room for what is going to be recorded, once there is some; whoever takes it gives it back."""
        end, collected = time.monotonic() + self._seconds, -math.inf
        while not self._took(size):
            if self._make_room():
                continue
            now = time.monotonic()
            if now - collected > COLLECTED:  # pages leave maps in cycles, and Streamlit's own collection is off
                gc.collect()
                collected = now
                continue
            with self._changed:
                if now >= end:
                    self.taken += size
                    return
                self._changed.wait(GLANCE)

    def give(self, size: int) -> None:
        """Give room back."""
        with self._changed:
            self.taken -= size
            self._changed.notify_all()

    def _took(self, size: int) -> bool:
        with self._changed:
            fits = not size or not self.taken or self.taken + size <= self._most
            self.taken += size * fits
            return fits
