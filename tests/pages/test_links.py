"""Links of every page, opened cold: widgets say what the words say, and nothing that a link says kills a page."""

import pytest

from mha.app import link
from mha.app.errors import APOLOGY
from mha.link.kinds import Label, Labels, Text
from mha.link.pages import words_of
from mha.link.view import View
from mha.navigation import PAGES
from tests.link.domain import HOSTILE, NEVER
from tests.pages.conftest import Page, opened_at

TITLES = {path: row.file for path, row in PAGES.items()}
OLD_PAGES = [path for path in TITLES if path not in link.PAGES]
WORDS = [("readings", word) for word in View.table()] + [
    (path, word) for path in PAGES for word in words_of(path).table()
]
KILLED = [
    ("readings", "lock", "inf"),
    ("readings", "tab", ""),
]
SAMPLE = ["", "inf", "--5", "<script>", "9" * 400, "💥"]


class Linked(Page):
    """A visitor who comes by a link to a page; nothing is trained for so many."""

    def __init__(self, path, **link):
        super().__init__(bare=not link, at=TITLES[path] if path else "", seconds=120, **link)
        assert APOLOGY not in self.said()

    def complaints(self):
        return [line for line in self.said().splitlines() if line.startswith("Problem in this link")]


def check(path, name, value):
    page = Linked(path, **{name: value})
    complaints = page.complaints()
    assert len(complaints) <= 1
    assert not complaints or complaints[0].startswith(f"Problem in this link: {name} (")
    word = next(word for one, word in WORDS if word.name == name)
    if value in NEVER and not isinstance(word.kind, Text | Label | Labels):
        assert complaints
        assert name not in page.test.query_params


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("path", "name", "value"), KILLED)
def test_c20_a_value_that_used_to_kill_the_page_gets_its_sentence(path, name, value):
    assert Linked(path, **{name: value}).complaints()[0].startswith(f"Problem in this link: {name} (")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("path", OLD_PAGES)
def test_a_link_that_is_wrong_in_every_word_still_opens_the_page(path):
    words = [*View.table(), *words_of(path).table()]
    checked = [word for word in words if not isinstance(word.kind, Text | Label | Labels)]
    page = Linked(path, **{word.name: HOSTILE[-1 - number % 12] for number, word in enumerate(checked)})
    assert [line.partition(" (")[0] for line in page.complaints()] == [
        f"Problem in this link: {word.name}" for word in checked
    ]
    assert set(page.test.query_params) <= {"v", "text"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("path", OLD_PAGES)
def test_words_that_stand_there_twice_and_wrong_both_times_still_open_the_page(path):
    words = [*View.table(), *words_of(path).table()]
    checked = [word for word in words if not isinstance(word.kind, Text | Label | Labels)]
    twice = {word.name: [NEVER[number % 14], "", NEVER[-1 - number % 10]] for number, word in enumerate(checked)}
    page = Linked(path, **twice)
    assert [line.partition(" (")[0] for line in page.complaints()] == [
        f"Problem in this link: {word.name}" for word in checked
    ]


@pytest.mark.slow
@pytest.mark.parametrize("value", SAMPLE, ids=ascii)
@pytest.mark.parametrize(("path", "name"), [(path, word.name) for path, word in WORDS])
def test_any_hostile_value_of_any_word(path, name, value):
    check(path, name, value)


def comes_back(path, said):
    link: dict[str, list[str]] = {}
    for name, value in said.pairs():
        link.setdefault(name, []).append(value)
    page = Linked(path, **link)
    assert page.complaints() == []
    for word in said.table():
        now, then = page.test.session_state[word.name], getattr(said, word.field)
        assert now == ([*then] if isinstance(then, tuple) else then), word.name


def in_address(page, *names):
    """Return what the address says of words, each as a list, whether there are several or one."""
    found = {name: page.test.query_params[name] for name in names if name in page.test.query_params}
    return {name: [value] if isinstance(value, str) else list(value) for name, value in found.items()}


def test_line_breaks_of_a_link_stay_in_its_field():
    text = "def f(x):\n    return 1\n"
    page = Linked("", text=text)
    assert page.test.text_area(key="text").value == text
    assert page.test.query_params["text"] == text
    assert "The model reads line breaks and runs of spaces like one space." in page.said()
    page.test.text_area(key="text").set_value("I saw\nthe man")
    page.run()
    assert page.test.text_area(key="text").value == "I saw\nthe man"
    assert page.test.query_params["text"] == "I saw\nthe man"


CAPITAL = "The capital of France is"
SCRIPTS = ("heads.py", "matters.py", "write.py", "compare.py", "steps.py", "atlas.py", "next.py", "heads.py")
OWN_MEANING = {  # fields whose names, in links or in other pages, look like those of another page
    "": ("lock", "look", "pins"),
    "next": ("word", "versus", "head"),
    "matters": ("look_at",),
    "steps": ("cell_head", "cell_query", "cell_key"),
    "atlas": ("profile",),
}


def test_no_word_or_head_travels_to_another_meaning():
    """Walk over all pages of a text with every name chosen that two pages could share."""
    test = opened_at("next.py", text=CAPITAL, model="smollm2", word=" Paris", head="L23H4")
    chosen = {"word": " Paris", "head": "L23H4"}
    for script in SCRIPTS:
        test.query_params.clear()
        test.switch_page(script)
        test.run()
        assert not test.exception
        state = test.session_state
        page = state["link_page"]
        for owner, names in OWN_MEANING.items():
            for name in names:
                if name in link.PAGES[page].model_fields:
                    usual = link.PAGES[page].model_fields[name].default  # other models have other heads
                    assert state[name] in (usual, chosen.get(name, usual)), (owner, page, name)
        if page == "" and "pins" not in chosen:
            chosen |= {"pins": ["L1H1"], "lock": 2, "look": "ask"}
            for name, value in chosen.items():
                state[name] = value
            test.run()
            assert test.session_state["pins"] == ["L1H1"]


def test_a_selected_word_stays_with_its_text():
    test = opened_at("heads.py", text="Dogs chase cats", lock="2", look="ask")
    for script, text in (("compare.py", "Cats chase dogs often"), ("heads.py", None)):
        test.query_params.clear()
        test.switch_page(script)
        test.run()
        if text:
            test.text_area(key="text").set_value(text).run()
    assert test.session_state["text"] == "Cats chase dogs often"
    assert test.session_state["lock"] is None
