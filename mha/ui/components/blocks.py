"""The component "blocks": a column of sentences and pictures, and those that are drawn on their own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import streamlit as st

from mha.screens.blocks import Definitions, Span, as_data
from mha.screens.blocks import caption as caption_block
from mha.ui.components.events import choice_event
from mha.ui.components.loading import component

COPY = {"kind": "copy_link", "label": "Copy a link to exactly this view"}


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


def caption(*parts: str | Sequence[Span], key: str, style: str = "cap") -> None:
    """Draw a caption of templates and ready spans; ``style`` "sub" is the larger line under a heading."""
    draw([caption_block(*parts, style=style)], key, large=False)


def copy_link(key: str = "copy_link") -> None:
    """Draw the button that copies the address of this very view."""
    draw([COPY], key, large=False)


def definitions(entries: Sequence[Mapping[str, str]], key: str, compact: bool = False) -> None:
    """Draw entries as a list of definitions."""
    draw([Definitions(entries, compact)], key, large=False)
