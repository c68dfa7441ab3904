"""The component "blocks": a column of sentences and pictures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import streamlit as st

from mha.screens.blocks import as_data
from mha.ui.components.events import choice_event
from mha.ui.components.loading import component


def draw(
    blocks: Sequence[Any],
    key: str,
    acts: Collection[str] = (),
    on_act: Callable[[str], None] | None = None,
    *,
    large: bool | None = None,
    room: str = "",
    **events: Callable[[], None],
) -> None:
    """Draw blocks, dicts or dataclasses with a ``kind``; a button's name comes back through ``on_act``.

    A name that is not one of ``acts`` is dropped. ``large`` is the page's own setting unless given; ``room`` names
    the style sheet of pictures that only one view has; ``events`` are Streamlit's callbacks for what else a block may
    send.
    """
    plain = [as_data(block) for block in blocks]
    if on_act is not None:
        events["on_act_change"] = choice_event(key, "act", acts, on_act)
    data: dict[str, Any] = {"blocks": plain}
    if st.session_state.get("large") if large is None else large:
        data["large"] = True
    component(f"blocks_{room}" if room else "blocks", "blocks/blocks.js", "blocks", room or "flow")(
        key=key, data=data, **events
    )
