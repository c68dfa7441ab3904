"""Recordings that are kept: bounded by bytes and by items, the one asked for longest ago goes first."""

from __future__ import annotations

from cachetools import LRUCache

from mha.maps import Recording

BYTES = 256 * 2**20
ITEMS = 256


def size(recording: Recording) -> int:
    """Return how many bytes the arrays of a recording take."""
    weights = sum(stack.nbytes for stack in recording.stacks.values()) or recording.maps.weights.nbytes
    kept = (recording.query, recording.key, recording.value, recording.hidden)
    return weights + sum(array.nbytes for array in kept if array is not None)


class Cache(LRUCache):
    """Recordings by request."""

    def __init__(self, most_bytes: int = BYTES, most_items: int = ITEMS) -> None:
        super().__init__(most_bytes, getsizeof=size)
        self.most_items = most_items

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        while len(self) > self.most_items:
            self.popitem()
