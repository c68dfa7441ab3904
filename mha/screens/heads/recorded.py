"""The picture of a link's text; of a text that cannot be used, what is drawn in its place, and why."""

from __future__ import annotations

from mha.engine import Request
from mha.engine.habits import habit_of
from mha.engine.question import Ask
from mha.errors import InputError
from mha.link.acts import TakeText
from mha.link.view import DEFAULT_TEXT, View
from mha.maps import Recording
from mha.models.files.catalog import model_row
from mha.screens.blocks import Block
from mha.screens.heads.picture import Picture, picture_of
from mha.screens.places import Notice, Press

NOTHING_DRAWN = "The telescope sentence stays until then."


def recorded(view: View, ask: Ask, pair: str | None = None) -> tuple[Picture, list[Block]]:
    """Return the picture of a view, and what has to be said of it before it is drawn.

    ``pair`` is a second text that the model reads together with the sentence. A model that knows a few words only gets
    a sentence of its own where it does not know those of the text.
    """
    said: list[Block] = []
    try:
        request = Request(view.text, view.model, pair)
    except InputError as error:
        request = Request(DEFAULT_TEXT, view.model)
        said.append(Notice(f"{error} {NOTHING_DRAWN}"))
    recording, instead = _or_its_own(request, ask)
    said += [*instead, *map(Notice, recording.notes)]
    return picture_of(view, recording, request.text, habit_of(request.model)), said


def _or_its_own(request: Request, ask: Ask) -> tuple[Recording, list[Block]]:
    try:
        return ask(request), []
    except InputError as error:
        own = model_row(request.model).example
        if not own:
            raise
        instead: list[Block] = [
            Notice(f"{error} Drawn instead: “{own}”."),
            Press("Take that sentence", (TakeText(own),)),
        ]
        return ask(Request(own, request.model)), instead
