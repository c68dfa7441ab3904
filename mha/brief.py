"""Dataclasses that contain arrays: a short repr without the numbers, and results cached as long as they live."""

from __future__ import annotations

import functools
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, TypeVar, cast, dataclass_transform
from weakref import WeakKeyDictionary

import numpy as np

from mha import old_names

LONGEST = 360  # characters of a repr between its brackets
FEW = 3  # entries that are listed; of more, the repr has their number
Value = TypeVar("Value")
Make = TypeVar("Make", bound=Callable[..., Any])


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def with_arrays(value: type[Value]) -> type[Value]:
    """Return a class as a frozen dataclass that is compared by identity and has `brief` as its repr."""
    value.__repr__ = brief  # type: ignore[method-assign]
    if value.__name__ in old_names.FIELDS:
        value.__getattr__ = old_names.old_field  # type: ignore[attr-defined]
    return dataclass(frozen=True, eq=False)(value)


def once_of_each(make: Make) -> Make:
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


def brief(thing: Any) -> str:
    """Return the repr of a dataclass as one short line, with arrays as their type and shape.

    A class assigns it to ``__repr__`` in its body, or `with_arrays` does, because `dataclass` then writes no other.
    """
    parts = ", ".join(f"{part.name}={_part(getattr(thing, part.name))}" for part in fields(thing))
    return f"{type(thing).__name__}({parts if len(parts) <= LONGEST else parts[: LONGEST - 1] + '…'})"


def _part(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if is_dataclass(value):
        return f"{type(value).__name__}(…)"
    if isinstance(value, Mapping | tuple | list) and len(value) > FEW:
        return f"{len(value)} × {type(next(iter(value))).__name__}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_part(entry)}' for key, entry in value.items())}}}"
    if type(value) in (tuple, list):
        return f"({', '.join(map(_part, value))})"
    return reprlib.repr(value)
