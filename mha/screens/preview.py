"""What a link says of itself where it is pasted: a title, one sentence, and the looks of its first two pinned heads.

Nothing is run for it: only what comes with the program or is in the cache already is told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from mha.engine import Request, known
from mha.errors import MHAError
from mha.examples import OPENS_TWO_READINGS
from mha.formats import percent
from mha.link.kinds import Shape
from mha.link.view import View, parse
from mha.link.word import Query
from mha.maps import Recording
from mha.screens.heads.overview import finding_of
from mha.screens.heads.picture import picture_of

NAME = "Parallax"
ABOUT = "One sentence, many viewpoints: see where every attention head of a transformer looks."
MOST_LETTERS = 120  # of a sentence that is drawn


@dataclass(frozen=True)
class Page:
    """A page: what it is called, what a link to it says where nothing is known of its text, and its own first text."""

    title: str
    about: str
    opens: str = ""


PAGES: dict[str, Page] = {
    "": Page("Heads", ABOUT),
    "readings": Page(
        "Two readings",
        "An ambiguous sentence: where each head looks, what it carries, whether it matters.",
        OPENS_TWO_READINGS,
    ),
    "compare": Page(
        "Change a word", "Two versions of a sentence, word by word: how far each head moves, beside a floor."
    ),
    "steps": Page("Step by step", "One cell of attention, from the words to the output, with numbers you can change."),
    "training": Page("Watch heads learn", "Tiny transformers trained before your eyes: one head beside two."),
    "atlas": Page("Whole model", "Every head of a model over many sentences: where each looks, and which are alike."),
    "questions": Page("Questions", "Why many heads? Why divide by √d? Ten questions, each answered by an experiment."),
    "about": Page("What may I conclude?", "What each number is, and what it does not say."),
}


def page_row(page: str) -> Page:
    """Return what a page is called; of one that has no row yet, its name in the address."""
    return PAGES.get(page) or Page(page.replace("_", " ").capitalize(), ABOUT)


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
    """A link's title, sentence and text; where what heads do with it is known, its pieces and up to two arcs."""

    title: str
    sentence: str
    text: str = ""
    pieces: tuple[str, ...] = ()
    arcs: tuple[Arc, ...] = ()


def preview(
    page: str, query: Query, models: Mapping[str, Shape], find: Callable[[Request], Recording | None] = known
) -> Preview:
    """Return what a link to a page says of itself; of a link that cannot be, what the page says without it."""
    row = page_row(page)
    plain = Preview(f"{row.title} · {NAME}", row.about)
    view, _ = parse(query, models)
    if "text" not in query and page:
        own = any(name.startswith(f"{page}_") for name in query)  # of another text than the page's own first one
        return plain if own else replace(plain, text=row.opens)
    try:
        request = Request(view.text, view.model)
        if len(request.text) > MOST_LETTERS:
            return plain
        plain = replace(plain, text=request.text)
        recording = find(request)
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
        return Preview(title, "Guess first: where will the heads look?", text, _pieces(view, recording))
    shown = picture_of(replace(view, units="words"), recording, text).shown
    finding, looks = finding_of(shown)
    first = "".join(span[1] for span in finding[0]) if finding and shown.pins else row.about
    full = {place: number for number, place in enumerate(_places(shown.full))}
    drawn = []
    for head, look in zip(shown.pins, looks, strict=False):
        if look is not None:
            ends = [full.get(shown.position(place)) for place in (look.query, look.key)]
            if None not in ends:
                drawn.append(Arc(str(head), ends[0], ends[1], percent(look.weight), look.weight))  # type: ignore[arg-type]
    return Preview(title, first if not page else row.about, text, _pieces(view, recording), tuple(drawn))


def _places(maps) -> list[int]:
    """Return the positions of the axis that stand in the text."""
    return [place for place, token in enumerate(maps.tokens) if not token.special]


def _pieces(view: View, recording: Recording) -> tuple[str, ...]:
    """Return the words and marks of the text, as they are drawn."""
    merged = recording.maps.merged()
    return tuple(merged.tokens[place].text for place in _places(merged))
