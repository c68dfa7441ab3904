"""What is told on a page that Streamlit draws: lines, tables, figures, and components with what their clicks do.

The rest of a page is drawn only once its first picture stands, which says what the screen is like: half of what a
browser loads is for the rest, and what comes below moves while the first picture is being drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from mha.app import errors
from mha.screens import places, takings
from mha.screens.blocks import Block, Heading, as_text
from mha.streamlit_facts import run
from mha.ui import acting
from mha.ui.component import picture
from mha.ui.page_run import HEAD, ROW, Draw, PageRun

HEADINGS = {"h1": st.title, "h2": st.header, "h3": st.subheader}
PLAIN: Mapping[str, Callable[[str], Any]] = {
    "": st.text,
    "faint": st.caption,
    "quoted": partial(st.code, language=None, wrap_lines=True),
}
ROWS = 10  # of a table in sight
SCREEN = "screen"  # what the visit keeps of it


def screen_said(result: Mapping[str, Any]) -> str:
    """Return "narrow" as a phone's or "wide", as the component with this result says it; "" until something is drawn.

    It is kept for the visit: other pages, and a way back to this one, are drawn at once.
    """
    st.session_state[SCREEN] = result.get("screen") or st.session_state.get(SCREEN, "")
    return st.session_state[SCREEN]


def waited_for() -> bool:
    """Return whether the first picture of this visit does not stand yet."""
    return not st.session_state.get(SCREEN)


def heading(drawing: PageRun, block: Heading, place: str) -> None:
    HEADINGS[block.level](as_text(block.spans), anchor=False)


def notice(drawing: PageRun, block: places.Notice, place: str) -> None:
    errors.say(block.text)


def bar(drawing: PageRun, block: places.ProgressBar, place: str) -> None:
    st.progress(block.done, text=block.text)


def plain(drawing: PageRun, block: places.Plain, place: str) -> None:
    PLAIN[block.style](block.text)


def component_picture(drawing: PageRun, block: places.ComponentPicture, place: str) -> None:
    """Draw a picture; what says that the first one stands may let its part alone run again: the page is asked for."""
    events: dict[str, Any] = {
        f"on_{name}_change": partial(acting.sent, drawing.link.page, block.name, name, acts)
        for name, acts in block.on.items()
    }
    if block.first:
        events["on_screen_change"] = lambda: None
    found = picture(block.face, block.drawn, block.name, **events)
    if block.first:
        waited = waited_for()
        if not screen_said(found):
            st.stop()
        under_way = run()
        if waited and under_way is not None and under_way.of_a_part:
            st.rerun()


def download(drawing: PageRun, block: takings.Download, place: str) -> None:
    offered(block)


def offered(file: takings.Download, key: str | None = None) -> None:
    """Draw the button that hands over a file."""
    st.download_button(
        file.title, file.of.made, file_name=file.file, mime=file.mime, on_click="ignore", type="tertiary", key=key
    )


def taken_away(drawing: PageRun, block: Block, place: str) -> None:
    """Draw nothing: it leaves the page by Download."""


def table(drawing: PageRun, block: places.PageTable, place: str) -> None:
    rows = len(next(iter(block.columns.values())))
    given: dict[str, Any] = {}
    if block.alt:
        formats: dict[str, Any] = {
            name: st.column_config.NumberColumn(name, format=how) for name, how in block.formats.items()
        }
        given = {"column_config": formats, "alt": block.alt}
        given |= {"height": ROW * min(rows, ROWS) + HEAD} if block.formats else {}
    st.dataframe(block.columns, hide_index=True, key=drawing.key(place, block.kind), **given)


def formula(drawing: PageRun, block: places.Formula, place: str) -> None:
    lines = r" \\[8pt] ".join(f"& {line}" for line in block.lines)
    st.latex(rf"\begin{{aligned}} {lines} \end{{aligned}}", width="content")


TELLING: Mapping[type, Draw] = {
    Heading: heading,
    places.Notice: notice,
    places.ProgressBar: bar,
    places.Plain: plain,
    places.PageTable: table,
    places.Formula: formula,
    places.TakenAway: taken_away,
    takings.Numbers: taken_away,
    takings.Files: taken_away,
    takings.Print: taken_away,
    places.ComponentPicture: component_picture,
    takings.Download: download,
}
