"""Hostile clients, one function a kind, over Streamlit's own websocket protocol: bounded, and they stop by themselves.

Each takes the server's address and a number, of messages or of connections, and returns how they fared, counted.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

WAIT = 20.0  # seconds for one handshake
HOLD = 3.0  # seconds that idle connections stay
LARGE = 20_000_000  # bytes

Abuse = Callable[[str, int], Awaitable[Counter[str]]]


def handshake(url: str, origin: str | None = None) -> connect:
    """Return a connection that is about to be made."""
    address = url.replace("http", "ws", 1) + "/_stcore/stream"
    return connect(
        address, subprotocols=["streamlit", "x"], origin=origin, compression=None, max_size=None, open_timeout=WAIT,
        close_timeout=1,
    )  # fmt: skip


def rerun(text: str) -> bytes:
    """Return a message that lets the page run with a text in its link."""
    message = BackMsg()
    message.rerun_script.query_string = f"text={text}"
    return message.SerializeToString()


def flagged(name: str) -> bytes:
    """Return a message of a kind that is only a flag."""
    message = BackMsg()
    setattr(message, name, True)
    return message.SerializeToString()


@contextlib.asynccontextmanager
async def opened(url: str, reads: bool = True) -> AsyncIterator[ClientConnection]:
    """Open a page; with ``reads`` what comes is read and thrown away."""
    async with handshake(url) as socket:
        await socket.send(rerun("hello"))

        async def drain() -> None:
            with contextlib.suppress(ConnectionClosed):
                while True:
                    await socket.recv()

        draining = asyncio.create_task(drain()) if reads else None
        yield socket
        if draining:
            draining.cancel()


def sends(make: Callable[[int], bytes | str], reads: bool = True, stays: bool = False) -> Abuse:
    """Return the client who sends such messages as fast as they are taken, and ``stays`` for what comes of it."""

    async def abuse(url: str, count: int) -> Counter[str]:
        fared: Counter[str] = Counter()
        async with opened(url, reads) as socket:
            for number in range(count):
                try:
                    await socket.send(make(number))
                except ConnectionClosed:
                    break
                fared["sent"] += 1
            if stays:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(socket.wait_closed(), WAIT if reads else HOLD)
            if socket.close_code is not None:
                fared[f"closed {socket.close_code}"] += 1
        return fared

    return abuse


async def foreign(url: str, count: int) -> Counter[str]:
    """Come from pages of others."""
    fared: Counter[str] = Counter()
    for number in range(count):
        try:
            async with handshake(url, f"https://evil{number}.example"):
                fared["ACCEPTED"] += 1
        except (InvalidStatus, ConnectionClosed, OSError):
            fared["refused"] += 1
    return fared


async def idle(url: str, count: int) -> Counter[str]:
    """Open so many pages and do nothing with them for a while."""
    fared: Counter[str] = Counter()
    async with contextlib.AsyncExitStack() as stack:
        for number in range(count):
            try:
                socket = await stack.enter_async_context(handshake(url))
                await socket.send(rerun(f"idle {number}"))
                fared["open"] += 1
            except (InvalidStatus, ConnectionClosed, OSError):
                fared["refused"] += 1
        await asyncio.sleep(HOLD)
    return fared


async def leaving(url: str, count: int) -> Counter[str]:
    """Ask for a sentence and leave before the answer, again and again."""
    fared: Counter[str] = Counter()
    for number in range(count):
        try:
            async with handshake(url) as socket:
                await socket.send(rerun(f"nobody waits for sentence {number}"))
                await asyncio.sleep(0.02)
                fared["left"] += 1
        except (InvalidStatus, ConnectionClosed, OSError):
            fared["refused"] += 1
    return fared


def halves(content: bytes, seconds: float) -> Abuse:
    """Return the client that opens many connections, sends an incomplete request on each, and waits."""

    async def abuse(url: str, count: int) -> Counter[str]:
        fared: Counter[str] = Counter()
        address, writers = urlsplit(url), []
        for _ in range(count):
            try:
                _, writer = await asyncio.open_connection(address.hostname, address.port)
                writer.write(content)
                writers.append(writer)
                fared["open"] += 1
            except OSError:
                fared["refused"] += 1
        await asyncio.sleep(seconds)
        for writer in writers:
            writer.close()
        return fared

    return abuse


HEADER = b"GET / HTTP/1.1\r\nHost: parallax.test\r\nX-Half: "
BODY = b"POST /api/attend HTTP/1.1\r\nHost: parallax.test\r\nContent-Length: 9999\r\n\r\n{"
KINDS: dict[str, Abuse] = {
    "clear_cache": sends(lambda _: flagged("clear_cache")),
    "git_info": sends(lambda _: flagged("load_git_info")),
    "flood": sends(lambda number: rerun(f"flood {number}")),
    "never reads": sends(lambda number: rerun(f"unread {number}"), reads=False, stays=True),
    "garbage": sends(lambda _: b"\xff" + os.urandom(63), stays=True),
    "text frames": sends(lambda _: "hello", stays=True),
    "large frames": sends(lambda _: b"\0" * LARGE, stays=True),
    "foreign origins": foreign,
    "idle": idle,
    "leaves": leaving,
    "half-open": halves(HEADER, HOLD),
    "slow bodies": halves(BODY, HOLD),
}
