"""Long work in steps: stopped, gone on with; and a calibration, known to every page afterwards."""

import threading
import time
from functools import partial

import pytest

from mha.engine import experiments, jobs
from mha.engine import jobs as runs
from mha.engine.habits import calibration_asked
from mha.engine.work import Work
from mha.errors import InputError
from mha.intervention import calibrate
from mha.pairs import KINDS, matched_swaps_of, pairs_of

MODEL = "tiny-masked"
STEPS = len(KINDS) * (1 + 2 + 1 + 3)


class Acts(jobs.Job):
    """A job that does one act a step."""

    def __init__(self, *acts):
        self.acts = acts
        super().__init__()

    def steps(self):
        for act in self.acts:
            act()
            self.done += 1
            yield


def test_a_job_runs_its_steps_in_order():
    done = []
    job = Acts(*(partial(done.append, step) for step in (2, 3, 5)))
    assert job.wait(5)
    assert (job.state, done) == ("done", [2, 3, 5])


def test_a_job_stops_after_the_step_under_way():
    began, go_on, done = threading.Event(), threading.Event(), []

    def first():
        began.set()
        go_on.wait(5)
        done.append("first")

    job = Acts(first, lambda: done.append("second"))
    assert began.wait(5)
    job.stop()
    go_on.set()
    assert job.wait(5)
    assert (job.state, done) == ("stopped", ["first"])


def test_a_job_that_fails_says_why():
    def fail():
        raise InputError("too short")

    job = Acts(fail, lambda: None)
    assert job.wait(5)
    assert job.state == "failed"
    assert str(job.error) == "too short"


def test_a_stopped_job_goes_on_where_it_was_and_a_failed_one_begins_anew():
    began, go_on, done, broken = threading.Event(), threading.Event(), [], [True]

    def first():
        began.set()
        go_on.wait(5)
        done.append("first")

    def third():
        if broken.pop() if broken else False:
            raise InputError("too short")

    job = Acts(first, lambda: done.append("second"), third)
    assert began.wait(5)
    job.stop()
    assert job.stopping
    go_on.set()
    assert job.wait(5)
    assert (job.state, job.done) == ("stopped", 1)
    job.go_on()
    assert job.wait(5)
    assert (job.state, done) == ("failed", ["first", "second"])
    job.go_on()
    assert job.wait(5)
    assert (job.state, done, job.error) == ("done", ["first", "second"] * 2, None)


@pytest.fixture
def few(monkeypatch, tiny_offered):
    """Three pairs a kind, two orders, one twin."""
    monkeypatch.setattr(calibrate, "pairs_of", lambda kind: pairs_of(kind)[:3])
    monkeypatch.setattr("mha.intervention.controls.swaps_of", lambda kind: matched_swaps_of(kind)[:4])
    monkeypatch.setattr(calibrate, "COUNT", 2)
    monkeypatch.setattr(calibrate, "TWIN_SEEDS", (0,))
    monkeypatch.setattr(calibrate, "N_STEPS", STEPS)
    monkeypatch.setattr("mha.intervention.bank.corpus", lambda: ("I saw the man.", "It was a dog."))
    monkeypatch.setattr(runs, "RUNS", runs.Runs())


@pytest.mark.slow
def test_a_model_is_measured_once_and_then_known(few):
    assert experiments.calibration_of_kind("pronoun", MODEL) is None
    run = calibration_asked(MODEL).begin()
    assert calibration_asked(MODEL).begin() is run
    assert run.wait(120)
    assert (run.state, run.done, run.whole) == ("done", STEPS, STEPS)
    for kind in KINDS:
        assert experiments.calibration_of_kind(kind, MODEL).n_pairs == 3
    assert calibration_asked(MODEL).begin() is run


def test_a_measurement_stops_and_goes_on_where_it_was(few, monkeypatch):
    reached, go_on, parts = threading.Event(), threading.Event(), []
    seen = calibrate.seen

    def held(*args):
        parts.append(args)
        if len(parts) == 2:
            reached.set()
            assert go_on.wait(60)
        return seen(*args)

    monkeypatch.setattr(calibrate, "seen", held)
    run = calibration_asked(MODEL).begin()
    assert reached.wait(60)
    run.stop()
    go_on.set()
    assert run.wait(60)
    assert run.state == "stopped"
    done = run.done
    assert 0 < done < STEPS
    assert calibration_asked(MODEL).begin() is run
    assert run.wait(120)
    assert (run.state, run.done) == ("done", STEPS)


@pytest.mark.slow
def test_a_measurement_that_fails_begins_anew(few, monkeypatch):
    seen, broken = calibrate.seen, [True]

    def once_broken(*args):
        if broken.pop() if broken else False:
            raise RuntimeError("out of memory")
        return seen(*args)

    monkeypatch.setattr(calibrate, "seen", once_broken)
    run = calibration_asked(MODEL).begin()
    assert run.wait(60)
    assert run.state == "failed"
    calibration_asked(MODEL).begin()
    end = time.monotonic() + 120
    while run.state != "done" and time.monotonic() < end:
        run.wait(0.1)
    assert run.state == "done"


def test_a_job_that_waits_for_its_turn_ends_at_once_and_gives_its_place_back():
    line, began, go_on, done = Work("test"), threading.Event(), threading.Event(), []

    def first():
        began.set()
        assert go_on.wait(20)

    class InLine(Acts):
        def __init__(self, *acts):
            self.acts = acts
            jobs.Job.__init__(self, line)

    before = InLine(first)
    assert began.wait(20)
    waiting = InLine(lambda: done.append("mine"))
    waiting.leave()
    assert waiting.wait(0)
    assert (waiting.state, waiting.left, done) == ("stopped", True, [])
    waiting.go_on()
    go_on.set()
    assert before.wait(20)
    assert waiting.wait(20)
    assert (waiting.state, done) == ("done", ["mine"])
