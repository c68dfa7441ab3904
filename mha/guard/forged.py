"""Widget states that no page of ours sends: a number for a text, a NaN; the widget keeps what it had.

Else such a state ends every run from then on, with a traceback in the log each time: of forty runs after one of four
kinds forty end so, and with this none. On the way in nobody but Streamlit knows what a widget's state is.
"""

from __future__ import annotations

import math

from mha import streamlit_facts
from mha.guard.refusals import refuse
from mha.streamlit_facts import WidgetSaid

WHOLE = ("double_value", "int_value")  # what Streamlit registers of a field of whole numbers, and what its page sends


def fits(said: WidgetSaid) -> bool:
    """Return whether what is said is of its widget's kind, finite, and something that the widget can read."""
    kind, expected = said.kind, said.expected
    if kind is None or expected is None:  # a widget that was emptied, or that nobody drew yet
        return True
    if kind != expected and (expected, kind) != WHOLE:
        return False
    try:
        value = said.value()
        numbers = [value] if kind == "double_value" else value if kind == "double_array_value" else []
        said.read()
    except Exception:  # each widget has its own
        return False
    return all(math.isfinite(number) for number in numbers)


def _honest(said: WidgetSaid) -> bool:
    if fits(said):
        return True
    refuse("forged widget state", kind=str(said.kind), widget=said.id[:80])
    return False


def keep_out() -> None:
    """Let no such state into a session from now on."""
    streamlit_facts.keep_out(_honest)
