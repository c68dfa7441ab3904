"""What a click does, with a picture that nobody has to keep for it.

Streamlit keeps the callbacks of a visit as long as its page is open. One that held the picture would keep the maps of
every open page in memory: 70 MB for a long text. So it holds the view, and draws from it again when it is called; what
was recorded is in the engine's cache, or recorded again; what a file holds is read again.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from mha import engine
from mha.engine.habits import habit_of
from mha.engine.opened import weighed
from mha.errors import MHAError
from mha.maps import BROUGHT
from mha.screens.heads.picture import Picture, picture_of, weighed_picture
from mha.screens.shown import Shown


def later(picture: Picture, act: Callable[..., Any], *given: Any) -> Callable[..., Any]:
    """Return what calls ``act`` with the picture, then ``given``, then what it is called with itself."""
    again = _again(picture)
    return lambda *come: act(again(), *given, *come)


def shown_later(picture: Picture, act: Callable[..., Any], *given: Any) -> Callable[..., Any]:
    """Return `later` of what is shown: ``act`` begins with a `Shown`."""
    again = _again(picture)

    def call(*come: Any) -> Any:
        shown: Shown = again().shown
        return act(shown, *given, *come)

    return call


_agains: weakref.WeakKeyDictionary[Picture, Callable[[], Picture]] = weakref.WeakKeyDictionary()


def made_again_by(picture: Picture, make: Callable[[], Picture]) -> Callable[[], Picture]:
    """Take what makes a picture again, and return what gives it: itself while it is drawn from, else made so."""
    held = weakref.ref(picture)

    def again() -> Picture:
        known = held()
        return make() if known is None else known

    _agains[picture] = again  # a run of the page asks for ten
    return again


def _again(picture: Picture) -> Callable[[], Picture]:
    """Return what gives the picture: itself while it is drawn from, else made again."""
    known = _agains.get(picture)
    return _made_again(picture) if known is None else known


def _made_again(picture: Picture) -> Callable[[], Picture]:
    view, maps = picture.view, picture.recording.maps
    try:
        request = engine.Request(maps.text, picture.row.name, maps.pair)
        known = engine.known(request)  # never a forward pass: this is asked for every callback of a page
    except MHAError:
        known = None
    brought = maps.measure == BROUGHT and known is not None
    if not brought and (known is None or known.maps is not maps):
        # What a model wrote, another of its stacks: nothing can be asked for them again.
        return lambda: picture

    def make() -> Picture:
        recording = engine.record(request)
        made = picture_of(view, recording, request.text, habit_of(request.model))
        return weighed_picture(made, weighed(recording, request.model).maps) if brought else made

    return made_again_by(picture, make)
