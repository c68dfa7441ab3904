"""Experiments: equal questions share a run, jobs go step by step and can be stopped."""

import threading

import pytest

from mha.engine.answers import WAITING_LIMIT, Answers, Job
from mha.errors import Busy, InputError


def test_an_answer_is_made_once():
    made = []
    answers = Answers()
    for _ in range(3):
        assert answers.answer("how many", lambda: made.append(1) or 7) == 7
    assert made == [1]
    assert answers.known("how many")
    answers.put("and this", 11)
    assert answers.answer("and this", lambda: 13) == 11


def test_what_fails_is_raised_and_tried_again():
    answers = Answers()

    def fail():
        raise InputError("no such word")

    with pytest.raises(InputError, match="no such word"):
        answers.answer("question", fail)
    assert answers.answer("question", lambda: 5) == 5


def test_the_oldest_answer_makes_room():
    answers = Answers(items=2)
    for number in (2, 3, 5):
        answers.answer(number, lambda number=number: number)
    assert not answers.known(2)
    assert answers.known(5)


def test_a_long_queue_and_a_long_wait_are_busy():
    answers, held = Answers(), threading.Event()
    try:
        with pytest.raises(Busy, match="too long"):
            answers.answer("slow", held.wait, seconds=0.05)
        for number in range(WAITING_LIMIT - 1):
            with pytest.raises(Busy, match="too long"):
                answers.answer(number, held.wait, seconds=0.001)
        with pytest.raises(Busy, match="waiting right now"):
            answers.answer("one more", held.wait)
    finally:
        held.set()


def test_a_job_runs_its_steps_in_order():
    done = []
    job = Job(done.append(step) for step in (2, 3, 5))
    assert job.wait(5)
    assert (job.state, done) == ("done", [2, 3, 5])


def test_a_job_stops_after_the_step_under_way():
    began, go_on, done = threading.Event(), threading.Event(), []

    def first():
        began.set()
        go_on.wait(5)
        done.append("first")

    job = Job(step() for step in (first, lambda: done.append("second")))
    assert began.wait(5)
    job.stop()
    go_on.set()
    assert job.wait(5)
    assert (job.state, done) == ("stopped", ["first"])


def test_a_job_that_fails_says_why():
    def fail():
        raise InputError("too short")

    job = Job(step() for step in (fail, lambda: None))
    assert job.wait(5)
    assert job.state == "failed"
    assert str(job.error) == "too short"
