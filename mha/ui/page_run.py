"""One run of a page that Streamlit draws: what its blocks are drawn by, and what of it stands already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from mha.link.link import Link
from mha.link.word import Word
from mha.screens import places
from mha.ui.asking import Asking
from mha.ui.component import draw

ROW, HEAD = 36, 38  # of a table: px of a row, px of its head
Draw = Callable[["PageRun", Any, str], None]  # a block, where Streamlit stands now; the last names the place


def is_open(part: Any) -> bool:
    """Return whether an expander or a popover is open: what is behind it costs a run nothing while nobody looks.

    Tests look behind all of them.
    """
    return bool(part.open)


@dataclass
class PageRun:
    """One run of a page: its link, the places that stand already, and how many of each kind have been drawn in them.

    ``by_kind`` draws each kind of block; one that it has not is a sentence or a picture, which is a component.
    """

    link: Link
    by_kind: Mapping[type, Draw]
    asking: Asking = field(default_factory=Asking)
    standing: dict[str, DeltaGenerator] = field(default_factory=dict)
    keys: Counter[str] = field(default_factory=Counter)

    def blocks(self, blocks: places.Blocks, place: str) -> None:
        """Draw blocks where Streamlit stands now; ``place`` is what their keys begin with."""
        for block in blocks:
            drawn_by = self.by_kind.get(type(block))
            if drawn_by is None:
                draw([block], self.key(place, block.kind), large=False)
            else:
                drawn_by(self, block, place)

    def key(self, place: str, kind: str) -> str:
        """Return a key that a block has on every run: its kind and its number among those of its place."""
        self.keys[f"{kind}_{place}"] += 1
        return f"{kind}_{self.keys[f'{kind}_{place}']}_{place}"  # not the place first: style sheets know it by that

    def word(self, name: str) -> Word:
        """Return the word of the link, the page's own or the frame's, of a name."""
        return next(word for word in (*self.link.own.table(), *self.link.view.table()) if word.name == name)
