"""Is the opening unusual? One line on shuffled copies of the sentence, from an idle job or bundled."""

from __future__ import annotations

import numpy as np

from mha.engine.question import Ask
from mha.engine.shuffles import ControlRequest
from mha.errors import MHAError
from mha.maps import ATTENTION
from mha.screens.blocks import Block, Spans
from mha.screens.heads.findings import control_line
from mha.screens.heads.own import KIND as OWN
from mha.screens.heads.picture import Picture
from mha.screens.places import Following

PACE = 2.0  # seconds between looks at the job: idle work begins 1.5 s after a run


def control_of(picture: Picture, ask: Ask) -> tuple[Spans, tuple[Block, ...]]:
    """Return the line on the connection that the page opens with, and the block that follows the job of the control.

    Both are empty if the visitor has chosen heads or a word, or if there is no such connection; the line is empty while
    the job runs.
    """
    shown, maps = picture.shown, picture.recording.maps
    looks, weights = shown.opening.looks, shown.opening.weights
    chosen = not (shown.chosen_pins and shown.chosen_lock)
    of_attention = shown.full.measure == ATTENTION and shown.full.kind == "self"
    other_maps = picture.row.kind == OWN or picture.stack or maps.pair is not None
    if chosen or not looks or not of_attention or other_maps:
        return (), ()
    tokens = maps.merged_axes().tokens
    best = int(np.argmax(weights))
    query, key = (tokens[place].word for place in looks[best])
    if query is None or key is None:
        return (), ()
    request = ControlRequest(maps.text, picture.row.name, shown.opening.heads[best], query, key)
    if bundled := request.bundled():
        return control_line(bundled), ()
    try:
        run = ask(request)
    except MHAError:  # too many jobs wait: the page goes without the line
        return (), ()
    if run is not None and run.state == "running":
        pace = max(PACE, run.idle_seconds() + 0.5)  # others' requests delay the job, so a look costs nothing meanwhile
        return (), (Following("control", request, True, (), pace),)
    return (control_line(run.found) if run is not None and run.found is not None else ()), ()
