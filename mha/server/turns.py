"""Runs take turns: those of pages that open, so that who came before is still answered, and all others.

Python runs one script at a time, and shares it out evenly among all that have begun: of fifty people's each one ends
late. Few at a time end early, and most of them as early as alone. A first run is more: a session, a script from its
first line and mostly a sentence that nobody has asked for; so these have a line of their own.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque

from mha.guard.metrics import IN_LINE


class Turns:
    """So many runs at a time; who comes later stands in line, and of several clients each has a turn in turn.

    A turn is over when its run has ended, or after so many seconds: a run that waits, for a model that is loading or
    behind other sentences, takes nothing from anybody.
    """

    def __init__(self, at_once: int, seconds: float) -> None:
        self._free, self._seconds = at_once, seconds
        self._lines: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()  # by client, the next one first

    def now(self) -> Turn | None:
        """Return a turn if one is free, which it is only where nobody stands in line."""
        if not self._free:
            return None
        self._free -= 1
        return Turn(self, self._seconds)

    async def later(self, who: str) -> Turn:
        """Return a turn once it is this client's."""
        if turn := self.now():  # one has ended since they were told to wait
            return turn
        called = asyncio.get_running_loop().create_future()
        self._lines.setdefault(who, deque()).append(called)
        IN_LINE.inc()
        try:
            await called
        except asyncio.CancelledError:
            if not called.cancelled():  # it was called at the very moment
                self.free()
            raise
        finally:
            IN_LINE.dec()
        return Turn(self, self._seconds)

    def free(self) -> None:
        """Call the next one who is still there; then its client's others stand behind everybody else's."""
        while self._lines:
            who, line = next(iter(self._lines.items()))
            called = line.popleft()
            if not line:
                del self._lines[who]
            if not called.cancelled():
                if line:
                    self._lines.move_to_end(who)
                called.set_result(None)
                return
        self._free += 1


class Turn:
    """One client's turn, until it is given back or its seconds are over."""

    def __init__(self, turns: Turns, seconds: float) -> None:
        self._turns = turns
        self._end = asyncio.get_running_loop().call_later(seconds, self.give)
        self.over = False

    def give(self) -> None:
        """Give it back; a second time that does nothing."""
        if not self.over:
            self.over = True
            self._end.cancel()
            self._turns.free()
