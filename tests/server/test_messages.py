"""What is said over a socket: what comes through, what is dropped, what closes it."""

from __future__ import annotations

import asyncio
import json
import logging

import pytest
from prometheus_client import generate_latest
from streamlit.proto.BackMsg_pb2 import BackMsg

from mha.guard import inbox
from mha.guard.door import Door
from mha.guard.limits import Limits
from mha.guard.metrics import REGISTRY
from mha.streamlit_facts import kind_of_message
from tests.apart import run_apart
from tests.guard.asgi import LIMITS, Streamlit, flagged, rerun, stream, talked


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
    assert kind_of_message(message.SerializeToString()) in inbox.ALLOWED
    message.backend_operation_request.install_skills.SetInParent()
    assert kind_of_message(message.SerializeToString()) not in inbox.ALLOWED


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


def test_a_refusal_is_one_line_of_json_without_what_was_typed(caplog):
    with caplog.at_level(logging.WARNING, logger="parallax.guard"):
        talked(Door(Streamlit(), LIMITS), stream(), flagged("clear_cache"), rerun("text=secret"))
    lines = [json.loads(record.message) for record in caplog.records]
    assert lines == [{"event": "refused", "reason": "message", "kind": "clear_cache", "client": "10.0.0.7"}]
