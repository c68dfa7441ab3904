"""What stands in a page's first answer, read off the page: its text, large, and what is found under it.

On a phone the first answer is read seconds before anything is drawn. Nothing is run for it: the page is asked for with
what is known already, and left as soon as its first finding is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from typing import Any

from mha.engine.question import Ask, NotKnown, known_already
from mha.errors import MHAError
from mha.link.kinds import Text
from mha.link.link import Link
from mha.link.pages import NAME, page_row
from mha.models.files.catalog import model_row
from mha.screens import places
from mha.screens.arrays import Flow, Group, Node, Sentence
from mha.screens.blocks import Block, Drawing, Heading, Said, as_text
from mha.screens.guessing import GuessText
from mha.screens.heads.findings import ASK
from mha.screens.inputs import Choose, Put
from mha.screens.lessons import LessonSheet
from mha.screens.places import inside
from mha.words import accept_or, words

MOST_LETTERS = 120  # of a sentence that is drawn, and that stands there large
UNSEEN = (places.Menu, places.More)  # what is behind a button
UNDER = ("sub", "answer", "caption sub", "caption answer")  # the styles of what closes a finding


@dataclass(frozen=True)
class First:
    """What is read first: ``texts`` large, ``said`` under them, a paragraph each; ``drawn`` is Heads' overview."""

    texts: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    drawn: Drawing | None = None


def first(link: Link, ask: Ask = known_already) -> First:
    """Return what a link's page opens with; what the page is about where nothing of it can be said yet.

    A link that lets a class guess first (``reveal=0``) tells no finding; where the page asks for one, that is said.
    """
    reading = FirstReading(link)
    with suppress(MHAError):
        reading.page(ask)
    return reading.first()


def first_words(opens: First, page: str) -> str:
    """Return what stands on a page until its scripts have drawn something, as HTML; all that it says is escaped."""
    size = " long" if sum(map(len, opens.texts)) > MOST_LETTERS else ""
    texts = "".join(f'<p class="text{size}" dir="auto">{escape(text)}</p>' for text in opens.texts)
    said = "".join(f'<p dir="auto">{escape(sentence)}</p>' for sentence in opens.said)
    name = f"<p>{escape(NAME)} · {escape(page_row(page).title)}</p>"
    return f'<div class="parallax-first">{name}{texts}{said}</div>'


class FirstReading:
    """A page that is read until its first finding: what of it was read so far."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self._waits = False  # for what is not known yet
        self._text = self._verdict = ""
        self._typed: list[str] = []  # in text fields of the page's own
        self._said: list[str] = []
        self._drawn: Drawing | None = None

    def page(self, ask: Ask) -> None:
        """Read the page of the link; errors as the page raises them."""
        from mha.screens.pages import blocks_of  # which draws figures: plotly is kept out of the start

        try:
            for block in _in_sight(blocks_of(self.link, ask)):
                if self._ends_with(block):
                    return
        except NotKnown:
            self._waits = True

    def first(self) -> First:
        """Return what was read, in its places."""
        texts = (self._text,) if self._text else self._read()
        verdict = (self._verdict,) if self._verdict else ()
        said = (*verdict, *self._said) if texts else tuple(self._said)
        return First(texts or verdict, said or (page_row(self.link.page).about,), self._drawn)

    def _read(self) -> tuple[str, ...]:
        """Return the texts that the page reads, where it has not come to draw them."""
        view = self.link.view
        text = accept_or(view.text, "", "").text
        if not text or not (self._waits or page_row(self.link.page).opens_with_text) or not _reads(view.model, text):
            return ()
        return text, *(accept_or(typed, text, "").text for typed in self._typed)

    def _ends_with(self, block: Block) -> bool:
        """Take in a block; return whether what is read first ends with it."""
        if isinstance(block, Put):
            self.link = self.link.with_(**{block.word: block.value}) if block.word in self.link.words else self.link
        elif isinstance(block, Choose):
            of_page = self.link.own.has(block.word) and not block.off
            if of_page and isinstance(self.link.words[block.word].kind, Text) and self.link.says(block.word):
                self._typed.append(self.link.says(block.word))
        elif isinstance(block, Heading):
            self._text = self._text or (as_text(block.spans) if block.level == "h1" else "")
        elif isinstance(block, places.ComponentPicture):
            return self._picture(block)
        elif isinstance(block, LessonSheet):
            self._text, self._said = as_text(block.title), [block.about]
            return True
        elif isinstance(block, Flow):
            self._nodes(block.root)
        elif isinstance(block, GuessText):
            self._text = block.text
        elif isinstance(block, Said):
            if block.style == "verdict":
                self._verdict = as_text(block.spans)
                return block.asks
            if block.style in ("finding", *UNDER):
                self._said.append(as_text(block.spans))
            return block.style in UNDER
        return False

    def _picture(self, block: places.ComponentPicture) -> bool:
        """Take in the sentence of a picture and its finding; return whether it is the page's first with one."""
        if isinstance(block.drawn, Drawing) and block.face == "training":
            from mha.screens.training.words import drawn_findings

            self._text = " ".join(block.drawn.header["words"])
            self._find(drawn_findings(block.drawn.header))
        elif isinstance(block.drawn, Drawing) and block.face == "overview":
            self._drawn, header = block.drawn, block.drawn.header
            self._text = text_of(header["pieces"])
            if header["pins"]:
                self._find(header["finding"])
            return True
        elif block.first and not isinstance(block.drawn, Drawing):
            self._text = text_of(block.drawn["pieces"])
        return bool(self._said)

    def _find(self, sentences: Any) -> None:
        self._said += [as_text(spans).rstrip().removesuffix(ASK).rstrip() for spans in sentences]

    def _nodes(self, node: Node) -> None:
        for part in node.parts if isinstance(node, Group) else (node,):
            if isinstance(part, Group):
                self._nodes(part)
            elif isinstance(part, Sentence) and not part.quiet:  # which are a text, no tokens of a model
                self._text = " ".join(part.words)
            elif isinstance(part, Said) and part.style.startswith("finding"):
                self._find([part.spans])


def text_of(pieces: Any) -> str:
    """Return a sentence from its pieces, without a model's own tokens."""
    return "".join(" " * one["space"] + one["text"] for one in pieces if not one.get("special")).strip()


def _in_sight(blocks: places.Blocks) -> Iterator[Block]:
    """Yield each block as it is read, those in places in the place of them; what is still learning is left out."""
    for block in blocks:
        if isinstance(block, UNSEEN) or (isinstance(block, places.Following) and block.running):
            continue
        within = inside(block)
        yield from _in_sight(within) if within else (block,)


def _reads(model: str, text: str) -> bool:
    """Return whether a model is sure to read a text: one that knows few words may draw its own example instead."""
    example = model_row(model).example
    return not example or words(text) == words(example)
