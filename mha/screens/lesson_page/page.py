"""The page for the teacher: a lesson's plan, and a worksheet, each of which prints on A4. Nothing is stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mha.engine.question import Ask, Here, Kept
from mha.lesson import OPEN, LessonPlan, LessonStop, offered
from mha.link.kinds import quoted
from mha.link.link import Link
from mha.link.pages import PLAN, WITH_ANSWERS, LessonWords, page_row
from mha.link.view import DEFAULT_MODEL
from mha.models.files.catalog import offered as models_offered
from mha.public import HERE_ONLY, reach
from mha.screens.blocks import Asked, Block, Span, say
from mha.screens.inputs import Choose, LessonField, Out, Pick
from mha.screens.lessons import filled, has_slots, plain, short_link, spans, to_draw_on
from mha.screens.places import Notice, Row, Together
from mha.screens.share import modules

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
        yield Notice(f"No lesson is called {quoted(own.which)} here. There are: {', '.join(plans)}.")
    if not plans:
        yield Notice("There is no lesson here.")
        yield LessonField()
        return
    plan = plans.get(own.which) or plans.get(link.view.lesson) or next(iter(plans.values()))
    titles = tuple(f"{plain(one.title)} · {one.minutes} minutes" for one in plans.values())
    pick = Pick("lesson_which", "Lesson", tuple(plans), plan.name, titles)
    start = () if plan.name == OPEN else (Out("Start the lesson", f"./?{short_link(plan, 1)}", faint=False),)
    yield Row((pick, Choose("lesson_sheet"), *start), "lesson_controls", left=True, align="bottom")
    if plan.name == OPEN:
        yield Asked("cap", say("This lesson is open on this page alone. Others need the file."))
    yield Together((sheet(plan, own.sheet, ask),), name="lesson_paper")
    yield LessonField()


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
    measured = [stop for stop in plan.stops if has_slots(stop.answer)]
    names = dict.fromkeys(dict(stop.words).get("model", DEFAULT_MODEL) for stop in measured)
    rows = [row for row in models_offered() if row.name in names]
    if not rows:
        return ""
    return f"Percentages: {', '.join(f'{row.short} ({row.origin})' for row in rows)}, shares of all attention."


def _row(plan: LessonPlan, number: int, stop: LessonStop, kind: str, ask: Ask) -> StopRow:
    answer = spans(filled(stop.answer, stop, ask)) if kind in (PLAN, WITH_ANSWERS) else ()
    words: Mapping[str, str] = dict(stop.words)
    row = page_row(stop.page)
    second = words.get(row.words.of(row.second).name, "") if row.second else ""
    sentences = filter(None, (stop.text, second))
    folder = ask(Here()).partition("?")[0].rpartition("/")[0]
    address = "" if plan.name == OPEN else f"{folder}/?{short_link(plan, number)}"
    asked = spans(stop.ask)
    code = modules(address) if address and reach(address) != HERE_ONLY else ()
    return StopRow(
        spans(stop.title), row.title, stop.minutes, stop.guess, asked, spans(stop.do), answer, stop.worksheet,
        stop.prompts, to_draw_on(sentences, asked), address, code,
    )  # fmt: skip
