"""Learning: the same settings give the same curves, it can be stopped, equal heads stay equal, two divide the task."""

import threading

import numpy as np
import pytest
import torch

from mha.training.model import right, train
from mha.training.settings import PRESSURES, Grammar, Settings
from studies.training_runs import finish

SHORT = Settings(n_steps=11, batch=13)


def curve(settings: Settings, every: int = 5) -> list[tuple[int, bytes, float]]:
    return [(one.step, one.weights.tobytes(), one.diversity) for one in train(settings, every)][1:]


def test_snapshots_come_at_the_start_at_every_mark_and_at_the_end():
    snapshots = list(train(SHORT, interval=5))
    assert [snapshot.step for snapshot in snapshots] == [0, 5, 10, 11]
    last = snapshots[-1]
    assert last.readings.shape == (2,)
    assert last.looks.shape == last.ablated.shape == (2, 2)
    assert last.weights.shape == (1, 2, 10, 10)
    np.testing.assert_allclose(last.weights.sum(axis=-1), 1, atol=1e-6)


def test_the_same_settings_give_the_same_curve_whatever_ran_before():
    first = curve(SHORT)
    torch.manual_seed(7)
    torch.rand(3)
    assert curve(SHORT) == first
    assert curve(SHORT, every=1)[-1] == first[-1]  # looking more often changes nothing
    assert curve(Settings(n_steps=11, batch=13, seed=1)) != first


def test_two_runs_at_once_do_not_disturb_each_other():
    alone, threads, beside = curve(SHORT), torch.get_num_threads(), {}
    workers = [threading.Thread(target=lambda n=n: beside.update({n: curve(SHORT, every=2)[-1]})) for n in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert beside == {0: alone[-1], 1: alone[-1]}
    assert torch.get_num_threads() == threads


@pytest.mark.parametrize("pressure", PRESSURES)
def test_equal_heads_stay_equal(pressure):
    _, learner = finish(Settings(n_heads=4, start="identical", pressure=pressure, n_steps=37))
    for matrix in (learner.last.w_query, learner.last.w_key, learner.last.w_value, learner.last.w_output):
        for head in range(1, 4):
            assert torch.equal(matrix[head], matrix[0])


def test_a_little_noise_is_enough_to_part_them():
    _, learner = finish(Settings(n_heads=4, start="identical+noise", n_steps=37))
    assert not torch.equal(learner.last.w_query[1], learner.last.w_query[0])


def test_two_heads_take_one_noun_each_and_one_off_costs_one_reading():
    snapshot, learner = finish(Settings(n_steps=600))
    assert snapshot.joint > 0.95
    taken = snapshot.looks.argmax(axis=1)  # [head]
    assert sorted(taken) == [0, 1]
    assert snapshot.looks.max(axis=1).min() > 0.9
    for head, noun in enumerate(taken):
        assert snapshot.ablated[head, noun] < 0.1
        assert snapshot.ablated[head, 1 - noun] > 0.95
    unseen = Grammar().sentences(101, np.random.default_rng(11), held_out=True)
    assert right(learner, unseen).all(axis=1).mean() > 0.9
    assert right(learner, unseen, ablated=(0, 1)).all(axis=1).mean() < 0.1
