"""The guard: what comes through, what does not, and what every answer carries; driven as ASGI, without a server."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import logging
from pathlib import Path

import pytest
import streamlit
from prometheus_client import generate_latest
from streamlit.proto.BackMsg_pb2 import BackMsg

from mha.errors import InputError
from mha.guard import door
from mha.guard.door import Door, client, kind_of, own_origin, trusted
from mha.guard.headers import policy
from mha.guard.limits import Bucket, Limits
from mha.guard.refusals import REGISTRY
from mha.guard.uploads import FILES, OVERHEAD, Uploads
from tests.apart import run_apart

LIMITS = Limits(sockets=3, sockets_per_client=2, frame_bytes=1000, rerun_burst=5, reruns_per_second=1000, patience=7)


def scope(kind: str = "http", path: str = "/", who: str = "10.0.0.7", method: str = "GET", **headers: str) -> dict:
    named = {"host": "parallax.test", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return {
        "type": kind,
        "path": path,
        "method": method,
        "client": (who, 5000),
        "headers": [(name.encode(), value.encode()) for name, value in named.items()],
    }


def stream(**more: str) -> dict:
    return scope("websocket", "/_stcore/stream", **more)


def rerun(text: str = "") -> bytes:
    message = BackMsg()
    message.rerun_script.query_string = text
    return message.SerializeToString()


def flagged(name: str) -> bytes:
    message = BackMsg()
    setattr(message, name, True)
    return message.SerializeToString()


async def page(_scope, _receive, send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
    await send({"type": "http.response.body", "body": b"page"})


class Streamlit:
    """Stands for what is behind the door: keeps every message of a socket until the socket ends."""

    def __init__(self) -> None:
        self.seen: list[dict] = []

    async def __call__(self, _scope, receive, send) -> None:
        await send({"type": "websocket.accept"})
        while True:
            message = await receive()
            self.seen.append(message)
            if message["type"] == "websocket.disconnect":
                return


def answered(guard: Door, request: dict) -> tuple[int, dict[str, str], bytes]:
    sent: list[dict] = []

    async def send(message):
        sent.append(message)

    run_apart(guard(request, None, send))
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, sent[1]["body"]


def talked(guard: Door, request: dict, *frames: bytes | str) -> tuple[list[dict], int | None]:
    """Return what is sent back over a socket that says these frames and goes, and the code it was closed with."""
    sent: list[dict] = []
    coming = [{"type": "websocket.connect"}]
    coming += [{"type": "websocket.receive", "bytes" if isinstance(f, bytes) else "text": f} for f in frames]
    coming.append({"type": "websocket.disconnect", "code": 1000})

    async def send(message):
        sent.append(message)

    async def receive():
        return coming.pop(0)

    run_apart(guard(request, receive, send))
    closed = [message["code"] for message in sent if message["type"] == "websocket.close"]
    return sent, closed[0] if closed else None


@pytest.mark.parametrize(
    "path",
    [
        "/_stcore/upload_file/session/file",
        "/base/_stcore/upload_file/session/file",
        "/_stcore/metrics",
        "/_stcore/agent/openapi.json",
        "/_stcore/script-health-check",
    ],
)
def test_routes_that_no_page_needs_are_shut(path):
    status, _, body = answered(Door(page, LIMITS), scope(path=path, method="PUT"))
    assert (status, body) == (404, b"Not found.")


def test_every_answer_carries_the_security_headers():
    for path in ("/", "/_stcore/metrics", "/static/js/index.js"):
        _, headers, _ = answered(Door(page, LIMITS), scope(path=path))
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "unsafe-eval" not in headers["content-security-policy"]
        assert "connect-src 'self' blob: data: ws://parallax.test" in headers["content-security-policy"]


def test_the_policy_names_the_inline_script_of_the_installed_streamlit():
    index = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    inline = index.split("<script>", 1)[1].split("</script>", 1)[0]
    assert "prerenderReady" in inline
    digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in policy()
    assert index.count("<script>") == 1


def test_who_may_frame_the_pages_is_a_setting(monkeypatch):
    assert "frame-ancestors *" in policy()
    monkeypatch.setenv("PARALLAX_EMBED", "https://school.example")
    assert "frame-ancestors https://school.example" in policy()


def test_a_host_that_is_no_host_stays_out_of_the_policy():
    assert "script-src *" not in policy("a; script-src *")


def test_messages_that_the_pages_need_come_through():
    behind = Streamlit()
    _, closed = talked(Door(behind, LIMITS), stream(), rerun("text=a"), flagged("stop_script"))
    assert closed is None
    assert [message["type"] for message in behind.seen] == [
        "websocket.connect",
        "websocket.receive",
        "websocket.receive",
        "websocket.disconnect",
    ]


@pytest.mark.parametrize("name", ["clear_cache", "load_git_info", "set_run_on_save", "debug_shutdown_runtime"])
def test_other_messages_are_dropped_and_counted(name):
    behind = Streamlit()
    before = generate_latest(REGISTRY)
    _, closed = talked(Door(behind, LIMITS), stream(), flagged(name), rerun())
    assert closed is None
    assert [message["bytes"] for message in behind.seen if "bytes" in message] == [rerun()]
    assert generate_latest(REGISTRY) != before


def test_a_download_made_when_asked_for_comes_through_and_installing_things_does_not():
    message = BackMsg()
    message.backend_operation_request.deferred_file.SetInParent()
    assert kind_of(message.SerializeToString()) in door.ALLOWED
    message.backend_operation_request.install_skills.SetInParent()
    assert kind_of(message.SerializeToString()) not in door.ALLOWED


@pytest.mark.parametrize(("frame", "code"), [("text", 1003), (b"\0" * 1001, 1009), (b"\xff\xff\xff", 1002)])
def test_what_is_no_message_closes_the_socket(frame, code):
    behind = Streamlit()
    _, closed = talked(Door(behind, LIMITS), stream(), frame, rerun())
    assert closed == code
    assert behind.seen[-1]["type"] == "websocket.disconnect"
    assert all("bytes" not in message for message in behind.seen)


@pytest.mark.parametrize(("frames", "passed"), [((), 1), ((rerun(),), 2)])
def test_a_socket_that_says_nothing_is_closed(frames, passed):
    behind = Streamlit()
    coming = [{"type": "websocket.connect"}, *({"type": "websocket.receive", "bytes": frame} for frame in frames)]
    sent: list[dict] = []

    async def receive():
        if coming:
            return coming.pop(0)
        return await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    limits = Limits(silent_seconds=0.01, idle_seconds=0.02)
    run_apart(asyncio.wait_for(Door(behind, limits)(stream(), receive, send), 5))
    assert [message.get("code") for message in sent] == [None, 1001]
    assert len(behind.seen) == passed + 1  # and the end


def test_a_flood_is_slowed_and_then_closed():
    behind = Streamlit()
    slow = Limits(rerun_burst=2, reruns_per_second=2000, patience=5)
    _, closed = talked(Door(behind, slow), stream(), *[rerun(str(number)) for number in range(400)])
    passed = sum("bytes" in message for message in behind.seen)
    assert closed == 1008 or passed == 400  # a machine that stalls between two messages gives the bucket time
    if closed == 1008:
        assert passed < 400


def test_foreign_origins_are_refused_without_asking_anyone():
    behind = Streamlit()
    sent, closed = talked(Door(behind, LIMITS), stream(origin="https://evil.example"))
    assert closed == 1008
    assert behind.seen == []
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_our_own_page_a_named_origin_and_no_browser_may_come(monkeypatch):
    assert own_origin(stream(origin="http://parallax.test"))
    assert own_origin(stream())
    assert not own_origin(stream(origin="null"))
    assert not own_origin(stream(origin="http://shown.example", x_forwarded_host="shown.example"))
    monkeypatch.setenv("PARALLAX_TRUSTED_PROXIES", "10.0.0.0/8")
    assert own_origin(stream(origin="http://shown.example", x_forwarded_host="shown.example"))
    monkeypatch.setenv("PARALLAX_ORIGINS", "https://course.example https://other.example")
    assert own_origin(stream(origin="https://course.example"))


def test_a_full_house_says_so_and_refreshes_itself():
    async def run() -> tuple[int, list[int], int]:
        gate = asyncio.Event()

        async def waiting(scope_, receive, send):
            if scope_["type"] == "http":
                await page(scope_, receive, send)
            else:
                await gate.wait()

        guard = Door(waiting, LIMITS)
        closed: list[int] = []
        statuses: list[int] = []

        async def send(message):
            if message["type"] == "websocket.close":
                closed.append(message["code"])
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        async def receive():
            return {"type": "websocket.connect"}

        open_ = [asyncio.create_task(guard(stream(who=f"10.0.0.{n}"), receive, send)) for n in range(3)]
        await asyncio.sleep(0)
        await guard(stream(who="10.0.0.9"), receive, send)
        await guard(scope(), receive, send)
        await guard(scope(path="/api/health"), receive, send)
        gate.set()
        await asyncio.gather(*open_)
        await guard(scope(), receive, send)
        return guard.sockets, closed, statuses

    left, closed, statuses = run_apart(run())
    assert (left, closed, statuses) == (0, [1013], [503, 200, 200])
    assert 'http-equiv="refresh"' in door.FULL


def test_one_client_cannot_take_all_places():
    async def run() -> list[int]:
        gate = asyncio.Event()

        async def waiting(*_):
            await gate.wait()

        guard, closed = Door(waiting, LIMITS), []

        async def send(message):
            closed.append(message["code"])

        async def receive():
            return {"type": "websocket.connect"}

        open_ = [asyncio.create_task(guard(stream(), receive, send)) for _ in range(3)]
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(*open_)
        return closed

    assert run_apart(run()) == [1013]


def test_behind_a_trusted_proxy_clients_are_told_apart(monkeypatch):
    request = stream(who="127.0.0.1", x_forwarded_for="203.0.113.5, 127.0.0.1")
    assert client(request) == "127.0.0.1"
    monkeypatch.setenv("PARALLAX_TRUSTED_PROXIES", "127.0.0.1")
    assert client(request) == "203.0.113.5"
    assert client(stream(who="198.51.100.2", x_forwarded_for="203.0.113.5")) == "198.51.100.2"
    assert not trusted("not an address")


def test_a_refusal_is_one_line_of_json_without_what_was_typed(caplog):
    with caplog.at_level(logging.WARNING, logger="parallax.guard"):
        talked(Door(Streamlit(), LIMITS), stream(), flagged("clear_cache"), rerun("text=secret"))
    lines = [json.loads(record.message) for record in caplog.records]
    assert lines == [{"event": "refused", "reason": "message", "kind": "clear_cache", "client": "10.0.0.7"}]


def test_limits_come_from_the_environment():
    assert Limits.of({"PARALLAX_SOCKETS": "7", "PARALLAX_RERUNS_PER_SECOND": "2.5"}) == Limits(
        sockets=7, reruns_per_second=2.5
    )
    for wrong in ("many", "0", "-3", "nan"):
        with pytest.raises(InputError, match="PARALLAX_SOCKETS takes a number"):
            Limits.of({"PARALLAX_SOCKETS": wrong})


def test_a_bucket_gives_its_burst_and_then_makes_wait():
    bucket = Bucket(rate=0.001, burst=3)
    assert [bucket.take() for _ in range(5)] == [True, True, True, False, False]
    assert bucket.wait() > 0


@pytest.fixture
def uploads(monkeypatch):
    fresh = Uploads()
    monkeypatch.setattr(door, "UPLOADS", fresh)
    return fresh


class Taking:
    """A server that reads a whole body, as Streamlit's route does."""

    def __init__(self):
        self.taken = 0

    async def __call__(self, _scope, receive, send):
        while (message := await receive())["type"] == "http.request":
            self.taken += len(message["body"])
            if not message.get("more_body"):
                break
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


def sent_file(guard, sizes, visitor="anna", **headers):
    """Send a body in parts of these sizes and return the status."""
    statuses, parts = [], list(sizes)

    async def send(message):
        statuses.append(message.get("status"))

    async def receive():
        if not parts:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": b"x" * parts.pop(0), "more_body": bool(parts)}

    path = f"/_stcore/upload_file/{visitor}/a-file"
    run_apart(guard(scope(path=path, method="PUT", **headers), receive, send))
    return statuses[0]


def test_a_file_comes_in_while_a_field_stands_on_the_page_and_only_for_that_visitor(uploads):
    taking = Taking()
    guard = Door(taking, LIMITS)
    assert sent_file(guard, [10]) == 404
    uploads.open("anna", 1000)
    assert sent_file(guard, [600, 300]) == 204
    assert sent_file(guard, [10], "bert") == 404
    assert uploads.shut("anna")
    assert not uploads.shut("anna")
    assert sent_file(guard, [10]) == 404
    assert taking.taken == 900


def test_a_file_that_is_too_large_is_cut_off_whatever_it_says_of_itself(uploads):
    taking = Taking()
    guard = Door(taking, LIMITS)
    uploads.open("anna", 1000)
    most = 1000 + OVERHEAD
    assert sent_file(guard, [10], **{"content-length": str(most + 1)}) == 413
    sent_file(guard, [most, 10_000, 10_000])
    assert taking.taken == most


def test_one_visitor_cannot_fill_the_memory_with_many_files(uploads):
    taking = Taking()
    guard = Door(taking, LIMITS)
    uploads.open("anna", 100_000)
    for _ in range(20):
        uploads.open("anna", 100_000)  # as each run of the page does
        sent_file(guard, [100_000])
    assert taking.taken <= FILES * (100_000 + OVERHEAD)


def test_a_page_of_another_origin_sends_no_file(uploads):
    uploads.open("anna", 1000)
    assert sent_file(Door(Taking(), LIMITS), [10], origin="https://elsewhere.example") == 404
