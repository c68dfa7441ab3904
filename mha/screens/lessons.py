"""What a lesson says: its texts as spans, their slots filled with what is measured; and the page for the teacher.

That has a lesson's plan, and a worksheet, each of which prints on A4. Nothing is stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from mha.engine import Request
from mha.engine.question import ADDRESS, Ask, Kept
from mha.errors import MHAError
from mha.formats import percent
from mha.lesson import OPEN, LessonPlan, LessonStop, offered
from mha.link.kinds import quoted
from mha.link.link import Link
from mha.link.pages import PLAN, WITH_ANSWERS, LessonWords, page_row
from mha.link.view import DEFAULT_MODEL
from mha.maps import AttentionMaps, HeadId
from mha.models.files.catalog import offered as models_offered
from mha.public import HERE_ONLY, reach
from mha.screens.blocks import Asked, Block, Span, say
from mha.screens.inputs import Choose, Out, OwnField, Pick
from mha.screens.places import Notice, Row, Together
from mha.screens.share import modules

UNKNOWN = "…"
A_THIRD = 1 / 3  # of the attention of a word: what a slot of heads counts, unless it says how many per cent
TEACHER = "lesson"  # the page for the teacher, which no class is sent to
_SLOT = re.compile(
    r"\{(?P<heads>heads )?(?P<query>[^\s{}→]+)→(?P<key>[^\s{}→]+)(?: (?P<head>L\d{1,3}H\d{1,3}))?"
    r"(?: (?P<least>\d{1,2})\s?%)?(?P<second> second)?\}"
)
_WORD = re.compile(r"\w+")
_MARK = re.compile(r"\*([^*]+)\*")


def spans(text: str) -> tuple[Span, ...]:
    """Return a text of a lesson as spans; words between asterisks are words of a sentence, nothing else is a mark.

    >>> spans("Who is *it*?")
    (('plain', 'Who is '), ('word', 'it'), ('plain', '?'))
    """
    parts = _MARK.split(text.replace(" %", "\u00a0%"))
    return tuple(("word" if place % 2 else "plain", part) for place, part in enumerate(parts) if part)


def plain(text: str) -> str:
    """Return a text of a lesson without its marks."""
    return _MARK.sub(r"\1", text)


def to_draw_on(sentences: Iterable[str], asked: tuple[Span, ...]) -> tuple[tuple[Span, ...], ...]:
    """Return the sentences that pupils draw on; a word that the question names and each sentence has is marked.

    >>> to_draw_on(["it was big", "it was small"], spans("Where will heads look from *it*, or *big*?"))[1]
    (('word', 'it'), ('plain', ' was small'))
    """
    sentences = tuple(sentences)
    named = {text for kind, text in asked if kind == "word"}
    there = [set(_WORD.findall(sentence)) for sentence in sentences]
    marked = {word for word in named if all(word in words for words in there)}
    return tuple(
        tuple(("word" if part in marked else "plain", part) for part in _parts(sentence, marked) if part)
        for sentence in sentences
    )


def _parts(sentence: str, marked: set[str]) -> list[str]:
    return re.split(rf"\b({'|'.join(map(re.escape, sorted(marked)))})\b", sentence) if marked else [sentence]


def short_link(plan: LessonPlan, number: int) -> str:
    """Return the words of the address that opens a stop, by its number from 1."""
    return urlencode({"lesson": plan.name, "stop": number})


def second_sentence(stop: LessonStop) -> str:
    """Return the second sentence of a stop's link, "" if it names none."""
    words = dict(stop.words)
    return next((words[name] for name in page_row(stop.page).second if name in words), "")


def filled(text: str, stop: LessonStop, ask: Ask) -> str:
    """Return a text of a stop with its slots filled from the stop's sentence; “…” for what cannot be measured."""

    def measured(slot: re.Match[str]) -> str:
        words = dict(stop.words)
        sentence = second_sentence(stop) if slot["second"] else stop.text
        if not sentence:
            return UNKNOWN
        try:
            maps = ask(Request(sentence, words.get("model", DEFAULT_MODEL))).maps.merged()
        except MHAError:
            return UNKNOWN
        least = int(slot["least"]) / 100 if slot["least"] else A_THIRD
        return _told(maps, (slot["query"], slot["key"]), slot["head"], least if slot["heads"] else None)

    return _SLOT.sub(measured, text)


def _told(maps: AttentionMaps, look: tuple[str, str], name: str | None, least: float | None) -> str:
    """Return the share of one head's look, or how many heads give at least ``least``."""
    pieces, (query, key) = [token.text for token in maps.tokens], look
    if query not in pieces or key not in pieces:
        return UNKNOWN
    looks = maps.weights[:, :, pieces.index(query), pieces.index(key)]
    if least is not None:
        return str(int((looks >= least).sum()))
    head = HeadId.parse(name) if name else None
    if head is None or head.layer >= maps.n_layers or head.head >= maps.n_heads:
        return UNKNOWN
    return percent(float(looks[head.layer, head.head]))


OWN = "lesson_own"  # what a visit keeps of a file of its own


@dataclass(frozen=True)
class StopRow:
    """One stop as it is printed; ``sentences`` are those that are drawn on, ``answer`` is empty where it is left out.

    ``address`` is the short link to it and ``code`` its QR code, () where nobody else can open it; ``prompts`` stand
    before the lines.
    """

    title: tuple[Span, ...]
    page: str
    minutes: int
    guess: bool
    ask: tuple[Span, ...]
    do: tuple[Span, ...]
    answer: tuple[Span, ...]
    worksheet: str
    prompts: tuple[str, ...]
    sentences: tuple[tuple[Span, ...], ...]
    address: str
    code: tuple[str, ...]


class LessonSheet(Block, kind="lesson_sheet", asks=True):
    """A lesson on paper: ``sheet`` is one of `mha.link.pages.SHEETS`; ``shares`` says whose the numbers are."""

    sheet: str
    title: tuple[Span, ...]
    about: str
    needs: tuple[Span, ...]
    goals: tuple[tuple[Span, ...], ...]
    stops: tuple[StopRow, ...]
    shares: str


def page(link: Link, ask: Ask) -> Iterator[Block]:
    """Yield which lesson is looked at, the way into it, and its plan or its worksheet."""
    own = link.own
    assert isinstance(own, LessonWords)
    plans = offered()
    mine = ask(Kept(OWN))
    if isinstance(mine, LessonPlan):
        plans[OPEN] = mine
    if own.which and own.which not in plans:
        yield Notice(unknown(own.which, plans))
    if not plans:
        yield Notice("There is no lesson here.")
        yield OwnField("lesson")
        return
    plan = plans.get(own.which) or plans.get(link.view.lesson) or next(iter(plans.values()))
    titles = tuple(f"{plain(one.title)} · {one.minutes} minutes" for one in plans.values())
    pick = Pick("lesson_which", "Lesson", tuple(plans), plan.name, titles)
    start = () if plan.name == OPEN else (Out("Start the lesson", f"./?{short_link(plan, 1)}", faint=False),)
    yield Row((pick, Choose("lesson_sheet"), *start), "lesson_controls", left=True, align="bottom")
    if plan.name == OPEN:
        yield Asked("cap", say("This lesson is open on this page alone. Others need the file."))
    yield Together((sheet(plan, own.sheet, ask),), name="lesson_paper")
    yield OwnField("lesson")


def unknown(name: str, plans: Iterable[str]) -> str:
    """Return what is said of a lesson that is not among those that a visit can open."""
    if name == OPEN:
        return "A lesson of your own is open in one tab, until it is reloaded. Open its file again."
    return f"No lesson is called {quoted(name)} here. There are: {', '.join(plans)}."


def sheet(plan: LessonPlan, kind: str, ask: Ask) -> LessonSheet:
    """Return a lesson as it is printed."""
    count = f"{len(plan.stops)} stops" if len(plan.stops) > 1 else "1 stop"
    minutes = f"{plan.minutes} minutes" if plan.minutes > 1 else "1 minute"
    about = " · ".join(filter(None, (minutes, count, plan.audience)))
    rows = tuple(_row(plan, number, stop, kind, ask) for number, stop in enumerate(plan.stops, 1))
    goals = tuple(map(spans, plan.goals))
    return LessonSheet(kind, spans(plan.title), about, spans(plan.needs), goals, rows, _shares(plan))


def _shares(plan: LessonPlan) -> str:
    """Return whose numbers the answers are, "" where none is measured."""
    measured = [stop for stop in plan.stops if _SLOT.search(stop.answer)]
    names = dict.fromkeys(dict(stop.words).get("model", DEFAULT_MODEL) for stop in measured)
    rows = [row for row in models_offered() if row.name in names]
    if not rows:
        return ""
    return f"Percentages: {', '.join(f'{row.short} ({row.origin_said})' for row in rows)}, shares of all attention."


def _row(plan: LessonPlan, number: int, stop: LessonStop, kind: str, ask: Ask) -> StopRow:
    answer = spans(filled(stop.answer, stop, ask)) if kind in (PLAN, WITH_ANSWERS) else ()
    row = page_row(stop.page)
    sentences = filter(None, (stop.text, second_sentence(stop)))
    folder = ask(ADDRESS).partition("?")[0].rpartition("/")[0]
    address = "" if plan.name == OPEN else f"{folder}/?{short_link(plan, number)}"
    asked = spans(stop.ask)
    code = modules(address) if address and reach(address) != HERE_ONLY else ()
    return StopRow(
        spans(stop.title), row.title, stop.minutes, stop.guess, asked, spans(stop.do), answer, stop.worksheet,
        stop.prompts, to_draw_on(sentences, asked), address, code,
    )  # fmt: skip
