"""A page that waits for others says so, and goes on by itself."""

import threading
import time
from concurrent.futures import Future

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from mha.engine import waiting
from mha.engine.answers import Answers
from mha.engine.queue import Queue
from tests.engine.waiting import until


def wait_a_moment(sentence):
    """Wait for an answer that takes a moment, with this sentence as the reason."""
    answer = Future()
    threading.Timer(0.6, answer.set_result, (5,)).start()
    assert waiting.await_result(answer, 20, lambda: sentence, "too late") == 5


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(waiting, "AFTER", 0.0)


def waiting_twice():
    import streamlit as st

    from mha.app import frame
    from tests.pages.test_waiting import wait_a_moment

    with frame.page_requests():
        for sentence in ("experiments come first", "others came first"):
            wait_a_moment(sentence)
            st.text(f"waited: {sentence}")
    st.text("it stands")


def test_a_page_may_wait_more_than_once():
    page = AppTest.from_function(waiting_twice).run()
    assert not page.exception
    assert [text.value for text in page.text] == [
        "waited: experiments come first",
        "waited: others came first",
        "it stands",
    ]


def asks_without_end():

    from mha.app import frame
    from tests.pages import test_waiting as here

    with frame.page_requests():
        here.ANSWERS.answer("without end", here.without_end)


ANSWERS = Answers(Queue())
STEPS = []


def without_end():
    for _ in range(100_000):
        STEPS.append(time.sleep(0.01))
        yield 1


def test_a_page_that_was_left_waits_no_longer_and_its_question_ends(monkeypatch):
    runners = []
    start = LocalScriptRunner.start
    monkeypatch.setattr(LocalScriptRunner, "start", lambda runner: runners.append(runner) or start(runner))
    drawn = threading.Thread(target=lambda: AppTest.from_function(asks_without_end, default_timeout=60).run())
    drawn.start()
    until(lambda: len(STEPS) > 2)
    runners[0].request_stop()  # as Streamlit does where a page is left, or something else is clicked on it
    drawn.join(20)
    assert not drawn.is_alive()
    until(lambda: ANSWERS._pending["without end"].state == "stopped")
    steps = len(STEPS)
    time.sleep(0.3)
    assert len(STEPS) == steps
