"""Static files compressed once each and kept: Streamlit's own, which it leaves out of its gzip, and ours.

Only what an address can never change is compressed (``Cache-Control: immutable``), so nothing kept can be out of date.
"""

from __future__ import annotations

import asyncio
import os
import re
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import brotli
from cachetools import LRUCache
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SETTING = "PARALLAX_COMPRESS"  # "off" where a proxy in front of the app does it
STATIC = re.compile(r"/(static|parallax)/")
TYPES = re.compile(r"text/|application/(javascript|json|manifest\+json|wasm)|image/svg")
SMALLEST = 1_000  # bytes; less fits one packet anyway
LARGEST = 16_000_000
KEPT = 48_000_000  # bytes; all of Streamlit's and ours are about 6 MB in brotli, 7 MB in gzip

# Plotly's 4.7 MB: brotli 5 takes 0.1 s and leaves 26.2 %, 9 takes 0.4 s and leaves 25.1 %, 11 takes 8.4 s and leaves
# 22.5 %; gzip 6 takes 0.13 s and leaves 30.1 %, 9 no less. Every file is compressed once, while somebody waits.
ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "br": lambda content: brotli.compress(content, quality=9),
    "gzip": lambda content: zlib.compress(content, 6, wbits=31),
}
_MARK = re.compile(rf'-({"|".join(ENCODERS)})"')


def middleware() -> list[Middleware]:
    """Return what `st.App` takes: the compression, unless the setting turns it off."""
    return [] if os.environ.get(SETTING, "").lower() == "off" else [Middleware(Compressed)]


def chosen(accepted: str) -> str | None:
    """Return the best of our encodings that a browser takes, None where it takes none.

    >>> chosen("gzip, deflate, br"), chosen("gzip;q=0.5, br;q=0"), chosen("identity")
    ('br', 'gzip', None)
    """
    offers = [part.replace(" ", "").lower().partition(";q=") for part in accepted.split(",")]
    taken = {name for name, _, weight in offers if weight.strip("0.") or not weight}
    return next((name for name in ENCODERS if name in taken), None)


class Compressed:
    """Answer requests for static files in the best encoding that the browser takes.

    A request for a part of a file, and whatever is small, large, changing, or of another type, is left as it is.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._worker = ThreadPoolExecutor(1, "compress")  # one, so that a first visit leaves a core to the others
        self._kept: LRUCache[tuple[str, ...], bytes] = LRUCache(KEPT, getsizeof=len)
        self._under_way: dict[tuple[str, ...], asyncio.Task[bytes]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; websockets and everything that is not a static file go straight on."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD") or not STATIC.search(scope["path"]):
            await self._app(scope, receive, send)
            return
        asked = Headers(scope=scope)
        encoding = None if "range" in asked else chosen(asked.get("accept-encoding", ""))
        plain = _plain(scope)
        if encoding is None:
            await self._app(plain, receive, _varying(send))
            return
        status, headers, _ = await self._ask({**plain, "method": "HEAD"})
        if status == 304 and _MARK.search(asked.get("if-none-match", "")):
            await _answer(send, status, _marked(headers, encoding))
        elif status == 200 and _worth(headers):
            body = await self._body((scope["path"], headers.get("etag", ""), encoding), plain)
            headers = _marked(headers, encoding)
            headers["content-encoding"], headers["content-length"] = encoding, str(len(body))
            headers["accept-ranges"] = "none"
            await _answer(send, status, headers, body if scope["method"] == "GET" else b"")
        else:
            await self._app(plain, receive, _varying(send))

    async def _body(self, key: tuple[str, ...], plain: Scope) -> bytes:
        """Return a file in an encoding; those who ask for it at the same time wait for one making."""
        if key in self._kept:
            return self._kept[key]
        task = self._under_way.get(key)
        if task is None:
            task = self._under_way[key] = asyncio.create_task(self._make(key, {**plain, "method": "GET"}))
            task.add_done_callback(lambda _: self._under_way.pop(key, None))
        return await asyncio.shield(task)  # a visitor who leaves does not take it from the others

    async def _make(self, key: tuple[str, ...], plain: Scope) -> bytes:
        without = [header for header in plain["headers"] if header[0] != b"if-none-match"]
        _, _, content = await self._ask({**plain, "headers": without})
        made = await asyncio.get_running_loop().run_in_executor(self._worker, ENCODERS[key[-1]], content)
        self._kept[key] = made
        return made

    async def _ask(self, scope: Scope) -> tuple[int, MutableHeaders, bytes]:
        """Return what the app answers: status, headers, body."""
        status, raw, parts = 500, [], []

        async def receive() -> Message:
            await asyncio.Event().wait()  # nobody sends anything, and nobody leaves
            raise AssertionError

        async def send(message: Message) -> None:
            nonlocal status, raw
            if message["type"] == "http.response.start":
                status, raw = message["status"], list(message["headers"])
            elif message["type"] == "http.response.body":
                parts.append(message.get("body", b""))

        await self._app(scope, receive, send)
        return status, MutableHeaders(raw=raw), b"".join(parts)


def _plain(scope: Scope) -> Scope:
    """Return the request as the app gets it: no encoding asked for, and its own entity tags."""
    headers = [
        (name, _MARK.sub('"', value.decode("latin-1")).encode("latin-1") if name == b"if-none-match" else value)
        for name, value in scope["headers"]
        if name != b"accept-encoding"
    ]
    return {**scope, "headers": headers, "extensions": {}}  # no extension: the body comes as bytes


def _worth(headers: Headers) -> bool:
    length = headers.get("content-length", "")
    return (
        "immutable" in headers.get("cache-control", "")
        and "content-encoding" not in headers
        and TYPES.match(headers.get("content-type", "")) is not None
        and length.isdecimal()
        and SMALLEST <= int(length) <= LARGEST
    )


def _marked(headers: MutableHeaders, encoding: str) -> MutableHeaders:
    """Return the headers of a file in an encoding: the tag tells it from the others, caches keep them apart."""
    if headers.get("etag", "").endswith('"'):
        headers["etag"] = f'{headers["etag"][:-1]}-{encoding}"'
    headers.add_vary_header("Accept-Encoding")
    return headers


def _varying(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(raw=message["headers"]).add_vary_header("Accept-Encoding")
        await send(message)

    return sending


async def _answer(send: Send, status: int, headers: MutableHeaders, body: bytes = b"") -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers.raw})
    await send({"type": "http.response.body", "body": body})
