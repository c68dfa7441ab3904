"""Write the finished trainings of *Watch heads learn*: ``python -m studies.training_runs``."""

import argparse

from mha.engine.bundled import RUNS, RUNS_FILE
from mha.training.model import Learner, train
from mha.training.settings import Curves, Settings, Snapshot
from studies.files import write_runs

EVERY = 25  # steps between two recorded moments


def train_run(settings: Settings, interval: int = EVERY) -> Curves:
    """Return the curves of a training from its start to its end."""
    return Curves.from_snapshots(settings, list(train(settings, interval)))


def finish(settings: Settings) -> tuple[Snapshot, Learner]:
    """Return the last snapshot of a run and its learner."""
    run = train(settings, interval=settings.n_steps)
    while True:
        try:
            snapshot = next(run)
        except StopIteration as end:
            return snapshot, end.value


if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m studies.training_runs", description=__doc__).parse_args()
    write_runs([train_run(settings) for settings in RUNS], RUNS_FILE)
