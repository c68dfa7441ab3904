"""A picture that can be had again, by what nobody has to keep it for.

Streamlit keeps what a file is made by as long as a visit's page is open. What held the picture would keep the maps of
every open page in memory: 70 MB for a long text. So it holds the view, and draws from it again when it is asked; what
was recorded is in the engine's cache, or recorded again; what a file holds is read again.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable

from mha import engine
from mha.engine.experiments import weighed
from mha.engine.habits import habit_of
from mha.errors import MHAError
from mha.maps import BROUGHT
from mha.screens.heads.picture import Picture, picture_of, weighed_picture

Again = Callable[[], Picture]
_agains: weakref.WeakKeyDictionary[Picture, Again] = weakref.WeakKeyDictionary()


def made_again_by(picture: Picture, make: Again) -> Again:
    """Take what makes a picture again, and return what gives it: itself while it is drawn from, else made so."""
    held = weakref.ref(picture)

    def again() -> Picture:
        known = held()
        return make() if known is None else known

    _agains[picture] = again
    return again


def again(picture: Picture) -> Again:
    """Return what gives the picture: itself while it is drawn from, else made again."""
    known = _agains.get(picture)
    return _made_again(picture) if known is None else known


def _made_again(picture: Picture) -> Again:
    view, maps, readings = picture.view, picture.recording.maps, picture.shown.readings
    try:
        request = engine.Request(maps.text, picture.row.name, maps.pair)
        known = engine.known(request)  # never a forward pass: this is asked for every file of a page
    except MHAError:
        known = None
    brought = maps.measure == BROUGHT and known is not None
    if not brought and (known is None or known.maps is not maps):
        # What a model wrote, another of its stacks: nothing can be asked for them again.
        return lambda: picture

    def make() -> Picture:
        recording = engine.record(request)
        made = picture_of(view, recording, request.text, habit_of(request.model), readings)
        return weighed_picture(made, weighed(recording, request.model).maps) if brought else made

    return made_again_by(picture, make)
