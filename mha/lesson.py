"""Lessons: an ordered list of links to pages, each with a question for a class; read from Markdown.

    # Who is *it*?
    for: Age 14 and up
    goal: Read one map of a head.

    ## Two nouns, one *it*
    link: ?text=The dog barked
    minutes: 5
    guess: yes
    ask: Where will heads look?

A field goes on over the lines below it, up to an empty line. `docs/lesson.md` has all fields. A lesson comes from
whoever runs the app or from a visitor's file, so it is bounded, and plain text but for words between asterisks.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from urllib.parse import parse_qsl, quote

from mha import assets
from mha.assets import ASSETS
from mha.errors import InputError
from mha.link.pages import HIDDEN, ROWS
from mha.link.view import MOST_STOPS

log = logging.getLogger("parallax.lesson")

FOLDER = ASSETS / "lessons"
BUNDLED = ("who-is-it", "the-telescope", "one-head-or-many")
OFFERED = "PARALLAX_LESSONS"  # folders or files, with commas between them
OPEN = "open"  # the name of a visitor's own file, which only their page has
MOST_BYTES, MOST_MINUTES = 64 * 1024, 240
MOST_TEXT = 1200  # characters of a field
WORKSHEETS = ("arcs", "number", "yes-no", "map", "lines")
PAGES_OF_STOPS = {row.path for row in ROWS if row.stands != HIDDEN}
_FIELD = re.compile(r"([a-z]+):(?:\s+(.*)|$)")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_LINE = re.compile(r"^Line \d+: ")
_LEFT = ("v", "lesson", "stop", "reveal")  # words of a link that a stop says otherwise, or not at all


@dataclass(frozen=True)
class LessonStop:
    """One stop: where it is (``page`` and ``words`` of the link) and what is asked, done and answered there.

    ``worksheet`` is what pupils write on, one of `WORKSHEETS`; ``prompts`` stand before its lines, () for the usual.
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

    def is_at(self, page: str, words: Sequence[tuple[str, str]]) -> bool:
        """Return whether this is the stop of a view, by its page and the words of its link."""
        return self.page == page and self.words == _of_view(words)


@dataclass(frozen=True)
class LessonPlan:
    """A lesson: its ``name`` in the link, what pupils can do after it (``goals``), what they ``need`` before it."""

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
        InputError: it is no lesson; the message names the line.
    """
    if len(content if isinstance(content, bytes) else content.encode("utf-8", "replace")) > MOST_BYTES:
        raise InputError(f"A lesson may have {MOST_BYTES // 1024} kB; this file is larger.")
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
    except UnicodeDecodeError as error:
        raise InputError("This file is not text in UTF-8.") from error
    found = _Reading()
    for number, line in enumerate(text.splitlines(), 1):
        found.take(number, line.rstrip())
    return found.plan(name)


class _Reading:
    """What has been read of a file so far."""

    OF_LESSON = ("for", "needs", "goal")
    OF_STOP = ("link", "minutes", "guess", "ask", "do", "answer", "worksheet")

    def __init__(self) -> None:
        self.title = ""
        self.lesson: dict[str, list[tuple[int, str]]] = {}
        self.stops: list[tuple[int, str, dict[str, list[tuple[int, str]]]]] = []
        self.goes_on: list[tuple[int, str]] | None = None

    def take(self, number: int, line: str) -> None:
        """Take one line."""
        field = _FIELD.match(line)
        if not line:
            self.goes_on = None
        elif line.startswith("## "):
            if len(self.stops) == MOST_STOPS:
                raise InputError(f"Line {number}: a lesson may have {MOST_STOPS} stops.")
            self.stops.append((number, _bounded(line[3:].strip(), number), {}))
            self.goes_on = None
        elif line.startswith("# ") and not self.title and not self.stops:
            self.title = _bounded(line[2:].strip(), number)
        elif field:
            self._field(number, field[1], field[2] or "")
        elif self.goes_on is not None and not line.startswith("#"):
            start, before = self.goes_on[-1]
            self.goes_on[-1] = start, _bounded(f"{before} {line.strip()}".strip(), start)
        else:
            raise InputError(f"Line {number}: this belongs to no field. A field begins as “ask: …” does.")

    def _field(self, number: int, name: str, value: str) -> None:
        known, held = (self.OF_STOP, self.stops[-1][2]) if self.stops else (self.OF_LESSON, self.lesson)
        where = "a stop" if self.stops else "a lesson, before its first stop,"
        if name not in known:
            raise InputError(f"Line {number}: {where} has no field “{name}”. It has {', '.join(known)}.")
        if name in held and name != "goal":
            raise InputError(f"Line {number}: “{name}” is here twice.")
        self.goes_on = held.setdefault(name, [])
        self.goes_on.append((number, _bounded(value.strip(), number)))

    def plan(self, name: str) -> LessonPlan:
        """Return the whole lesson."""
        if not self.title:
            raise InputError("Line 1: a lesson begins with its title, as “# Who is it?”.")
        if not self.stops:
            raise InputError("This lesson has no stop. A stop begins with its title, as “## Two nouns”.")
        goals = tuple(value for _, value in self.lesson.get("goal", ()))
        audience, needs = (self.lesson.get(field, [(0, "")])[0][1] for field in ("for", "needs"))
        return LessonPlan(name, self.title, audience, needs, goals, tuple(_stop(*stop) for stop in self.stops))


def _stop(number: int, title: str, fields: dict[str, list[tuple[int, str]]]) -> LessonStop:
    if "link" not in fields:
        raise InputError(f"Line {number}: the stop “{title}” has no link.")
    page, words = _place(*fields["link"][0])
    said = {name: fields[name][0][1] for name in ("ask", "do", "answer") if name in fields}
    sheet, _, prompts = fields.get("worksheet", [(number, "lines")])[0][1].partition(":")
    return LessonStop(
        title, page, words, **said,
        minutes=_minutes(*fields.get("minutes", [(number, "5")])[0]),
        guess=_one_of(*fields.get("guess", [(number, "no")])[0], ("yes", "no")) == "yes",
        worksheet=_one_of(fields.get("worksheet", [(number, "")])[0][0], sheet.strip(), WORKSHEETS),
        prompts=tuple(filter(None, map(str.strip, prompts.split(";")))),
    )  # fmt: skip


def _place(number: int, link: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    path, _, query = link.partition("?")
    page = path.strip("/")
    if ":" in path or path.startswith("//") or "\\" in path:
        raise InputError(f"Line {number}: a stop’s link goes to a page of this app, as “readings?text=…” does.")
    if page not in PAGES_OF_STOPS:
        known = ", ".join(sorted(PAGES_OF_STOPS - {""}))
        raise InputError(f"Line {number}: there is no page “{page[:40]}”. There are {known}; Heads has no name.")
    return page, _of_view(parse_qsl(query, keep_blank_values=True))


def _of_view(words: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in words if pair[0] not in _LEFT)


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


def written(plan: LessonPlan) -> str:
    """Return a lesson as the Markdown that `read` reads; what is as it is by default is left out.

    >>> print(written(read("# Dogs\\n## One\\nlink: steps?text=A%20dog%26I\\nask: Who?")))
    # Dogs
    <BLANKLINE>
    ## One
    link: steps?text=A dog%26I
    minutes: 5
    ask: Who?
    <BLANKLINE>
    """
    head = [("for", plan.audience), ("needs", plan.needs), *(("goal", goal) for goal in plan.goals)]
    parts = [_fields(f"# {plan.title}", head), *(_of_stop(stop) for stop in plan.stops)]
    return "\n".join(parts)


def _of_stop(stop: LessonStop) -> str:
    link = f"{stop.page}?" + "&".join(f"{name}={_plainly(value)}" for name, value in stop.words)
    sheet = f"{stop.worksheet}: {'; '.join(stop.prompts)}" if stop.prompts else stop.worksheet
    fields = [("link", link), ("minutes", str(stop.minutes)), ("guess", "yes" if stop.guess else "")]
    fields += [("ask", stop.ask), ("do", stop.do), ("answer", stop.answer)]
    return _fields(f"## {stop.title}", [*fields, ("worksheet", "" if sheet == WORKSHEETS[-1] else sheet)])


def _fields(title: str, fields: list[tuple[str, str]]) -> str:
    return "\n".join([title, *(f"{name}: {value}" for name, value in fields if value)]) + "\n"


def _plainly(value: str) -> str:
    """Return a value for a link in a lesson: as it is read, but for what would end it or could not be shown."""
    hidden = {place for place in (0, len(value) - 1) if value[place : place + 1] == " "}
    return "".join(
        quote(sign, safe="", errors="replace") if sign in "%&+" or place in hidden or not sign.isprintable() else sign
        for place, sign in enumerate(value)
    )


def with_view(plan: LessonPlan | None, title: str, page: str, words: Sequence[tuple[str, str]]) -> LessonPlan:
    """Return a lesson of a visitor's own with a view as its last stop; without a lesson, a new one.

    Raises:
        InputError: no stop can be there, or the lesson would be longer than one may be.
    """
    guess = ("reveal", "0") in words
    stop = LessonStop(title, page, _of_view(words), guess=guess)
    plan = plan or LessonPlan(OPEN, "My lesson", "", "", (), ())
    try:
        return read(written(replace(plan, stops=(*plan.stops, stop))))
    except InputError as error:
        why = _LINE.sub("", str(error))
        raise InputError(f"This view was not added: {why[:1].lower()}{why[1:]}") from error


def offered() -> dict[str, LessonPlan]:
    """Return the lessons for everybody by name: the bundled ones, then those of ``PARALLAX_LESSONS``.

    A file that is wrong is left out, with a line in the log.
    """
    found: dict[str, LessonPlan] = {}
    for name in BUNDLED:
        plan = assets.optional(FOLDER / f"{name}.md", partial(read, name=name))
        if plan is not None:
            found[name] = plan
    for file in _files():
        if not _NAME.fullmatch(file.stem) or file.stem == OPEN:
            log.warning("a lesson was left out: its file is named by small letters, digits and hyphens: %s", file.name)
            continue
        try:
            found[file.stem] = _of_file(file)
        except (OSError, InputError) as error:
            log.warning("a lesson was left out: %s: %s", file.name, error)
    return found


def _of_file(file: Path) -> LessonPlan:
    with file.open("rb") as opened:
        return read(opened.read(MOST_BYTES + 1), file.stem)


def _files() -> Iterator[Path]:
    for part in filter(None, map(str.strip, os.environ.get(OFFERED, "").split(","))):
        path = Path(part)
        yield from sorted(path.glob("*.md")) if path.is_dir() else (path,)
