"""What a link says of itself: only what is known, nothing of what is hidden, and never by running a model."""

from urllib.parse import parse_qs

import pytest

from mha.engine.bundled import bundled
from mha.examples import EXAMPLES
from mha.link.pages import PAGES
from mha.link.view import DEFAULT_TEXT
from mha.readers.links import opened_link
from mha.server import preview as module
from mha.server.first import MOST_LETTERS
from mha.server.preview import preview
from mha.ui.bound import models


@pytest.fixture(autouse=True)
def bundled_recordings_only(monkeypatch):
    """Hide recordings that other tests of this process have made."""
    monkeypatch.setattr(module, "known", lambda request: bundled(request.text, request.model))


def of(page="", query=""):
    link, _ = opened_link(page, parse_qs(query), models())
    return preview(link, parse_qs(query))


def test_the_opening_link_tells_its_finding():
    found = of()
    assert found.title == f"“{DEFAULT_TEXT}” · Heads · Parallax"
    assert found.sentence.startswith("In head L")
    assert " ".join(found.pieces) == DEFAULT_TEXT
    for arc in found.arcs:
        assert arc.head in ("L0H1", "L0H10")
        assert found.pieces[arc.query] in DEFAULT_TEXT
        assert found.pieces[arc.key] == "telescope"


def test_pinned_heads_are_those_of_the_link():
    assert [arc.head for arc in of(query="pins=L3H1&pins=L2H1&lock=-1").arcs] == ["L3H1", "L2H1"]
    assert of(query="pins=none").arcs == ()


def test_arcs_stand_on_words_whatever_the_units_and_the_sinks():
    plain = of(query="pins=L3H1&lock=-1").arcs
    assert of(query="pins=L3H1&lock=-1&units=tokens").arcs == plain
    for arc in of(query="pins=L0H0&sinks=false&lock=-1").arcs:
        assert arc.query < 7
        assert arc.key < 7


def test_what_to_do_on_the_page_is_no_part_of_a_finding():
    for example in EXAMPLES:
        assert "{" not in of(query=f"text={example.text}").sentence


def test_a_teachers_link_gives_nothing_away():
    found = of(query="reveal=0")
    assert found.arcs == ()
    assert "L0" not in found.title + found.sentence
    assert found.pieces


@pytest.mark.parametrize(
    "query", ["text=Nobody+knows+this", "text=%E2%80%A6", "text=" + "a+" * MOST_LETTERS, "model=toy"]
)
def test_what_is_not_known_is_not_told(query):
    found = of(query=query)
    assert (found.pieces, found.arcs) == ((), ())
    assert found.sentence == PAGES[""].about


@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_a_title_and_a_sentence(page):
    found = of(page)
    assert PAGES[page].title in found.title
    assert found.sentence.endswith(".")


def test_other_pages_say_what_they_are_with_the_text_of_the_link():
    example = EXAMPLES[0].text
    found = of("readings", f"text={example}")
    assert example in found.title
    assert found.sentence == PAGES["readings"].about
