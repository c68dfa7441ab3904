"""What a link says of itself where it is pasted: a title, one sentence, and the looks of its first two pinned heads.

Nothing is run for it: only what comes with the program or is in the cache already is told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from mha.engine import Request, known
from mha.errors import MHAError
from mha.formats import percent
from mha.link.atlas import AtlasWords
from mha.link.kinds import Shape
from mha.link.questions import QuestionsWords
from mha.link.view import View, parse
from mha.link.word import Query
from mha.maps import Recording
from mha.screens.blocks import as_text
from mha.screens.heads.findings import ASK
from mha.screens.heads.overview import finding_of
from mha.screens.heads.picture import picture_of
from mha.screens.shown import Shown

NAME = "Parallax"
ABOUT = "One sentence, many viewpoints: see where every attention head of a transformer looks."
MOST_LETTERS = 120  # of a sentence that is drawn


@dataclass(frozen=True)
class PageAbout:
    """A page: what it is called, and what a link to it says where nothing is known of its text."""

    title: str
    about: str


PAGES: dict[str, PageAbout] = {
    "": PageAbout("Heads", ABOUT),
    "readings": PageAbout(
        "Two readings",
        "An ambiguous sentence: where each head looks, what it carries, whether it matters.",
    ),
    "compare": PageAbout(
        "Change a word", "Two versions of a sentence, word by word: how far each head moves, beside a floor."
    ),
    "steps": PageAbout(
        "Step by step", "One cell of attention, from the words to the output, with numbers you can change."
    ),
    "training": PageAbout("Watch heads learn", "Tiny transformers trained before your eyes: one head beside two."),
    "atlas": PageAbout(
        "Whole model", "Every head of a model over many sentences: where each looks, and which are alike."
    ),
    "questions": PageAbout(
        "Questions", "Why many heads? Why divide by √d? Ten questions, each answered by an experiment."
    ),
    "about": PageAbout("What may I conclude?", "What each number is, and what it does not say."),
    "lesson": PageAbout("Lesson", "A lesson stop by stop: what to ask, what to do, and a worksheet to print."),
}


def page_row(page: str) -> PageAbout:
    """Return what a page is called; of one that has no row yet, its name in the address."""
    return PAGES.get(page) or PageAbout(page.replace("_", " ").capitalize(), ABOUT)


@dataclass(frozen=True)
class Arc:
    """One head's strongest look: from which piece to which, and the weight."""

    head: str
    query: int
    key: int
    weight: str
    share: float


@dataclass(frozen=True)
class Preview:
    """A link's title and sentence; where what heads do with its text is known, its pieces and up to two arcs."""

    title: str
    sentence: str
    pieces: tuple[str, ...] = ()
    arcs: tuple[Arc, ...] = ()


def preview(
    page: str, query: Query, models: Mapping[str, Shape], find: Callable[[Request], Recording | None] = known
) -> Preview:
    """Return what a link to a page says of itself; of a link that cannot be, what the page says without it."""
    row = page_row(page)
    plain = Preview(f"{row.title} · {NAME}", row.about)
    view, _ = parse(query, models)
    if page in OPEN and view.reveal:
        try:
            return OPEN[page](query, view, models) or plain
        except MHAError:
            return plain
    if "text" not in query and page:
        return plain
    try:
        request = Request(view.text, view.model)
        recording = find(request) if len(request.text) <= MOST_LETTERS else None
    except MHAError:
        return plain
    if recording is None or not recording.maps.text:
        return plain
    try:
        return _of(page, view, recording)
    except MHAError:
        return plain


def _of(page: str, view: View, recording: Recording) -> Preview:
    row, text = page_row(page), recording.maps.text
    title = f"“{text}” · {row.title} · {NAME}"
    if not view.reveal:  # a teacher's link gives nothing away
        return Preview(title, "Guess first: where will the heads look?", _pieces(view, recording))
    shown = picture_of(replace(view, units="words"), recording, text).shown
    first, (_, looks) = (*finding_said(shown), row.about)[0], finding_of(shown)
    full = {place: number for number, place in enumerate(_places(shown.full))}
    drawn = []
    for head, look in zip(shown.pins, looks, strict=False):
        if look is not None:
            ends = [full.get(shown.position(place)) for place in (look.query, look.key)]
            if None not in ends:
                drawn.append(Arc(str(head), ends[0], ends[1], percent(look.weight), look.weight))  # type: ignore[arg-type]
    return Preview(title, first if not page else row.about, _pieces(view, recording), tuple(drawn))


def finding_said(shown: Shown) -> tuple[str, ...]:
    """Return what is found on the sentence, as text; nothing where no head is pinned. What to do next is left out."""
    found = finding_of(shown)[0] if shown.pins else ()
    return tuple(as_text(spans).removesuffix(f" {ASK}") for spans in found)


def _whole_model(query: Query, view: View, models: Mapping[str, Shape]) -> Preview | None:
    """Return what Whole model opens with, or the sheet of a head, over the bundled sentences; None elsewhere."""
    from mha.screens.atlas.opening import opening

    chosen, _ = AtlasWords.read(query, models[view.model])
    found, title = opening(view, chosen), f"{page_row('atlas').title} · {NAME}"
    if found is None:
        return None
    return Preview(title, found[0]) if chosen.head is None else Preview(f"{found[0]} · {title}", found[1])


def _question(query: Query, view: View, models: Mapping[str, Shape]) -> Preview | None:
    """Return the question that a link opens, and what is asked before it is answered; None where it opens none."""
    from mha.screens.questions.texts import question

    chosen, complaints = QuestionsWords.read(query, models[view.model])
    if complaints or not query.get(QuestionsWords.of("open").name):
        return None
    asked = question(chosen.open)
    return Preview(f"{asked.ask} · {page_row('questions').title} · {NAME}", asked.guess)


OPEN: dict[str, Callable[[Query, View, Mapping[str, Shape]], Preview | None]] = {  # pages of what is known already
    "atlas": _whole_model,
    "questions": _question,
}


def _places(maps) -> list[int]:
    """Return the positions of the axis that stand in the text."""
    return [place for place, token in enumerate(maps.tokens) if not token.special]


def _pieces(view: View, recording: Recording) -> tuple[str, ...]:
    """Return the words and marks of the text, as they are drawn."""
    merged = recording.maps.merged()
    return tuple(merged.tokens[place].text for place in _places(merged))
