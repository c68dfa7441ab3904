"""The words of the page for the teacher: which lesson, and what of it is printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mha.link.kinds import Choice, Text
from mha.link.view import MOST_NAME
from mha.link.word import Words, word

PLAN, WORKSHEET, WITH_ANSWERS = SHEETS = ("Plan", "Worksheet", "Worksheet with answers")


@dataclass(frozen=True)
class LessonWords(Words):
    """Which lesson stands on the page, and as what."""

    PREFIX: ClassVar[str] = "lesson_"
    which: str = word(Text(MOST_NAME), "", "Lesson", "the lesson that is looked at", instead="the first")
    sheet: str = word(Choice(SHEETS, "segments"), PLAN, "What is printed", "the plan for the teacher or a worksheet")
