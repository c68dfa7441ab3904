"""What a lesson says, as spans: words in italics, and its slots filled with what is measured."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlencode

from mha.engine import Request
from mha.engine.question import Ask
from mha.errors import MHAError
from mha.formats import percent
from mha.lesson import LessonPlan, LessonStop, offered
from mha.link.view import DEFAULT_MODEL, VERSION
from mha.maps import AttentionMaps, HeadId
from mha.screens.blocks import Span

UNKNOWN = "…"
A_THIRD = 1 / 3
SHORT = {"v", "lesson", "stop", "large"}  # the words of a short link
TEACHER = "lesson"  # the page for the teacher, which no class is sent to
_SLOT = re.compile(r"\{(heads )?([^\s{}→]+)→([^\s{}→]+)(?: (L\d{1,3}H\d{1,3}))?( second)?\}")
_MARK = re.compile(r"\*([^*]+)\*")


def spans(text: str) -> tuple[Span, ...]:
    """Return a text of a lesson as spans; words between asterisks are words of a sentence, nothing else is a mark.

    >>> spans("Who is *it*?")
    (('plain', 'Who is '), ('word', 'it'), ('plain', '?'))
    """
    parts = _MARK.split(text)
    return tuple(("word" if place % 2 else "plain", part) for place, part in enumerate(parts) if part)


def plain(text: str) -> str:
    """Return a text of a lesson without its marks."""
    return _MARK.sub(r"\1", text)


def short_link(plan: LessonPlan, number: int) -> str:
    """Return the words of the address that opens a stop, by its number from 1."""
    return urlencode({"lesson": plan.name, "stop": number})


def filled(text: str, stop: LessonStop, ask: Ask) -> str:
    """Return a text of a stop with its slots filled from the stop's sentence; “…” for what cannot be measured."""

    def measured(slot: re.Match[str]) -> str:
        words = dict(stop.words)
        sentence = (words.get("compare_second") or words.get("readings_contrast")) if slot[5] else stop.text
        if not sentence:
            return UNKNOWN
        try:
            maps = ask(Request(sentence, words.get("model", DEFAULT_MODEL))).maps.merged()
        except MHAError:
            return UNKNOWN
        return _told(maps, slot[2], slot[3], slot[4], bool(slot[1]))

    return _SLOT.sub(measured, text)


def _told(maps: AttentionMaps, query: str, key: str, name: str | None, count: bool) -> str:
    pieces = [token.text for token in maps.tokens]
    if query not in pieces or key not in pieces:
        return UNKNOWN
    looks = maps.weights[:, :, pieces.index(query), pieces.index(key)]
    if count:
        return str(int((looks >= A_THIRD).sum()))
    head = HeadId.parse(name) if name else None
    if head is None or head.layer >= maps.n_layers or head.head >= maps.n_heads:
        return UNKNOWN
    return percent(float(looks[head.layer, head.head]))


def stop_opened(query: str) -> str:
    """Return the page and words of the stop that a short link opens; "" where it is none, or no lesson is so named.

    A short link says a lesson and a stop and no more of the page; one that says what is revealed has been followed.
    """
    said = parse_qs(query)
    plan = offered().get(said["lesson"][-1]) if "lesson" in said and said.keys() <= SHORT else None
    if plan is None:
        return ""
    number = (said.get("stop") or ["1"])[-1]
    at = min(max(1, int(number)), len(plan.stops)) if number.isascii() and number.isdigit() and len(number) < 4 else 1
    stop = plan.stops[at - 1]
    large = [("large", "true")] if said.get("large") == ["true"] else []
    pairs = [*stop.words, ("reveal", "0" if stop.guess else "1"), *large, ("lesson", plan.name), ("stop", str(at))]
    return f"{stop.page}?{urlencode([('v', VERSION), *pairs])}"
