"""One run of a page that Streamlit draws: who answers it, what its blocks are drawn by, what of it stands already."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mha import engine
from mha.app import share, visitors
from mha.engine.jobs import Long
from mha.engine.question import ADDRESS, CAME, Arrival, Kept
from mha.link.kinds import Shape
from mha.link.link import Link
from mha.screens import places
from mha.ui import bound
from mha.ui.component import draw

LOOKING = "Looking …"
WAKING = "The model is waking up; this takes a few seconds once."
ROW, HEAD = 36, 38  # of a table: px of a row, px of its head
OF_EACH: dict[Any, Callable[[], Any]] = {  # what every visit knows
    ADDRESS: lambda: share.link(),
    CAME: lambda: Arrival(bound.stayed(), bound.came_from_another(), bound.came_with()),
}
Draw = Callable[["PageRun", Any, str], None]  # a block, where Streamlit stands now; the last names the place


def is_open(part: Any) -> bool:
    """Return whether an expander or a popover is open: what is behind it costs a run nothing while nobody looks.

    Tests look behind all of them.
    """
    return bool(part.open)


@dataclass
class PageRun:
    """One run of a page: its link, the places that stand already, and how many of each kind have been drawn in them.

    ``by_class`` draws each kind of block; one that it has not is a sentence or a picture, which is a component.
    ``waits_at`` is where it says that it waits, where that is not where the page has come to, and ``waits_for`` what it
    says.
    """

    link: Link
    by_class: Mapping[type, Draw]
    standing: dict[str, DeltaGenerator] = field(default_factory=dict)
    keys: Counter[str] = field(default_factory=Counter)
    waits_at: DeltaGenerator | None = None
    waits_for: str = ""

    @functools.cached_property
    def shape(self) -> Shape:
        """What can be chosen: the heads and layers of the model, and the models."""
        return bound.shape()._replace(models=tuple(bound.models()))

    def blocks(self, blocks: places.Blocks, place: str) -> None:
        """Draw blocks where Streamlit stands now; ``place`` is what their keys begin with."""
        for block in blocks:
            drawn_by = self.by_class.get(type(block))
            if drawn_by is None:
                draw([block], self.key(place, block.kind), large=False)
            else:
                drawn_by(self, block, place)

    def key(self, place: str, kind: str) -> str:
        """Return a key that a block has on every run: its kind and its number among those of its place."""
        self.keys[f"{kind}_{place}"] += 1
        return f"{kind}_{self.keys[f'{kind}_{place}']}_{place}"  # not the place first: style sheets know it by that

    def ask(self, question: Any) -> Any:
        """Return the answer, found in this process or kept by the visit; while it is waited for, a line says so."""
        if isinstance(question, Kept):
            return OF_EACH[question]() if question in OF_EACH else st.session_state.get(question.name)
        if isinstance(question, Long) and question.begins:
            return question.watch(visitors.here())
        if isinstance(question, engine.Request) and engine.soon(question):
            return question.answer()
        waking = isinstance(question, engine.Request) and not engine.state().ready
        said = WAKING if waking else self.waits_for or LOOKING
        with (
            self.waits_at or nullcontext(),
            st.spinner(said, show_time=True),
        ):
            return question.answer()
