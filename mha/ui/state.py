"""A shorter way to one value of a visit's state, where Streamlit takes the long one.

Every select box, number and text field asks Streamlit for all of the state as a dict, to look up its own key in it:
that was a sixth of what a click on a thumbnail cost. With `look_up` the same property answers for the key asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from streamlit.runtime.state.session_state import SessionState

EVERYTHING = SessionState.__dict__["filtered_state"]


class Looked(Mapping[str, Any]):
    """A visit's state under the keys that pages gave; what is asked of it is looked up when it is asked."""

    def __init__(self, state: SessionState) -> None:
        self._state = state

    def __getitem__(self, key: str) -> Any:
        return self._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._everything())

    def __len__(self) -> int:
        return len(self._everything())

    def _everything(self) -> dict[str, Any]:
        found: dict[str, Any] = EVERYTHING.fget(self._state)
        return found


def look_up() -> None:
    """Let Streamlit look values up from now on. Held by tests/ui/test_state.py."""
    SessionState.filtered_state = property(Looked)  # type: ignore[method-assign, assignment]
