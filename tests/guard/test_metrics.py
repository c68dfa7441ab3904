"""The counts are for whoever holds the token."""

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from mha.guard import metrics


@pytest.fixture
def client():
    return TestClient(Starlette(routes=metrics.ROUTES))


def test_without_a_token_there_is_no_such_address(client, monkeypatch):
    monkeypatch.delenv(metrics.TOKEN, raising=False)
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_the_token_opens_it(client, monkeypatch):
    monkeypatch.setenv(metrics.TOKEN, "correct horse")
    assert client.get("/metrics").status_code == 401
    assert client.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 401
    answer = client.get("/metrics", headers={"Authorization": "Bearer correct horse"})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    for name in ("sockets", "reruns_total", "ready", "waiting", "kept_bytes", "jobs"):
        assert f"\nparallax_{name} " in answer.text
