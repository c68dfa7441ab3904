"""What comes back from a component: events that name a head or a position, checked before anything acts on them.

A browser page may be out of date, and anyone can send anything over the socket: an event that names what is not there
is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import streamlit as st

from mha.maps import HeadId


def named_head(value: Any, names: Collection[str]) -> HeadId | None:
    """Return the head of an event such as ``{"head": "L5H3"}`` if it is one of the names, else None."""
    name = value.get("head") if isinstance(value, dict) else None
    return HeadId.parse(name) if isinstance(name, str) and name in names else None


def named_position(value: Any, count: int) -> tuple[int | None] | None:
    """Return the position of an event such as ``{"position": 3}`` as a 1-tuple (None inside releases), else None."""
    if not isinstance(value, dict) or "position" not in value:
        return None
    position = value["position"]
    if position is None:
        return (None,)
    fits = isinstance(position, int) and not isinstance(position, bool) and 0 <= position < count
    return (position,) if fits else None


def head_event(key: str, name: str, names: Collection[str], action: Callable[[HeadId], None]) -> Callable[[], None]:
    """Return the callback that hands the head of a component's trigger to an action."""

    def callback() -> None:
        head = named_head(_trigger(key, name), names)
        if head is not None:
            action(head)

    return callback


def choice_event(key: str, name: str, choices: Collection[str], action: Callable[[str], None]) -> Callable[[], None]:
    """Return the callback that hands a trigger's name to an action if it is one of the choices."""

    def callback() -> None:
        value = _trigger(key, name)
        chosen = value.get("name") if isinstance(value, dict) else None
        if isinstance(chosen, str) and chosen in choices:
            action(chosen)

    return callback


def place_event(key: str, name: str, count: int, action: Callable[[int | None], None]) -> Callable[[], None]:
    """Return the callback that hands the position of a component's trigger to an action."""

    def callback() -> None:
        position = named_position(_trigger(key, name), count)
        if position is not None:
            action(position[0])

    return callback


def _trigger(key: str, name: str) -> Any:
    return st.session_state[key].get(name)
