"""Measuring a model on the forced pairs: in steps, stopped, gone on with, and known to every page afterwards."""

import threading
import time

import pytest

from mha.engine import calibrating, experiments
from mha.intervention import calibrate
from mha.pairs import KINDS, pairs_of

MODEL = "tiny-masked"
STEPS = len(KINDS) * (1 + 2 + 1 + 1)


@pytest.fixture
def few(monkeypatch, tiny_offered):
    """Three pairs a kind, two orders, one twin."""
    monkeypatch.setattr(calibrate, "pairs_of", lambda kind: pairs_of(kind)[:3])
    monkeypatch.setattr(calibrate, "COUNT", 2)
    monkeypatch.setattr(calibrate, "TWIN_SEEDS", (0,))
    monkeypatch.setattr(calibrate, "N_STEPS", STEPS)
    monkeypatch.setattr("mha.intervention.bank.corpus", lambda: ("I saw the man.", "It was a dog."))
    monkeypatch.setattr(calibrating, "_runs", {})


def test_a_model_is_measured_once_and_then_known(few):
    assert experiments.calibration_of_kind("pronoun", MODEL) is None
    run = calibrating.begin(MODEL)
    assert calibrating.begin(MODEL) is run
    assert run.wait(120)
    assert (run.state, run.done, run.whole) == ("done", STEPS, STEPS)
    for kind in KINDS:
        assert experiments.calibration_of_kind(kind, MODEL).n_pairs == 3
    assert calibrating.begin(MODEL) is run


def test_a_measurement_stops_and_goes_on_where_it_was(few, monkeypatch):
    reached, go_on = threading.Event(), threading.Event()
    seen = calibrate.seen

    def held(*args):
        reached.set()
        assert go_on.wait(60)
        return seen(*args)

    monkeypatch.setattr(calibrate, "seen", held)
    run = calibrating.begin(MODEL)
    assert reached.wait(60)
    run.stop()
    go_on.set()
    assert run.wait(60)
    assert run.state == "stopped"
    done = run.done
    assert 0 < done < STEPS
    assert calibrating.begin(MODEL) is run
    assert run.wait(120)
    assert (run.state, run.done) == ("done", STEPS)


def test_a_measurement_that_fails_begins_anew(few, monkeypatch):
    seen, broken = calibrate.seen, [True]

    def once_broken(*args):
        if broken.pop() if broken else False:
            raise RuntimeError("out of memory")
        return seen(*args)

    monkeypatch.setattr(calibrate, "seen", once_broken)
    run = calibrating.begin(MODEL)
    assert run.wait(60)
    assert run.state == "failed"
    calibrating.begin(MODEL)
    end = time.monotonic() + 120
    while run.state != "done" and time.monotonic() < end:
        run.wait(0.1)
    assert run.state == "done"
