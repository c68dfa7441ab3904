"""The first answer of a page: the texts of its link and one sentence about the page, before any script has run.

Nothing is recorded for it; a visitor on a phone reads it seconds before the page is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from mha.errors import InputError
from mha.link.compare import SENTENCES, CompareWords
from mha.link.link import Link
from mha.link.pages import NAME, page_row
from mha.models.files.catalog import model_row
from mha.screens.guessing import QUESTION
from mha.words import accept, words

MOST_LETTERS = 120  # of a sentence in large type


@dataclass(frozen=True)
class First:
    """The first answer of a page: ``texts`` in large type, ``sentence`` below them."""

    texts: tuple[str, ...] = ()
    sentence: str = ""


def first(link: Link) -> First:
    """Return the first answer of a link; a link that lets a class guess (``reveal=0``) asks its question."""
    row = page_row(link.page)
    asks = row.of_text and not link.view.reveal
    return First(_texts(link) if row.opens_with_text else (), QUESTION if asks else row.about)


def first_words(answer: First, page: str) -> str:
    """Return the first answer as HTML; all texts are escaped."""
    size = " long" if sum(map(len, answer.texts)) > MOST_LETTERS else ""
    texts = "".join(f'<p class="text{size}" dir="auto">{escape(text)}</p>' for text in answer.texts)
    name = f"<p>{escape(NAME)} · {escape(page_row(page).title)}</p>"
    return f'<div class="parallax-first">{name}{texts}<p dir="auto">{escape(answer.sentence)}</p></div>'


def accepted(text: str) -> str:
    """Return a text as pages accept it, "" if it is refused."""
    try:
        return accept(text).text
    except InputError:
        return ""


def _texts(link: Link) -> tuple[str, ...]:
    """Return the accepted texts of a link; () if its model may show an example of its own instead."""
    view, params = link.view, link.own
    example = model_row(view.model).example
    text = accepted(view.text)
    if not text or (example and words(text) != words(example)):
        return ()
    if isinstance(params, CompareWords) and params.against == SENTENCES:
        return tuple(filter(None, (text, accepted(params.second))))
    return (text,)
