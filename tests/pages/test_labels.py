"""A word or a head that was chosen elsewhere is not among the options here, and no control dies of it.

A browser sends a choice by its label, beside a text that may be another by then; what is kept in a visit's state may be
of another text or model.
"""

import ast
from collections import Counter
from pathlib import Path

import pytest

import mha.screens
from tests.pages.conftest import Page

FOREIGN = "99 zebra"
SUGGESTED = "The clerk thanked the guest because he waited"  # which Heads opens with two readings of
OWN = "The nurse helped the singer because she was kind"
SEVERAL = ("a", "b")
PATIENCE = 20  # runs
CALLS = {  # the file of each control whose options the page gives, and how many of them it writes down
    "heads/suggested.py": 1,  # pivot, a, b
}


def test_every_control_with_options_of_its_page_is_tried_here():
    root = Path(mha.screens.__path__[0])
    found = Counter(
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Choose"
        if any(given.arg == "options" for given in call.keywords)
    )
    assert found == CALLS


def box(page, name):
    """Return a control; a machine with other work says at first that an experiment is on its way."""
    for _ in range(PATIENCE):
        found = [one for one in (*page.test.selectbox, *page.test.multiselect) if one.key == name]
        if found:
            return found[0]
        page.run()
    raise AssertionError(f"{name} is not on the page: {page.said()}")


def stays(page, name, several):
    """Check that the page lives, and that what is kept of a word is among its options now, or nothing."""
    assert not page.test.exception
    assert "Something went wrong" not in page.said()
    value = page.test.session_state[name]
    options = set(box(page, name).options)
    assert options
    assert FOREIGN not in options
    assert set(value if several else [value]) <= {*options, None}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("word", ["pivot", "a", "b"])
@pytest.mark.parametrize("way", ["sent", "kept"])
def test_a_choice_of_another_text_ends_no_page(way, word):
    choose_of_another_text(Page(text=OWN), way, word, SUGGESTED)


def choose_of_another_text(page, way, word, text):
    """Choose what is not among a word's options, with another text, and check that the page lives."""
    name, several = f"readings_{word}", word in SEVERAL
    chooses, types = box(page, name).id, page.test.text_area(key="text").id
    states = page.test._tree.get_widget_states()  # what a browser sends, which AppTest alone keeps among the options
    for state in states.widgets:
        if state.id == types:
            state.string_value = text
        elif state.id == chooses and way == "sent":
            if several:
                state.string_array_value.data[:] = [FOREIGN]
            else:
                state.string_value = FOREIGN
    if way == "kept":
        page.test.session_state[name] = [FOREIGN] if several else FOREIGN
    page.test._run(states)
    stays(page, name, several)
