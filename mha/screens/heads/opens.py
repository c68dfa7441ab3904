"""Whether the program's opening sentence can be drawn: what a page needs beyond a model that answers."""

from __future__ import annotations

from mha.engine import Request
from mha.engine.habits import habit_of
from mha.engine.inprocess import ENGINE
from mha.link.view import DEFAULT_TEXT, View
from mha.screens.drawing import Drawing
from mha.screens.heads.overview import overview_of
from mha.screens.heads.picture import picture_of


def opening_drawn() -> Drawing:
    """Return what a bare address opens with, drawn; raise what keeps it from being drawn."""
    view = View()
    recording = ENGINE.record(Request(DEFAULT_TEXT, view.model))
    shown = picture_of(view, recording, DEFAULT_TEXT, habit_of(view.model)).shown
    return overview_of(shown, "all")
