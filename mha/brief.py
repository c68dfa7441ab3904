"""What carries arrays: how it prints itself, never the numbers; what is made of it once, and goes with it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, TypeVar, cast, dataclass_transform
from weakref import WeakKeyDictionary

import numpy as np

LONGEST = 360  # characters of the whole
LONGEST_PART = 48
FEW = 3  # so many are listed; of more, the number and the kind
Value = TypeVar("Value")
Make = TypeVar("Make", bound=Callable[..., Any])


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def with_arrays(value: type[Value]) -> type[Value]:
    """Make of a class a frozen dataclass that is equal to itself alone, and prints itself as `brief` does."""
    value.__repr__ = brief  # type: ignore[method-assign]
    return dataclass(frozen=True, eq=False)(value)


def once_of_each(make: Make) -> Make:
    """Return a function that is asked once for each first argument and all others, as long as the first is kept.

    What it returns must not hold on to the first, or both stay; any two may ask at once.
    """
    known: WeakKeyDictionary[Any, dict[tuple[Any, ...], Any]] = WeakKeyDictionary()

    @functools.wraps(make)
    def found(one: Any, *more: Any) -> Any:
        answers = known.setdefault(one, {})
        if more not in answers:
            answers[more] = make(one, *more)
        return answers[more]

    return cast(Make, found)


def brief(thing: Any) -> str:
    """Return a dataclass as one short line, an array as its type and shape.

    It stands in the class, which keeps `dataclass` from writing its own; `with_arrays` puts it there.
    """
    parts = [f"{part.name}={_part(getattr(thing, part.name))}" for part in fields(thing)]
    return f"{type(thing).__name__}({_cut(', '.join(parts), LONGEST)})"


def _part(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if is_dataclass(value):
        return f"{type(value).__name__}(…)"
    if isinstance(value, Mapping):
        listed = value.items() if len(value) <= FEW else ()
        inside = ", ".join(f"{key}: {_part(entry)}" for key, entry in listed) or f"{len(value)} entries"
        return f"{{{inside}}}"
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        if len(value) > FEW:
            return f"{len(value)} × {type(value[0]).__name__}"
        return f"({', '.join(map(_part, value))})"
    return _cut(repr(value), LONGEST_PART)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
