"""What a page opens with, as it stands in its first answer: its text, large, and the sentences under it.

Each of them is made by the functions that the page draws with, so that it stands there again once the page is drawn;
what a model has to be run for is left out. On a phone the first answer is read seconds before anything is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mha.engine import Request, known
from mha.engine.question import known_already
from mha.errors import MHAError
from mha.examples import OPENS_TWO_READINGS
from mha.link.kinds import Shape
from mha.link.link import Link
from mha.link.pages import PAGES as WORDS
from mha.link.pages import corrected
from mha.link.readings import opens_by_itself
from mha.link.view import DEFAULT_TEXT, View, fitted, parse, shape_of
from mha.link.word import Query, Words
from mha.maps import Recording
from mha.models.files.catalog import model_row
from mha.screens.blocks import Caption, as_text, say
from mha.screens.guessing import first_words
from mha.screens.places import Title
from mha.screens.preview import finding_said, page_row
from mha.screens.within import every
from mha.words import accept_or, words

Find = Callable[[Request], Recording | None]


@dataclass(frozen=True)
class First:
    """What is read first: ``texts`` large, ``said`` under them, a paragraph each."""

    texts: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


@dataclass(frozen=True)
class OpenedLink:
    """What a link asks of a page: the frame's words, the page's own, the link itself; and who knows recordings."""

    view: View
    chosen: Any  # the page's words, None where it has none
    query: Query
    find: Find


def first(page: str, query: Query, models: Mapping[str, Shape], find: Find = known) -> First:
    """Return what a link's page opens with; what the page is about where nothing of it can be said yet."""
    changes, _ = corrected(query, page, models)
    query = {name: values for name, values in {**query, **changes}.items() if values}
    shape = shape_of(query, models)
    view = fitted(parse(query, models)[0], shape.n_layers, shape.n_heads)
    asked = OpenedLink(view, WORDS[page].read(query, shape)[0] if page in WORDS else None, query, find)
    try:
        found = OPENS[page](asked) if page in OPENS else First()
    except MHAError:
        found = First()
    if not view.reveal:
        found = found if page in ASKS else _before_findings(page, asked)
    return found if found.said else replace(found, said=(page_row(page).about,))


ASKS = ("readings", "questions")  # pages whose own question stands in the place of their findings


def _before_findings(page: str, asked: OpenedLink) -> First:
    texts = first_words(Link(page, asked.view, asked.chosen or Words()))
    return First(texts[:1], texts[1:])


def _heads(asked: OpenedLink) -> First:
    from mha.engine.habits import habit_of
    from mha.screens.decoder.gaps import TYPED
    from mha.screens.heads.picture import picture_of

    view, text = asked.view, accept_or(asked.view.text, DEFAULT_TEXT, "").text
    if not _reads(view.model, text):
        return First()
    recording = asked.find(Request(text, view.model))
    as_it_opens = asked.chosen == WORDS[""]() and TYPED not in text  # other words show other things in the same place
    if recording is None or not as_it_opens:
        return First((text,))
    return First((text,), finding_said(picture_of(view, recording, text, habit_of(view.model)).shown))


def _readings(asked: OpenedLink) -> First:
    from mha.screens.readings.ambiguity import resolved
    from mha.screens.readings.guess import guess_said

    alone = asked.view.text == DEFAULT_TEXT and opens_by_itself(asked.query)
    text = OPENS_TWO_READINGS if alone else accept_or(asked.view.text, OPENS_TWO_READINGS, "").text
    found = resolved(text, asked.chosen)
    return First((text,), () if asked.view.reveal or found.missing else (as_text(guess_said(found).spans),))


def _compare(asked: OpenedLink) -> First:
    from mha.engine.experiments import has_twin
    from mha.link.compare import SENTENCES, TWIN
    from mha.screens.compare.comparison import first_side, second_side, too_long
    from mha.screens.compare.findings import QUESTION

    view, chosen = asked.view, asked.chosen
    if chosen.against == TWIN and not has_twin(view.model):
        chosen = replace(chosen, against=SENTENCES)
    text = first_side(view.text).text
    second = second_side(text, chosen).text
    if not _reads(view.model, text):
        return First()
    texts = (text, second) if chosen.against == SENTENCES else (text,)
    return First(texts, (QUESTION,) if too_long(text, second) else ())


def _steps(asked: OpenedLink) -> First:
    from mha.link.steps import MODEL
    from mha.screens.steps import overview, toy
    from mha.screens.steps.lesson import labelled, lesson

    if asked.chosen.numbers == MODEL:  # whose tokens are drawn
        text = accept_or(asked.view.text, "", "").text
        return First((text,) if text and _reads(asked.view.model, text) else ())
    made = lesson(replace(asked.chosen, text=asked.view.text))
    idea = toy.SAID[made.choices.number - 1].idea
    return First((" ".join(labelled(made.words)),), (as_text(overview.finding(made)), as_text(say(idea))))


def _training(asked: OpenedLink) -> First:
    from mha.engine.trainings import progress
    from mha.link.training import SIDES, WHOLE
    from mha.screens.training.hero import shown_words
    from mha.screens.training.words import finding

    every = [progress(asked.chosen.fitting(side)[0]) for side in SIDES]
    runs = [one.curves for one in every if one.phase == "finished" and one.curves is not None]
    if len(runs) < len(SIDES):
        return First()  # it is trained first
    moments = [curves.moment(asked.chosen.at / WHOLE) for curves in runs]
    return First((" ".join(shown_words(runs[0])),), tuple(as_text(spans) for spans in finding(runs, moments)))


def _atlas(asked: OpenedLink) -> First:
    from mha.engine.atlas import atlas_run
    from mha.link.atlas import CORPUS, HERE
    from mha.screens.atlas.findings import QUESTIONS
    from mha.screens.atlas.opening import opening

    view, chosen = asked.view, asked.chosen
    text = accept_or(view.text, "", "").text
    found = opening(view, chosen)
    if found is not None:
        return First(found[:1], found[1:])
    if chosen.over == HERE or (chosen.over == CORPUS and model_row(view.model).kind != "transformer"):
        return First((text or QUESTIONS[HERE],)) if not text or _reads(view.model, text) else First()
    if chosen.over == CORPUS and atlas_run(view.model) is not None:
        return First()  # it has been measured since the start, or is being
    return First((QUESTIONS[chosen.over],))


def _said(page: str) -> Callable[[OpenedLink], First]:
    """Return what reads the first answer of a page that is a value: its title, and the first answer in words."""

    def opens(asked: OpenedLink) -> First:
        from mha.screens.pages import blocks_of  # which draws figures: plotly is kept out of the start

        title = ""
        own = asked.chosen if page in WORDS else Words()
        for block in every(blocks_of(Link(page, asked.view, own), known_already)):
            if isinstance(block, Title) and block.level == 1:
                title = block.text
            elif title and isinstance(block, Caption) and block.style == "answer":
                return First((title,), (as_text(block.spans),))
        return First((title,)) if title else First()

    return opens


OPENS: dict[str, Callable[[OpenedLink], First]] = {
    "": _heads,
    "readings": _readings,
    "compare": _compare,
    "steps": _steps,
    "training": _training,
    "atlas": _atlas,
    "questions": _said("questions"),
    "about": _said("about"),
}


def _reads(model: str, text: str) -> bool:
    """Return whether a model is sure to read a text: one that knows few words may draw its own example instead."""
    example = model_row(model).example
    return not example or words(text) == words(example)
