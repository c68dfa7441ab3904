"""Experiments: equal questions share a run, and so do equal calls."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from mha.engine.answers import WAITING_LIMIT, Answers, few_passes, of_passes
from mha.engine.cache import LEAST, Cache
from mha.engine.jobs import QUEUE
from mha.engine.queue import FunctionTask, Queue
from mha.errors import Busy, InputError
from tests.engine.waiting import until


def test_the_oldest_answer_makes_room():
    answers = Answers(cache=Cache(2 * LEAST))
    for number in (2, 3, 5):
        answers.answer(number, lambda number=number: number)
    assert answers.answer(5, lambda: "made again") == 5
    assert answers.answer(2, lambda: "made again") == "made again"


def test_a_long_queue_and_a_long_wait_are_busy():
    answers, held = Answers(Queue()), threading.Event()
    with ThreadPoolExecutor(WAITING_LIMIT) as others:
        try:
            with pytest.raises(Busy, match="too long"):
                answers.answer("slow", held.wait, seconds=0.05)
            for number in range(WAITING_LIMIT - 1):
                others.submit(answers.answer, number, held.wait)
            until(lambda: len(answers._pending) == WAITING_LIMIT)
            with pytest.raises(Busy, match="Busy right now"):
                answers.answer("one more", held.wait)
        finally:
            held.set()


def test_equal_calls_are_one_question_however_they_are_written():
    made = []

    @few_passes
    def weight(text, head=(0, 0)):
        made.append((text, head))
        return len(made)

    assert weight("a") == weight("a", (0, 0)) == weight(head=(0, 0), text="a") == 1
    assert weight("a", (0, 1)) == 2
    assert weight.__name__ == "weight"


def test_whoever_asks_at_the_moment_at_which_it_fails_hears_why():
    answers, gate = Answers(Queue()), threading.Event()

    def fail():
        assert gate.wait(5)
        raise InputError("no such word")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(answers.answer, "question", fail, 3)
        until(lambda: "question" in answers._pending)
        job, go_on = answers._pending["question"], answers._pending["question"].go_on

        def joined_as_it_fails():
            gate.set()
            until(lambda: job.state == "failed")
            go_on()

        job.go_on = joined_as_it_fails
        second = pool.submit(answers.answer, "question", fail, 3)
        for each in (first, second):
            with pytest.raises(InputError, match="no such word"):
                each.result(5)
    assert len(answers.cache._results) == 0
    assert answers.answer("question", lambda: 5) == 5


def test_a_model_loads_before_its_question_waits_in_a_lane(monkeypatch):
    load, begun = Future(), []
    monkeypatch.setattr("mha.models.files.loading.load_in_background", lambda _name: load)
    experiment = of_passes(lambda _: 1)(lambda text, model: begun.append(text) or "found")
    with ThreadPoolExecutor(1) as other:
        asked = other.submit(experiment, "The old boat", "smollm2")
        recorded = threading.Event()
        QUEUE.put(FunctionTask(recorded.set))
        assert recorded.wait(20), "a recording does not wait for the conversion"
        assert not asked.done()
        assert not begun
        load.set_result(None)
        assert asked.result(20) == "found"
