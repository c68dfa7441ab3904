"""The door: who comes in, which routes are shut, and what every answer carries."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from pathlib import Path

import pytest
import streamlit
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from mha.guard import door
from mha.guard.door import Door, client, own_origin, policy
from mha.public import trusted
from tests.apart import run_apart
from tests.guard.asgi import LIMITS, Streamlit, answered, page, scope, stream, talked


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
    assert not own_origin(stream(origin="http://["))
    assert not own_origin(stream(origin="http://shown.example", x_forwarded_host="shown.example"))
    monkeypatch.setenv("PARALLAX_TRUSTED_PROXIES", "10.0.0.0/8")
    assert own_origin(stream(origin="http://shown.example", x_forwarded_host="shown.example"))
    assert own_origin(stream(origin="http://shown.example", x_forwarded_host="shown.example, inner.example"))
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
    forged = stream(who="127.0.0.1", x_forwarded_for="192.0.2.66")
    forged["headers"].append((b"x-forwarded-for", b"203.0.113.5"))  # HAProxy adds a line of its own
    assert client(forged) == "203.0.113.5"


def test_a_body_that_is_given_up_leaves_no_fault_behind():
    """A client that goes before its body has come whole is no error, for which a server writes forty lines."""
    coming = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
    sent = []

    async def behind(scope, receive, send):
        await PlainTextResponse(await Request(scope, receive).body())(scope, receive, send)

    async def receive():
        return coming.pop(0)

    async def send(message):
        sent.append(message)

    run_apart(Door(behind, LIMITS)(scope(path="/api/attend", method="POST"), receive, send))
    assert [message.get("status") for message in sent] == [400, None]


def test_an_address_is_the_same_on_a_socket_of_both_families(monkeypatch):
    monkeypatch.setenv("PARALLAX_TRUSTED_PROXIES", "127.0.0.1")
    assert client(stream(who="::ffff:198.51.100.2")) == "198.51.100.2"
    assert client(stream(who="::ffff:127.0.0.1", x_forwarded_for="203.0.113.5")) == "203.0.113.5"
    assert client(stream(who="2001:db8::5")) == "2001:db8::5"
