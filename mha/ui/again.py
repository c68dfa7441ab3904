"""What a browser only says again, not having heard what the server has put there since: it is no choice of anybody's.

A browser says with every deed what all its widgets hold. What stands in a closed popover is not drawn there, so that it
never hears what the server has put in the meantime: it would go on saying what it once showed, and take a sentence that
was typed since for a change of mind. What shows a word of the link hears of it with the next run, and a reader may be
quicker than that: of two sentences that are typed one after the other, the second would be given up for the example
that was there before the first, and whoever leaves a page at once would lose theirs. Held by tests/pages/test_again.py,
tests/browser/test_again.py and tests/browser/test_another_text.py.
"""

from __future__ import annotations

from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.common import user_key_from_element_id

SAID = "browser_said"  # what the browser said last: a hash of each widget's state, by the widget's id
PAGE = "browser_said_on"  # on which page

_noted: set[str] = set()  # the keys of what may be said again, the same for all visitors
_take = SessionState.set_widgets_from_proto


def note(key: str) -> None:
    """Note the key of a widget that shows, in every run, what stands elsewhere in the visit's state."""
    _noted.add(key)


def note_in_popover(key: str, widget: Any) -> None:
    """Note the key of what ``widget`` draws, a function of Streamlit or of a container, if it stands in a popover."""
    if "popover" in widget.__self__._active_dg._ancestor_block_types:
        note(key)


def take_only_new() -> None:
    """Take no state from now on that a browser only says again. Streamlit has no hook for that: all come in here."""
    SessionState.set_widgets_from_proto = _taken  # type: ignore[assignment, method-assign]


def _taken(self: SessionState, states: WidgetStates) -> None:
    before = self[SAID] if SAID in self else {}  # noqa: SIM401 (it has no `get`)
    now = {state.id: hash(state.SerializeToString(deterministic=True)) for state in states.widgets}
    _take(self, states)
    changed = {name for name in now if name in self._new_widget_state and self._widget_changed(name)}
    again = {name for name in changed if now[name] == before.get(name) and _is_noted(name)}
    # Whoever chooses what stood there before says the same again, but then that is all they did.
    if _is_no_choice(self) or len(again) > 1 or changed - again:
        for name in again:
            del self._new_widget_state[name]
    self[SAID] = now


def _is_no_choice(state: SessionState) -> bool:
    """Return whether a run was asked for by something else than a widget: time, another page, a step in the history."""
    context = get_script_run_ctx()
    if context is None:
        return False
    elsewhere = PAGE in state and state[PAGE] != context.page_script_hash
    state[PAGE] = context.page_script_hash
    return elsewhere or context.is_history_navigation or bool(context.fragment_ids_this_run)


def _is_noted(name: str) -> bool:
    return user_key_from_element_id(name) in _noted
