"""What can I conclude? What each number is, what lessons claim, limits, versions, licences."""

from __future__ import annotations

from collections.abc import Iterator

from mha.engine import Request
from mha.engine.question import Ask
from mha.examples import example_for
from mha.export.provenance import bibtex
from mha.link.link import Link
from mha.link.view import DEFAULT_TEXT
from mha.screens.about import texts
from mha.screens.about.measured import directed
from mha.screens.about.placebo import placebos
from mha.screens.about.truth import truth
from mha.screens.blocks import Block, Definitions, caption
from mha.screens.inputs import PageDoor
from mha.screens.places import Listed, More, Place, Quoted, Side, Title
from mha.screens.questions.quiz import sources
from mha.screens.within import each


def page(link: Link, ask: Ask) -> Iterator[Block]:
    """Yield the page; a part that lacks a file is no reason for the others to be away."""
    parts = (_opening, lambda: _lessons(ask), truth, lambda: placebos(link.view.model), _numbers, _origins, _limits)
    return each(*parts, _versions)


def _opening() -> Iterator[Block]:
    yield Title("What can I conclude?", 1)
    yield caption(texts.NOT_EXPLANATIONS, style="answer")
    yield caption(texts.SAYS, style="answer")


def _lessons(ask: Ask) -> Iterator[Block]:
    yield Title("Eight common claims")
    example = example_for(DEFAULT_TEXT)
    look = directed(ask(Request(DEFAULT_TEXT)).maps, example.readings if example else None)
    for number, lesson in enumerate(texts.lessons(look)):
        said = (Title(f"“{lesson.said}”", 3),)  # somebody else’s words, which what stands beside them corrects
        more = More("More", (caption(lesson.measured), PageDoor(lesson.pages, lesson.step)))
        measured = (caption(lesson.answer, style="body"), more)
        yield Place(f"lesson_{number}", (Side((said, measured), (2, 5), "large"),))


def _numbers() -> Iterator[Block]:
    yield Title("What each number means")
    yield caption(texts.UNITS, style="sub")
    for title, entries in texts.numbers_entries().items():
        yield More(title or "One number a head", (Definitions(entries),))


def _origins() -> Iterator[Block]:
    yield More("Where numbers come from", (Definitions(texts.origin_entries()),))


def _limits() -> Iterator[Block]:
    yield Title("Limits")
    yield Listed(texts.limits())


def _versions() -> Iterator[Block]:
    libraries = (Title("Libraries, as installed here", 3), Definitions(texts.library_entries(), compact=True))
    yield More("Versions and licences", (Definitions(texts.version_entries(), compact=True), *libraries))
    cite = caption("When citing a number, name the model and cite the paper of the measure.")
    yield More(
        "How to cite",
        (Quoted(bibtex("where every head of a transformer looks; name the model and the measure you cite")), cite),
    )
    yield More("Sources", (Listed(tuple(source.line for source in sources().values())),))
