"""Trainings of a test's own."""

import pytest

from mha.engine import jobs, trainings
from mha.engine.following import Followers
from mha.engine.jobs import Runs


@pytest.fixture
def trainer_of(monkeypatch):
    """Let runs be trained by another function, and done, kept and followed apart from all others.

    All of them end before the next test: one that has not begun would ask for that test's own function.
    """
    made = []

    def of(train=None, followers=None):
        made.append(Runs())
        for name, own in (("RUNS", made[-1]), ("FOLLOWERS", followers or Followers())):
            for module in (jobs, trainings):
                monkeypatch.setattr(module, name, own)
        if train is not None:
            monkeypatch.setattr(trainings, "trained", train)
        return trainings

    yield of
    assert all(run.wait(60) for runs in made for run in runs._runs.values())
