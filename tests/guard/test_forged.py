"""Widget states that no page sends: the widget keeps what it had, and the page goes on."""

import math

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.common import WidgetMetadata

from mha import streamlit_facts
from mha.guard.inbox import keep_out

ROWS = [("text", "string_value", str.upper), ("number", "double_value", int), ("range", "double_array_value", list)]


@pytest.fixture
def session(monkeypatch):
    """Return the state of a session that has three widgets, each with an honest value."""
    monkeypatch.setattr(SessionState, "set_widgets_from_proto", SessionState.set_widgets_from_proto)
    monkeypatch.setattr(streamlit_facts, "_fits", streamlit_facts._fits)
    monkeypatch.setattr(streamlit_facts, "_spare", lambda _coming: ())
    keep_out()
    state = SessionState()
    for name, kind, read in ROWS:
        state._new_widget_state.set_widget_metadata(WidgetMetadata(name, read, lambda value: value, kind))
    honest = WidgetStates()
    honest.widgets.add(id="text").string_value = "dogs"
    honest.widgets.add(id="number").double_value = 3
    honest.widgets.add(id="range").double_array_value.data.extend([1, 2])
    state.on_script_will_rerun(honest)
    return state


def values(session):
    return {name: session[name] for name, *_ in ROWS}


def test_honest_states_come_through(session):
    assert values(session) == {"text": "DOGS", "number": 3, "range": [1, 2]}


def test_a_whole_number_is_a_number(session):
    """The browser's own field sends whole numbers so, whatever Streamlit registered."""
    honest = WidgetStates()
    honest.widgets.add(id="number").int_value = 5
    session.on_script_will_rerun(honest)
    assert session["number"] == 5


@pytest.mark.parametrize(
    ("widget", "kind", "value"),
    [
        ("text", "int_value", 7),
        ("text", "json_value", "{"),
        ("number", "double_value", math.nan),
        ("number", "double_value", math.inf),
        ("number", "string_value", "three"),
        ("range", "double_array_value", [math.nan, 1]),
        ("range", "trigger_value", True),
    ],
)
def test_a_forged_state_leaves_what_was_there_and_the_next_run_is_well(session, widget, kind, value):
    before = values(session)
    for _ in range(2):
        forged = WidgetStates()
        state = forged.widgets.add(id=widget)
        if isinstance(value, list):
            getattr(state, kind).data.extend(value)
        else:
            setattr(state, kind, value)
        session.on_script_will_rerun(forged)
        assert values(session) == before
    honest = WidgetStates()
    honest.widgets.add(id="text").string_value = "cats"
    session.on_script_will_rerun(honest)
    assert session["text"] == "CATS"


def test_a_widget_that_nobody_drew_yet_is_left_to_streamlit(session):
    early = WidgetStates()
    early.widgets.add(id="later").int_value = 3
    session.on_script_will_rerun(early)
    assert "later" not in values(session)
