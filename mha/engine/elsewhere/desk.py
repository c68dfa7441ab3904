"""What stands at the other end: questions over HTTP, answered by this process, with a sign of life meanwhile.

One ASGI app, which knows nothing of Ray: `mha.engine.serve` puts it into replicas, tests under a plain server.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request as Asked
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from mha.analysis.statistics import head_statistics
from mha.engine.elsewhere.coding import read, write
from mha.engine.elsewhere.frames import ANSWER, BEAT, BEAT_SECONDS, REFUSAL, frame
from mha.engine.following import FOLLOWERS
from mha.engine.inprocess import ENGINE
from mha.engine.recordings import EVERYTHING, Request
from mha.errors import InputError, MHAError
from mha.maps import Recording

MOST_BYTES = 2**20  # of a question
FORM = "application/x-parallax"

log = logging.getLogger(__name__)
Record = Callable[[Request], Awaitable[Recording]]


async def _record(request: Request) -> Recording:
    return await run_in_threadpool(ENGINE.record, request)


class Desk:
    """Answers who knows the ``token``; ``record`` makes recordings, others are made by this process's engine."""

    def __init__(self, token: str, record: Record = _record) -> None:
        if not token:
            raise InputError("An engine that others may ask needs a token: set PARALLAX_ENGINE_TOKEN.")
        self._token = f"Bearer {token}".encode()
        self._record = record
        self._does: dict[str, Callable[[dict[str, Any]], Awaitable[Any]]] = {
            "record": lambda body: self._record(_request(body)),
            "statistics": self._statistics,
            "experiment": _experiment,
            "health": _health,
        }

    async def answer(self, asked: Asked) -> Response:
        """Return the answer to one question: its frames, or why there is none."""
        if not hmac.compare_digest(asked.headers.get("authorization", "").encode(), self._token):
            return PlainTextResponse("This needs the token.", 401, {"WWW-Authenticate": "Bearer"})
        what = asked.url.path.rpartition("/")[2]
        if what not in self._does or asked.method != "POST":
            return PlainTextResponse(f"There are {', '.join(self._does)}.", 404)
        content = bytearray()
        async for part in asked.stream():
            content += part
            if len(content) > MOST_BYTES:
                return PlainTextResponse("This question is too long.", 413)
        return StreamingResponse(self._frames(what, bytes(content)), media_type=FORM)

    async def _frames(self, what: str, content: bytes) -> AsyncIterator[bytes]:
        working = asyncio.ensure_future(self._done(what, content))
        try:
            while not (await asyncio.wait({working}, timeout=BEAT_SECONDS))[0]:
                yield frame(BEAT)
            yield working.result()
        finally:
            working.cancel()  # whoever asked has left

    async def _done(self, what: str, content: bytes) -> bytes:
        try:
            body = read(content)
            if not isinstance(body, dict):
                raise InputError("A question is an object.")
            with FOLLOWERS.client():  # of its own: the pages that ask do so for many
                return frame(ANSWER, write(await self._does[what](body)))
        except MHAError as error:
            told = {"error": type(error).__name__, "message": str(error)}
        except Exception as error:
            log.exception("a question could not be answered")
            told = {"error": f"a fault, {type(error).__name__}", "message": ""}
        return frame(REFUSAL, json.dumps(told).encode())

    async def _statistics(self, body: dict[str, Any]) -> dict[str, Any]:
        recording = await self._record(_request(body))
        return await run_in_threadpool(lambda: dict(head_statistics(recording.maps)))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer as an ASGI app."""
        if scope["type"] == "http":
            await (await self.answer(Asked(scope, receive)))(scope, receive, send)


def _request(body: dict[str, Any]) -> Request:
    text, model, pair, keep = (body.get(name) for name in ("text", "model", "pair", "keep"))
    fits = isinstance(text, str) and isinstance(model, str) and isinstance(pair, str | None)
    if not fits or not isinstance(keep, list) or not all(what in EVERYTHING for what in keep):
        raise InputError("A request has text, model, pair and keep.")
    return Request(str(text), str(model), pair, tuple(keep))


async def _experiment(body: dict[str, Any]) -> Any:
    name, args, kwargs = (body.get(part) for part in ("name", "args", "kwargs"))
    if not isinstance(name, str) or not isinstance(args, list) or not isinstance(kwargs, dict):
        raise InputError("An experiment has name, args and kwargs.")
    try:
        return await run_in_threadpool(ENGINE.experiment, name, *args, **kwargs)
    except TypeError as error:
        raise InputError(f"The experiment {name} does not take this: {error}") from error


async def _health(_body: dict[str, Any]) -> Any:
    return ENGINE.health()
