"""If a callback fails, the page is drawn from the session state and shows one sentence."""

import logging

import pytest
from streamlit.testing.v1 import AppTest, local_script_runner

from mha.app import errors
from mha.app.errors import APOLOGY


def app(body):
    """Return an app whose callbacks are held, after its first run."""
    lines = "import streamlit as st\nfrom mha.errors import InputError\nfrom mha.app import errors\n"
    return AppTest.from_string(f"{lines}errors.say_kept()\n{body}").run()


def said(test):
    return [text.value for text in test.text]


FAILING = """
def fail():
    st.session_state["begun"] = True
    {deed}
st.button("go", on_click=errors.guard(fail))
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
st.text_input("a", on_change=errors.guard(fail))
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
    st.button("go", on_click=errors.guard(fail))
part()
""")
    test.button[0].click().run()
    assert said(test) == [APOLOGY]


def test_what_a_component_calls_is_held(monkeypatch):
    from mha.app import components

    calls, state = [], {}
    mount = lambda **arguments: calls.append(arguments)  # noqa: E731
    monkeypatch.setattr(components.st.components.v2, "component", lambda *_, **__: mount)
    monkeypatch.setattr(errors.st, "session_state", state)

    def fail():
        raise KeyError("one")

    components.component.__wrapped__("probe", "heads/overview.js", "overview")(key="k", data={}, on_head_change=fail)
    calls[0]["on_head_change"]()
    assert state[errors.KEPT] == (APOLOGY,)


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
st.button("go", on_click=errors.guard(fail), args=("lion",))
st.text("drawn")
""").run()
    test.button[0].click().run()
    assert not test.exception
    assert said(test) == ["There is no lion.", "drawn"]
