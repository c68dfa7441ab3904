"""The picture of a link's text; of what cannot be used or is not there, what is drawn in its place, and why."""

from __future__ import annotations

from collections.abc import Sequence

from mha.engine import Request
from mha.engine.habits import habit_of
from mha.engine.question import Ask
from mha.errors import InputError
from mha.formats import listed
from mha.link.acts import TakeText
from mha.link.view import DEFAULT_TEXT, View
from mha.maps import AttentionMaps, HeadId, Reading, Recording
from mha.models.files.catalog import model_row
from mha.screens.blocks import Block
from mha.screens.heads.picture import Picture, picture_of
from mha.screens.inputs import Press
from mha.screens.places import Notice

NOTHING_DRAWN = "Until then the page shows the telescope sentence."


def recorded(
    view: View, ask: Ask, pair: str | None = None, readings: Sequence[Reading] | None = None
) -> tuple[Picture, list[Block]]:
    """Return the picture of a view, and what has to be said of it before it is drawn.

    ``pair`` is a second text that the model reads together with the sentence, ``readings`` as of `picture_of`. A
    model that knows a few words only gets
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
    return picture_of(view, recording, request.text, habit_of(request.model), readings), said


def _or_its_own(request: Request, ask: Ask) -> tuple[Recording, list[Block]]:
    try:
        return ask(request), []
    except InputError as error:
        own = model_row(request.model).example
        if not own:
            raise
        instead: list[Block] = [
            Notice(f"{error} Showing “{own}” instead."),
            Press("Use that sentence", (TakeText(own),)),
        ]
        return ask(Request(own, request.model)), instead


def elsewhere(view: View, maps: AttentionMaps) -> str:
    """Return what is said of pinned heads and of a layer that these maps have not; "" where all are there."""
    there = set(maps.heads)
    missing = [str(head) for head in view.pins or () if head not in there]
    if view.layer is not None and view.layer >= maps.n_layers:
        missing.append(f"layer {view.layer}")
    if not missing:
        return ""
    last = HeadId(maps.n_layers - 1, maps.n_heads - 1)
    do, back = ("does", "It returns") if len(missing) == 1 else ("do", "They return")
    named = listed(missing)
    return (
        f"{named[0].upper()}{named[1:]} {do} not exist in this attention (it has L0H0 to {last}). {back} when you "
        "switch back."
    )
