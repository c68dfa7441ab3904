"""A page that is a value, drawn by Streamlit: its blocks as they come, its controls bound, its acts written.

Nothing but this file knows how a block is drawn here. A click holds the act alone: the link that it is done to is read
when it comes, by the parser that reads links.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mha.export.tables import Table as Columns
from mha.figures.named import figure
from mha.link.acts import Act, Forget, Keep
from mha.link.link import Link
from mha.link.pages import PAGES as WORDS
from mha.link.view import View
from mha.link.word import Word, Words
from mha.models.files.catalog import model_row
from mha.screens import places
from mha.screens.blocks import Block
from mha.screens.pages import blocks_of
from mha.screens.share import page_provenance
from mha.ui import bound, boundary, share
from mha.ui.asking import VISIT, Asking
from mha.ui.away import gathered
from mha.ui.components.blocks import draw
from mha.ui.pages import page_link
from mha.ui.plot import plot, theme
from mha.ui.training.learning import learning


def show(page: str) -> None:
    """Draw a page of `mha.screens.pages`, as the address and its controls say."""
    link = link_now(page)
    with st.container(key=f"section_{page}"):
        drawing = Drawing(link)
        drawing.blocks(blocks_of(link, Asking()), page)


def link_now(page: str) -> Link:
    """Return what the controls say now, and of words that have none yet what the address says."""
    here, state = bound.in_address(), st.session_state
    own = WORDS.get(page, Words)
    said: dict[str, Sequence[str]] = {
        word.name: list(here.get(word.name, ())) for words in (View, own) for word in words.table()
    }
    said |= {name: values for words in (View, own) for name, values in bound.said(words).items()}
    said |= {name: [] for name in said if name in state and state[name] in (None, [], "")}
    return Link.of(page, {name: values for name, values in said.items() if values}, bound.models())[0]


@dataclass
class Drawing:
    """One run of a page: its link, the places that stand already, and how many of each kind have been drawn in them."""

    link: Link
    standing: dict[str, DeltaGenerator] = field(default_factory=dict)
    keys: Counter[str] = field(default_factory=Counter)

    def blocks(self, blocks: places.Blocks, place: str) -> None:
        """Draw blocks where Streamlit stands now; ``place`` is what their keys begin with."""
        for block in blocks:
            DRAWN.get(type(block), Drawing.read)(self, block, place)

    def key(self, place: str, kind: str) -> str:
        """Return a key that a block has on every run: its kind and its number among those of its place."""
        self.keys[f"{place}_{kind}"] += 1
        return f"{place}_{kind}_{self.keys[f'{place}_{kind}']}"

    def read(self, block: Block, place: str) -> None:
        """Draw a sentence or a picture, which is a component."""
        draw([block], self.key(place, block.kind), large=False)

    def together(self, block: places.Together, place: str) -> None:
        draw(block.blocks, self.key(place, block.kind))

    def title(self, block: places.Title, place: str) -> None:
        gathered.heading(block.text, block.level)

    def notice(self, block: places.Notice, place: str) -> None:
        boundary.say(block.text)

    def place(self, block: places.Place, place: str) -> None:
        if block.name not in self.standing:
            self.standing[block.name] = st.container(key=block.name)
        with self.standing[block.name]:
            self.blocks(block.blocks, block.name)

    def side(self, block: places.Side, place: str) -> None:
        columns = st.columns(list(block.shares), gap=block.gap)
        for column, blocks in zip(columns, block.columns, strict=True):
            with column:
                self.blocks(blocks, place)

    def row(self, block: places.Row, place: str) -> None:
        with st.container(horizontal=True, horizontal_alignment="right", gap="small"):
            self.blocks(block.blocks, place)

    def listed(self, block: places.Listed, place: str) -> None:
        st.markdown("\n".join(f"- {line}" for line in block.lines) if block.points else "  \n".join(block.lines))

    def quoted(self, block: places.Quoted, place: str) -> None:
        st.code(block.text, language=None, wrap_lines=True)

    def formula(self, block: places.Formula, place: str) -> None:
        for line in block.lines:
            st.latex(line)

    def table(self, block: places.Table, place: str) -> None:
        st.table(block.columns, border="horizontal", hide_index=True, alt=block.alt)
        gathered.rows("", block.file, block.columns)

    def chart(self, block: places.Chart, place: str) -> None:
        plot(figure(block.figure, block.given, theme()), block.alt, self.key(place, block.kind))

    def numbers(self, block: places.Numbers, place: str) -> None:
        view = self.link.view
        told = page_provenance(block.about, view, model_row(view.model), share.link())
        gathered.table(block.title, block.file, lambda: Columns(block.columns, told))

    def door(self, block: places.Door, place: str) -> None:
        page_link(*block.pages, step=block.step)

    def learning(self, block: places.Learning, place: str) -> None:
        learning(block, lambda blocks: self.blocks(blocks, place))

    def choose(self, block: places.Choose, place: str) -> None:
        bare = {"label_visibility": "collapsed", "wrap": True} if block.bare else {}
        bound.draw(_word(self.link, block.word), shape=bound.shape(), **bare)

    def press(self, block: places.Press, place: str) -> None:
        st.button(
            block.text, key=self.key(place, block.kind), on_click=done, args=(self.link.page, block.act),
            disabled=block.off,
        )  # fmt: skip

    def guess(self, block: places.Guess, place: str) -> None:
        st.radio(block.label, block.options, index=None, key=block.name, label_visibility="collapsed")


DRAWN: Mapping[type, Callable[[Drawing, Any, str], None]] = {
    places.Together: Drawing.together,
    places.Title: Drawing.title,
    places.Notice: Drawing.notice,
    places.Place: Drawing.place,
    places.Side: Drawing.side,
    places.Row: Drawing.row,
    places.Listed: Drawing.listed,
    places.Quoted: Drawing.quoted,
    places.Formula: Drawing.formula,
    places.Table: Drawing.table,
    places.Chart: Drawing.chart,
    places.Numbers: Drawing.numbers,
    places.Door: Drawing.door,
    places.Learning: Drawing.learning,
    places.Choose: Drawing.choose,
    places.Press: Drawing.press,
    places.Guess: Drawing.guess,
}


def _word(link: Link, name: str) -> Word:
    return next(word for word in (*link.own.table(), *link.view.table()) if word.name == name)


def done(page: str, act: Act) -> None:
    """Do an act: what it changes in the link of the page as it stands is written into the bound keys."""
    visit = st.session_state.setdefault(VISIT, {})
    if isinstance(act, Keep):
        visit[act.name] = st.session_state.get(act.guess) or ""
    elif isinstance(act, Forget):
        visit.pop(act.name, None)
    else:
        before = link_now(page)
        bound.write_link(before, act.after(before))
