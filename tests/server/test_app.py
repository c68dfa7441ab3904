"""The app as it is served: compression of text, and caching of static files."""

import re

import pytest
from starlette.testclient import TestClient

import app as parallax
from mha.server import static


@pytest.fixture(scope="module")
def client():
    with TestClient(parallax.app.create_app() if hasattr(parallax.app, "create_app") else parallax.app) as opened:
        yield opened


def test_text_is_compressed(client):
    path = re.search(r'src="\./(static/js/index[^"]+)"', client.get("/", headers={"accept": "text/html"}).text)[1]
    for address in ("", path, static.address("js/lib/mount.js")):
        answer = client.get(f"/{address}", headers={"accept-encoding": "gzip"})
        assert answer.headers["content-encoding"] == "gzip", address


def test_static_files_are_immutable(client):
    answer = client.get(f"/{static.address('js/lib/mount.js')}")
    assert "immutable" in answer.headers["cache-control"]
    assert client.get("/parallax/000000000000/js/lib/mount.js").status_code == 404
