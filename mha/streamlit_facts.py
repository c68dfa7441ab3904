"""What we lean on of Streamlit though it does not promise it: each fact once, under the name of what it is for.

Nothing else in the house imports from ``streamlit.runtime`` or ``streamlit.proto``, touches a name of Streamlit's that
begins with an underscore, or reads a file of its installation (tests/test_layers.py). Where it has a public way, that
is taken. Each function says which fact it leans on, and tests/test_platform.py has a test of that fact, so that an
upgrade tells us. Written for Streamlit 1.67.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import streamlit
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.common import user_key_from_element_id
from streamlit.runtime.state.session_state import unpack_widget_state_value

# ---- whose run this is


class Run(NamedTuple):
    """The run of a page that is under way in this thread, and what asked for it."""

    visitor: str
    page: str  # another text for another page
    by_history: bool  # a step back or forth in the browser's history asked for it
    of_a_part: bool  # a part of the page is drawn again alone


def run() -> Run | None:
    """Return the run of this thread, None outside of one. Leans on the script run context; nothing public has these."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return None
    return Run(
        context.session_id,
        context.page_script_hash,
        context.is_history_navigation,
        bool(context.fragment_ids_this_run),
    )


def is_open(visitor: str) -> bool:
    """Return whether a visitor's page is open, always where no server runs. Leans on ``Runtime.is_active_session``."""
    return not Runtime.exists() or Runtime.instance().is_active_session(visitor)


# ---- what a browser says of its widgets


class WidgetSaid:
    """What a browser says of one widget: its value under the name of a field, which tells of what kind it is."""

    def __init__(self, state: WidgetState) -> None:
        self._state = state

    @property
    def id(self) -> str:
        """The widget's name at Streamlit."""
        return self._state.id

    @property
    def key(self) -> str | None:
        """The widget's name at ours, None where it has none. Leans on how an id is made of a key."""
        return user_key_from_element_id(self.id)

    @property
    def kind(self) -> str | None:
        """The field in which the value comes; None for a widget that was emptied."""
        return self._state.WhichOneof("value")

    @property
    def mark(self) -> int:
        """A number that is equal for what is said again."""
        return hash(self._state.SerializeToString(deterministic=True))

    def value(self) -> Any:
        """Return the value as it came."""
        return unpack_widget_state_value(self._state)


class Coming:
    """All that a browser says with one deed, taken into the visit's state: not compared with what stood there yet."""

    def __init__(self, state: SessionState, said: Sequence[WidgetSaid]) -> None:
        self._state, self.said = state, said

    @property
    def visit(self) -> Any:
        """The visit's state, by key; it has no ``get``, and st.session_state is not there yet."""
        return self._state

    def changed(self) -> list[WidgetSaid]:
        """Return what is said otherwise than before. Leans on how Streamlit finds whose callbacks it calls."""
        new, differs = self._state._new_widget_state, self._state._widget_changed
        return [said for name, said in {said.id: said for said in self.said}.items() if name in new and differs(name)]


_take = SessionState.set_widgets_from_proto
_spare: Callable[[Coming], Collection[WidgetSaid]] = lambda _coming: ()  # noqa: E731


def leave_out(spare: Callable[[Coming], Collection[WidgetSaid]]) -> None:
    """Leave out from now on the states that ``spare`` returns, before any callback is called for them.

    Leans on one method through which all states come in, and on the mapping of new states, which allows removal.
    """
    global _spare
    _spare = spare
    SessionState.set_widgets_from_proto = _taken  # type: ignore[assignment, method-assign]


def _taken(self: SessionState, states: WidgetStates) -> None:
    said = [WidgetSaid(state) for state in states.widgets]
    _take(self, states)
    for each in _spare(Coming(self, said)):
        del self._new_widget_state[each.id]


_run = SessionState._run_callback_and_record_rerun


def around_callbacks(hold: Callable[[Callable[[], None]], None]) -> None:
    """Let ``hold`` call the callbacks of all widgets and components from now on.

    Leans on the one method through which they are called, of widgets with one and of components with many.
    """

    def held(self: SessionState, votes: Any, call: Callable[[], None]) -> None:
        _run(self, votes, functools.partial(hold, call))

    SessionState._run_callback_and_record_rerun = held  # type: ignore[assignment, method-assign]


# ---- its addresses, and messages over its socket


_OWN = "/_stcore/"  # begins its own routes
STREAM = f"{_OWN}stream"  # the socket of a page
UPLOAD = re.compile(rf"{_OWN}upload_file(/|$)")  # a visitor's file
OWN_PATHS = r"(?:_stcore|static|media|component)/|manifest\.json$|favicon\.png$"  # what else it answers but its page
# Its own metrics, its way for programs and its script checks tell or do more than a visitor needs.
ASIDE = re.compile(rf"{_OWN}(metrics|agent|script-health-check)(/|$)")


def kind_of_message(data: bytes) -> str | None:
    """Return the kind of a message from a page, "rerun_script" or "operation deferred_file"; None for what is none.

    Leans on the message's fields.
    """
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except Exception:  # protobuf's own error type depends on how it was built
        return None
    kind: str | None = message.WhichOneof("type")
    if kind == "backend_operation_request":
        return f"operation {message.backend_operation_request.WhichOneof('payload')}"
    return kind or "empty"


LAST_BYTES = 200  # what the message that ends a run has at most


def ends_run(data: bytes) -> bool:
    """Return whether a message to a page is the one that ends a run. Leans on that message's name, and on its size."""
    return len(data) <= LAST_BYTES and ForwardMsg.FromString(data).WhichOneof("type") == "script_finished"


# ---- its page, its scripts and its fonts


STATIC = Path(streamlit.__file__).parent / "static"  # index.html and manifest.json; below static/, css/, js/ and media/
_INLINE = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL)
_ANCHORS = {  # of its page, each once
    "html": re.compile(r"<html\b[^>]*>"),
    "title": re.compile(r"<title>.*?</title>", re.DOTALL),
    "icon": re.compile(r"\./favicon\.png"),
    "font": re.compile(r'<link\s+rel="preload"\s+href="[^"]*SourceSansVF-Upright[^>]*/?>'),
    "end_of_head": re.compile(r"(?=</head>)"),
}


def anchored(page: str, **parts: str) -> str:
    """Return Streamlit's page with these parts of it, or places in it, written anew; what it lacks is left out.

    Leans on the text of its page; there is no setting for what stands in it before its scripts run: title and
    description of a link, our sheets, and the parts of its fonts. The names are those of ``_ANCHORS``.
    """
    for name, text in parts.items():
        page = _ANCHORS[name].sub(lambda _: text, page, count=1)  # noqa: B023 (called at once)
    return page


def own_page() -> str:
    """Return Streamlit's page as it is installed. Leans on where that is."""
    return (STATIC / "index.html").read_text(encoding="utf-8")


def inline_scripts(page: str) -> list[str]:
    """Return the scripts that stand in a page itself. Leans on how Streamlit's is written, for which this is enough."""
    return _INLINE.findall(page)
