"""Lesson: the texts of a lesson with measured numbers, and its plan and worksheet as HTML.

A text of a lesson has two marks: a word of a sentence between asterisks, and a slot for a number that is measured.
"""

import html
import re
from collections.abc import Iterable
from urllib.parse import urlencode

import segno

from mha.engine import Request
from mha.errors import MHAError
from mha.formats import clean, in_figures, percent, truncate
from mha.lesson import OPEN, LessonPlan, LessonStop
from mha.maps import AttentionMaps, HeadId
from mha.models.files.catalog import offered as models_offered
from mha.navigation import HERE_ONLY, page_row, reach

Span = tuple[str, str]  # ("word", a word of a sentence) or ("plain", text)

PAGE = "lesson"  # the page for the teacher, which no class opens
PLAN, WORKSHEET, WITH_ANSWERS = SHEETS = ("Plan", "Worksheet", "Worksheet with answers")
DEFAULT_MODEL = "minilm"
UNKNOWN = "…"
PROMPTS = {  # of the lines below the boxes, sentences or map of a worksheet, if a stop names none
    "": ("My guess", "Measured", "So"),
    "arcs": ("I am sure because",),
    "map": ("One row adds up to",),
    "number": (),
    "yes-no": ("Because",),
}
MOST_IN_A_MAP = 14  # words
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


def sheet(plan: LessonPlan, kind: str, folder: str) -> str:
    """Return a lesson as it is printed, as HTML; ``kind`` is one of `SHEETS`.

    A worksheet with answers is followed by the plan, which has them. ``folder`` is the address of the app, for the QR
    code of the lesson.
    """
    worksheet = "" if kind == PLAN else _code(plan, folder) + _worksheet(plan)
    teaching = "" if kind == WORKSHEET else _teaching(plan)
    title = f"<h1>{marked(plan.title)}</h1>"
    return f'<article class="lesson-sheet">{title}{worksheet}{teaching}</article>'


def marked(text: str | Iterable[Span]) -> str:
    """Return a text of a lesson, or its spans, as HTML.

    >>> marked("Who is *it*?")
    'Who is <em>it</em>?'
    """
    parts = spans(text) if isinstance(text, str) else text
    return "".join(f"<em>{html.escape(part)}</em>" if kind == "word" else html.escape(part) for kind, part in parts)


def _teaching(plan: LessonPlan) -> str:
    facts = filter(None, (in_figures(plan.minutes, "minute"), in_figures(len(plan.stops), "stop"), plan.audience))
    goals = "".join(f"<li>{marked(goal)}</li>" for goal in plan.goals)
    goals = f"<h2>After this lesson, pupils can</h2><ol class=goals>{goals}</ol>" if goals else ""
    needs = f"<p><b>Pupils need to know:</b> {marked(plan.needs)}</p>" if plan.needs else ""
    rows = "".join(_teaching_row(number, stop) for number, stop in enumerate(plan.stops, 1))
    return f"<div class=teaching><p class=small>{html.escape(' · '.join(facts))}</p>{needs}{goals}{rows}</div>"


def _teaching_row(number: int, stop: LessonStop) -> str:
    answer = f"<b>Likely:</b> {marked(fill_slots(stop.answer, stop))}" if stop.answer else ""
    guess = ", guess first" if stop.guess else ""
    return (
        f"<section><h2>{number} {marked(stop.title)}</h2>"
        f"<p class=small>{html.escape(page_row(stop.page).title)}, {stop.minutes} min{guess}</p>"
        f"<div><p>{marked(stop.ask)}</p><p>{marked(stop.do)} {answer}</p></div></section>"
    )


def _worksheet(plan: LessonPlan) -> str:
    return _rule("Name") + "".join(
        f"<section><h2>{number} {marked(stop.title)}</h2><p>{marked(stop.ask)}</p>{_blanks(stop)}</section>"
        for number, stop in enumerate(plan.stops, 1)
    )


def _blanks(stop: LessonStop) -> str:
    """Return the lines, boxes, sentences or map that a class writes on, by the kind that a stop names."""
    sentences = drawing_sentences(filter(None, (stop.text, second_sentence(stop))), spans(stop.ask))
    blanks = {
        "arcs": "".join(f"<p class=drawing dir=auto>{marked(sentence)}</p>" for sentence in sentences),
        "number": "<p><span class=box>My guess</span><span class=box>Measured</span></p>",
        "yes-no": "<p><span class=box>Yes</span><span class=box>No</span></p>",
        "map": _map(stop.text) if stop.text else "",
    }.get(stop.worksheet, "")
    prompts = stop.prompts or PROMPTS[stop.worksheet if blanks else ""]
    return blanks + "".join(map(_rule, prompts))


def _rule(text: str) -> str:
    return f"<p class=rule>{marked(text)}</p>"


def _map(sentence: str) -> str:
    """Return an empty map of a sentence, whose rows look at its columns."""
    words = [html.escape(word) for word in sentence.split()[:MOST_IN_A_MAP]]
    columns = "".join(f"<th><span>{word}</span></th>" for word in words)
    rows = "".join(f"<tr><th>{word}</th>{'<td></td>' * len(words)}</tr>" for word in words)
    return f"<div class=wide><table><tr><th></th>{columns}</tr>{rows}</table></div>"


def _code(plan: LessonPlan, folder: str) -> str:
    """Return the QR code of a lesson as an image, "" if no other device can open its address."""
    address = f"{folder}?{short_link(plan, 1)}"
    if plan.name == OPEN or reach(address) == HERE_ONLY:
        return ""
    source = segno.make_qr(address, error="l").svg_data_uri(border=2, light="white")
    return f'<img class=code src="{html.escape(source)}" alt="QR code of the lesson">'


def origin(plan: LessonPlan) -> str:
    """Return the origin of the measured numbers of a lesson, "" if it has none."""
    measured_stops = [stop for stop in plan.stops if _SLOT.search(stop.answer)]
    names = {dict(stop.words).get("model", DEFAULT_MODEL) for stop in measured_stops}
    rows = [row for row in models_offered() if row.name in names]
    if not rows:
        return ""
    return f"Percentages: {', '.join(f'{row.short} ({row.origin_said})' for row in rows)}, shares of all attention."
