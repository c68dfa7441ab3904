"""Every dataclass with arrays has a one-line repr; memoised results live as long as their first argument."""

import dataclasses
import gc
import importlib
import importlib.util
import pkgutil
import weakref

import numpy as np

import mha
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
