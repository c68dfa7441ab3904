"""Long runs are kept by their question, within so many bytes; small ones stay when large ones go."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.engine.cache import PAGES_KEEP, size
from mha.engine.jobs import Job, LongQuestion, Runs


@dataclass(frozen=True)
class RunOf(LongQuestion):
    """The question of a run that a class makes with these arguments."""

    kind: Callable[..., Job]
    arguments: tuple[Any, ...]

    def run(self) -> Job:
        return self.kind(*self.arguments)


class Holding(Job):
    """A job that holds an array from the start and has nothing to do."""

    def __init__(self, size: int, _name: str = "") -> None:
        self.array = np.zeros(size, np.uint8)
        super().__init__()

    def steps(self):
        return iter(())


def held(name: str, size: int) -> RunOf:
    """Ask for a run that holds so many bytes; the name makes it another one."""
    return RunOf(Holding, (size, name))


def ended(runs: Runs, question: RunOf) -> Job:
    """Return a run that has ended: its size is known."""
    run = runs.go_on(question)
    assert run.wait(20)
    return run


def test_equal_questions_are_one_run_and_what_nobody_has_begun_is_none():
    runs = Runs()
    assert runs.get(held("a", 5)) is None
    first = runs.go_on(held("a", 5))
    assert runs.go_on(held("a", 5)) is first
    assert runs.get(held("a", 5)) is first
    assert runs.go_on(held("a", 7)) is not first


def test_the_oldest_runs_make_room_and_the_last_two_stay():
    runs, large = Runs(10_000_000), 1_000_000  # bytes, which count three times
    small = runs.go_on(held("small", 3))
    kept = [ended(runs, held(f"large {number}", large)) for number in range(5)]
    assert tuple(runs._runs.values()) == tuple(kept[-4:]), "the size of the newest was not known when it began"
    assert small.stopping or small.state == "done"
    runs = Runs(1)
    kept = [ended(runs, held(f"large {number}", large)) for number in range(3)]
    assert tuple(runs._runs.values()) == tuple(kept[-2:])


def test_the_newest_small_runs_stay(monkeypatch):
    monkeypatch.setattr("mha.engine.jobs.MOST_RUNS", 5)
    runs = Runs()
    kept = [runs.go_on(held(f"small {number}", 3)) for number in range(7)]
    assert tuple(runs._runs.values()) == tuple(kept[2:])


def test_a_run_is_as_large_as_all_its_arrays_each_counted_once():
    run = Holding(700_000)
    run.more = {"same": run.array, "other": [np.zeros(11, np.uint8), (np.zeros(3, np.float32),)]}
    assert size(vars(run)) == (1 + PAGES_KEEP) * (700_000 + 11 + 12)
