"""If a callback fails, the page is drawn from the session state and shows one sentence."""

import logging

import pytest
from streamlit.testing.v1 import AppTest, local_script_runner

from mha.app import errors
from mha.app.errors import APOLOGY


def app(body):
    """Return an app with guarded callbacks, after its first run."""
    lines = "import streamlit as st\nfrom mha.errors import InputError\nfrom mha.app import errors\n"
    return AppTest.from_string(f"{lines}errors.say_kept()\n{body}").run()


def texts(test):
    return [text.value for text in test.text]


FAILING = """
def fail():
    st.session_state["begun"] = True
    {deed}
st.button("go", on_click=errors.guard(fail))
st.text("drawn" + str(st.session_state.get("begun", "")))
"""


def test_callback_bug_shows_an_apology_once(caplog):
    test = app(FAILING.format(deed="int('chosen for you: telescope (7th)')"))
    test.button[0].click().run()
    assert not test.exception
    assert texts(test) == [APOLOGY, "drawnTrue"]
    (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert record.exc_info[0] is ValueError
    assert texts(test.run()) == ["drawnTrue"]


def test_callback_error_shows_its_sentence(caplog):
    test = app(FAILING.format(deed="raise InputError('There are 6 layers; layer 9 is none.')"))
    test.button[0].click().run()
    assert not test.exception
    assert texts(test) == ["There are 6 layers; layer 9 is none.", "drawnTrue"]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize(("deed", "drawn"), [("st.rerun()", ["drawnTrue"]), ("st.stop()", [])])
def test_callback_may_rerun_or_stop(deed, drawn):
    test = app(FAILING.format(deed=deed))
    test.button[0].click().run()
    assert not test.exception
    assert [text for text in texts(test) if text in ("drawnTrue", APOLOGY)] == drawn


def test_callback_after_a_failed_one_runs():
    test = app("""
def fail():
    raise KeyError("one")
st.text_input("a", on_change=errors.guard(fail))
st.text_input("b", key="b", on_change=lambda: st.session_state.update(heard=st.session_state["b"]))
st.text(st.session_state.get("heard", "nothing"))
""")
    test.text_input[0].set_value("x")
    test.text_input[1].set_value("y").run()
    assert texts(test) == [APOLOGY, "y"]


def test_fragment_callback_error_is_shown():
    test = app("""
def fail():
    raise KeyError("one")
@st.fragment
def part():
    st.button("go", on_click=errors.guard(fail))
part()
""")
    test.button[0].click().run()
    assert texts(test) == [APOLOGY]


def test_component_callback_is_guarded(monkeypatch):
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
def test_last_resort_shows_the_apology(monkeypatch, body):
    begin = local_script_runner.LocalScriptRunner.__init__

    def with_handler(self, *given, **more):
        begin(self, *given, **more)
        self._on_script_error = errors.last_resort

    monkeypatch.setattr(local_script_runner.LocalScriptRunner, "__init__", with_handler)
    test = app(body)
    assert not test.exception
    assert texts(test) == [APOLOGY]


def test_app_has_the_last_resort():
    import app

    assert app.app._on_script_error is errors.last_resort


def test_guarded_callback_gets_its_arguments():
    lines = "import streamlit as st\nfrom mha.errors import InputError\nfrom mha.app import errors\nerrors.say_kept()\n"
    test = AppTest.from_string(f"""{lines}
def fail(word):
    raise InputError(f"There is no {{word}}.")
st.button("go", on_click=errors.guard(fail), args=("lion",))
st.text("drawn")
""").run()
    test.button[0].click().run()
    assert not test.exception
    assert texts(test) == ["There is no lion.", "drawn"]
