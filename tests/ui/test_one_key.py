"""One key of a visit's state is what Streamlit's copy of the whole says of it."""

import subprocess
import sys

import pytest
from streamlit.testing.v1 import AppTest

from mha.ui import again, one_key
from tests.browser.conftest import ROOT

PAGE = """
import streamlit as st
st.text_input("bound", key="text", bind="query-params")
st.text_input("without a key")
st.selectbox("none", ["a", "b"], index=None, key="chosen")
st.toggle("on", key="on")
st.session_state["own"] = [1, 2]
st.session_state["nothing"] = None
"""


@pytest.fixture
def served(monkeypatch):
    whole = one_key.SafeSessionState.filtered_state
    monkeypatch.setattr(one_key.SafeSessionState, "filtered_state", whole)  # as it was, behind the test
    one_key.serve()
    return whole


def test_a_key_is_known_where_the_whole_has_it(served):
    test = AppTest.from_string(PAGE)
    test.query_params["text"] = "seen"
    test.run()
    state = test.session_state._state  # the state itself; on a page it stands behind a lock
    safe = one_key.SafeSessionState(state, lambda: None)
    expected, found = served.__get__(safe), safe.filtered_state
    own = {"text": "seen", "chosen": None, "on": False, "own": [1, 2], "nothing": None}
    assert {name: value for name, value in expected.items() if name not in (again.SAID, again.PAGE)} == own
    for key in expected:
        assert key in found
        assert found[key] == expected[key]
    assert "never" not in found
    with pytest.raises(KeyError):
        found["never"]
    assert dict(found) == expected
    assert len(found) == len(expected)
    assert repr(found) == repr(expected)


def test_a_state_that_says_none_leaves_a_widget_empty(served):
    body = 'import streamlit as st\nst.session_state.setdefault("t", None)\nst.text_input("l", value="x", key="t")'
    assert AppTest.from_string(body).run().text_input[0].value is None
    body = 'import streamlit as st\nst.text_input("l", value="x", key="t")'
    assert AppTest.from_string(body).run().text_input[0].value == "x"


def test_the_app_answers_its_widgets_so():
    asks = "import app; from mha.ui import one_key;assert one_key.SafeSessionState.filtered_state.fget is one_key.Asked"
    subprocess.run([sys.executable, "-c", asks], cwd=ROOT, check=True, capture_output=True)
