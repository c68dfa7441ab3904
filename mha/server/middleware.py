"""The middleware: closed routes, foreign origins, full house, and the security headers of every answer.

What a socket says is read in `mha.guard.inbox`.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import os
import re
from collections import Counter, OrderedDict
from urllib.parse import urlparse

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mha.guard.inbox import Inbox
from mha.guard.limits import Bucket, Limits
from mha.guard.metrics import SOCKETS, refuse
from mha.guard.turns import Turns
from mha.guard.uploads import UPLOADS, RefusedFile
from mha.link.pages import ROWS
from mha.public import header, origin, peer, trusted
from mha.streamlit_facts import ASIDE, STREAM, UPLOAD, inline_scripts, own_page

CLIENTS = 4096  # whose handshakes are remembered
EMBED = "PARALLAX_EMBED"  # who may frame the pages, separated by spaces; everyone unless said
ORIGINS = "PARALLAX_ORIGINS"  # origins beside our own whose pages may open a socket, separated by spaces
PAGES = re.compile(rf"/({'|'.join(row.path or 'heads' for row in ROWS)})?/?")

FULL = """<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="15">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>Parallax is full</title>
<style>body{font:18px/1.5 sans-serif;max-width:34em;margin:20vh auto;padding:0 1em}</style></head>
<body><h1>Parallax is full</h1><p>As many people as this server can carry are looking at heads right now.
This page tries again by itself every 15 seconds; your link keeps its sentence.</p></body></html>"""


class Door:
    """Lets through what the pages need, and says no to the rest in one counted line each."""

    def __init__(self, app: ASGIApp, limits: Limits | None = None) -> None:
        self.app = app
        self.limits = limits or Limits.of()
        self.sockets = 0
        self._by_client: Counter[str] = Counter()
        self._handshakes: OrderedDict[str, Bucket] = OrderedDict()
        self._opening = Turns(self.limits.opening, self.limits.turn_seconds)
        self._running = Turns(self.limits.running, self.limits.turn_seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._answer(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = header(scope, b"host")
        path = scope["path"]
        begun = False

        async def with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                ours = dict(security_headers(host))
                kept = [(name, value) for name, value in message.get("headers", []) if name.lower() not in ours]
                message = {**message, "headers": [*kept, *ours.items()]}
            await send(message)

        try:
            if ASIDE.search(path):
                refuse("closed route", path=path[:80], client=client(scope))
                await plain(with_headers, 404, "Not found.")
            elif UPLOAD.search(path):
                await self._upload(scope, receive, with_headers)
            elif self.sockets >= self.limits.sockets and scope["method"] == "GET" and PAGES.fullmatch(path):
                refuse("full", client=client(scope), sockets=self.sockets)
                await plain(with_headers, 503, FULL, "text/html; charset=utf-8", [(b"retry-after", b"15")])
            else:
                await self.app(scope, receive, with_headers)
        except ClientDisconnect:  # before the whole body had come: no fault of ours, and mostly nobody is left to hear
            if not begun:
                await plain(with_headers, 400, "The body of this request did not come whole.")

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a file through to a page that has a field for it, and its removal."""
        path, who, status = scope["path"], client(scope), 0

        async def noted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            if not own_origin(scope) or scope["method"] not in ("PUT", "DELETE", "OPTIONS"):
                raise RefusedFile(404, "closed route", "Not found.")
            if scope["method"] == "PUT":
                length = header(scope, b"content-length")
                coming = UPLOADS.begin(path, who, int(length) if length.isdecimal() else 0)
                try:
                    await self.app(scope, UPLOADS.counted(coming, receive), noted)
                finally:
                    UPLOADS.end(coming, kept=200 <= status < 300)
            else:
                removed = UPLOADS.remove(path)
                await self.app(scope, receive, noted)
                if scope["method"] == "DELETE" and 200 <= status < 300:
                    removed()
        except RefusedFile as refusal:
            refuse(refusal.reason, client=who, **({"path": path[:80]} if refusal.status == 404 else {}))
            if not status:
                await plain(send, refusal.status, str(refusal))

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        who = client(scope)
        reason = self._why_not(scope, who)
        if reason:
            refuse(reason, client=who)
            await receive()  # the connect message
            await send({"type": "websocket.close", "code": 1013 if "full" in reason or "many" in reason else 1008})
            return
        self.sockets += 1
        self._by_client[who] += 1
        SOCKETS.set(self.sockets)
        inbox = Inbox(receive, send, self.limits, who, self._opening, self._running)
        try:
            await self.app(scope, inbox, inbox.send)
        finally:
            inbox.leave()
            self.sockets -= 1
            self._by_client[who] -= 1
            if not self._by_client[who]:
                del self._by_client[who]
            SOCKETS.set(self.sockets)

    def _why_not(self, scope: Scope, who: str) -> str:
        """Return why a handshake is refused; "" where it is not."""
        if not scope["path"].endswith(STREAM):
            return "no such socket"
        if not own_origin(scope):
            return "foreign origin"
        if self.sockets >= self.limits.sockets:
            return "full"
        if self._by_client[who] >= self.limits.sockets_per_client:
            return "many sockets of one client"
        bucket = self._handshakes.setdefault(
            who, Bucket(self.limits.handshakes_per_second, self.limits.handshake_burst)
        )
        self._handshakes.move_to_end(who)
        while len(self._handshakes) > CLIENTS:
            self._handshakes.popitem(last=False)
        return "" if bucket.take() else "many handshakes of one client"


def own_origin(scope: Scope) -> bool:
    """Return whether a handshake comes from a page of ours, of an origin that was named, or from no browser at all."""
    said = header(scope, b"origin")
    if not said:
        return True
    named = os.environ.get(ORIGINS, "").split()
    try:
        hosts = {header(scope, b"host"), urlparse(origin(scope)).netloc}
        return said in named or urlparse(said).netloc in hosts - {""}
    except ValueError:  # "http://[" is no origin of any browser's
        return False


def client(scope: Scope) -> str:
    """Return the address of a client: of the peer, or what a trusted proxy says of it."""
    address = peer(scope)
    if not trusted(address):
        return address
    forwarded = [part.strip() for part in header(scope, b"x-forwarded-for").split(",") if part.strip()]
    return next((part[:64] for part in reversed(forwarded) if not trusted(part)), address)


async def plain(
    send: Send,
    status: int,
    body: str,
    content: str = "text/plain; charset=utf-8",
    more: list[tuple[bytes, bytes]] | None = None,
) -> None:
    """Send a whole answer of our own; nobody keeps it."""
    headers = [(b"content-type", content.encode()), (b"cache-control", b"no-store"), *(more or [])]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body.encode()})


@functools.cache
def bootstrap_hashes() -> tuple[str, ...]:
    """Return the hashes of the inline scripts in Streamlit's own page, read from the one that is installed."""
    digests = (hashlib.sha256(script.encode()).digest() for script in inline_scripts(own_page()))
    return tuple(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


def policy(host: str = "") -> str:
    """Return the content security policy of a page that is served under a host.

    Components' loaders are modules that Streamlit imports from blob addresses; styles are set by its own styling
    library; everything else comes from this server alone. Older browsers do not count sockets as 'self', so the host's
    are named.
    """
    sockets = f" ws://{host} wss://{host}" if re.fullmatch(r"[A-Za-z0-9.\-:\[\]]{1,255}", host) else ""
    rules = {
        "default-src": "'self'",
        "script-src": f"'self' blob: {' '.join(bootstrap_hashes())}",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": f"'self' blob: data:{sockets}",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": os.environ.get(EMBED, "*"),
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def security_headers(host: str = "") -> list[tuple[bytes, bytes]]:
    """Return the headers that every answer gets."""
    return [
        (b"content-security-policy", policy(host).encode("latin-1", "ignore")),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=()"),
    ]
