"""What is kept for whoever asks next: bounded by bytes and by items, the one asked for longest ago goes first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from cachetools import LRUCache

from mha.maps import Recording

BYTES = 32 * 2**20
ITEMS = 256
MADE_OF_IT = 2  # what a page makes of weights and keeps beside them: merged into words, and with sinks set aside


def size(recording: Recording) -> int:
    """Return how many bytes a recording takes, with what pages keep beside it."""
    weights = sum(stack.nbytes for stack in recording.stacks.values()) or recording.maps.weights.nbytes
    kept = (recording.query, recording.key, recording.value, recording.hidden)
    return weights * (1 + MADE_OF_IT) + sum(array.nbytes for array in kept if array is not None)


def held(value: Any, seen: set[int] | None = None) -> int:
    """Return how many bytes the arrays take that something of ours holds, each counted once."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return 0
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, dict):
        return sum(held(one, seen) for one in list(value.values()))
    if isinstance(value, list | tuple):
        return sum(held(one, seen) for one in tuple(value))
    if type(value).__module__.startswith("mha.") and hasattr(value, "__dict__"):
        return held(vars(value), seen)
    return 0


class Cache(LRUCache):
    """Answers by question; one that is larger than all the room has it for itself until the next one comes."""

    def __init__(self, most_bytes: int = BYTES, most_items: int = ITEMS, sized: Callable[[Any], int] = size) -> None:
        super().__init__(most_bytes, getsizeof=lambda answer: min(sized(answer), most_bytes))
        self.most_items = most_items

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        while len(self) > self.most_items:
            self.popitem()
