"""What carries arrays prints itself in one short line, wherever it is in the package."""

import dataclasses
import gc
import importlib
import importlib.util
import pkgutil
import weakref
from dataclasses import dataclass

import numpy as np
import pytest

import mha
from mha.brief import brief, once_of_each, with_arrays
from mha.maps import Token

WITH_RAY = ("mha.engine.replica",)  # which is installed for them alone


def carriers():
    """Return every dataclass of the package that has a field for an array."""
    found = set()
    for module in pkgutil.walk_packages(mha.__path__, "mha."):
        if module.name.endswith("__main__") or module.name.startswith("mha.app"):
            continue
        if module.name in WITH_RAY and importlib.util.find_spec("ray") is None:
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and dataclasses.is_dataclass(value) and value.__module__.startswith("mha."):
                types = [str(field.type) for field in dataclasses.fields(value)]
                if any("ndarray" in kind and "Callable" not in kind for kind in types):
                    found.add(value)
    return sorted(found, key=lambda value: (value.__module__, value.__name__))


def test_everything_that_carries_arrays_has_the_short_line():
    found = carriers()
    assert len(found) > 25
    assert {"AttentionMaps", "Recording", "Sweep", "Patch", "Leans", "SetAside"} <= {value.__name__ for value in found}
    assert [value.__qualname__ for value in found if value.__repr__ is not brief] == []


@pytest.mark.sampled(7)
@pytest.mark.parametrize("value", carriers(), ids=lambda value: f"{value.__module__}.{value.__name__}")
def test_however_much_it_carries_the_line_is_short(value):
    thing = object.__new__(value)
    tokens = tuple(Token("word" * 20) for _ in range(512))
    for number, field in enumerate(dataclasses.fields(value)):
        filled = (np.zeros((6, 12, 97, 97), dtype=np.float32), tokens, {str(n): n for n in range(99)}, "x" * 2000)
        object.__setattr__(thing, field.name, filled[0] if "ndarray" in str(field.type) else filled[number % 4])
    assert len(repr(thing)) < 400
    assert "\n" not in repr(thing)


@dataclass(frozen=True)
class Holding:
    number: int
    arrays: dict
    several: tuple
    head: mha.HeadId
    name: str
    __repr__ = brief


def test_the_line_is_the_call_with_shapes_in_the_place_of_numbers():
    held = Holding(3, {"q": np.zeros((2, 3))}, (np.ones(5), 7), mha.HeadId(5, 3), "a\nname")
    assert repr(held) == (
        "Holding(number=3, arrays={q: float64[2, 3]}, several=(float64[5], 7), head=HeadId(layer=5, head=3), "
        r"name='a\nname')"
    )
    many = Holding(0, {str(n): n for n in range(9)}, tuple("abcdefg"), mha.HeadId(0, 0), "x" * 100)
    assert "arrays=9 × str, several=7 × str" in repr(many)
    assert "xxx...xxx" in repr(many)


def test_what_is_made_of_something_is_made_once_and_goes_with_it():
    made = []

    @with_arrays
    class Weighed:
        weights: np.ndarray

    @once_of_each
    def doubled(one, times):
        made.append(times)
        return [len(one.weights)] * times

    one, other = (Weighed(np.zeros(3)) for _ in range(2))
    assert doubled(one, 2) is doubled(one, 2) is not doubled(other, 2)
    assert doubled(one, 5) == [3] * 5
    assert made == [2, 2, 5]
    gone = weakref.ref(one)
    del one
    gc.collect()
    assert gone() is None
