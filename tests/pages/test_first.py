"""The first answer shows the link's own texts, or none."""

from urllib.parse import parse_qs

import pytest

from mha.link.pages import page_row
from mha.link.view import DEFAULT_TEXT
from mha.readers.links import opened_link
from mha.screens.guessing import QUESTION
from mha.server.first import first
from mha.ui.bound import models

HEBREW = "ראיתי את האיש עם הטלסקופ"
TEXTS = [
    ("", "", (DEFAULT_TEXT,)),
    ("", "text=All+is+well", ("All is well",)),
    ("", f"text={HEBREW}", (HEBREW,)),
    ("", "text=…", ()),
    ("", "model=copier&text=I+saw+the+man", ()),  # Copier does not know these words and shows its own example
    ("", "layer=99&pins=L9H9&units=nonsense", (DEFAULT_TEXT,)),
    ("readings", "text=Time+flies+like+an+arrow", ("Time flies like an arrow",)),
    ("compare", "text=The+dog+barked&compare_second=The+cat+barked", ("The dog barked", "The cat barked")),
    ("compare", "text=The+dog+barked&compare_second=…", ("The dog barked",)),
    ("compare", "text=The+dog&compare_second=b&compare_against=the+scrambled+twin", ("The dog",)),
    ("questions", "text=All+is+well", ()),
    ("about", "", ()),
]


@pytest.mark.parametrize(("page", "query", "texts"), TEXTS)
def test_first_answer_has_the_texts_of_the_link(page, query, texts):
    answer = first(opened_link(page, parse_qs(query, keep_blank_values=True), models())[0])
    assert answer.texts == texts
    assert answer.sentence == page_row(page).about


def test_first_answer_of_a_guess_asks_its_question():
    assert first(opened_link("", {"reveal": ["0"]}, models())[0]).sentence == QUESTION
