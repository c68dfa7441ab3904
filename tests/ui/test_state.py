"""Looking one value up is what Streamlit's own dict of everything says of it."""

import pytest
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1 import AppTest

from mha.ui import state

PAGE = """
import streamlit as st
from streamlit.runtime.state import get_session_state

st.session_state["plain"] = 7
st.text_input("a", value="x", key="named")
st.text_input("b", value="y")  # without a key
st.selectbox("c", ["0", "1"], index=None, key="nothing", bind="query-params")
st.number_input("d", value=3, key="number")
st.multiselect("e", ["p", "q"], key="many")
st.session_state["seen"] = get_session_state().filtered_state
"""


@pytest.fixture(params=[False, True])
def looking(request, monkeypatch):
    monkeypatch.setattr(SessionState, "filtered_state", state.EVERYTHING)  # put back as it was afterwards
    if request.param:
        state.look_up()


def drawn() -> AppTest:
    app = AppTest.from_string(PAGE).run()
    assert not app.exception
    return app


def test_widgets_are_the_same_either_way(looking):
    app = drawn()
    app.text_input(key="named").input("z").run()
    app.selectbox(key="nothing").select("1").run()
    app.selectbox(key="nothing").select(None).run()
    app.number_input(key="number").set_value(5).run()
    assert not app.exception
    assert (app.text_input(key="named").value, app.number_input(key="number").value) == ("z", 5)
    assert app.selectbox(key="nothing").value is None
    assert app.text_input[1].value == "y"


def test_what_is_looked_up_is_what_the_dict_holds(monkeypatch):
    monkeypatch.setattr(SessionState, "filtered_state", state.EVERYTHING)
    own = drawn().session_state["seen"]
    state.look_up()
    looked = drawn().session_state["seen"]
    assert isinstance(looked, state.Looked)
    assert {"plain", "named", "nothing", "number", "many"} <= set(own)
    assert set(looked) - {"seen"} == set(own)
    assert len(looked) == len(own) + 1  # it is asked later, when it stands in the state itself
    assert {key: looked[key] for key in own} == own
    assert "seen" in looked
    assert "never" not in looked
