"""Connections: how long one may keep us waiting for the rest of what it says, and how many an address may have.

uvicorn waits for the rest of a header or of a body for ever, and has no setting for it. So every connection that it
takes passes through a `Connection` here, which hands on all that happens and notes since when its client is silent.
A websocket is none of them from the moment it is one: what it says is read in `mha.guard.inbox`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

from mha.guard.limits import Limits
from mha.guard.metrics import refuse
from mha.public import trusted, unmapped

log = logging.getLogger("parallax.guard")

BODY_RATE = 4096  # bytes a second that a body brings after its first seconds: a slow phone line has twice that
BROWSER = 6  # connections that a browser opens at once, for each page
LOOK = 0.5  # seconds between two looks at all connections
LATE = 1.0  # seconds: where a look itself comes so late, what was sent meanwhile is read first


def whole(status: bytes, sentence: bytes) -> bytes:
    """Return an answer that ends its connection, as it travels."""
    fields = b"content-type: text/plain\r\ncontent-length: %d\r\nconnection: close\r\n" % len(sentence)
    return b"HTTP/1.1 %b\r\n%b\r\n%b" % (status, fields, sentence)


LATE_REQUEST = whole(b"408 Request Timeout", b"The rest of this request did not come in time.")
TOO_MANY = whole(b"503 Service Unavailable", b"Too many connections from your address; try again in a moment.")


def awaited(protocol: Any) -> str:
    """Return what a protocol of uvicorn awaits of its client: a "header", a "body", or "" while it answers."""
    cycle = protocol.cycle
    if cycle is None or cycle.response_complete:
        return "header"
    return "body" if cycle.more_body else ""


def descriptors() -> int | None:
    """Return how many files and sockets this process may have open, None where nothing says so."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return None if most == resource.RLIM_INFINITY else most


class Connection(asyncio.Protocol):
    """One connection: hands on what happens to the protocol behind it, and knows what its client is due."""

    def __init__(self, protocol: Any, connections: Connections) -> None:
        protocol.timeout_keep_alive = connections.limits.keepalive_seconds  # uvicorn closes an idle one by itself
        self._behind: Any = protocol
        self._connections = connections
        self._due = "header"
        self._came, self._unsent = 0, 0
        self._since = self._taken = self.heard = time.monotonic()
        self.transport: asyncio.Transport
        self.address = ""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.address = unmapped((transport.get_extra_info("peername") or ("",))[0])
        if self._connections.take(self):
            self._behind.connection_made(transport)
        else:
            self._behind = asyncio.Protocol()  # hears nothing of it
            self.say(TOO_MANY)

    def data_received(self, data: bytes) -> None:
        self._behind.data_received(data)
        if self.transport.get_protocol() is not self:  # a websocket now
            self._connections.leave(self)
            return
        self.heard = time.monotonic()
        due = awaited(self._behind)
        if due != self._due:
            self._due, self._since, self._came = due, self.heard, 0
        self._came += len(data)

    def eof_received(self) -> bool | None:
        return self._behind.eof_received()

    def connection_lost(self, error: Exception | None) -> None:
        self._connections.leave(self)
        self._behind.connection_lost(error)

    def pause_writing(self) -> None:
        self._behind.pause_writing()

    def resume_writing(self) -> None:
        self._behind.resume_writing()

    @property
    def open(self) -> bool:
        """Whether it is not being closed already."""
        return not self.transport.is_closing()

    @property
    def silent(self) -> bool:
        """Whether its client is the one who is to say something: the rest of a request, or the next one."""
        return self.open and awaited(self._behind) != ""

    @property
    def idle(self) -> bool:
        """Whether its client has had all that it asked for, and asks nothing now."""
        return self._due != awaited(self._behind)

    def late(self, limits: Limits) -> str:
        """Return what has not come in time: a "header", a "body", the taking of an "answer"; "" where nothing is due.

        A header is due as a whole. A body is late after as many seconds without a byte, and where after these seconds
        it comes more slowly than any line: whoever sends a permitted file over a slow one may take their time.
        """
        now = time.monotonic()
        if (unsent := self.transport.get_write_buffer_size()) == 0 or unsent != self._unsent:
            self._unsent, self._taken = unsent, now
        elif now - self._taken > limits.answer_seconds:
            return "answer"
        if not self.open or self.idle:
            return ""
        if self._due == "header":
            return self._due if now - self._since > limits.header_seconds else ""
        if self._due == "body":
            if not self.transport.is_reading():  # we are the ones who do not read
                self.heard = now
            most = limits.body_seconds
            slow = now - self._since > most + self._came / BODY_RATE
            return self._due if slow or now - self.heard > most else ""
        return ""

    def give_up(self) -> None:
        """End it: whoever began to ask something hears why, and who asked nothing hears nothing."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        elif self._came and not self.idle:
            self.say(LATE_REQUEST)
        else:
            self.transport.close()

    def say(self, answer: bytes) -> None:
        """Give an answer of our own and end it."""
        self.transport.write(answer)
        self.transport.close()


class Connections:
    """All connections that are no websockets, and who has to go.

    An address has so many that wait for their client; with one more, the one that has been silent for longest makes
    room. The same holds for all addresses together at half of what the process may open, so that somebody new is
    always heard. A request that is being answered is not in the way: a class behind one router has many of these at
    once, and only where they are more than the pages of one address open the next one is refused.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._by_address: defaultdict[str, set[Connection]] = defaultdict(set)
        self._all: set[Connection] = set()
        self._most = (descriptors() or 1 << 30) // 2
        self._closed: Counter[str] = Counter()  # since the last look, by reason
        self._whose: set[str] = set()

    def __len__(self) -> int:
        return len(self._all)

    def take(self, new: Connection) -> bool:
        """Take a new connection and let another one make room for it; return whether it may stay."""
        limits, known = self.limits, self._by_address[new.address]
        alike = new.address and not trusted(new.address)  # through a proxy everybody has the same one, or none
        if alike and len(known) >= limits.connections_per_client:
            self._make_room(known, limits.connections_per_client)
            if sum(connection.open for connection in known) >= BROWSER * limits.sockets_per_client:
                self._note("too many connections", new)
                return False
        if len(self._all) >= self._most:
            self._make_room(self._all, self._most)
        self._all.add(new)
        known.add(new)
        return True

    def leave(self, gone: Connection) -> None:
        """Forget a connection that has ended, or is none of ours any more."""
        self._all.discard(gone)
        known = self._by_address[gone.address]
        known.discard(gone)
        if not known:
            del self._by_address[gone.address]

    def look(self) -> None:
        """Close what is late, and say in one line for each reason how many were closed since the last look."""
        for connection in list(self._all):
            if what := connection.late(self.limits):
                self._note(f"late {what}", connection)
                connection.give_up()
        whose = {"client": next(iter(self._whose))} if len(self._whose) == 1 else {"clients": len(self._whose)}
        for reason, count in self._closed.items():
            refuse(reason, count, connections=count, **whose)
        self._closed.clear()
        self._whose.clear()

    async def watch(self) -> None:
        """Look again and again."""
        limits = self.limits
        pace = min(LOOK, limits.header_seconds / 4, limits.body_seconds / 4, limits.answer_seconds / 4)
        while True:
            begin = time.monotonic()
            await asyncio.sleep(pace)
            if time.monotonic() - begin > pace + LATE:
                continue
            try:
                self.look()
            except Exception:
                log.exception("a look at the connections failed")

    def _make_room(self, among: Iterable[Connection], most: int) -> None:
        silent = [connection for connection in among if connection.silent]
        if len(silent) >= most:
            longest = min(silent, key=lambda connection: connection.heard)
            if not longest.idle:
                self._note("many connections", longest)
            longest.give_up()

    def _note(self, reason: str, connection: Connection) -> None:
        self._closed[reason] += 1
        self._whose.add(connection.address)


@asynccontextmanager
async def guarded(limits: Limits | None = None) -> AsyncIterator[Connections]:
    """Guard the connections of every server that begins to listen inside, on the loop that runs.

    uvicorn begins to listen once the app's lifespan has begun, and asks the loop for it by its public method.
    """
    loop: Any = asyncio.get_running_loop()
    connections = Connections(limits or Limits.of())
    listen = loop.create_server

    async def listen_guarded(factory: Callable[[], asyncio.BaseProtocol], *given: Any, **named: Any) -> Any:
        def guard() -> asyncio.BaseProtocol:
            protocol = factory()
            return Connection(protocol, connections) if hasattr(protocol, "cycle") else protocol

        return await listen(guard, *given, **named)

    loop.create_server = listen_guarded
    watching = asyncio.create_task(connections.watch())
    try:
        yield connections
    finally:
        loop.create_server = listen
        watching.cancel()
