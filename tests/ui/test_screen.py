"""What waits for the first picture of a visit, in a script of one component that stands in a part of its own."""

from types import SimpleNamespace

from streamlit.testing.v1 import AppTest

from mha.ui import telling

SCRIPT = """
import streamlit as st
from mha.screens.blocks import Drawing
from mha.screens.places import ComponentPicture
from mha.ui import telling

hero = ComponentPicture("pinned", Drawing({}, {}), "hero", first=True)
st.fragment(lambda: telling.component_picture(None, hero, ""))()
st.text(telling.screen_said({}))
"""


def test_the_rest_of_a_page_comes_once_a_part_says_that_it_stands_and_stays(monkeypatch):
    runs: list[dict[str, str]] = []

    def drawn(*_given, **_):
        runs.append({"screen": "narrow"} if len(runs) == 1 else {})  # as it says once it stands
        return runs[-1]

    monkeypatch.setattr(telling, "picture", drawn)
    monkeypatch.setattr(telling, "run", lambda: SimpleNamespace(of_a_part=len(runs) == 2))
    test = AppTest.from_string(SCRIPT).run()
    assert not test.exception
    assert not test.text, "the rest waits"
    assert test.run().text[0].value == "narrow"
    assert len(runs) == 3, "the run in which it is told is left for a whole one"
    assert test.run().text[0].value == "narrow"
