"""A page that is a value, drawn by Streamlit: its blocks as they come, its controls bound.

Nothing but this file knows how a block is drawn here; what a click does is `mha.ui.acting`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pyarrow as pa
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mha.engine.asking import Watched
from mha.figures.named import figure
from mha.link.kinds import Choice, LayerNumber
from mha.link.link import Link
from mha.link.sent import filled
from mha.link.word import Word
from mha.readers.files import ReadPage
from mha.readers.settled import settled
from mha.screens import inputs, places, takings, within
from mha.screens.blocks import Block
from mha.screens.pages import blocks_of
from mha.ui import (
    acting,
    bound,
    boundary,
    choices,
    controls,
    given,
    lessons,
    matrices,
    own,
    screen,
    share,
    trainings,
)  # fmt: skip
from mha.ui.asking import Asking
from mha.ui.component import draw, picture
from mha.ui.jobs import follow
from mha.ui.pages import page_link

HEADINGS = {1: st.title, 2: st.header, 3: st.subheader}
ROW, ROWS, TICKED, HEAD = 36, 10, 9, 38  # of a table: px of a row, rows in sight, of one with ticks, px of its head


def show(page: str) -> None:
    """Draw a page of `mha.screens.pages`, as the address and its controls say."""
    with st.container(key=f"page_{page or 'heads'}"):
        drawing = PageRun(acting.fitted_link(page))
        drawing.blocks(blocks_of(drawing.link, drawing.asking), page)


def read(page: str) -> ReadPage:
    """Return a page as a value, as the address and its controls say."""
    link, asking = acting.fitted_link(page), Asking()
    return ReadPage(link, (), settled(blocks_of(link, asking), asking), share.link())


@dataclass
class PageRun:
    """One run of a page: its link, the places that stand already, and how many of each kind have been drawn in them."""

    link: Link
    asking: Asking = field(default_factory=Asking)
    standing: dict[str, DeltaGenerator] = field(default_factory=dict)
    keys: Counter[str] = field(default_factory=Counter)

    def blocks(self, blocks: places.Blocks, place: str) -> None:
        """Draw blocks where Streamlit stands now; ``place`` is what their keys begin with."""
        for block in blocks:
            DRAWN.get(type(block), PageRun.read)(self, block, place)

    def key(self, place: str, kind: str) -> str:
        """Return a key that a block has on every run: its kind and its number among those of its place."""
        self.keys[f"{kind}_{place}"] += 1
        return f"{kind}_{self.keys[f'{kind}_{place}']}_{place}"  # not the place first: style sheets know it by that

    def read(self, block: Block, place: str) -> None:
        """Draw a sentence or a picture, which is a component."""
        draw([block], self.key(place, block.kind), large=False)

    def together(self, block: places.Together, place: str) -> None:
        acts, page = block.acts, self.link.page
        key, on = block.name or self.key(place, block.kind), block.on
        events: dict[str, Any] = {f"on_{name}_change": partial(acting.sent, page, key, name, on[name]) for name in on}
        if acts:
            events["on_act_change"] = partial(acting.pressed, page, key, acts)
        draw(block.blocks, key, large=False if block.small else None, room=block.room, **events)

    def title(self, block: places.Title, place: str) -> None:
        HEADINGS[block.level](block.text, anchor=False)

    def notice(self, block: places.Notice, place: str) -> None:
        boundary.say(block.text)

    def place(self, block: places.Place, place: str) -> None:
        if block.name not in self.standing:
            width: Any = "content" if block.narrow else "stretch"
            self.standing[block.name] = st.container(key=block.name, width=width)
        with self.standing[block.name]:
            self.blocks(block.blocks, block.name)

    def side(self, block: places.Side, place: str) -> None:
        columns = st.columns(list(block.shares), gap=block.gap, vertical_alignment=block.align)
        for column, blocks in zip(columns, block.columns, strict=True):
            with column:
                self.blocks(blocks, place)

    def row(self, block: places.Row, place: str) -> None:
        stands: dict[str, Any] = {} if block.left else {"horizontal_alignment": "right"}
        stands |= {"vertical_alignment": block.align, "gap": block.gap}
        with st.container(key=block.name, horizontal=True, **stands):
            self.blocks(block.blocks, place)

    def bar(self, block: places.ProgressBar, place: str) -> None:
        st.progress(block.done, text=block.text)

    def plain(self, block: places.Plain, place: str) -> None:
        st.text(block.text)

    def given(self, block: inputs.GivenTexts, place: str) -> None:
        given.draw(block)

    def following(self, block: places.Following, place: str) -> None:
        """Draw it now, and while it runs again and again, from the page as it is said then."""
        name, asked, pace, before = block.name, block.question, block.pace, block.running
        first, keys, standing = [block.blocks], Counter(self.keys), dict(self.standing)
        del block  # what is drawn is not to be kept for as long as the page is open

        def again() -> None:
            if st.session_state.pop(acting.WHOLE, False):
                st.rerun()
            self.keys, self.standing = Counter(keys), dict(standing)  # its own places are made anew
            self.blocks(first.pop() if first else self._said_now(name), place)

        if isinstance(asked, Watched):
            follow(lambda: trainings.under_way(asked.settings), again, pace, before)
        else:
            run = self.asking(asked)
            follow(lambda: run.state == "running", again, pace, before, job=run)

    def _said_now(self, name: str) -> places.Blocks:
        return within.part(blocks_of(acting.fitted_link(self.link.page), self.asking), name)

    def more(self, block: places.More, place: str) -> None:
        late: dict[str, Any] = {"on_change": "rerun"} if block.late else {}
        part = st.expander(block.title, expanded=block.open, key=block.name or None, **late)
        if not block.late or part.open:
            with part:
                self.blocks(block.blocks, place)

    def tabs(self, block: places.Tabs, place: str) -> None:
        options = _word(self.link, block.word).kind.options(bound.shape())
        for option, tab in zip(options, bound.draw(_word(self.link, block.word)), strict=True):
            if option == block.open:
                with tab, boundary.shown():
                    self.blocks(block.blocks, place)

    def picture(self, block: places.ComponentPicture, place: str) -> None:
        events: dict[str, Any] = {
            f"on_{name}_change": partial(acting.sent, self.link.page, block.name, name, acts)
            for name, acts in block.on.items()
        }
        if block.first:
            events["on_screen_change"] = lambda: None
        found = picture(block.face, block.drawn, block.name, **events)
        if block.first and not screen.told(found):
            st.stop()

    def download(self, block: takings.Download, place: str) -> None:
        st.download_button(
            block.text, block.of.text, file_name=block.file, mime=block.mime, on_click="ignore", type="tertiary"
        )

    def menu(self, block: places.Menu, place: str) -> None:
        with st.popover(block.title, width="content" if block.narrow else "stretch"):
            self.blocks(block.blocks, place)

    def in_view(self, block: places.InView, place: str) -> None:
        with st.session_state[controls.BESIDE_EXAMPLES if block.beside_examples else controls.OF_THE_PAGE]:
            self.blocks(block.blocks, place)

    def titled(self, block: places.Titled, place: str) -> None:
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
            st.header(block.text, anchor=False, width="content")
            self.blocks(block.blocks, place)

    def own_field(self, block: inputs.OwnField, place: str) -> None:
        own.field()

    def lesson_field(self, block: inputs.LessonField, place: str) -> None:
        lessons.field()

    def switches(self, block: inputs.Switches, place: str) -> None:
        page, acts = self.link.page, block.acts
        bound.mirror(
            st.pills, block.label, list(block.options), block.name, list(block.shows),
            lambda kept: acting.done(page, filled(acts, {"kept": kept})),
            selection_mode="multi", label_visibility="collapsed", wrap=True,
        )  # fmt: skip

    def ticked(self, block: inputs.Ticked, place: str) -> None:
        choices.mirror_pins(block.pins, block.heads)
        of = {
            name: st.column_config.NumberColumn(None if label == name else label, help=about, format=how)
            for name, (label, about, how) in block.told.items()
        }
        st.dataframe(
            pa.table(dict(block.columns)), key=choices.TABLE, hide_index=True, column_config=of, alt=block.alt,
            height=ROW * min(len(block.heads), TICKED) + HEAD, selection_mode=["multi-row", "single-cell"],
            on_select=partial(acting.row_pinned, self.link.page, block.pins, block.heads),
        )  # fmt: skip

    def taken_away(self, block: takings.Files | takings.WholePage | takings.Numbers, place: str) -> None:
        """Draw nothing: it leaves the page by Download."""

    def wait(self, block: places.Wait, place: str) -> None:
        self.asking.place, self.asking.said = st.empty(), block.text

    def end(self, block: places.End, place: str) -> None:
        st.stop()

    def put(self, block: inputs.Put, place: str) -> None:
        value = bound.held(_word(self.link, block.word), block.value)
        if block.told:
            bound.put(block.word, value)
        st.session_state[block.word] = value

    def remember(self, block: inputs.Remember, place: str) -> None:
        st.session_state[block.name] = block.value

    def pick(self, block: inputs.Pick, place: str) -> None:
        named = dict(zip(block.options, block.names, strict=True)) if block.names else {}
        given: dict[str, Any] = {} if block.width is None else {"width": block.width}
        given |= {"label_visibility": "collapsed"} if block.beside else {}
        given |= {"wrap": True} if block.wrap else {"required": True} if block.beside else {}
        widget: Any = st.segmented_control if block.beside else st.selectbox
        bound.mirror(
            widget, block.label, list(block.options),
            f"{block.word}_shown", block.shows,
            self._into(block), format_func=lambda one: named.get(one, one),
            **given,
        )  # fmt: skip

    def _into(self, block: inputs.Pick) -> Callable[[Any], None]:
        if not block.acts:
            return bound.into(block.word)
        page, acts = self.link.page, block.acts
        return lambda value: acting.done(page, acts.get(value, ()))

    def sheet(self, block: places.SortableTable, place: str) -> None:
        rows = len(next(iter(block.columns.values())))
        given: dict[str, Any] = {}
        if block.alt:
            formats: dict[str, Any] = {
                name: st.column_config.NumberColumn(name, format=how) for name, how in block.formats.items()
            }
            formats |= {
                name: st.column_config.NumberColumn(name, help=about, format=block.formats.get(name))
                for name, about in block.help.items()
            }
            formats |= {name: st.column_config.TextColumn(alignment="right") for name in block.right}
            given = {"column_config": formats, "alt": block.alt}
            given |= {"height": ROW * min(rows, ROWS) + HEAD} if block.formats and block.high else {}
        st.dataframe(block.columns, hide_index=True, key=self.key(place, block.kind), **given)

    def listed(self, block: places.Listed, place: str) -> None:
        st.markdown("\n".join(f"- {line}" for line in block.lines) if block.points else "  \n".join(block.lines))

    def quoted(self, block: places.Quoted, place: str) -> None:
        st.code(block.text, language=None, wrap_lines=True)

    def formula(self, block: places.Formula, place: str) -> None:
        for line in block.lines:
            st.latex(line, width="content" if block.narrow else "stretch")

    def table(self, block: places.PlainTable, place: str) -> None:
        st.table(block.columns, border="horizontal", hide_index=True, alt=block.alt)

    def chart(self, block: places.Chart, place: str) -> None:
        drawn = figure(block.figure, block.given, "dark" if st.context.theme.type == "dark" else "light")
        config = {"displayModeBar": False}
        st.plotly_chart(drawn, theme=None, key=self.key(place, block.kind), config=config, alt=block.alt)

    def door(self, block: inputs.PageDoor, place: str) -> None:
        page_link(*block.pages, step=block.step, label=block.text, arrow=block.arrow)

    def offer(self, block: inputs.Offer, place: str) -> None:
        page, acts = self.link.page, block.acts
        bound.mirror(
            st.pills, block.label, list(acts), block.name, block.shows,
            lambda name: acting.done(page, acts[name]) if name in acts else None, label_visibility="collapsed",
            **({"wrap": True} if block.wrap else {}),
        )  # fmt: skip

    def out(self, block: inputs.Out, place: str) -> None:
        st.link_button(block.text, block.address, type="tertiary")

    def faint(self, block: places.Faint, place: str) -> None:
        st.caption(block.text)

    def first_picture(self, block: places.FirstPicture, place: str) -> None:
        if screen.waited_for():
            st.stop()

    def played(self, block: places.Played, place: str) -> None:
        screen.played(block.drawing, block.name)

    def choose(self, block: inputs.Choose, place: str) -> None:
        word, shape = _word(self.link, block.word), bound.shape()._replace(models=tuple(bound.models()))
        value = st.session_state.get(word.name)
        offered = block.options or word.kind.options(shape)
        if isinstance(word.kind, Choice | LayerNumber) and value not in (None, *offered):
            st.session_state[word.name] = None if word.automatic else word.default  # a head or a layer of another model
        given: dict[str, Any] = {"label_visibility": "collapsed"} if block.bare else {}
        given |= {"wrap": True} if block.wrap else {}
        given |= {"disabled": True} if block.off else {}
        given |= {"placeholder": block.hint} if block.hint else {}
        given |= {"format": block.format} if block.format else {}
        given |= {"width": block.width} if block.width else {}
        given |= {"options": block.options} if block.options else {}
        given |= {"index": block.first} if block.first is not None else {}
        given |= {"label": block.label} if block.label else {}
        given |= {"on_change": partial(acting.chosen, self.link.page, block.then)} if block.then else {}
        bound.draw(word, shape=shape, **given)

    def press(self, block: inputs.Press, place: str) -> None:
        st.button(
            block.text, key=block.name or self.key(place, block.kind), disabled=block.off,
            on_click=acting.done, args=(self.link.page, block.acts), shortcut=block.shortcut or None,
            type="tertiary" if block.faint else "secondary", width="stretch" if block.wide else "content",
        )  # fmt: skip

    def kept_field(self, block: inputs.KeptField, place: str) -> None:
        changed: dict[str, Any] = {"on_change": acting.done, "args": (self.link.page, block.then)}
        if block.number:
            st.number_input(block.label, 0, block.most, 0, key=block.name, **changed)
        else:
            st.text_input(block.label, key=block.name, max_chars=block.most, **changed)

    def fixed(self, block: inputs.Fixed, place: str) -> None:
        st.text_input(block.label, block.text, disabled=True, key=block.name)

    def matrices(self, block: inputs.Matrices, place: str) -> None:
        matrices.draw(block)

    def guess(self, block: inputs.Guess, place: str) -> None:
        if block.required:
            st.session_state.setdefault(block.name, block.options[0])
            st.segmented_control(
                block.label, block.options, key=block.name, required=True, label_visibility="collapsed"
            )
        elif block.beside:
            st.pills(block.label, block.options, key=block.name, label_visibility="collapsed", wrap=True)
        else:
            st.radio(block.label, block.options, index=None, key=block.name, label_visibility="collapsed")


DRAWN: Mapping[type, Callable[[PageRun, Any, str], None]] = {
    places.Together: PageRun.together,
    places.Title: PageRun.title,
    places.Notice: PageRun.notice,
    places.Place: PageRun.place,
    places.Side: PageRun.side,
    places.Row: PageRun.row,
    places.ProgressBar: PageRun.bar,
    places.Plain: PageRun.plain,
    inputs.GivenTexts: PageRun.given,
    places.Following: PageRun.following,
    places.More: PageRun.more,
    places.Menu: PageRun.menu,
    places.InView: PageRun.in_view,
    places.Wait: PageRun.wait,
    places.End: PageRun.end,
    inputs.Put: PageRun.put,
    inputs.Remember: PageRun.remember,
    inputs.Pick: PageRun.pick,
    places.SortableTable: PageRun.sheet,
    places.Listed: PageRun.listed,
    places.Quoted: PageRun.quoted,
    places.Formula: PageRun.formula,
    places.PlainTable: PageRun.table,
    places.Chart: PageRun.chart,
    takings.Numbers: PageRun.taken_away,
    inputs.PageDoor: PageRun.door,
    inputs.Offer: PageRun.offer,
    inputs.Out: PageRun.out,
    places.Faint: PageRun.faint,
    places.FirstPicture: PageRun.first_picture,
    places.Played: PageRun.played,
    inputs.Choose: PageRun.choose,
    inputs.Press: PageRun.press,
    inputs.Fixed: PageRun.fixed,
    places.Titled: PageRun.titled,
    inputs.OwnField: PageRun.own_field,
    inputs.LessonField: PageRun.lesson_field,
    inputs.KeptField: PageRun.kept_field,
    inputs.Switches: PageRun.switches,
    inputs.Ticked: PageRun.ticked,
    takings.Files: PageRun.taken_away,
    takings.WholePage: PageRun.taken_away,
    places.Tabs: PageRun.tabs,
    places.ComponentPicture: PageRun.picture,
    takings.Download: PageRun.download,
    inputs.Matrices: PageRun.matrices,
    inputs.Guess: PageRun.guess,
}


def _word(link: Link, name: str) -> Word:
    return next(word for word in (*link.own.table(), *link.view.table()) if word.name == name)
