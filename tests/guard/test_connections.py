"""Connections that keep a server waiting: half a header, half a body, nothing at all; and too many of one address.

A small server with shortened deadlines runs in a process of its own, as uvicorn runs it, on both kinds of loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import selectors
import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from websockets.asyncio.client import connect

from mha.guard import connections
from tests.apart import run_apart
from tests.browser.conftest import ROOT, free_port

SERVING = """
import asyncio, sys, uvicorn
from contextlib import asynccontextmanager
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from mha.guard import Door, guarded

async def page(request):
    return PlainTextResponse("page")

async def length(request):
    return PlainTextResponse(str(len(await request.body())))

async def slow(request):
    await asyncio.sleep(2.5)
    return PlainTextResponse("slow")

async def large(request):
    return PlainTextResponse("x" * 50_000_000)

async def stream(websocket):
    await websocket.accept()
    await websocket.receive()

@asynccontextmanager
async def lifespan(_app):
    async with guarded():
        yield

routes = [Route("/", page), Route("/length", length, methods=["POST"]), Route("/slow", slow), Route("/large", large)]
routes += [WebSocketRoute("/_stcore/stream", stream)]
app = Starlette(routes=routes, middleware=[Middleware(Door)], lifespan=lifespan)
uvicorn.run(app, port=int(sys.argv[1]), loop=sys.argv[2], log_level="warning", ws="websockets-sansio")
"""
SHORT = {"header": "1", "body": "1", "keepalive": "1", "answer": "1"}
PATIENT = {"header": "60", "body": "60", "keepalive": "60", "answer": "60"}
SOON = 10  # seconds in which what was due after one is closed, on any machine
MOST = 20  # connections of one address
OPENED: list[socket.socket] = []


class Small:
    """A small server of uvicorn behind the guard."""

    def __init__(self, folder, seconds, loop="uvloop", before=(), **environment):
        self.port = free_port()
        self.said = folder / f"said-{self.port}"
        named = {f"PARALLAX_{name.upper()}_SECONDS": value for name, value in seconds.items()}
        with self.said.open("wb") as said:
            self._process = subprocess.Popen(
                [*before, sys.executable, "-c", SERVING, str(self.port), loop],
                env=os.environ | named | environment | {"PYTHONPATH": str(ROOT)},
                stderr=said,
            )
        until(lambda: self._process.poll() is not None or answers(self.port), 30)

    def opened(self, sent=b"", source="127.0.0.1"):
        """Return a socket that has said so much."""
        made = socket.create_connection(("127.0.0.1", self.port), timeout=SOON, source_address=(source, 0))
        OPENED.append(made)
        made.sendall(sent)
        return made

    def refused(self, reason):
        """Return how many connections each line about a reason is of."""
        lines = [json.loads(found) for found in re.findall(r"^\{.*\}$", self.said.read_text(), re.MULTILINE)]
        return [line["connections"] for line in lines if line["reason"] == reason]

    def tracebacks(self):
        """Return how many tracebacks were written, once it has answered another one."""
        assert answers(self.port)
        time.sleep(0.2)
        return self.said.read_text().count("Traceback")

    def stop(self):
        self._process.terminate()
        self._process.wait(20)


def until(condition, seconds=SOON):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


def answers(port, path=""):
    with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=2) as answer:
        return answer.status == 200


def heard(made, seconds=SOON):
    """Return all that a socket hears until it is closed; a timeout is a failure."""
    made.settimeout(seconds)
    parts = []
    with contextlib.suppress(ConnectionError):
        while part := made.recv(65536):
            parts.append(part)
    return b"".join(parts)


def closed(sockets):
    """Return those of some sockets that the server has closed."""
    with selectors.DefaultSelector() as ready:
        for made in sockets:
            ready.register(made, selectors.EVENT_READ)
        return [key.fileobj for key, _ in ready.select(0) if has_ended(key.fileobj)]


def has_ended(made):
    try:
        return not made.recv(65536) or not made.recv(65536)  # after the sentence that says why
    except ConnectionError:
        return True


@pytest.fixture(autouse=True)
def closed_at_the_end():
    yield
    while OPENED:
        OPENED.pop().close()


LOOPS = ["uvloop", pytest.param("asyncio", marks=pytest.mark.slow)]  # the first one's where it is installed


@pytest.fixture(scope="module", params=LOOPS)
def strict(request, tmp_path_factory):
    if request.param == "uvloop":
        pytest.importorskip("uvloop")
    running = Small(tmp_path_factory.mktemp("strict"), SHORT, request.param)
    yield running
    running.stop()


@pytest.fixture
def crowded(tmp_path):
    running = Small(tmp_path, PATIENT, PARALLAX_CONNECTIONS_PER_CLIENT=str(MOST))
    yield running
    running.stop()


HALF = b"GET / HTTP/1.1\r\nHost: parallax.test\r\nX-Half: "
GET = b"GET / HTTP/1.1\r\nHost: parallax.test\r\n\r\n"
POST = b"POST /length HTTP/1.1\r\nHost: parallax.test\r\nContent-Length: %d\r\n\r\n"


def test_half_a_header_is_closed_with_a_sentence_and_others_are_answered_meanwhile(strict):
    half = strict.opened(HALF)
    assert answers(strict.port)
    assert heard(half).startswith(b"HTTP/1.1 408 ")


def test_a_header_that_comes_letter_by_letter_is_due_as_a_whole(strict):
    slow = strict.opened(HALF)
    end = time.monotonic() + SOON
    with contextlib.suppress(OSError):
        while not closed([slow]):
            assert time.monotonic() < end
            slow.sendall(b"x")
            time.sleep(0.1)


def test_whoever_says_nothing_is_closed_without_a_word(strict):
    assert heard(strict.opened()) == b""


def test_the_second_request_of_a_connection_is_due_as_the_first_one(strict):
    made = strict.opened(GET)
    assert made.recv(65536).startswith(b"HTTP/1.1 200 ")
    made.sendall(HALF)
    assert b"408" in heard(made)


def test_an_idle_connection_is_closed_without_a_word(strict):
    made = strict.opened(GET)
    assert re.fullmatch(rb"HTTP/1.1 200 .*page", heard(made), re.DOTALL)


def test_half_a_body_is_closed(strict):
    assert heard(strict.opened(POST % 1000 + b"x" * 500)).startswith(b"HTTP/1.1 408 ")
    assert strict.tracebacks() == 0


def test_a_body_that_its_sender_gives_up_writes_nothing(strict):
    for _ in range(5):
        made = strict.opened(POST % 1000 + b"x" * 500)
        time.sleep(0.05)
        made.close()
    assert strict.tracebacks() == 0


def test_a_body_that_comes_slowly_but_comes_is_taken_whole(strict):
    made = strict.opened(POST % 20_000)
    for _ in range(20):  # three times as long as a body that brings nothing may take
        made.sendall(b"x" * 1000)
        time.sleep(0.15)
    assert made.recv(65536).endswith(b"20000")


def test_a_body_that_hardly_comes_is_closed(strict):
    made = strict.opened(POST % 1000)
    end = time.monotonic() + SOON
    with contextlib.suppress(OSError):
        while not closed([made]):
            assert time.monotonic() < end
            made.sendall(b"x")
            time.sleep(0.1)
    assert strict.tracebacks() == 0


def test_an_answer_that_takes_its_time_is_waited_for(strict):
    with urllib.request.urlopen(f"http://127.0.0.1:{strict.port}/slow", timeout=SOON) as answer:
        assert answer.read() == b"slow"


def test_an_answer_that_nobody_takes_is_given_up(strict):
    made = strict.opened(b"GET /large HTTP/1.1\r\nHost: parallax.test\r\n\r\n")
    until(lambda: strict.refused("late answer"))
    assert len(heard(made)) < 50_000_000


def test_a_websocket_stays_open(strict):
    async def stays():
        async with connect(f"ws://127.0.0.1:{strict.port}/_stcore/stream", subprotocols=["streamlit"]) as made:
            await asyncio.sleep(2.5)
            await asyncio.wait_for(await made.ping(), SOON)

    run_apart(stays())


def test_a_batch_that_is_closed_is_few_lines_of_the_log_without_what_was_typed(strict):
    before = len(strict.refused("late header"))
    many = [strict.opened(HALF + b"typed words") for _ in range(40)]
    assert all(b"408" in heard(half) for half in many)
    until(lambda: sum(strict.refused("late header")[before:]) >= 40)
    assert len(strict.refused("late header")[before:]) <= 4
    assert "typed words" not in strict.said.read_text()


def test_with_one_too_many_the_one_that_was_silent_for_longest_makes_room(crowded):
    halves = []
    for _ in range(MOST + 10):
        halves.append(crowded.opened(HALF))
        time.sleep(0.01)
    until(lambda: len(closed(halves[:10])) == 10)
    assert not closed(halves[10:])
    made = crowded.opened(GET)  # somebody else behind the same router
    assert made.recv(65536).startswith(b"HTTP/1.1 200 ")
    until(lambda: sum(crowded.refused("many connections")) == 11)


def test_many_at_once_are_no_more_than_an_address_may_have(crowded):
    halves = [crowded.opened(HALF) for _ in range(300)]
    until(lambda: 300 - len(closed(halves)) <= MOST)
    assert answers(crowded.port)


def test_idle_connections_make_room_and_answers_under_way_do_not(crowded):
    slow = [crowded.opened(GET.replace(b"/ ", b"/slow ")) for _ in range(MOST + 20)]
    idle = crowded.opened(GET)
    assert idle.recv(65536).startswith(b"HTTP/1.1 200 ")
    assert all(made.recv(65536).startswith(b"HTTP/1.1 200 ") for made in slow)
    assert not crowded.refused("too many connections")


def test_a_connection_beyond_all_pages_of_an_address_is_told_so(tmp_path):
    running = Small(tmp_path, PATIENT, PARALLAX_CONNECTIONS_PER_CLIENT="5", PARALLAX_SOCKETS_PER_CLIENT="2")
    try:
        under_way = [running.opened(GET.replace(b"/ ", b"/slow ")) for _ in range(2 * connections.BROWSER)]
        time.sleep(0.3)
        assert heard(running.opened()).startswith(b"HTTP/1.1 503 ")
        assert all(made.recv(65536).startswith(b"HTTP/1.1 200 ") for made in under_way)
        assert answers(running.port)
    finally:
        running.stop()


def test_through_a_proxy_everybody_has_one_address_and_nobody_is_in_the_way(tmp_path):
    running = Small(tmp_path, PATIENT, PARALLAX_CONNECTIONS_PER_CLIENT=str(MOST), PARALLAX_TRUSTED_PROXIES="127.0.0.1")
    try:
        halves = [running.opened(HALF) for _ in range(MOST * 2)]
        assert answers(running.port)
        assert not closed(halves)
    finally:
        running.stop()


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.skipif(sys.platform != "linux", reason="the whole network 127 is this machine's on Linux alone")
def test_half_requests_of_many_addresses_leave_room_where_few_files_may_be_open(tmp_path, loop):
    running = Small(tmp_path, SHORT | {"header": "3"}, loop, before=["sh", "-c", 'ulimit -n 128; exec "$@"', "sh"])
    halves = []
    try:
        for number in range(150):
            with contextlib.suppress(OSError):
                halves.append(running.opened(HALF, f"127.0.0.{2 + number // 10}"))
        until(lambda: answers(running.port), 20)
        until(lambda: len(closed(halves)) == len(halves), 20)
        assert answers(running.port)
    finally:
        running.stop()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the whole network 127 is this machine's on Linux alone")
def test_the_app_answers_again_where_few_files_may_be_open(tmp_path):
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port", str(port)]
    with (tmp_path / "said").open("wb") as said:
        running = subprocess.Popen(
            ["sh", "-c", 'ulimit -n 128; exec "$@"', "sh", *command, "--server.headless", "true"],
            cwd=ROOT, env=os.environ | {"PARALLAX_HEADER_SECONDS": "3"}, stdout=said, stderr=said,
        )  # fmt: skip

    def healthy():
        return answers(port, "api/ready")

    try:
        until(healthy, 120)
        halves = []
        for number in range(150):
            with contextlib.suppress(OSError):
                made = socket.create_connection(("127.0.0.1", port), 5, (f"127.0.0.{2 + number // 10}", 0))
                OPENED.append(made)
                halves.append(made)
                made.sendall(HALF)
        until(healthy, 30)
        until(lambda: len(closed(halves)) == len(halves), 30)
        assert healthy()
        assert "Traceback" not in (tmp_path / "said").read_text()
    finally:
        running.terminate()
        running.wait(30)
