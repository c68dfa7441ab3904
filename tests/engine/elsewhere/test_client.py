"""The client of an engine elsewhere: what it takes for an answer, for silence, for a full house."""

import json
import socket

import pytest

from mha.engine.elsewhere import Elsewhere, client
from mha.engine.elsewhere.client import Away
from mha.engine.elsewhere.desk import Desk
from mha.engine.elsewhere.frames import ANSWER, BEAT, frame
from mha.engine.recordings import Request, record
from mha.errors import Busy, InputError
from tests.engine.elsewhere.conftest import TOKEN
from tests.engine.elsewhere.same import equal

DOG = "Tom fed the dog because it was hungry"


def test_an_address_that_is_none_is_told_at_the_start():
    with pytest.raises(InputError, match="PARALLAX_ENGINE takes an address"):
        Elsewhere("127.0.0.1:8700")


def says(*frames, status=200, then=lambda: None):
    """Return an app that sends these bytes, and does something before it ends."""

    async def app(_scope, receive, send):
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": status, "headers": []})
        for part in frames:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        held = then()
        if held is not None:
            await held
        await send({"type": "http.response.body", "body": b""})

    return app


@pytest.mark.parametrize(
    ("frames", "again"),
    [((b"hello, this is no frame",), True), ((frame(ANSWER, b"x" * 99)[:50],), True), ((frame(BEAT),), True)],
    ids=["no frame", "half", "no answer"],
)
def test_an_answer_that_breaks_off_may_be_asked_for_again(app, frames, again):
    with pytest.raises(Away) as away:
        app(says(*frames)).health()
    assert away.value.again == again


def test_a_full_engine_is_busy_and_a_failing_one_away(app):
    with pytest.raises(Busy, match="Many sentences"):
        app(says(status=429)).health()
    for status in (500, 503):
        with pytest.raises(Away, match=str(status)):
            app(says(status=status)).health()


def test_an_engine_that_falls_silent_is_away(app, monkeypatch):
    import asyncio

    monkeypatch.setattr(client, "SILENT_SECONDS", 0.3)
    slow = app(says(frame(BEAT), then=lambda: asyncio.sleep(2)))
    with pytest.raises(Away, match="stopped answering") as away:
        slow.health()
    assert not away.value.again


def test_signs_of_life_keep_a_long_answer_alive(app, monkeypatch):
    import asyncio

    from mha.engine.elsewhere import desk as module

    monkeypatch.setattr(client, "SILENT_SECONDS", 0.4)
    monkeypatch.setattr(module, "BEAT_SECONDS", 0.05)

    known = record(Request(DOG))  # before the clock runs

    async def slowly(request):
        await asyncio.sleep(1)
        return record(request)

    assert equal(app(Desk(TOKEN, slowly)).record(Request(DOG)).maps, known.maps)


def test_a_port_where_nobody_listens_is_away():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        with pytest.raises(Away):
            Elsewhere(f"http://127.0.0.1:{nobody.getsockname()[1]}").health()


def test_the_question_holds_its_text_in_its_body_alone(app):
    seen = {}

    async def listening(scope, receive, send):
        seen.update(path=scope["path"], headers=dict(scope["headers"]))
        await says(frame(b"R", json.dumps({"error": "Busy", "message": "later"}).encode()))(scope, receive, send)

    with pytest.raises(Busy, match="later"):
        app(listening).record(Request(DOG))
    assert seen["path"] == "/record"
    assert seen["headers"][b"serve_multiplexed_model_id"] == b"minilm"
    assert b"dog" not in b" ".join(seen["headers"].values())
