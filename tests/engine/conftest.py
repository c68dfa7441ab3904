"""Trainings of a test's own."""

import pytest

from mha.engine import jobs, trainings
from mha.engine.following import Followers
from mha.engine.jobs import Runs
from mha.engine.work import Work


@pytest.fixture
def trainer_of(monkeypatch):
    """Let runs be trained by another function, and done, kept and followed apart from all others."""

    def of(train=None, followers=None):
        for name, own in (("RUNS", Runs()), ("FOLLOWERS", followers or Followers())):
            for module in (jobs, trainings):
                monkeypatch.setattr(module, name, own)
        monkeypatch.setattr(trainings, "TRAINING", Work("training", one_each=False))
        if train is not None:
            monkeypatch.setattr(trainings, "trained", train)
        return trainings

    return of
