"""Measuring what a model's heads usually do: offered where it is not known."""

from __future__ import annotations

from mha.engine import habits
from mha.screens.heads.picture import Picture, habit_offer
from mha.ui import visitors
from mha.ui.components.captions import caption
from mha.ui.jobs import measured_once


def offer(picture: Picture) -> None:
    """Say that what the heads usually do is not known, and offer to measure it, or show how far that is."""
    said, model = habit_offer(picture), picture.row.name
    if said:
        caption(said, key="habit_words")
        run = habits.habit_run(model)
        measured_once("habit", run, lambda: _measure(model), "Measure what they usually do", "Sentence")


def _measure(model: str) -> None:
    habits.measure_habit(model, visitors.here())
