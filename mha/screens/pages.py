"""The pages: one row each, from the page's part of the address to the function that says it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from mha.engine.question import Ask
from mha.link.link import Link
from mha.screens.blocks import Block
from mha.screens.guessing import before_findings
from mha.screens.heads.page import page as heads
from mha.screens.heads.suggested import OF as READINGS_OF

Page = Callable[[Link, Ask], Iterator[Block]]

PAGES: Mapping[str, Page] = {
    "": heads,
}
OF_TEXT_BEFORE: Mapping[str, tuple[str, ...]] = {  # what a visit keeps of the text that a page drew last
    "": (READINGS_OF,),
}


def blocks_of(link: Link, ask: Ask) -> Iterator[Block]:
    """Return the blocks of a link's page; with ``reveal=0`` what stands on it before findings are shown.

    Raises:
        KeyError: its page is none of these.
    """
    blocks = PAGES[link.page](link, ask)
    return blocks if link.view.reveal else before_findings(blocks, link, ask)
