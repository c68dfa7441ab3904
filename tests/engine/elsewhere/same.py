"""Whether what came back is what was sent."""

import dataclasses

import numpy as np


def equal(one, other):
    """Return whether two values are of the same kinds and hold the same, bit for bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if dataclasses.is_dataclass(one):
        own = [field.name for field in dataclasses.fields(one) if field.init]
        return all(equal(getattr(one, name), getattr(other, name)) for name in own)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(value, other[key]) for key, value in one.items())
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(equal, one, other))
    return one == other or (one != one and other != other)
