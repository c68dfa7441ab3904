"""The middleware: closed routes, origins, sockets of a client and in all, headers."""

import asyncio
import base64
import hashlib
from pathlib import Path

import pytest
import streamlit

from mha.server.middleware import FULL, Guard, client, is_own_origin, is_trusted, policy
from tests.apart import run_apart
from tests.server.asgi import LIMITS, Streamlit, answered, page, scope, stream, talked


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/agent/openapi.json", "/_stcore/script-health-check"])
def test_routes_without_a_page_are_closed(path):
    status, _, body = answered(Guard(page, LIMITS), scope(path=path))
    assert (status, body) == (404, b"Not found.")


@pytest.mark.parametrize(("origin", "status"), [("https://evil.example", 404), ("http://parallax.test", 200)])
def test_uploads_need_our_own_origin(origin, status):
    request = scope(path="/base/_stcore/upload_file/session/file", method="PUT", origin=origin)
    assert answered(Guard(page, LIMITS), request)[0] == status


def test_every_answer_has_security_headers():
    for path in ("/", "/_stcore/metrics", "/static/js/index.js"):
        _, headers, _ = answered(Guard(page, LIMITS), scope(path=path))
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "unsafe-eval" not in headers["content-security-policy"]
        assert "connect-src 'self' blob: data: ws://parallax.test" in headers["content-security-policy"]


def test_policy_names_installed_inline_script():
    index = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    inline = index.split("<script>", 1)[1].split("</script>", 1)[0]
    assert "prerenderReady" in inline
    digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in policy()
    assert index.count("<script>") == 1


def test_frame_ancestors_are_a_setting(monkeypatch):
    assert "frame-ancestors *" in policy()
    monkeypatch.setenv("PARALLAX_EMBED", "https://school.example")
    assert "frame-ancestors https://school.example" in policy()


def test_foreign_origin_never_reaches_streamlit():
    behind = Streamlit()
    sent, closed = talked(Guard(behind, LIMITS), stream(origin="https://evil.example"))
    assert closed == 1008
    assert behind.seen == []
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_own_and_named_origins_pass(monkeypatch):
    assert is_own_origin(stream(origin="http://parallax.test"))
    assert is_own_origin(stream())
    assert not is_own_origin(stream(origin="null"))
    assert not is_own_origin(stream(origin="http://["))
    assert not is_own_origin(stream(origin="http://shown.example", x_forwarded_host="shown.example"))
    monkeypatch.setenv("PARALLAX_TRUSTED_PROXIES", "10.0.0.0/8")
    assert is_own_origin(stream(origin="http://shown.example", x_forwarded_host="shown.example"))
    assert is_own_origin(stream(origin="http://shown.example", x_forwarded_host="shown.example, inner.example"))
    monkeypatch.setenv("PARALLAX_ORIGINS", "https://course.example https://other.example")
    assert is_own_origin(stream(origin="https://course.example"))


def test_full_server_answers_503():
    async def run() -> tuple[int, list[int], int]:
        gate = asyncio.Event()

        async def waiting(scope_, receive, send):
            if scope_["type"] == "http":
                await page(scope_, receive, send)
            else:
                await gate.wait()

        guard = Guard(waiting, LIMITS)
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
        return guard.sockets.total(), closed, statuses

    left, closed, statuses = run_apart(run())
    assert (left, closed, statuses) == (0, [1013], [503, 200, 200])
    assert 'http-equiv="refresh"' in FULL


@pytest.mark.parametrize(("trusted", "refused"), [("", [1013]), ("10.0.0.0/8", [])])
def test_sockets_of_one_client_are_limited(monkeypatch, trusted, refused):
    """A client is an address, or behind a trusted proxy the visitor that it names."""
    monkeypatch.setenv("PARALLAX_TRUSTED_PROXIES", trusted)

    async def run() -> list[int]:
        gate = asyncio.Event()

        async def waiting(*_):
            await gate.wait()

        guard, closed = Guard(waiting, LIMITS), []

        async def send(message):
            closed.append(message["code"])

        async def receive():
            return {"type": "websocket.connect"}

        visitors = [stream(x_forwarded_for=f"203.0.113.{number}") for number in range(3)]
        open_ = [asyncio.create_task(guard(visitor, receive, send)) for visitor in visitors]
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(*open_)
        return closed

    assert run_apart(run()) == refused


def test_trusted_proxy_forwards_the_client(monkeypatch):
    request = stream(who="127.0.0.1", x_forwarded_for="203.0.113.5, 127.0.0.1")
    assert client(request) == "127.0.0.1"
    monkeypatch.setenv("PARALLAX_TRUSTED_PROXIES", "127.0.0.1")
    assert client(request) == "203.0.113.5"
    assert client(stream(who="198.51.100.2", x_forwarded_for="203.0.113.5")) == "198.51.100.2"
    assert not is_trusted("not an address")
    forged = stream(who="127.0.0.1", x_forwarded_for="192.0.2.66")
    forged["headers"].append((b"x-forwarded-for", b"203.0.113.5"))  # HAProxy adds a line of its own
    assert client(forged) == "203.0.113.5"
