"""Dataclasses that contain arrays: a short repr without the numbers, and results cached as long as they live."""

import functools
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, TypeVar, cast, dataclass_transform
from weakref import WeakKeyDictionary

import numpy as np

from mha import old_names

MAX_LENGTH = 360  # characters of a repr between its brackets
MAX_ENTRIES = 3  # of longer sequences and mappings the repr has only the length
Value = TypeVar("Value")
Make = TypeVar("Make", bound=Callable[..., Any])


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def array_dataclass(value: type[Value]) -> type[Value]:
    """Return a class as a frozen dataclass that is compared by identity and has `short_repr` as its repr."""
    value.__repr__ = short_repr  # type: ignore[method-assign]
    if value.__name__ in old_names.FIELDS:
        value.__getattr__ = old_names.old_field  # type: ignore[attr-defined]
    return dataclass(frozen=True, eq=False)(value)


def memoise(make: Make) -> Make:
    """Memoise ``make``; entries live as long as its first argument.

    A result must not refer to the first argument, or both stay. Threads may call at once.
    """
    cache: WeakKeyDictionary[Any, dict[tuple[Any, ...], Any]] = WeakKeyDictionary()

    @functools.wraps(make)
    def memoised(first: Any, *others: Any) -> Any:
        results = cache.setdefault(first, {})
        if others not in results:
            results[others] = make(first, *others)
        return results[others]

    return cast(Make, memoised)


def short_repr(value: Any) -> str:
    """Return the repr of a dataclass as one short line, with arrays as their type and shape.

    A class assigns it to ``__repr__`` in its body, or `array_dataclass` does, because `dataclass` then writes no other.
    """
    parts = ", ".join(f"{item.name}={_short_value(getattr(value, item.name))}" for item in fields(value) if item.repr)
    return f"{type(value).__name__}({parts if len(parts) <= MAX_LENGTH else parts[: MAX_LENGTH - 1] + '…'})"


def _short_value(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if is_dataclass(value):
        return f"{type(value).__name__}(…)"
    if isinstance(value, Mapping | tuple | list) and len(value) > MAX_ENTRIES:
        return f"{len(value)} × {type(next(iter(value))).__name__}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_short_value(entry)}' for key, entry in value.items())}}}"
    if type(value) in (tuple, list):
        return f"({', '.join(map(_short_value, value))})"
    return reprlib.repr(value)
