"""Whatever a callback raises, the page is drawn from the state that stands, and says once what went wrong."""

import logging

import pytest
from streamlit.runtime.state import SessionState
from streamlit.testing.v1 import AppTest, local_script_runner

from mha.app import errors
from mha.app.errors import APOLOGY

METHOD = "_run_callback_and_record_rerun"


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    """Put Streamlit's own way to a callback back after each test."""
    monkeypatch.setattr(SessionState, METHOD, getattr(SessionState, METHOD))


def app(body):
    """Return an app whose callbacks are held, after its first run."""
    lines = "import streamlit as st\nfrom mha.errors import InputError\nfrom mha.app import errors\n"
    return AppTest.from_string(f"{lines}errors.hold_callbacks()\nerrors.say_kept()\n{body}").run()


def said(test):
    return [text.value for text in test.text]


FAILING = """
def fail():
    st.session_state["begun"] = True
    {deed}
st.button("go", on_click=fail)
st.text("drawn" + str(st.session_state.get("begun", "")))
"""


def test_a_bug_in_a_callback_is_an_apology_once_and_a_traceback_in_the_log(caplog):
    test = app(FAILING.format(deed="int('chosen for you: telescope (7th)')"))
    test.button[0].click().run()
    assert not test.exception
    assert said(test) == [APOLOGY, "drawnTrue"]
    (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert record.exc_info[0] is ValueError
    assert said(test.run()) == ["drawnTrue"]


def test_an_error_for_the_reader_is_its_sentence(caplog):
    test = app(FAILING.format(deed="raise InputError('There are 6 layers; layer 9 is none.')"))
    test.button[0].click().run()
    assert not test.exception
    assert said(test) == ["There are 6 layers; layer 9 is none.", "drawnTrue"]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize(("deed", "drawn"), [("st.rerun()", ["drawnTrue"]), ("st.stop()", [])])
def test_a_callback_may_ask_for_another_run_or_for_none(deed, drawn):
    test = app(FAILING.format(deed=deed))
    test.button[0].click().run()
    assert not test.exception
    assert [text for text in said(test) if text in ("drawnTrue", APOLOGY)] == drawn


def test_two_callbacks_of_one_run_are_each_held():
    test = app("""
def fail():
    raise KeyError("one")
st.text_input("a", on_change=fail)
st.text_input("b", key="b", on_change=lambda: st.session_state.update(heard=st.session_state["b"]))
st.text(st.session_state.get("heard", "nothing"))
""")
    test.text_input[0].set_value("x")
    test.text_input[1].set_value("y").run()
    assert said(test) == [APOLOGY, "y"]


def test_a_callback_in_a_part_that_is_drawn_alone_has_the_whole_page_say_it():
    test = app("""
def fail():
    raise KeyError("one")
@st.fragment
def part():
    st.button("go", on_click=fail)
part()
""")
    test.button[0].click().run()
    assert said(test) == [APOLOGY]


COMPONENT = """
import json
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.common import WidgetMetadata

def fail():
    raise KeyError("one")
def read(value):
    return json.loads(value) if isinstance(value, str) else value
heard = []
acts = {"picked": fail, "cell": lambda: heard.append("cell")}
state = SessionState()
state._new_widget_state.set_widget_metadata(
    WidgetMetadata("part", read, json.dumps, "json_trigger_value", callbacks=acts)
)
come = WidgetStates()
come.widgets.add(id="part").json_trigger_value = json.dumps([{"event": "picked"}, {"event": "cell"}])
state.on_script_will_rerun(come)
st.text(f"heard {heard}")
errors.say_kept()
"""


def test_what_a_component_calls_is_held_too():
    """Components have several callbacks, which Streamlit calls by another way."""
    assert said(app(COMPONENT)) == ["heard ['cell']", APOLOGY]


@pytest.mark.parametrize(
    "body", ["raise KeyError('one')", "@st.fragment\ndef part():\n    raise KeyError('one')\npart()"]
)
def test_what_nothing_else_holds_is_an_apology_in_the_place_of_a_box(monkeypatch, body):
    begin = local_script_runner.LocalScriptRunner.__init__

    def with_handler(self, *given, **more):
        begin(self, *given, **more)
        self._on_script_error = errors.last_resort

    monkeypatch.setattr(local_script_runner.LocalScriptRunner, "__init__", with_handler)
    test = app(body)
    assert not test.exception
    assert said(test) == [APOLOGY]


def test_the_app_has_the_last_resort():
    import app

    assert app.app._on_script_error is errors.last_resort


def test_held_callback_with_arguments_keeps_its_error_for_the_page():
    lines = "import streamlit as st\nfrom mha.errors import InputError\nfrom mha.app import errors\nerrors.say_kept()\n"
    test = AppTest.from_string(f"""{lines}
def fail(word):
    raise InputError(f"There is no {{word}}.")
st.button("go", on_click=errors.held(fail), args=("lion",))
st.text("drawn")
""").run()
    test.button[0].click().run()
    assert not test.exception
    assert said(test) == ["There is no lion.", "drawn"]
