"""Files that come in: where a field stands, as large as it takes, and few."""

from __future__ import annotations

import pytest

from mha.guard import door
from mha.guard.door import Door
from mha.guard.uploads import FILES, OVERHEAD, Uploads
from tests.apart import run_apart
from tests.guard.asgi import LIMITS, scope


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
