"""A page that waits for others says so, and goes on by itself."""

import threading
import time
from types import SimpleNamespace

import streamlit as st
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from mha.engine import patience, recordings
from mha.engine import waiting as room
from mha.engine.answers import Answers
from mha.engine.queue import Queue
from mha.ui import patience as of_pages
from tests.engine.test_trainings import until


def test_a_long_text_that_waits_for_room_says_so_and_then_stands(visit, monkeypatch):
    monkeypatch.setattr(room, "AFTER", 0.0)
    page = visit()
    assert patience.ROOM not in page.said()
    taken, own = room.BYTES, "somebody else"
    recordings._engine._room._add(taken, own)
    said, real = [], st.text

    def noted(text):
        said.append(text)
        if text == patience.ROOM:
            threading.Timer(0.1, lambda: recordings._engine._room.give(taken, own)).start()
        return real(text)

    monkeypatch.setattr(st, "text", noted)
    text = "each of these words looks at all the others " * 14
    page.test.text_area(key="text").set_value(text)
    page.run()
    assert patience.ROOM in said
    assert patience.ROOM not in page.said()
    assert len(page.header("overview")["keys"]) > 100


def waiting_twice():
    import streamlit as st

    from mha.engine import patience as engine
    from mha.ui import patience

    with patience.said_in(st.container()):
        for sentence in ("there is no room", "others came first"):
            with engine.telling(sentence):
                st.text(f"waits: {sentence}")
    st.text("it stands")


def test_a_page_may_wait_more_than_once():
    page = AppTest.from_function(waiting_twice).run()
    assert not page.exception
    assert [text.value for text in page.text] == ["waits: there is no room", "waits: others came first", "it stands"]


def a_part_that_waits():
    import streamlit as st

    from mha.engine import patience as engine
    from mha.ui import patience

    def draw():
        with engine.telling("there is no room"):
            st.text("a part")

    with patience.said_in(st.container()):
        patience.follow(lambda: True, draw, 1.0)
    st.text("it comes again alone")
    patience.st.fragments[0]()


def test_a_part_that_is_drawn_again_alone_says_so_too(monkeypatch):
    fragments = []

    def fragment(run_every):
        assert run_every == 1.0
        return lambda again: fragments.append(again) or again

    said, real = [], st.text
    monkeypatch.setattr(st, "text", lambda text: said.append(text) or real(text))
    monkeypatch.setattr(of_pages, "st", SimpleNamespace(**vars(st) | {"fragment": fragment, "fragments": fragments}))
    page = AppTest.from_function(a_part_that_waits).run()
    assert not page.exception
    assert said == ["there is no room", "a part", "it comes again alone", "there is no room", "a part"]
    assert [text.value for text in page.text] == ["a part", "it comes again alone", "a part"]


def asks_without_end():
    import streamlit as st

    from mha.ui import patience
    from tests.pages import test_patience as here

    with patience.said_in(st.container()):
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


def a_job_behind_another():
    from types import SimpleNamespace

    from mha.ui import patience

    patience.follow(lambda: True, lambda: None, 1.0, job=SimpleNamespace(running=False, left=False, behind=True))


def test_a_job_that_waits_for_another_of_its_visitor_says_so():
    page = AppTest.from_function(a_job_behind_another).run()
    assert not page.exception
    assert [text.value for text in page.text] == [patience.OWN_FIRST]
