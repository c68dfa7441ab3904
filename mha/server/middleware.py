"""One ASGI middleware in front of Streamlit: closed routes, origins, sockets, messages and security headers.

Deadlines, connections of a client, half-open requests and request sizes are limits of the proxy (``deploy/nginx.conf``,
``deploy/Caddyfile``).
"""

from __future__ import annotations

import asyncio
import base64
import functools
import hashlib
import ipaddress
import json
import logging
import os
import re
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import urlparse

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mha.errors import InputError
from mha.navigation import ROWS
from mha.streamlit_facts import ASIDE, STREAM, UPLOAD, ends_run, inline_scripts, kind_of_message, own_page

PREFIX = "PARALLAX_"
TRUSTED = "PARALLAX_TRUSTED_PROXIES"  # addresses or networks whose forwarded headers are trusted, separated by commas
HOST = re.compile(r"[A-Za-z0-9.\-:\[\]]{1,255}")

log = logging.getLogger("parallax.server")
Request = Mapping[str, Any]  # an ASGI scope


@dataclass(frozen=True)
class Limits:
    """The limits of one process; an environment variable such as ``PARALLAX_SOCKETS=200`` sets the field ``sockets``.

    ``sockets`` is the number of open pages, ``sockets_per_client`` that of one address. A frame has ``frame_bytes`` at
    most. ``reruns_per_second`` with a ``rerun_burst`` apply to each socket: faster reruns wait, and a socket whose last
    ``patience`` reruns all had to wait is closed. A socket is closed if it is silent for ``silent_seconds`` after its
    handshake, or later for ``idle_seconds``; an open page reconnects by itself. At most ``opening`` pages open at a
    time and ``running`` other reruns run, each counted for ``turn_seconds`` at most; later ones queue. A client sends
    ``api_per_minute`` requests to the API. The proxy has all other limits (``deploy/nginx.conf``).
    """

    sockets: int = 120
    sockets_per_client: int = 60
    frame_bytes: int = 128 * 1024
    reruns_per_second: float = 5.0
    rerun_burst: int = 15
    patience: int = 60
    silent_seconds: float = 30.0
    idle_seconds: float = 3600.0
    opening: int = 2
    running: int = 4
    turn_seconds: float = 0.3
    api_per_minute: int = 60

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Limits:
        """Return the limits that an environment sets.

        Raises:
            InputError: a value is not a number above 0.
        """
        values: dict[str, Any] = {}
        for field in fields(cls):
            name = PREFIX + field.name.upper()
            try:
                if name in environment:
                    values[field.name] = (float if field.type == "float" else int)(environment[name])
                    if not values[field.name] > 0:
                        raise ValueError
            except ValueError as error:
                raise InputError(f"{name} takes a number above 0, not “{environment[name][:40]}”.") from error
        return cls(**values)


class Bucket:
    """A token bucket: ``burst`` tokens at once, then ``rate`` a second."""

    def __init__(self, rate: float, burst: int) -> None:
        self.rate, self.burst = rate, burst
        self._tokens, self._time = float(burst), time.monotonic()

    def wait(self) -> float:
        """Take one token and return the seconds until it is due, 0 if it is available."""
        moment = time.monotonic()
        self._tokens = min(self.burst, self._tokens + (moment - self._time) * self.rate) - 1
        self._time = moment
        return max(0.0, -self._tokens / self.rate)

    def take(self) -> bool:
        """Take one token if one is available; return whether it was."""
        if self.wait() == 0:
            return True
        self._tokens += 1
        return False


def log_refusal(reason: str, **about: str | int) -> None:
    """Write one line of JSON about a refusal; ``about`` never contains a visitor's text."""
    log.warning(json.dumps({"event": "refused", "reason": reason, **about}))


def header(request: Request, name: bytes) -> str:
    """Return the value of a header, "" without one; several lines, which some proxies add, are joined by commas."""
    return ", ".join(value.decode("latin-1") for key, value in request["headers"] if key.lower() == name)


def peer(request: Request) -> str:
    """Return the address at the other end of the connection; an IPv4 address on a socket of both families as 10.0.0.7.

    "unknown" if the server does not have it.
    """
    address = (request.get("client") or ("",))[0]
    return (address.removeprefix("::ffff:") if "." in address else address) or "unknown"


def is_trusted(address: str) -> bool:
    """Return whether an address belongs to a proxy whose forwarded headers are trusted."""
    networks = [part.strip() for part in os.environ.get(TRUSTED, "").split(",") if part.strip()]
    try:
        return any(ipaddress.ip_address(address) in ipaddress.ip_network(network, strict=False) for network in networks)
    except ValueError:
        return False


def client(request: Request) -> str:
    """Return the address of a client: the peer's, or the last untrusted address that trusted proxies have forwarded."""
    address = peer(request)
    if not is_trusted(address):
        return address
    hops = [part.strip() for part in header(request, b"x-forwarded-for").split(",") if part.strip()]
    return next((hop[:64] for hop in reversed(hops) if not is_trusted(hop)), address)


def origin(request: Request) -> str:
    """Return scheme and host as the visitor's browser has them, "" if the request lacks them.

    Forwarded values of a trusted proxy take precedence; of several the first, which is next to the visitor.
    """
    host, scheme = header(request, b"host"), str(request.get("scheme", "http"))
    if is_trusted(peer(request)):
        host = header(request, b"x-forwarded-host").partition(",")[0].strip() or host
        scheme = header(request, b"x-forwarded-proto").partition(",")[0].strip().lower() or scheme
    return f"{scheme}://{host}" if HOST.fullmatch(host) and scheme in ("http", "https") else ""


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
