"""Memory for what is recorded: taken as long as somebody holds on to it, waited for, and never for ever."""

import threading

import numpy as np
import pytest

from mha.engine.cache import size
from mha.engine.recordings import LocalEngine, Request
from mha.engine.waiting import MemoryLimit
from mha.maps import AttentionMaps, Recording, Token
from tests.engine.waiting import until


def recording() -> Recording:
    weights = np.full((2, 3, 5, 5), 0.2, dtype=np.float32)
    return Recording(AttentionMaps(weights, tuple(Token(f"w{place}", word=place) for place in range(5))))


def room(most: int = 10, seconds: float = 0.0, kept: int = 0) -> tuple[MemoryLimit, list[int]]:
    """A room, and what it was asked to let go of: ``kept`` recordings of 3 bytes are kept for later."""
    let_go: list[int] = []

    def free_memory() -> bool:
        if len(let_go) == kept:
            return False
        let_go.append(3)
        found.add(-3, "kept")
        return True

    found = MemoryLimit(free_memory, most, seconds)
    return found, let_go


def test_it_is_taken_until_nobody_holds_the_maps():
    engine = LocalEngine(run=lambda request: recording(), load=lambda: None)
    held = engine.record(Request("one text")).maps
    n_bytes = engine._memory.bytes_by_owner().total()
    assert n_bytes == size(Recording(held))
    assert engine._cache.drop_oldest()
    assert engine._memory.bytes_by_owner().total() == n_bytes, "the maps are still held"
    del held
    until(lambda: engine._memory.bytes_by_owner().total() == 0)  # the thread that recorded it lets go of it


def test_what_is_kept_for_later_goes_first():
    found, let_go = room(most=12, kept=2)
    found.take(6, "kept")
    found.take(6)
    found.take(4)
    assert let_go == [3, 3]
    assert found.bytes_by_owner().total() == 10


def test_the_first_gets_in_whatever_its_size_and_the_second_waits_until_it_is_gone():
    found, _ = room(most=10, seconds=30.0)
    found.take(50, "first")
    threading.Timer(0.05, lambda: found.add(-50, "first")).start()
    found.take(4, "second")
    assert found.bytes_by_owner().total() == 4


def test_nobody_waits_for_ever():
    found, _ = room(most=10, seconds=0.0)
    found.take(9)
    found.take(9)
    assert found.bytes_by_owner().total() == 18


def test_what_is_small_does_not_wait():
    engine = LocalEngine(run=lambda request: recording(), load=lambda: None)
    engine._memory, _ = room(most=10, seconds=1e9)
    engine._memory.take(9, "another")
    assert engine.record(Request("one small text")).maps.n_keys == 5


@pytest.mark.parametrize("letters", [5, 2000])
def test_every_recording_that_lands_gives_back_what_it_took(letters):
    engine = LocalEngine(run=lambda request: recording(), load=lambda: None)
    engine.record(Request("a " * (letters // 2)))
    assert engine._cache.drop_oldest()
    until(lambda: engine._memory.bytes_by_owner().total() == 0)  # the thread that recorded it lets go of it
