"""Lesson: the texts of a lesson with measured numbers, and the data of its plan and worksheet.

A text of a lesson has two marks: a word of a sentence between asterisks, and a slot for a number that is measured.
"""

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

import segno

from mha.engine import Request
from mha.errors import MHAError
from mha.formats import clean, percent, truncate
from mha.lesson import OPEN, LessonPlan, LessonStop
from mha.maps import AttentionMaps, HeadId
from mha.models.files.catalog import offered as models_offered
from mha.navigation import page_row
from mha.public import HERE_ONLY, reach

Span = tuple[str, str]  # ("word", a word of a sentence) or ("plain", text)

PAGE = "lesson"  # the page for the teacher, which no class opens
PLAN, WORKSHEET, WITH_ANSWERS = SHEETS = ("Plan", "Worksheet", "Worksheet with answers")
DEFAULT_MODEL = "minilm"
UNKNOWN = "…"
A_THIRD = 1 / 3  # of the attention of a word: a slot of heads counts from this share, unless it has its own per cents
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


def drawing_sentences(sentences: Iterable[str], question: tuple[Span, ...]) -> tuple[tuple[Span, ...], ...]:
    """Return the sentences that pupils draw on; a word that the question names and each sentence has is marked.

    >>> drawing_sentences(["it was big", "it was small"], spans("Where will heads look from *it*, or *big*?"))[1]
    (('word', 'it'), ('plain', ' was small'))
    """
    sentences = tuple(sentences)
    question_words = {text for kind, text in question if kind == "word"}
    word_sets = [set(_WORD.findall(sentence)) for sentence in sentences]
    marked = {word for word in question_words if all(word in words for words in word_sets)}
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


def fill_slots(text: str, stop: LessonStop) -> str:
    """Return a text of a stop with its slots filled from the stop's sentence; “…” if a number cannot be measured."""

    def slot_text(slot: re.Match[str]) -> str:
        words = dict(stop.words)
        sentence = second_sentence(stop) if slot["second"] else stop.text
        if not sentence:
            return UNKNOWN
        try:
            maps = Request(sentence, words.get("model", DEFAULT_MODEL)).answer().maps.merged()
        except MHAError:
            return UNKNOWN
        minimum = int(slot["least"]) / 100 if slot["least"] else A_THIRD
        return _slot_value(maps, (slot["query"], slot["key"]), slot["head"], minimum if slot["heads"] else None)

    return _SLOT.sub(slot_text, text)


def _slot_value(maps: AttentionMaps, look: tuple[str, str], name: str | None, minimum: float | None) -> str:
    """Return the share of one head's look, or how many heads give at least ``minimum``."""
    pieces, (query, key) = [token.text for token in maps.tokens], look
    if query not in pieces or key not in pieces:
        return UNKNOWN
    looks = maps.weights[:, :, pieces.index(query), pieces.index(key)]
    if minimum is not None:
        return str(int((looks >= minimum).sum()))
    head = HeadId.parse(name) if name else None
    if head is None or head.layer >= maps.n_layers or head.head >= maps.n_heads:
        return UNKNOWN
    return percent(float(looks[head.layer, head.head]))


def choices(plans: Iterable[LessonPlan]) -> dict[str, str]:
    """Return the labels of lessons by name: title and minutes."""
    return {plan.name: f"{plain(plan.title)} · {plan.minutes} minutes" for plan in plans}


def unknown(name: str, plans: Iterable[str]) -> str:
    """Return why a lesson cannot be opened that is not among those of a visit."""
    if name == OPEN:
        return "A lesson of your own is open in one tab, until it is reloaded. Open its file again."
    return f"No lesson is called “{truncate(clean(name), 60)}” here. There are: {', '.join(plans)}."


def sheet_data(plan: LessonPlan, sheet: str, folder: str) -> dict[str, Any]:
    """Return a lesson as it is printed, for `mha.app.components.lesson_sheet`.

    ``sheet`` is one of `SHEETS`; only the plan and the worksheet with answers contain the answers. ``folder`` is the
    address of the app, for the short links and QR codes of the stops.
    """
    count = f"{len(plan.stops)} stops" if len(plan.stops) > 1 else "1 stop"
    minutes = f"{plan.minutes} minutes" if plan.minutes > 1 else "1 minute"
    return {
        "sheet": sheet,
        "title": spans(plan.title),
        "about": " · ".join(filter(None, (minutes, count, plan.audience))),
        "needs": spans(plan.needs),
        "goals": [spans(goal) for goal in plan.goals],
        "stops": [_stop_data(plan, number, sheet, folder) for number in range(1, len(plan.stops) + 1)],
        "origin": origin(plan),
    }


def origin(plan: LessonPlan) -> str:
    """Return the origin of the measured numbers of a lesson, "" if it has none."""
    measured_stops = [stop for stop in plan.stops if _SLOT.search(stop.answer)]
    names = {dict(stop.words).get("model", DEFAULT_MODEL) for stop in measured_stops}
    rows = [row for row in models_offered() if row.name in names]
    if not rows:
        return ""
    return f"Percentages: {', '.join(f'{row.short} ({row.origin_said})' for row in rows)}, shares of all attention."


def _stop_data(plan: LessonPlan, number: int, sheet: str, folder: str) -> dict[str, Any]:
    stop = plan.stops[number - 1]
    question = spans(stop.ask)
    sentences = filter(None, (stop.text, second_sentence(stop)))
    address = "" if plan.name == OPEN else f"{folder}?{short_link(plan, number)}"
    return {
        "title": spans(stop.title),
        "page": page_row(stop.page).title,
        "minutes": stop.minutes,
        "guess": stop.guess,
        "ask": question,
        "do": spans(stop.do),
        "answer": () if sheet == WORKSHEET else spans(fill_slots(stop.answer, stop)),
        "worksheet": stop.worksheet,
        "prompts": stop.prompts,
        "sentences": drawing_sentences(sentences, question),
        "address": address,
        "code": qr_rows(address) if address and reach(address) != HERE_ONLY else (),
    }


def qr_rows(address: str) -> tuple[str, ...]:
    """Return an address as the rows of a QR code, "1" for a dark square and "0" for a light one, without a margin."""
    code = segno.make_qr(address, error="l")
    return tuple("".join("1" if dark else "0" for dark in row) for row in code.matrix)
