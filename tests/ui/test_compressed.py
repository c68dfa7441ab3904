"""Static files travel compressed, once made and right for every kind of request."""

import asyncio
import gzip
import threading
from pathlib import Path

import brotli
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.testclient import TestClient
from streamlit import file_util
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_handler

from mha.ui import compressed
from mha.ui.compressed import ENCODERS, SETTING, Compressed, chosen, middleware
from tests.apart import run_apart

BOTH = "gzip, deflate, br, zstd"
DECODERS = {"br": brotli.decompress, "gzip": gzip.decompress}
CODE = b"export const here = 1;\n" * 400


class Files:
    """Streamlit's own handler on a folder of ours, with what was asked of it."""

    def __init__(self, folder):
        (folder / "static").mkdir()
        (folder / "index.html").write_text("<!doctype html>" + "<p>the app</p>" * 200)
        for name, content in {"code.js": CODE, "small.js": b"1;\n", "font.woff2": CODE}.items():
            (folder / "static" / name).write_bytes(content)
        self._files = create_streamlit_static_handler(str(folder), "")
        self.asked = []

    async def __call__(self, scope, receive, send):
        self.asked.append(scope["method"])
        await self._files(scope, receive, send)


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


@pytest.fixture
def client(files):
    async def talk(socket):
        await socket.accept()
        await socket.send_text("x" * 5000)
        await socket.close()

    routes = [
        Route("/parallax/now.js", lambda _: PlainTextResponse("now" * 1000)),  # may change: never kept
        Route(
            "/parallax/odd",
            lambda _: Response(b"\x00" * 5000, headers={"cache-control": "immutable"}, media_type="image/png"),
        ),
        WebSocketRoute("/static/stream", talk),
        Mount("/", files),
    ]
    with TestClient(Starlette(routes=routes, middleware=[Middleware(Compressed)])) as opened:
        yield opened


def raw(client, path, accepted=BOTH, method="GET", **headers):
    """Return the answer with its body as it travelled."""
    with client.stream(method, path, headers={"accept-encoding": accepted, **headers}) as answer:
        answer.travelled = b"".join(answer.iter_raw())
    return answer


@pytest.mark.parametrize("encoding", list(ENCODERS))
def test_a_file_travels_in_what_the_browser_takes_and_comes_out_as_it_was(client, encoding):
    answer = raw(client, "/static/code.js", accepted=encoding)
    assert answer.status_code == 200
    assert answer.headers["content-encoding"] == encoding
    assert DECODERS[encoding](answer.travelled) == CODE
    assert int(answer.headers["content-length"]) == len(answer.travelled) < len(CODE) / 10
    assert answer.headers["vary"] == "Accept-Encoding"
    assert "immutable" in answer.headers["cache-control"]
    assert "javascript" in answer.headers["content-type"]


@pytest.mark.parametrize("path", ["/static/small.js", "/static/font.woff2", "/", "/heads", "/parallax/now.js"])
def test_what_is_small_or_changes_or_is_compressed_already_stays_as_it_is(client, path):
    answer = raw(client, path)
    assert answer.status_code == 200
    assert "content-encoding" not in answer.headers
    assert len(answer.travelled) == int(answer.headers["content-length"])


def test_another_type_stays_as_it_is(client):
    assert "content-encoding" not in raw(client, "/parallax/odd").headers


def test_a_browser_that_takes_neither_gets_the_file_and_caches_are_told(client):
    for accepted in ("identity", "br;q=0, gzip;q=0.0", ""):
        answer = raw(client, "/static/code.js", accepted=accepted)
        assert answer.travelled == CODE
        assert answer.headers["vary"] == "Accept-Encoding"


def test_a_part_of_a_file_is_a_part_of_the_file(client):
    answer = raw(client, "/static/code.js", range="bytes=7-11")
    assert answer.status_code == 206
    assert answer.travelled == CODE[7:12]
    assert "content-encoding" not in answer.headers


def test_head_says_what_get_would(client):
    got, asked = raw(client, "/static/code.js"), raw(client, "/static/code.js", method="HEAD")
    assert asked.travelled == b""
    for name in ("content-length", "content-encoding", "etag", "vary", "cache-control"):
        assert asked.headers[name] == got.headers[name]


def test_each_encoding_has_its_own_tag_and_a_known_one_is_not_sent_again(client):
    tags = {name: raw(client, "/static/code.js", accepted=name).headers["etag"] for name in ("br", "gzip", "identity")}
    assert len(set(tags.values())) == 3
    for name, tag in tags.items():
        again = raw(client, "/static/code.js", accepted=name, **{"if-none-match": f'"other", {tag}'})
        assert again.status_code == 304
        assert again.headers["etag"] == tag
        assert again.travelled == b""
    assert raw(client, "/static/code.js", **{"if-none-match": '"other-br"'}).status_code == 200


def test_a_file_is_read_and_compressed_once(client, files, monkeypatch):
    made = []
    monkeypatch.setitem(ENCODERS, "br", lambda content: made.append(len(content)) or brotli.compress(content))
    for _ in range(3):
        assert raw(client, "/static/code.js").headers["content-encoding"] == "br"
    assert made == [len(CODE)]
    assert files.asked.count("GET") == 1


def test_those_who_ask_at_the_same_time_share_one_making(files, monkeypatch):
    made, go = [], threading.Event()

    def slowly(content):
        made.append(len(content))
        go.wait(10)
        return brotli.compress(content)

    monkeypatch.setitem(ENCODERS, "br", slowly)
    app = Compressed(files)

    async def ask():
        answers = []
        scope = {"type": "http", "method": "GET", "path": "/static/code.js", "root_path": "", "query_string": b""}

        async def send(message):
            answers.append(message)

        headers = [(b"accept-encoding", b"br")]
        await app(scope | {"headers": headers}, lambda: asyncio.sleep(3600), send)
        return answers[1]["body"]

    async def all_at_once():
        asking = [asyncio.create_task(ask()) for _ in range(7)]
        while not made:
            await asyncio.sleep(0.01)
        asking[0].cancel()  # the one who asked first leaves
        go.set()
        return await asyncio.gather(*asking[1:])

    assert {brotli.decompress(body) for body in run_apart(all_at_once())} == {CODE}
    assert len(made) == 1


def test_what_is_kept_has_a_bound(client, monkeypatch):
    monkeypatch.setattr(compressed, "KEPT", 10)
    app = Compressed(client.app)
    assert app._kept.maxsize == 10
    with pytest.raises(ValueError, match="too large"):
        app._kept["x",] = b"0" * 11


def test_the_websocket_goes_straight_through(client):
    with client.websocket_connect("/static/stream") as socket:
        assert socket.receive_text() == "x" * 5000


def test_a_missing_file_is_missing(client):
    assert raw(client, "/static/nothing.js").status_code == 200  # Streamlit answers with its page, which changes
    assert "content-encoding" not in raw(client, "/static/nothing.js").headers


def test_streamlit_s_largest_file_shrinks_to_a_third():
    """A fact of Streamlit that this leans on: its files are plain, and their addresses never change."""
    scripts = Path(file_util.get_static_dir()) / "static" / "js"
    handler = Mount("/", create_streamlit_static_handler(file_util.get_static_dir(), ""))
    largest = next(scripts.glob("PlotlyChart*.js"))
    with TestClient(Starlette(routes=[handler], middleware=[Middleware(Compressed)])) as client:
        answer = raw(client, f"/static/js/{largest.name}", accepted="gzip")
    assert gzip.decompress(answer.travelled) == largest.read_bytes()
    assert len(answer.travelled) < largest.stat().st_size / 3


def test_the_best_encoding_is_chosen_by_what_the_browser_says():
    assert chosen(BOTH) == "br"
    assert chosen("GZIP") == "gzip"
    assert chosen("br; q=0, gzip; q=1.0") == "gzip"
    assert chosen("") is None


def test_a_setting_turns_it_off(monkeypatch):
    assert [row.cls for row in middleware()] == [Compressed]
    monkeypatch.setenv(SETTING, "off")
    assert middleware() == []
