"""The component "pinned": the pinned heads, large and side by side on one scale."""

from __future__ import annotations

from collections.abc import Callable

from mha.maps import HeadId
from mha.screens.drawing import Drawing
from mha.screens.heads.pinned import VIEWS
from mha.ui.components.envelope import seal
from mha.ui.components.events import cell_event, choice_event, head_event, place_event
from mha.ui.components.loading import component


def pinned(
    spec: Drawing,
    key: str,
    *,
    on_unpin: Callable[[HeadId], None],
    on_only: Callable[[HeadId], None],
    on_all_back: Callable[[], None],
    on_lock: Callable[[int | None], None],
    on_row: Callable[[int | None], None],
    on_view: Callable[[str], None] | None = None,
    on_steps: Callable[[HeadId], None] | None = None,
    on_one_cell: Callable[[HeadId], None] | None = None,
    on_cell: Callable[[HeadId, int, int], None] | None = None,
) -> None:
    """Draw the pinned heads; its buttons and words call back before the next run.

    ``on_lock`` gets a position on the shown key axis whose column is to be framed, ``on_row`` one of the query axis
    whose row is, both None when the framed word was clicked again; ``on_view`` gets
    the name of the view that was chosen (the browser has already drawn it); ``on_steps`` gets the head whose arithmetic
    was asked for, where the spec offers it, ``on_one_cell`` the head of which one cell was, and ``on_cell`` head, row
    and column of a cell, as positions on the shown axes. Events that name what this spec does not have are dropped.
    """
    names = {head["name"] for head in spec.header["heads"]}
    component("pinned", "heads/pinned.js", "pinned", "blocks")(
        key=key,
        data=seal(spec),
        on_unpin_change=head_event(key, "unpin", names, on_unpin),
        on_only_change=head_event(key, "only", names, on_only),
        on_steps_change=head_event(key, "steps", names, on_steps or (lambda _head: None)),
        on_one_cell_change=head_event(key, "one_cell", names, on_one_cell or (lambda _head: None)),
        on_cell_change=cell_event(key, "cell", names, spec.header, on_cell or (lambda *_cell: None)),
        on_all_back_change=lambda: on_all_back(),
        on_lock_change=place_event(key, "lock", len(spec.header["keys"]) * spec.header["steps"][1], on_lock),
        on_row_change=place_event(key, "row", len(spec.header["queries"]) * spec.header["steps"][0], on_row),
        on_view_change=choice_event(key, "view", VIEWS, on_view or (lambda _view: None)),
    )
