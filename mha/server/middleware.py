"""One ASGI middleware in front of Streamlit: closed routes, origins, sockets, messages and security headers.

Deadlines, connections of a client, half-open requests and request sizes are limits of the proxy (``deploy/nginx.conf``,
``deploy/Caddyfile``).
"""

from __future__ import annotations

import asyncio
import base64
import functools
import hashlib
import os
import re
from collections import Counter
from urllib.parse import urlparse

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mha.navigation import ROWS
from mha.server.limits import HOST, Bucket, Limits, client, header, log_refusal, origin
from mha.server.turns import Turn, Turns
from mha.streamlit_facts import ASIDE, STREAM, UPLOAD, ends_run, inline_scripts, kind_of_message, own_page

EMBED = "PARALLAX_EMBED"  # origins that may frame the pages, separated by spaces; all by default
ORIGINS = "PARALLAX_ORIGINS"  # further origins whose pages may open a socket, separated by spaces
PAGES = re.compile(rf"/({'|'.join(row.path or 'heads' for row in ROWS)})?/?")
RERUN = "rerun_script"
ALLOWED = {
    RERUN,
    "stop_script",
    "app_heartbeat",
    "file_urls_request",  # the address for a file of st.file_uploader
    "operation deferred_file",  # a download that is made on request
    "operation dataframe_chunk",  # further rows of a long table
}
FULL = """<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="15">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>Parallax is full</title>
<style>body{font:18px/1.5 sans-serif;max-width:34em;margin:20vh auto;padding:0 1em}</style></head>
<body><h1>Parallax is full</h1><p>This server has as many open pages as it can serve.
This page tries again by itself every 15 seconds; your link keeps its sentence.</p></body></html>"""
POLICY = """default-src 'self'; script-src 'self' blob: {hashes}; style-src 'self' 'unsafe-inline'; \
img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' blob: data:{sockets}; worker-src 'self' blob:; \
object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors {frames}"""


class Guard:
    """Middleware that passes on the requests, sockets and messages of the pages, and logs one line for each refusal."""

    def __init__(self, app: ASGIApp, limits: Limits | None = None) -> None:
        self.app, self.limits = app, limits or Limits.from_environment()
        self.sockets: Counter[str] = Counter()  # open ones, by client
        self.opening = Turns(self.limits.opening, self.limits.turn_seconds)
        self.running = Turns(self.limits.running, self.limits.turn_seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one socket."""
        if scope["type"] == "http":
            await self._serve_request(scope, receive, send)
        elif scope["type"] != "websocket":
            await self.app(scope, receive, send)
        elif reason := self._socket_refusal(scope):
            log_refusal(reason, client=client(scope))
            await receive()  # the connect message
            await send({"type": "websocket.close", "code": 1013 if "sockets" in reason else 1008})
        else:
            await self._serve_socket(scope, receive, send)

    async def _serve_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, headers = scope["path"], security_headers(header(scope, b"host"))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                original = [(name, value) for name, value in message.get("headers", []) if name.lower() not in headers]
                message = {**message, "headers": [*original, *headers.items()]}
            await send(message)

        app = self.app
        if ASIDE.search(path) or (UPLOAD.search(path) and not is_own_origin(scope)):
            log_refusal("closed route", path=path[:80], client=client(scope))
            app = Response("Not found.", 404, {"Cache-Control": "no-store"}, "text/plain")
        elif self.sockets.total() >= self.limits.sockets and scope["method"] == "GET" and PAGES.fullmatch(path):
            log_refusal("all sockets in use", client=client(scope))
            app = Response(FULL, 503, {"Retry-After": "15", "Cache-Control": "no-store"}, "text/html")
        await app(scope, receive, send_with_headers)

    def _socket_refusal(self, scope: Scope) -> str:
        """Return the reason to refuse a handshake, "" without one."""
        if not scope["path"].endswith(STREAM):
            return "unknown path"
        if not is_own_origin(scope):
            return "foreign origin"
        if self.sockets.total() >= self.limits.sockets:
            return "all sockets in use"
        return "too many sockets of one client" if self.sockets[client(scope)] >= self.limits.sockets_per_client else ""

    async def _serve_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = client(scope)
        socket = Socket(receive, send, address, self)
        self.sockets[address] += 1
        try:
            await self.app(scope, socket.receive, socket.send)
        finally:
            self.sockets[address] -= 1
            self.sockets += Counter()  # drops clients without a socket
            if socket.turn:
                socket.turn.release()


class Socket:
    """Messages of one socket: only allowed ones pass, reruns at a limited rate and in turn."""

    def __init__(self, receive: Receive, send: Send, address: str, guard: Guard) -> None:
        self._receive, self._send, self._address, self._guard = receive, send, address, guard
        self._bucket = Bucket(guard.limits.reruns_per_second, guard.limits.rerun_burst)
        self._delayed = 0  # reruns in a row that had to wait
        self._seconds, self._turns = guard.limits.silent_seconds, guard.opening  # both change after the first message
        self.turn: Turn | None = None

    async def receive(self) -> Message:
        """Return the next message for Streamlit; a refused one closes the socket."""
        limits = self._guard.limits
        while True:
            try:
                message = await asyncio.wait_for(self._receive(), self._seconds)
            except TimeoutError:
                return await self._close(1001, "idle socket")
            if message["type"] != "websocket.receive":
                return message
            data = message.get("bytes")
            if data is None or len(data) > limits.frame_bytes:
                return await self._close(*((1003, "text frame") if data is None else (1009, "large frame")))
            kind = kind_of_message(data)
            if kind is None:
                return await self._close(1002, "malformed message")
            if kind not in ALLOWED:
                log_refusal("message", kind=kind, client=self._address)
                continue
            if kind == RERUN:
                seconds = self._bucket.wait()
                self._delayed = self._delayed + 1 if seconds else 0
                if self._delayed > limits.patience:
                    return await self._close(1008, "flood of reruns")
                await asyncio.sleep(seconds)
                if self.turn is None or self.turn.is_over:  # else the current run starts again
                    self.turn = await self._turns.take(self._address)
                    self._turns = self._guard.running
            self._seconds = limits.idle_seconds
            return message

    async def send(self, message: Message) -> None:
        """Send a message of Streamlit; the end of a run ends its turn."""
        await self._send(message)
        if self.turn and not self.turn.is_over and ends_run(message.get("bytes") or b""):
            self.turn.release()

    async def _close(self, code: int, reason: str) -> Message:
        log_refusal(reason, client=self._address)
        await self._send({"type": "websocket.close", "code": code})
        return {"type": "websocket.disconnect", "code": code}


def is_own_origin(scope: Scope) -> bool:
    """Return whether a request comes from our own pages, from an origin in ``PARALLAX_ORIGINS``, or from no browser."""
    value = header(scope, b"origin")
    try:
        hosts = {header(scope, b"host"), urlparse(origin(scope)).netloc} - {""}
        return not value or value in os.environ.get(ORIGINS, "").split() or urlparse(value).netloc in hosts
    except ValueError:  # "http://[" is not an origin
        return False


@functools.cache
def bootstrap_hashes() -> tuple[str, ...]:
    """Return the hashes of the inline scripts in the page of the installed Streamlit."""
    digests = (hashlib.sha256(script.encode()).digest() for script in inline_scripts(own_page()))
    return tuple(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


def policy(host: str = "") -> str:
    """Return the content security policy of a page at a host.

    Streamlit imports loaders of components from blob addresses, and its styling library sets inline styles. Older
    browsers do not count sockets as 'self', so those of the host are named.
    """
    sockets = f" ws://{host} wss://{host}" if HOST.fullmatch(host) else ""
    return POLICY.format(hashes=" ".join(bootstrap_hashes()), sockets=sockets, frames=os.environ.get(EMBED, "*"))


def security_headers(host: str = "") -> dict[bytes, bytes]:
    """Return the headers of every answer."""
    return {
        b"content-security-policy": policy(host).encode("latin-1", "ignore"),
        b"x-content-type-options": b"nosniff",
        b"referrer-policy": b"no-referrer",
        b"permissions-policy": b"camera=(), microphone=(), geolocation=(), payment=()",
    }
