"""Recordings that are kept: bounded by bytes and by items, the one asked for longest ago goes first."""

from __future__ import annotations

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


class Cache(LRUCache):
    """Recordings by request; one that is larger than all the room has it for itself until the next one comes."""

    def __init__(self, most_bytes: int = BYTES, most_items: int = ITEMS) -> None:
        super().__init__(most_bytes, getsizeof=lambda recording: min(size(recording), most_bytes))
        self.most_items = most_items

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        while len(self) > self.most_items:
            self.popitem()
