"""Messages of a socket: which pass, which are dropped, and which close it."""

import asyncio
import json
import logging

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from mha.server import middleware
from mha.server.middleware import Guard, Limits
from mha.streamlit_facts import kind_of_message
from tests.apart import run_apart
from tests.server.asgi import LIMITS, Streamlit, flagged, rerun, stream, talked


def test_allowed_messages_pass():
    behind = Streamlit()
    _, closed = talked(Guard(behind, LIMITS), stream(), rerun("text=a"), flagged("stop_script"))
    assert closed is None
    assert [message["type"] for message in behind.seen] == [
        "websocket.connect", "websocket.receive", "websocket.receive", "websocket.disconnect",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["clear_cache", "load_git_info", "set_run_on_save", "debug_shutdown_runtime"])
def test_other_messages_are_dropped(name):
    behind = Streamlit()
    _, closed = talked(Guard(behind, LIMITS), stream(), flagged(name), rerun())
    assert closed is None
    assert [message["bytes"] for message in behind.seen if "bytes" in message] == [rerun()]


def test_deferred_downloads_pass_installations_do_not():
    message = BackMsg()
    message.backend_operation_request.deferred_file.SetInParent()
    assert kind_of_message(message.SerializeToString()) in middleware.ALLOWED
    message.backend_operation_request.install_skills.SetInParent()
    assert kind_of_message(message.SerializeToString()) not in middleware.ALLOWED


@pytest.mark.parametrize(("frame", "code"), [("text", 1003), (b"\0" * 1001, 1009), (b"\xff\xff\xff", 1002)])
def test_malformed_frames_close_the_socket(frame, code):
    behind = Streamlit()
    _, closed = talked(Guard(behind, LIMITS), stream(), frame, rerun())
    assert closed == code
    assert behind.seen[-1]["type"] == "websocket.disconnect"
    assert all("bytes" not in message for message in behind.seen)


@pytest.mark.parametrize(("frames", "passed"), [((), 1), ((rerun(),), 2)])
def test_idle_sockets_are_closed(frames, passed):
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
    run_apart(asyncio.wait_for(Guard(behind, limits)(stream(), receive, send), 5))
    assert [message.get("code") for message in sent] == [None, 1001]
    assert len(behind.seen) == passed + 1  # and the end


def test_floods_are_slowed_then_closed():
    behind = Streamlit()
    slow = Limits(rerun_burst=2, reruns_per_second=2000, patience=5)
    _, closed = talked(Guard(behind, slow), stream(), *[rerun(str(number)) for number in range(400)])
    passed = sum("bytes" in message for message in behind.seen)
    assert closed == 1008 or passed == 400  # a machine that stalls between two messages gives the bucket time
    if closed == 1008:
        assert passed < 400


def test_refusals_are_logged_without_text(caplog):
    with caplog.at_level(logging.WARNING, logger="parallax.server"):
        talked(Guard(Streamlit(), LIMITS), stream(), flagged("clear_cache"), rerun("text=secret"))
    lines = [json.loads(record.message) for record in caplog.records]
    assert lines == [{"event": "refused", "reason": "message", "kind": "clear_cache", "client": "10.0.0.7"}]
