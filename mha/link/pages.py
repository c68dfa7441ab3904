"""Which words each page has, beside those of the frame, and what of a link cannot stand as it is."""

from __future__ import annotations

from collections.abc import Mapping

from mha.link import atlas, compare, heads, lesson, questions, readings, steps, training
from mha.link.kinds import Shape
from mha.link.view import COPIED, View, complaint_of_end, complaint_of_version, shape_of
from mha.link.word import Query, Words

PAGES: dict[str, type[Words]] = {  # by the page's own part of the address
    "": heads.HeadsWords,
    "readings": readings.ReadingsWords,
    "compare": compare.CompareWords,
    "steps": steps.StepsWords,
    "training": training.TrainingWords,
    "atlas": atlas.AtlasWords,
    "questions": questions.QuestionsWords,
    "lesson": lesson.LessonWords,
}


def corrected(query: Query, page: str, models: Mapping[str, Shape]) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """Return what has to stand in a link to a page in the place of what cannot (empty: nothing), and the complaints."""
    shape = shape_of(query, models)
    fixes = View.fixes(query, shape) | (PAGES[page].fixes(query, shape) if page in PAGES else {})
    complaints = (complaint_of_version(query), complaint_of_end(query), *(fix.complaint for fix in fixes.values()))
    marks: dict[str, list[str]] = {name: [] for name in COPIED if name in query}  # they have done what they are for
    return {name: fix.values for name, fix in fixes.items()} | marks, tuple(filter(None, complaints))
