"""What is said over one socket: messages that the pages need, no faster than the limits say, each run in its turn.

And of what a message says of widgets, nothing that no page of ours sends (`keep_out`): a number for a text, a NaN; the
widget keeps what it had. Else such a state ends every run from then on, with a traceback in the log each time: of forty
runs after one of four kinds forty end so, and with this none. On the way in nobody but Streamlit knows what a widget's
state is.
"""

from __future__ import annotations

import asyncio
import math

from starlette.types import Message, Receive, Send

from mha import streamlit_facts
from mha.guard.limits import Bucket, Limits
from mha.guard.metrics import RERUNS, refuse
from mha.guard.turns import Turn, Turns
from mha.streamlit_facts import WidgetSaid, ends_run, kind_of_message

ALLOWED = {
    "rerun_script",
    "stop_script",
    "app_heartbeat",
    "file_urls_request",  # where a file may be sent
    "operation deferred_file",  # a download that is made when asked for
    "operation dataframe_chunk",  # more of a long table
}
RERUN = "rerun_script"
WHOLE = ("double_value", "int_value")  # what Streamlit registers of a field of whole numbers, and what its page sends


class Inbox:
    """What comes in over one socket: messages that the pages need, reruns no faster than the limits say.

    A run waits for its turn (`mha.guard.turns`), which ends with that run: so what goes out is seen here too.
    """

    def __init__(self, receive: Receive, send: Send, limits: Limits, who: str, opening: Turns, running: Turns) -> None:
        self._receive, self._send, self._limits, self._who = receive, send, limits, who
        self._reruns = Bucket(limits.reruns_per_second, limits.rerun_burst)
        self._waited = 0
        self._spoken = False  # whether it has said anything that a page says
        self._turns, self._running = opening, running  # the first run's, and from then on
        self._turn: Turn | None = None  # the last one, which may be over
        self._next: asyncio.Future[Message] | None = None  # what came, or comes, while it stood in line

    async def __call__(self) -> Message:
        while True:
            patience = self._limits.idle_seconds if self._spoken else self._limits.silent_seconds
            coming, self._next = self._next or self._receive(), None
            try:
                message = await asyncio.wait_for(coming, patience)
            except TimeoutError:
                return await self._close(1001, "idle" if self._spoken else "silent")
            if message["type"] != "websocket.receive":
                return message
            data = message.get("bytes")
            if data is None:
                return await self._close(1003, "text frame")
            if len(data) > self._limits.frame_bytes:
                return await self._close(1009, "large frame")
            kind = kind_of_message(data)
            if kind is None:
                return await self._close(1002, "garbage")
            if kind not in ALLOWED:
                refuse("message", kind=kind, client=self._who)
                continue
            if kind == RERUN:
                RERUNS.inc()
                seconds = self._reruns.wait()
                self._waited = self._waited + 1 if seconds else 0
                if self._waited > self._limits.patience:
                    return await self._close(1008, "flood")
                if seconds:
                    await asyncio.sleep(seconds)
                if self._turn is None or self._turn.over:  # else the run under way is asked to begin anew
                    self._turn = self._turns.now() or await self._in_line()
                    if self._turn is None:
                        continue
                    self._turns = self._running
            self._spoken = True
            return message

    async def _in_line(self) -> Turn | None:
        """Return the turn; None where whoever asked for it has left meanwhile."""
        turn = asyncio.ensure_future(self._turns.later(self._who))
        self._next = asyncio.ensure_future(self._receive())
        try:
            await asyncio.wait({turn, self._next}, return_when=asyncio.FIRST_COMPLETED)
            left = self._next.done() and self._next.result()["type"] == "websocket.disconnect"
            return None if left and not turn.done() else await turn
        finally:
            turn.cancel()

    async def send(self, message: Message) -> None:
        """Send what goes out; the turn is over once the run has ended."""
        await self._send(message)
        if self._turn is not None and not self._turn.over and ends_run(message.get("bytes") or b""):
            self._turn.give()

    def leave(self) -> None:
        """Let go of what a socket that has ended still holds."""
        if self._turn is not None:
            self._turn.give()
        if self._next is not None:
            self._next.cancel()

    async def _close(self, code: int, reason: str) -> Message:
        refuse(reason, client=self._who)
        await self._send({"type": "websocket.close", "code": code})
        return {"type": "websocket.disconnect", "code": code}


def fits(said: WidgetSaid) -> bool:
    """Return whether what is said is of its widget's kind, finite, and something that the widget can read."""
    kind, expected = said.kind, said.expected
    if kind is None or expected is None:  # a widget that was emptied, or that nobody drew yet
        return True
    if kind != expected and (expected, kind) != WHOLE:
        return False
    try:
        value = said.value()
        numbers = [value] if kind == "double_value" else value if kind == "double_array_value" else []
        said.read()
    except Exception:  # each widget has its own
        return False
    return all(math.isfinite(number) for number in numbers)


def _honest(said: WidgetSaid) -> bool:
    if fits(said):
        return True
    refuse("forged widget state", kind=str(said.kind), widget=said.id[:80])
    return False


def keep_out() -> None:
    """Let no such state into a session from now on."""
    streamlit_facts.keep_out(_honest)
