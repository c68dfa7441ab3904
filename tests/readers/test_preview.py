"""What a link says of itself: only what is known, nothing of what is hidden, and never by running a model."""

from urllib.parse import parse_qs

import pytest

from mha.engine import Request
from mha.engine.bundled import bundled
from mha.engine.question import NotKnown, known_already
from mha.examples import EXAMPLES
from mha.link.pages import PAGES
from mha.link.view import DEFAULT_TEXT
from mha.readers.first import MOST_LETTERS, first
from mha.readers.links import opened_link
from mha.readers.preview import preview
from mha.ui.bound import models


def coming_along(question):
    """Answer with what comes with the program: what others have asked for is not known here."""
    found = bundled(question.text, question.model) if isinstance(question, Request) else known_already(question)
    if isinstance(question, Request) and found is None:
        raise NotKnown
    return found


def of(page="", query=""):
    link, _ = opened_link(page, parse_qs(query), models())
    return preview(link, parse_qs(query), first(link, coming_along), coming_along)


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
    assert of(query="text=money+bank").sentence.endswith("A longer sentence shows more.")
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


def test_whole_model_and_a_sheet_tell_what_they_open_with():
    assert of("atlas").sentence == "Counting similar heads as one, the 72 heads look in 3.9 different ways."
    found = of("atlas", "atlas_head=L2H8")
    assert found.title == "Head L2H8 · Whole model · Parallax"
    assert found.sentence.startswith("L2H8 looks at the next word: 34")
    for query in ("atlas_head=L2H8&reveal=0", "model=toy", "atlas_over=your+own", "atlas_over=two+readings"):
        assert of("atlas", query).sentence == PAGES["atlas"].about, query
    assert of("atlas", "atlas_head=L9H9").sentence == of("atlas").sentence


def test_a_question_is_asked_and_not_answered():
    found = of("questions", "questions_open=scaling")
    assert found.title == "Why are scores divided by √d? · Questions · Parallax"
    assert found.sentence.endswith("What is the variance of their product q·k?")
