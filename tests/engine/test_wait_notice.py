"""Whoever waits longer than a moment is told why, once, and told when that is over."""

import threading
import time
from concurrent.futures import Future

import pytest

from mha.engine import waiting
from mha.engine.answers import Answers
from mha.engine.recordings import LocalEngine, Request
from mha.engine.waiting import EXPERIMENTS_FIRST, SENTENCES_FIRST
from mha.errors import Busy
from tests.engine.test_room import recording


@pytest.fixture
def said(monkeypatch):
    """What is told while a test runs; the moment after which it is told is none."""
    monkeypatch.setattr(waiting, "AFTER", 0.0)
    found: list[str] = []
    with waiting.show_waits(found.append):
        yield found


def told(said: list[str], sentence: str) -> None:
    """Wait until something is told, and check that it is this."""
    while not said:
        time.sleep(0.001)
    assert said == [sentence]


def apart(work, said):
    """Run something in a thread of its own that tells into ``said``; return the thread, and what came of it."""
    came = []

    def run():
        with waiting.show_waits(said.append):
            came.append(work())

    thread = threading.Thread(target=run)
    thread.start()
    return thread, came


def test_a_sentence_behind_others_is_told_and_one_that_is_looked_at_is_not(said):
    held, begun = threading.Event(), threading.Event()

    def run(request):
        begun.set()
        held.wait()
        return recording()

    engine = LocalEngine(run=run, load=lambda: None)
    engine.start()
    while engine.state().phase != "ready":
        time.sleep(0.001)
    first, _ = apart(lambda: engine.record(Request("they came before")), [])
    begun.wait()
    quiet: list[str] = []
    same, _ = apart(lambda: engine.record(Request("they came before")), quiet)
    second, came = apart(lambda: engine.record(Request("this one is behind them")), said)
    told(said, SENTENCES_FIRST)
    held.set()
    for thread in (first, second, same):
        thread.join()
    assert came
    assert said == [SENTENCES_FIRST, ""]
    assert quiet == []


def test_both_sentences_begin_as_a_visitor_would_say_it():
    assert SENTENCES_FIRST.startswith("Waiting for other visitors.")
    assert EXPERIMENTS_FIRST.startswith("Waiting for other experiments.")


def test_an_experiment_behind_others_is_told(said):
    answers, held, begun = Answers(), threading.Event(), threading.Event()

    def slow():
        begun.set()
        return held.wait()

    first, _ = apart(lambda: answers.answer("theirs", slow), [])
    begun.wait()
    second, came = apart(lambda: answers.answer("mine", lambda: 7), said)
    told(said, EXPERIMENTS_FIRST)
    held.set()
    first.join()
    second.join()
    assert came == [7]
    assert said == [EXPERIMENTS_FIRST, ""]


def test_without_a_page_nothing_is_told_and_the_end_is_the_same(monkeypatch):
    monkeypatch.setattr(waiting, "AFTER", 0.0)
    future: Future[int] = Future()
    with pytest.raises(Busy, match="too late"):
        waiting.await_result(future, 0.01, lambda: "why", "too late")
    future.set_result(5)
    assert waiting.await_result(future, 0.0, lambda: "why", "too late") == 5
