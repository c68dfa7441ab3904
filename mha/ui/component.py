"""Pictures and columns of blocks of the old pages, as components."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from mha.app.components import component
from mha.readers.faces import BLOCKS, FACES, sheets_of_blocks
from mha.screens.blocks import Drawing, Span, as_data
from mha.screens.blocks import caption as caption_block
from mha.views.envelope import seal


def picture(face: str, drawn: Drawing | Mapping[str, Any], key: str, **events: Callable[[], None]) -> Any:
    """Draw a picture by its face; return what its component says. ``events`` are Streamlit's callbacks."""
    return component(face, *FACES[face])(
        key=key, data=seal(drawn.header, drawn.arrays) if isinstance(drawn, Drawing) else drawn, **events
    )


def draw(
    blocks: Sequence[Any], key: str, *, large: bool | None = None, room: str = "", **events: Callable[[], None]
) -> None:
    """Draw blocks, dataclasses with a ``kind``, as one column.

    ``large`` is the page's own setting unless given; ``room`` names the style sheet of pictures that only one view has.
    """
    data: dict[str, Any] = {"blocks": [as_data(block) for block in blocks]}
    if st.session_state.get("large") if large is None else large:
        data["large"] = True
    name = f"blocks_{room}" if room else "blocks"
    component(name, BLOCKS, *sheets_of_blocks(room))(key=key, data=data, **events)


def caption(*parts: str | Sequence[Span], key: str, style: str = "cap") -> None:
    """Draw a caption of templates and ready spans; ``style`` "sub" is the larger line under a heading."""
    draw([caption_block(*parts, style=style)], key, large=False)
