"""The component "overview": the sentence with the arcs of its pinned heads, and all heads as thumbnails."""

from __future__ import annotations

from collections.abc import Callable

from mha.maps import HeadId
from mha.screens.drawing import Drawing
from mha.ui.components.envelope import seal
from mha.ui.components.events import cell_event, head_event, place_event
from mha.ui.components.loading import component
from mha.ui.components.screen import told


def overview(
    spec: Drawing,
    key: str,
    *,
    on_picked: Callable[[HeadId], None],
    on_only: Callable[[HeadId], None],
    on_all_back: Callable[[], None],
    on_asked: Callable[[int | None], None],
    on_cell: Callable[[HeadId, int, int], None] = lambda _head, _query, _key: None,
    on_one_cell: Callable[[HeadId], None] = lambda _head: None,
) -> str:
    """Draw the overview and return the screen that it was drawn on, "narrow" as a phone's or "wide"; "" until then.

    A click, tap or key calls back before the next run with the head or position it means; ``on_asked`` gets the
    position of a word that is asked about, None when the answers are closed. ``on_cell`` gets a cell of a
    thumbnail as head and positions on the axes, ``on_one_cell`` a head of which any is asked for. An event that names
    no head, word or cell of this spec (a page that is out of date) is dropped.
    """
    rows, columns = spec.arrays["maps"].shape[2:]
    map_ = {"queries": range(rows), "keys": range(columns), "steps": spec.header["steps"]}
    names = {str(HeadId(layer, head)) for layer in range(spec.header["layers"]) for head in range(spec.header["heads"])}
    result = component("overview", "heads/overview.js", "overview")(
        key=key,
        data=seal(spec),
        on_picked_change=head_event(key, "picked", names, on_picked),
        on_only_change=head_event(key, "only", names, on_only),
        on_all_back_change=lambda: on_all_back(),
        on_screen_change=lambda: None,
        on_cell_change=cell_event(key, "cell", names, map_, on_cell),
        on_one_cell_change=head_event(key, "one_cell", names, on_one_cell),
        on_asked_change=place_event(key, "asked", len(spec.header["keys"]), on_asked),
    )
    return told(result)
