"""Trainings in the background: turns, stopping, going on, bounds, faults; and the runs that come with the app."""

import threading
import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from mha.engine import jobs
from mha.engine.bundled import RUNS, RUNS_FILE, bundled_runs, read_runs, siblings
from mha.engine.trainings import FAILED, TrainingRun
from mha.errors import Busy, InputError
from mha.training.curves import Curves
from mha.training.loop import train
from mha.training.settings import Settings
from studies.files import write_runs
from studies.training_runs import train_run

SHORT = Settings(n_heads=2, n_steps=17, batch=3)
OTHER = replace(SHORT, n_heads=1)


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def curves_of(trainer, settings) -> Curves:
    curves = trainer.progress(settings).curves
    assert curves is not None
    return curves


class Slow:
    """Training that takes a step whenever it is let, and notes whose turn it was."""

    def __init__(self, failing=None):
        self.turns, self.gate, self.failing = [], threading.Semaphore(0), failing

    def __call__(self, settings, every):
        for snapshot in train(settings, every):
            self.gate.acquire()
            self.turns.append(settings)
            if self.failing:
                raise self.failing
            yield snapshot

    def let(self, count):
        for _ in range(count):
            self.gate.release()


def test_a_run_gives_the_curves_of_the_loop_and_is_kept(trainer_of):
    trainer = trainer_of()
    assert trainer.progress(SHORT).phase == "none"
    trainer.start(SHORT, "anna")
    until(lambda: trainer.progress(SHORT).phase == "finished")
    curves = curves_of(trainer, SHORT)
    expected = list(train(SHORT, every=1))
    assert curves.step.tolist() == [snapshot.step for snapshot in expected]
    np.testing.assert_array_equal(curves.joint, [snapshot.joint for snapshot in expected])
    np.testing.assert_array_equal(curves.weights[-1], expected[-1].weights)
    trainer.start(SHORT, "bert")
    assert trainer.progress(SHORT).curves is curves
    trainer.start(SHORT, "bert", anew=True)
    assert trainer.progress(SHORT).phase == "training"
    until(lambda: trainer.progress(SHORT).phase == "finished")
    np.testing.assert_array_equal(curves_of(trainer, SHORT).weights, curves.weights)


def test_two_runs_take_turns_and_equal_settings_are_one_run(trainer_of):
    slow = Slow()
    trainer = trainer_of(slow)
    for settings, visitor in ((SHORT, "anna"), (OTHER, "bert"), (SHORT, "carl")):
        trainer.start(settings, visitor)
    slow.let(8)
    until(lambda: len(slow.turns) == 8)
    assert set(slow.turns) == {SHORT, OTHER}
    assert all(one != next_one for one, next_one in pairwise(slow.turns[1:])), (
        "the first may come before the second run"
    )
    slow.let(200)


def test_stopping_keeps_what_was_learned_and_carrying_on_ends_as_if_never_stopped(trainer_of):
    slow = Slow()
    trainer = trainer_of(slow)
    trainer.start(SHORT, "anna")
    trainer.start(SHORT, "bert")
    slow.let(4)
    until(lambda: len(slow.turns) == 4)
    trainer.stop(SHORT, "anna")
    assert trainer.progress(SHORT).phase == "training", "bert still watches"
    trainer.stop(SHORT, "bert")
    slow.let(1)  # the chunk under way ends; no other begins
    until(lambda: jobs.RUNS.get(TrainingRun.of(SHORT)).state == "stopped")
    stopped = trainer.progress(SHORT)
    assert stopped.phase == "stopped"
    so_far = curves_of(trainer, SHORT)
    assert 4 <= len(so_far) <= 5
    slow.let(200)
    assert len(curves_of(trainer, SHORT)) == len(so_far)
    trainer.start(SHORT, "anna")
    until(lambda: trainer.progress(SHORT).phase == "finished")
    expected = list(train(SHORT, every=1))
    np.testing.assert_array_equal(curves_of(trainer, SHORT).weights[-1], expected[-1].weights)


def test_a_visitor_has_two_trainings_at_most(trainer_of):
    slow = Slow()
    trainer = trainer_of(slow)
    for seed in range(2):
        trainer.start(replace(SHORT, seed=seed), "anna")
    with pytest.raises(Busy, match="already have two long runs"):
        trainer.start(replace(SHORT, seed=2), "anna")
    trainer.stop(SHORT, "anna")
    trainer.start(replace(SHORT, seed=2), "anna")
    slow.let(500)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("fault", "said"), [(InputError("Too wide."), "Too wide."), (RuntimeError("x"), FAILED)])
def test_a_fault_stops_one_run_with_a_sentence(fault, said, trainer_of):
    slow = Slow(failing=fault)
    trainer = trainer_of(slow)
    trainer.start(SHORT, "anna")
    slow.let(1)
    until(lambda: trainer.progress(SHORT).phase == "failed")
    assert trainer.progress(SHORT).message == said
    slow.failing = None
    slow.let(200)
    trainer.start(SHORT, "anna")
    until(lambda: trainer.progress(SHORT).phase == "finished")


def test_bundled_runs_are_there_at_once_unless_asked_for_live(trainer_of):
    trainer = trainer_of()
    for settings in RUNS:
        progress = trainer.progress(settings)
        assert progress.bundled
        assert curves_of(trainer, settings).finished
    assert trainer.progress(RUNS[0], live=True).phase == "none"
    assert [curves.settings.seed for curves in siblings(RUNS[0])] == [1, 2, 3]
    assert siblings(SHORT) == ()
    assert RUNS_FILE.stat().st_size < 400_000


@pytest.mark.slow
def test_the_file_is_what_the_code_produces(tmp_path):
    """One short run, written and read; and the first moment of a bundled run, trained again here."""
    made = train_run(SHORT, every=16)
    write_runs([made], tmp_path / "runs.npz")
    ((settings, found),) = read_runs(tmp_path / "runs.npz").items()
    assert settings == SHORT
    for name, array in made.arrays().items():
        np.testing.assert_allclose(found.arrays()[name], array, atol=6e-4, err_msg=name)
    for settings in (RUNS[0], RUNS[4]):
        again, kept = train(settings, every=75), bundled_runs()[settings]
        for moment in (0, 3):
            snapshot = next(again)
            assert kept.step[moment] == snapshot.step
            np.testing.assert_allclose(kept.weights[moment], snapshot.weights, atol=2e-3)
            np.testing.assert_allclose(kept.joint[moment], snapshot.joint, atol=5e-3)


def test_the_bundled_runs_show_what_the_page_says_of_them():
    runs = bundled_runs()
    ends = {(s.n_heads, s.seed): runs[s] for s in RUNS[:8]}
    for seed in range(4):
        assert 0.3 <= ends[1, seed].joint[-1] <= 0.57
        assert ends[2, seed].joint[-1] >= 0.99
        assert set(ends[2, seed].holds()) == {0, 1}
    identical = runs[Settings(n_heads=4, start="identical")]
    assert identical.diverse_weights.max() < 1e-3
    assert identical.parted() is None
