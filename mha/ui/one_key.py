"""One key of a visit's state, where Streamlit makes a copy of the whole to know it.

Every field, selectbox and slider asks for all that the state holds, and looks at its own key: with forty widgets on a
page, a fifth of a run. What it is given here finds a key when it is asked, and makes the copy when all are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from streamlit.runtime.state.safe_session_state import SafeSessionState

whole = SafeSessionState.filtered_state


class Asked(Mapping[str, Any]):
    """What a state holds by the names that a page knows; held by tests/ui/test_one_key.py."""

    def __init__(self, state: SafeSessionState) -> None:
        self._state = state

    def _whole(self) -> dict[str, Any]:
        found: dict[str, Any] = whole.__get__(self._state)
        return found

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key in self._state

    def __getitem__(self, key: str) -> Any:
        return self._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())

    def __repr__(self) -> str:
        return repr(self._whole())


def serve() -> None:
    """Answer widgets so from now on. Streamlit has no hook for that: they all ask this property."""
    SafeSessionState.filtered_state = property(Asked)  # type: ignore[assignment, method-assign]
