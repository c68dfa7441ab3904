"""The limits of every question: its size and form, its client's rate, and the number of questions at a time."""

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator, Callable

import anyio
from cachetools import LRUCache
from fastapi import HTTPException, Request
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope

from mha.engine.followers import FOLLOWERS, Client
from mha.engine.waiting import VISITOR_LEFT
from mha.errors import Busy
from mha.server.middleware import Bucket, Limits, client, log_refusal

BODY_BYTES = 16 * 1024
AT_ONCE, IN_LINE = 4, 16  # questions that are answered, and that wait
LONG_AT_ONCE, OF_ONE = 16, 4  # experiments, which the engine queues itself; and those of one client
CLIENTS = 4096  # whose rates are remembered
FULL = "Many questions are waiting right now. Try again in a few seconds."
ENOUGH = "You already have four experiments. Ask again when one of them is answered."


class Rates:
    """The rate of each client, in questions a minute."""

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._buckets: LRUCache[str, Bucket] = LRUCache(CLIENTS)

    def take(self, client_address: str) -> None:
        """Count one question; raise HTTPException (429) if the client has asked too many."""
        if not self._buckets.setdefault(client_address, Bucket(self.per_minute / 60, self.per_minute)).take():
            log_refusal("many questions of one client", client=client_address)
            seconds = {"Retry-After": str(math.ceil(60 / self.per_minute))}
            raise HTTPException(429, f"One client may ask {self.per_minute} times a minute.", seconds)


RATES = Rates(Limits.from_environment().api_per_minute)


def bound_body(scope: Scope, receive: Receive) -> Receive:
    """Return a function that receives a body up to the limit; it raises HTTPException (413) for a larger one."""
    size = 0

    async def receive_bounded() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > BODY_BYTES:
            log_refusal("large body", client=client(scope))
            raise HTTPException(413, f"A question has {BODY_BYTES:,} bytes at most.", {"Connection": "close"})
        return message

    return receive_bounded


def check_form(headers: Headers) -> None:
    """Raise HTTPException if a question is not JSON (415) or its client does not accept JSON (406)."""
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "Ask with Content-Type: application/json.")
    accept = headers.get("accept", "*/*").lower()
    if not any(form in accept for form in ("application/json", "application/*", "*/*")):
        raise HTTPException(406, "Answers are application/json. mha.attend(text).save(path) writes an NPZ file.")


def limit_slots(at_once: int, of_one_client: int) -> Callable[[Request], AsyncIterator[None]]:
    """Return a dependency that holds one of so many slots while a question is answered.

    It raises HTTPException as `check_form`, or if the client has asked too many questions in this minute (429), and
    Busy if too many wait or the client hangs up while its question waits. If the client hangs up later, the engine ends
    its work.
    """
    slots = anyio.CapacityLimiter(at_once)
    questions: Counter[str] = Counter()  # of each client, running or waiting

    async def hold_slot(request: Request) -> AsyncIterator[None]:
        check_form(request.headers)
        address = client(request.scope)
        RATES.take(address)
        if slots.statistics().tasks_waiting >= IN_LINE:
            raise Busy(FULL)
        if questions[address] >= of_one_client:
            raise Busy(ENOUGH)
        questions[address] += 1
        try:
            with FOLLOWERS.client(address) as follower:
                watch = asyncio.create_task(_note_hangup(request, follower))
                try:
                    async with slots:
                        if follower.was_left:
                            raise Busy(VISITOR_LEFT)
                        yield
                finally:
                    watch.cancel()
        finally:
            questions[address] -= 1
            if not questions[address]:
                del questions[address]

    return hold_slot


async def _note_hangup(request: Request, follower: Client) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    follower.was_left = True


hold_slot = limit_slots(AT_ONCE, AT_ONCE + IN_LINE)
hold_long_slot = limit_slots(LONG_AT_ONCE, OF_ONE)
