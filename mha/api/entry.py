"""What every question passes: its client's turn, its size, its form; then its answer, made beside the event loop."""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import anyio
from anyio import to_thread
from cachetools import LRUCache
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from mha.api.problems import RefusedQuestion, error_answer, problem
from mha.api.questions import Strict
from mha.engine.following import FOLLOWERS, Client
from mha.engine.patience import LEFT
from mha.errors import Busy, MHAError
from mha.server.limits import Bucket, Limits, client, log_refusal

log = logging.getLogger(__name__)
BODY_BYTES = 16 * 1024
AT_ONCE, IN_LINE = 4, 16  # answers being made, and those that wait for it
LONG_AT_ONCE, OF_ONE = 16, 4  # experiments, which wait for each other where they run; and those of one client
CLIENTS = 4096  # whose turns are remembered
JSON, NPZ = "application/json", "application/x-npz"
FULL = "Many questions are waiting right now. Try again in a few seconds."
ENOUGH = "You already have four experiments. Ask again when one of them is answered."

Asked = TypeVar("Asked", bound=Strict)


class ClientTurns:
    """How often each client may ask."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits.of()
        self._buckets: LRUCache[str, Bucket] = LRUCache(CLIENTS)

    def take(self, who: str) -> None:
        """Take one turn; raise Refused where there is none for now."""
        a_minute = self.limits.api_per_minute
        bucket = self._buckets.setdefault(who, Bucket(a_minute / 60, a_minute))
        if not bucket.take():
            log_refusal("many questions of one client", client=who)
            seconds = str(math.ceil(60 / a_minute))
            raise RefusedQuestion(429, f"One client may ask {a_minute} times a minute.", **{"Retry-After": seconds})


TURNS = ClientTurns()


async def body(request: Request) -> bytes:
    """Return the body of a question; raise Refused for one that is too large or says it is no JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise RefusedQuestion(415, f"Ask with Content-Type: {JSON}.")
    read = bytearray()
    async for part in request.stream():
        read += part
        if len(read) > BODY_BYTES:
            log_refusal("large body", client=client(request.scope))
            raise RefusedQuestion(413, f"A question has {BODY_BYTES:,} bytes at most.", Connection="close")
    return bytes(read)


def understood(model: type[Asked], content: bytes) -> Asked:
    """Return a body as its model; raise Refused with what does not fit, and where."""
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        status = 400 if first["type"] == "json_invalid" else 422
        raise RefusedQuestion(status, f"{place}: {first['msg']}" if place else first["msg"]) from error


def form(request: Request, forms: tuple[str, ...]) -> str:
    """Return the form that a client takes, the first one unless it says otherwise; raise Refused where none will do."""
    said = request.headers.get("accept", "*/*")
    ranges = [part.partition(";")[0].strip().lower() for part in said.split(",")]
    for one in ranges:
        if one in ("*/*", "application/*", ""):
            return forms[0]
        if one in forms:
            return one
    raise RefusedQuestion(406, f"The answer comes as {' or '.join(forms)}.")


# How many answers are made at a time: of questions that take one pass, and of experiments.
_few, _long = anyio.CapacityLimiter(AT_ONCE), anyio.CapacityLimiter(LONG_AT_ONCE)
_experiments: Counter[str] = Counter()  # of each client, under way or waiting


@contextmanager
def _room(who: str, experiment: bool) -> Iterator[anyio.CapacityLimiter]:
    """Yield what lets an answer be made; raise Busy where too many wait, of all or of this client."""
    room = _long if experiment else _few
    if room.statistics().tasks_waiting >= IN_LINE:
        raise Busy(FULL)
    if experiment and _experiments[who] >= OF_ONE:
        raise Busy(ENOUGH)
    _experiments[who] += experiment
    try:
        yield room
    finally:
        _experiments[who] -= experiment
        if not _experiments[who]:
            del _experiments[who]


async def answered(request: Request, make: Callable[[], Response], experiment: bool = False) -> Response:
    """Return what ``make`` answers in a thread, or the problem that it meets; what nobody waits for any more ends.

    Raises:
        RefusedQuestion: it is not this client's turn, or the question is not understood.
    """
    who = client(request.scope)
    try:
        TURNS.take(who)
        with _room(who, experiment) as room, FOLLOWERS.client(who) as asking:
            return await _while_there(request, make, room, asking)
    except RefusedQuestion:
        raise
    except MHAError as error:
        return error_answer(error)
    except Exception:
        log.exception("a question over HTTP failed")
        return problem(500, "Something went wrong on our side; it has been logged.")


async def _while_there(
    request: Request, make: Callable[[], Response], room: anyio.CapacityLimiter, asking: Client
) -> Response:
    """Return what ``make`` answers; meanwhile note it when the client goes."""

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        asking.left = True

    def made() -> Response:
        if asking.left:  # it waited for room meanwhile
            raise Busy(LEFT)
        return make()

    watching = asyncio.ensure_future(watch())
    try:
        return await to_thread.run_sync(made, limiter=room)
    finally:
        watching.cancel()
