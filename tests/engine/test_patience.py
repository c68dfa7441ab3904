"""Whoever waits longer than a moment is told why, once, and told when that is over."""

import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout

import pytest

from mha.engine import patience, recordings
from mha.engine.answers import Answers
from mha.engine.patience import EXPERIMENTS_FIRST, ROOM, SENTENCES_FIRST
from mha.engine.recordings import LocalEngine, Request
from mha.engine.waiting import Room
from tests.engine.test_room import recording


@pytest.fixture
def said(monkeypatch):
    """What is told while a test runs; the moment after which it is told is none."""
    monkeypatch.setattr(patience, "AFTER", 0.0)
    monkeypatch.setattr("mha.engine.waiting.AFTER", 0.0)
    found: list[str] = []
    with patience.waiting_told(found.append):
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
        with patience.waiting_told(said.append):
            came.append(work())

    thread = threading.Thread(target=run)
    thread.start()
    return thread, came


def test_who_waits_for_room_is_told_until_there_is_some(said):
    room = Room(lambda: False, most=10, seconds=60.0)
    room.take(8, "others")
    thread, _ = apart(lambda: room.take(9, "me"), said)
    told(said, ROOM)
    room.give(8, "others")
    thread.join()
    assert said == [ROOM, ""]
    assert room.taken == 9, "and the bound was kept"


def test_who_waits_in_vain_goes_on_and_is_told_that_too(said):
    room = Room(lambda: False, most=10, seconds=0.0)
    room.take(8, "others")
    room.take(9, "me")
    assert said == [ROOM, ""]
    assert room.taken == 17


def test_who_finds_room_is_told_nothing(said):
    room = Room(lambda: False, most=10, seconds=60.0)
    room.take(8, "me")
    room.take(9, "me")
    assert said == []


def test_a_sentence_behind_others_is_told_and_one_that_is_looked_at_is_not(said):
    held, begun = threading.Event(), threading.Event()

    def run(request):
        begun.set()
        held.wait()
        return recording()

    engine = LocalEngine(run=run, load=lambda: None)
    engine.start()
    while not engine.state().ready:
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
    monkeypatch.setattr(patience, "AFTER", 0.0)
    future: Future[int] = Future()
    with pytest.raises(FutureTimeout):
        patience.result(future, 0.01, lambda: "why")
    future.set_result(5)
    assert patience.result(future, 0.0, lambda: "why") == 5


def test_what_is_unhurried_waits_for_as_long_as_it_takes(monkeypatch):
    monkeypatch.setattr(recordings, "WAKING_SECONDS", 0.01)
    one, landed = LocalEngine(run=lambda _: recording(), load=lambda: time.sleep(0.1)), recording().maps.weights
    with patience.unhurried():
        assert one.record(Request("x")).maps.weights.shape == landed.shape
    with pytest.raises(FutureTimeout):
        patience.result(Future(), 0.01, lambda: "why")
