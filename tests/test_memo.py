"""Every dataclass with arrays has a one-line repr; memoised results live as long as their first argument."""

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
from mha.maps import Token
from mha.memo import array_dataclass, memoise, short_repr

WITH_RAY = ("mha.engine.replica",)  # which is installed for them alone


def classes_with_arrays():
    """Return every dataclass of the package with an array field."""
    classes = set()
    for module in pkgutil.walk_packages(mha.__path__, "mha."):
        if module.name.endswith("__main__") or module.name.startswith("mha.app"):
            continue
        if module.name in WITH_RAY and importlib.util.find_spec("ray") is None:
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and dataclasses.is_dataclass(value) and value.__module__.startswith("mha."):
                types = [str(field.type) for field in dataclasses.fields(value)]
                if any("ndarray" in kind and "Callable" not in kind for kind in types):
                    classes.add(value)
    return sorted(classes, key=lambda value: (value.__module__, value.__name__))


def test_classes_with_arrays_have_short_repr():
    classes = classes_with_arrays()
    assert len(classes) > 25
    assert {"AttentionMaps", "Recording", "Sweep", "Patch", "Leans", "SetAside"} <= {
        value.__name__ for value in classes
    }
    assert [value.__qualname__ for value in classes if value.__repr__ is not short_repr] == []


@pytest.mark.sampled(7)
@pytest.mark.parametrize("value", classes_with_arrays(), ids=lambda value: f"{value.__module__}.{value.__name__}")
def test_short_repr_of_large_values(value):
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
    __repr__ = short_repr


def test_short_repr_shows_shapes():
    held = Holding(3, {"q": np.zeros((2, 3))}, (np.ones(5), 7), mha.HeadId(5, 3), "a\nname")
    assert repr(held) == (
        "Holding(number=3, arrays={q: float64[2, 3]}, several=(float64[5], 7), head=HeadId(layer=5, head=3), "
        r"name='a\nname')"
    )
    many = Holding(0, {str(n): n for n in range(9)}, tuple("abcdefg"), mha.HeadId(0, 0), "x" * 100)
    assert "arrays=9 × str, several=7 × str" in repr(many)
    assert "xxx...xxx" in repr(many)


def test_memoise_runs_once_and_frees_first_argument():
    calls = []

    @array_dataclass
    class Weights:
        weights: np.ndarray

    @memoise
    def repeated(first, times):
        calls.append(times)
        return [len(first.weights)] * times

    first, second = (Weights(np.zeros(3)) for _ in range(2))
    assert repeated(first, 2) is repeated(first, 2) is not repeated(second, 2)
    assert repeated(first, 5) == [3] * 5
    assert calls == [2, 2, 5]
    reference = weakref.ref(first)
    del first
    gc.collect()
    assert reference() is None
