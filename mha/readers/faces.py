"""The components of pictures by their face: the module of `assets/js` that draws one, its sheets of `assets/css`."""

from __future__ import annotations

from collections.abc import Mapping

FACES: Mapping[str, tuple[str, ...]] = {
    "overview": ("heads/overview.js", "overview"),
    "pinned": ("heads/pinned.js", "pinned", "blocks"),
}
BLOCKS = "blocks/blocks.js"


def sheets_of_blocks(room: str = "") -> tuple[str, ...]:
    """Return the sheets of a column of blocks; ``room`` is that of pictures which only one view has."""
    return "blocks", *filter(None, (room,))
