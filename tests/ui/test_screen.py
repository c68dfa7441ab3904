"""What waits for the first picture of a visit, in a script of one component that stands in a part of its own."""

from streamlit.testing.v1 import AppTest

from mha.ui import telling

SCRIPT = """
import streamlit as st
from mha.screens.blocks import Drawing
from mha.screens.places import Played
from mha.ui import telling

st.fragment(lambda: telling.played(None, Played("hero", Drawing({}, {})), ""))()
st.text(f"{'waiting' if telling.waited_for() else telling.told({})}")
"""


def test_the_rest_of_a_page_comes_once_a_part_says_that_it_stands_and_stays(monkeypatch):
    runs: list[dict[str, str]] = []

    def drawn(*_given, **_):
        runs.append({"screen": "narrow"} if len(runs) == 1 else {})  # as it says once it stands
        return runs[-1]

    monkeypatch.setattr(telling, "picture", drawn)
    test = AppTest.from_string(SCRIPT).run()
    assert test.text[0].value == "waiting"
    assert test.run().text[0].value == "narrow"
    assert len(runs) == 3, "the run in which it is told is left for a whole one"
    assert test.run().text[0].value == "narrow"
