"""Script runs take turns, so that the first of many are answered early.

Python shares its time among all scripts that run: of fifty at once each would end late. So a few run at a time. A page
that opens costs more than a rerun (a session, often a new sentence), so opening pages have a queue of their own.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque


class Turns:
    """A semaphore with ``places``, whose waiting clients are served in rotation; a turn expires after ``seconds``.

    A turn that expires lets the next run start while its own run waits, for a model or for other sentences.
    """

    def __init__(self, places: int, seconds: float) -> None:
        self._free, self._seconds = places, seconds
        self._queues: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()  # by client, the next one first

    async def take(self, client: str) -> Turn:
        """Wait for a turn of a client and return it."""
        if self._free:
            self._free -= 1
            return Turn(self, self._seconds)
        call = asyncio.get_running_loop().create_future()
        self._queues.setdefault(client, deque()).append(call)
        try:
            await call
        except asyncio.CancelledError:
            if not call.cancelled():  # cancelled after the call
                self.release()
            raise
        return Turn(self, self._seconds)

    def release(self) -> None:
        """Call the next client that still waits; its other requests move behind those of all other clients."""
        while self._queues:
            client, queue = self._queues.popitem(last=False)
            call = queue.popleft()
            if queue:
                self._queues[client] = queue
            if not call.cancelled():
                call.set_result(None)
                return
        self._free += 1


class Turn:
    """A turn of one client, until it is released or expires."""

    def __init__(self, turns: Turns, seconds: float) -> None:
        self._turns, self.is_over = turns, False
        self._expiry = asyncio.get_running_loop().call_later(seconds, self.release)

    def release(self) -> None:
        """Release the turn; a second call does nothing."""
        if not self.is_over:
            self.is_over = True
            self._expiry.cancel()
            self._turns.release()
