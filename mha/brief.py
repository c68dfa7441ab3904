"""How something that carries arrays prints itself: what it holds and of which shape, never the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, TypeVar, dataclass_transform

import numpy as np

LONGEST = 360  # characters of the whole
LONGEST_PART = 48
FEW = 3  # so many are listed; of more, the number and the kind
Value = TypeVar("Value")


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def with_arrays(value: type[Value]) -> type[Value]:
    """Make of a class a frozen dataclass that is equal to itself alone, and prints itself as `brief` does."""
    value.__repr__ = brief  # type: ignore[method-assign]
    return dataclass(frozen=True, eq=False)(value)


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
