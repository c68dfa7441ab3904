"""Widget states that no page of ours sends: a number for a text, a NaN; the widget keeps what it had."""

from __future__ import annotations

import math
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.session_state import WStates, unpack_widget_state_value

from mha.guard.refusals import refuse

WHOLE = ("double_value", "int_value")  # what Streamlit registers of a field of whole numbers, and what its page sends

_set = WStates.set_widget_from_proto


def fits(metadata: Any, state: WidgetState) -> bool:
    """Return whether a state is of its widget's kind, finite, and something that the widget can read."""
    kind = state.WhichOneof("value")
    if kind is None:  # a widget that was emptied
        return True
    if kind != metadata.value_type and (metadata.value_type, kind) != WHOLE:
        return False
    try:
        value = unpack_widget_state_value(state)
        numbers = [value] if kind == "double_value" else value if kind == "double_array_value" else []
        metadata.deserializer(value)
    except Exception:  # each widget has its own
        return False
    return all(math.isfinite(number) for number in numbers)


def _checked(self: WStates, state: WidgetState) -> None:
    metadata = self.widget_metadata.get(state.id)
    if metadata is None or fits(metadata, state):
        _set(self, state)
    else:
        refuse("forged widget state", kind=str(state.WhichOneof("value")), widget=state.id[:80])


def keep_out() -> None:
    """Let no such state into a session from now on. Streamlit has no hook for that: this method is the one way in."""
    WStates.set_widget_from_proto = _checked  # type: ignore[assignment, method-assign]
