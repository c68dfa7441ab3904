"""Long work in steps: stopped, and gone on with."""

import threading
from weakref import ref

import numpy as np

from mha.engine import jobs
from mha.engine.queue import Queue
from mha.engine.remote import InPieces
from mha.errors import InputError


class Acts(jobs.Job):
    """A job that does one act a step."""

    def __init__(self, *acts, queue=jobs.QUEUE):
        self.acts = acts
        super().__init__(queue=queue)

    def steps(self):
        for act in self.acts:
            act()
            self.n_done += 1
            yield


def test_a_job_stops_after_the_step_under_way():
    began, go_on, done = threading.Event(), threading.Event(), []

    def first():
        began.set()
        go_on.wait(5)
        done.append("first")

    job = Acts(first, lambda: done.append("second"))
    assert began.wait(5)
    job.stop()
    assert job.stopping
    go_on.set()
    assert job.wait(5)
    assert (job.state, done) == ("stopped", ["first"])


def test_a_job_that_fails_says_why_and_begins_anew():
    done, broken = [], [True]

    def second():
        if broken.pop() if broken else False:
            raise InputError("too short")

    job = Acts(lambda: done.append("first"), second)
    assert job.wait(5)
    assert (job.state, str(job.error)) == ("failed", "too short")
    job.go_on()
    assert job.wait(5)
    assert (job.state, done, job.error) == ("done", ["first"] * 2, None)


def test_a_job_that_waits_for_its_turn_ends_at_once_and_gives_its_place_back():
    line, began, go_on, done = Queue(), threading.Event(), threading.Event(), []

    def first():
        began.set()
        assert go_on.wait(20)

    before = Acts(first, queue=line)
    assert began.wait(20)
    waiting = Acts(lambda: done.append("mine"), queue=line)
    waiting.stop(was_left=True)
    assert waiting.wait(0)
    assert (waiting.state, waiting.was_left, done) == ("stopped", True, [])
    waiting.go_on()
    go_on.set()
    assert before.wait(20)
    assert waiting.wait(20)
    assert (waiting.state, done) == ("done", ["mine"])


def test_a_stopped_job_releases_the_arrays_of_its_steps():
    began, go_on, arrays = threading.Event(), threading.Event(), []

    def pieces():
        held = np.zeros(7)
        arrays.append(ref(held))
        yield 1, 3
        began.set()
        assert go_on.wait(20)
        yield 2, 3
        yield held.sum()

    job = jobs.Job(InPieces(pieces, ()))
    assert began.wait(20)
    job.stop(was_left=True)
    go_on.set()
    assert job.wait(20)
    assert (job.state, job.n_done, arrays[0]()) == ("stopped", 2, None)
    job.go_on()
    assert job.wait(20)
    assert (job.state, job.result, len(arrays)) == ("done", 0, 2)
