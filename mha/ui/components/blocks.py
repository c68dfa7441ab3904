"""The component "blocks": a column of sentences and pictures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import streamlit as st

from mha.glossary import glossary
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
    terms = {term: glossary()[term] for term in _terms(plain)}
    component(f"blocks_{room}" if room else "blocks", "blocks/blocks.js", "blocks", room or "flow")(
        key=key, data=data | ({"terms": terms} if terms else {}), **events
    )


def _terms(found: Any) -> Iterator[str]:
    """Return the terms of the glossary in blocks, however deep."""
    if isinstance(found, list):
        if len(found) == 3 and found[0] == "term":
            yield found[2]
        elif found and not isinstance(found[0], int | float):
            for value in found:
                yield from _terms(value)
    elif isinstance(found, dict):
        for value in found.values():
            yield from _terms(value)
