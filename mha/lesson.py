"""Lessons: an ordered list of links to pages, each with a question for a class; read from Markdown.

    # Who is *it*?
    for: Age 14 and up
    goal: Read one map of a head.

    ## Two nouns, one *it*
    link: ?text=The dog barked
    minutes: 5
    guess: yes
    ask: Where will heads look?

A field goes on over the lines below it, up to an empty line. `docs/lesson.md` has all fields. A lesson comes from the
host or from a visitor's file, so it is bounded, and plain text except for words between asterisks.
"""

import logging
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, parse_qsl, urlencode

from mha import assets
from mha.assets import ASSETS
from mha.errors import InputError
from mha.navigation import ROWS, VERSION

log = logging.getLogger("parallax.lesson")

FOLDER = ASSETS / "lessons"
BUNDLED = ("who-is-it", "the-telescope", "one-head-or-many", "look-and-matter")
OFFERED = "PARALLAX_LESSONS"  # folders or files, with commas between them
SHORT = {"lesson", "stop", "large"}  # the words of a short link
OPEN = "open"  # the name of a visitor's own file, which only their page has
MOST_BYTES, MOST_MINUTES = 64 * 1024, 240
MOST_STOPS = 40
MOST_TEXT = 1200  # characters of a field
WORKSHEETS = ("arcs", "number", "yes-no", "map", "lines")
PAGES_OF_STOPS = {row.path for row in ROWS if row.path != "lesson"}
OF_LESSON = ("for", "needs", "goal")
OF_STOP = ("link", "minutes", "guess", "ask", "do", "answer", "worksheet")
Fields = dict[str, list[tuple[int, str]]]  # the values of each field with the numbers of their lines
_FIELD = re.compile(r"([a-z]+):(?:\s+(.*)|$)")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_LEFT = ("v", "lesson", "stop", "reveal")  # parameters of a link that a stop sets itself, or leaves out


@dataclass(frozen=True)
class LessonStop:
    """One stop: its address (``page`` and ``words`` of the link), its question, task and answer.

    ``worksheet`` is one of `WORKSHEETS`; ``prompts`` precede its lines, () for the usual ones.
    """

    title: str
    page: str
    words: tuple[tuple[str, str], ...]
    ask: str = ""
    do: str = ""
    answer: str = ""
    minutes: int = 5
    guess: bool = False
    worksheet: str = "lines"
    prompts: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The sentence of the stop's link, "" where it names none."""
        return dict(self.words).get("text", "")


@dataclass(frozen=True)
class LessonPlan:
    """A lesson: its ``name`` in the link, its ``goals``, and the knowledge that pupils ``need`` before it."""

    name: str
    title: str
    audience: str
    needs: str
    goals: tuple[str, ...]
    stops: tuple[LessonStop, ...]

    @property
    def minutes(self) -> int:
        """How long all stops take."""
        return sum(stop.minutes for stop in self.stops)


def read(content: str | bytes, name: str = OPEN) -> LessonPlan:
    """Return the lesson in a Markdown file.

    Raises:
        InputError: the file is not a lesson; the message names the line.
    """
    if len(content if isinstance(content, bytes) else content.encode("utf-8", "replace")) > MOST_BYTES:
        raise InputError(f"A lesson may have {MOST_BYTES // 1024} kB; this file is larger.")
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
    except UnicodeDecodeError as error:
        raise InputError("This file is not text in UTF-8.") from error
    title, fields = "", Fields()  # of the lesson, then of its last stop
    of_lesson, stops = fields, list[tuple[int, str, Fields]]()
    values: list[tuple[int, str]] | None = None  # of the field that the next line may continue
    for number, line in enumerate(map(str.rstrip, text.splitlines()), 1):
        if not line:
            values = None
        elif line.startswith("## "):
            if len(stops) == MOST_STOPS:
                raise InputError(f"Line {number}: a lesson may have {MOST_STOPS} stops.")
            fields, values = {}, None
            stops.append((number, _bounded(line[3:].strip(), number), fields))
        elif line.startswith("# ") and not title and not stops:
            title = _bounded(line[2:].strip(), number)
        elif field := _FIELD.match(line):
            values = _values(fields, field[1], number, is_stop=bool(stops))
            values.append((number, _bounded((field[2] or "").strip(), number)))
        elif values is not None and not line.startswith("#"):
            start, field_text = values[-1]
            values[-1] = start, _bounded(f"{field_text} {line.strip()}".strip(), start)
        else:
            raise InputError(f"Line {number}: this belongs to no field. A field begins as “ask: …” does.")
    if not title:
        raise InputError("Line 1: a lesson begins with its title, as “# Who is it?”.")
    if not stops:
        raise InputError("This lesson has no stop. A stop begins with its title, as “## Two nouns”.")
    goals = tuple(value for _, value in of_lesson.get("goal", ()))
    audience, needs = (of_lesson.get(field, [(0, "")])[0][1] for field in ("for", "needs"))
    return LessonPlan(name, title, audience, needs, goals, tuple(_stop(*stop) for stop in stops))


def _values(fields: Fields, name: str, number: int, is_stop: bool) -> list[tuple[int, str]]:
    """Return the list that a new field's value belongs to."""
    field_names, place = (OF_STOP, "a stop") if is_stop else (OF_LESSON, "a lesson, before its first stop,")
    if name not in field_names:
        raise InputError(f"Line {number}: {place} has no field “{name}”. It has {', '.join(field_names)}.")
    if name in fields and name != "goal":
        raise InputError(f"Line {number}: “{name}” is here twice.")
    return fields.setdefault(name, [])


def _stop(number: int, title: str, fields: Fields) -> LessonStop:
    if "link" not in fields:
        raise InputError(f"Line {number}: the stop “{title}” has no link.")
    page, words = _place(*fields["link"][0])
    texts = {name: fields[name][0][1] for name in ("ask", "do", "answer") if name in fields}
    sheet, _, prompts = fields.get("worksheet", [(number, "lines")])[0][1].partition(":")
    return LessonStop(
        title, page, words, **texts,
        minutes=_minutes(*fields.get("minutes", [(number, "5")])[0]),
        guess=_one_of(*fields.get("guess", [(number, "no")])[0], ("yes", "no")) == "yes",
        worksheet=_one_of(fields.get("worksheet", [(number, "")])[0][0], sheet.strip(), WORKSHEETS),
        prompts=tuple(filter(None, map(str.strip, prompts.split(";")))),
    )  # fmt: skip


def _place(number: int, link: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    path, _, query = link.partition("?")
    page = path.strip("/")
    if page == "about":  # a page of 0.2, now a section of Questions
        page, query = "questions", f"section=limits&{query}"
    if ":" in path or path.startswith("//") or "\\" in path:
        raise InputError(f"Line {number}: a stop’s link goes to a page of this app, as “readings?text=…” does.")
    if page not in PAGES_OF_STOPS:
        pages = ", ".join(sorted(PAGES_OF_STOPS - {""}))
        raise InputError(f"Line {number}: there is no page “{page[:40]}”. There are {pages}; Heads has no name.")
    return page, tuple(pair for pair in parse_qsl(query, keep_blank_values=True) if pair[0] not in _LEFT)


def _minutes(number: int, value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 4 and 1 <= int(value) <= MOST_MINUTES):
        raise InputError(f"Line {number}: minutes are a whole number from 1 to {MOST_MINUTES}.")
    return int(value)


def _one_of(number: int, value: str, options: tuple[str, ...]) -> str:
    if value not in options:
        raise InputError(f"Line {number}: this is {', '.join(options[:-1])} or {options[-1]}.")
    return value


def _bounded(text: str, number: int) -> str:
    if not text.isprintable():
        raise InputError(f"Line {number}: it has characters that cannot be shown.")
    if len(text) > MOST_TEXT:
        raise InputError(f"Line {number}: a field may have {MOST_TEXT:,} characters.")
    return text


def offered() -> dict[str, LessonPlan]:
    """Return the lessons for everybody by name: the bundled ones, then those of ``PARALLAX_LESSONS``.

    A file that is wrong is left out, with a line in the log.
    """
    plans: dict[str, LessonPlan] = {}
    for name in BUNDLED:
        plan = assets.optional(FOLDER / f"{name}.md", partial(read, name=name))
        if plan is not None:
            plans[name] = plan
    for file in _files():
        if not _NAME.fullmatch(file.stem) or file.stem == OPEN:
            log.warning("a lesson was left out: its file is named by small letters, digits and hyphens: %s", file.name)
            continue
        try:
            with file.open("rb") as stream:
                plans[file.stem] = read(stream.read(MOST_BYTES + 1), file.stem)
        except (OSError, InputError) as error:
            log.warning("a lesson was left out: %s: %s", file.name, error)
    return plans


def _files() -> Iterator[Path]:
    for part in filter(None, map(str.strip, os.environ.get(OFFERED, "").split(","))):
        path = Path(part)
        yield from sorted(path.glob("*.md")) if path.is_dir() else (path,)


def stop_opened(query: str) -> str:
    """Return the page and parameters of the stop that a short link opens; "" for other links and unknown lessons.

    A short link has only a lesson and a stop; a link with a version or with `reveal` was opened before.
    """
    parameters = parse_qs(query)
    plan = offered().get(parameters["lesson"][-1]) if "lesson" in parameters and parameters.keys() <= SHORT else None
    if plan is None:
        return ""
    number = (parameters.get("stop") or ["1"])[-1]
    index = (
        min(max(1, int(number)), len(plan.stops)) if number.isascii() and number.isdigit() and len(number) < 4 else 1
    )
    stop = plan.stops[index - 1]
    large = [("large", "true")] if parameters.get("large") == ["true"] else []
    pairs = [*stop.words, ("reveal", "0" if stop.guess else "1"), *large, ("lesson", plan.name), ("stop", str(index))]
    return f"{stop.page}?{urlencode([('v', VERSION), *pairs])}"
