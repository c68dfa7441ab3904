"""What may I conclude? What each number is, what lessons claim, limits, versions, licences."""

from __future__ import annotations

from collections.abc import Iterator

from mha.engine import Request
from mha.engine.question import Ask
from mha.examples import example_for
from mha.export.citing import bibtex
from mha.link.link import Link
from mha.link.view import DEFAULT_TEXT
from mha.screens.about import texts
from mha.screens.about.measured import directed
from mha.screens.about.truth import truth
from mha.screens.blocks import Block, Definitions, caption
from mha.screens.inputs import PageDoor
from mha.screens.places import Listed, Place, Quoted, Side, Title
from mha.screens.questions.texts import sources
from mha.screens.within import each


def page(link: Link, ask: Ask) -> Iterator[Block]:
    """Yield the page; a part that lacks a file is no reason for the others to be away."""
    return each(_opening, lambda: _lessons(ask), truth, _numbers, _origins, _limits, _versions)


def _opening() -> Iterator[Block]:
    yield Title("What may I conclude?", 1)
    yield caption(texts.NOT_EXPLANATIONS, style="answer")
    yield caption(texts.SAYS, style="answer")


def _lessons(ask: Ask) -> Iterator[Block]:
    yield Title("What lessons say, and what is measured here")
    example = example_for(DEFAULT_TEXT)
    look = directed(ask(Request(DEFAULT_TEXT)).maps, example.readings if example else None)
    for number, lesson in enumerate(texts.lessons(look)):
        said = (Title(f"“{lesson.said}”", 3),)  # somebody else’s words, which what stands beside them corrects
        measured = (caption(lesson.measured, style="body"), PageDoor(lesson.pages, lesson.step))
        yield Place(f"lesson_{number}", (Side((said, measured), (2, 5), "large"),))


def _numbers() -> Iterator[Block]:
    yield Title("What each number means")
    yield caption(texts.UNITS, style="sub")
    for title, entries in texts.numbers_entries().items():
        if title:
            yield Title(title, 3)
        yield Definitions(entries)


def _origins() -> Iterator[Block]:
    yield Title("Where numbers come from")
    yield Definitions(texts.origin_entries())


def _limits() -> Iterator[Block]:
    yield Title("Limits")
    yield Listed(texts.limits())


def _versions() -> Iterator[Block]:
    yield Title("Versions, licences, how to cite")
    yield Definitions(texts.version_entries(), compact=True)
    yield Title("Libraries, as installed here", 3)
    yield Definitions(texts.library_entries(), compact=True)
    yield Title("How to cite", 3)
    yield Quoted(bibtex("where every head of a transformer looks; name the model and the measure you cite"))
    yield caption("With a number, cite the paper that its measure comes from, and name the model.")
    yield Title("Sources", 3)
    yield Listed(tuple(source.line for source in sources().values()))
