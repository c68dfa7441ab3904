"""What the drawing of one page comes to, gathered while it is drawn: its parts from the top down, and its numbers.

Nothing is kept beyond the run: the dialog that offers it holds it while it is open. A part that is drawn again by
itself, while something is measured, is not gathered again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import streamlit as st

from mha.export.standalone import PagePart
from mha.export.tables import FORMATS, Table
from mha.screens.blocks import as_data, say
from mha.screens.rows import Columns, rows_of

HEADING = "blocks/blocks.js", ("blocks", "flow")
FRAME = {"bar", "tour", "away"}  # what is drawn around a page, by the name of its component
NOT_IN_A_FILE = {"copy_link", "arrow_keys"}  # blocks that do something on the page alone
CHOSEN_FROM = {"change_words"}  # and those that are all controls, with what is said above them


@dataclass(frozen=True)
class File:
    """A file that is made when it is asked for; ``title`` is the word of its button."""

    title: str
    name: str
    mime: str
    make: Callable[[], bytes]


@dataclass
class Gathered:
    """The parts of a page as it was drawn, the files with its numbers by what they hold, and its own whole page."""

    noted: list[PagePart | Callable[[], PagePart]] = field(default_factory=list)
    numbers: dict[str, tuple[File, ...]] = field(default_factory=dict)
    whole: Callable[[Sequence[PagePart]], str] | None = None

    @property
    def parts(self) -> list[PagePart]:
        """The parts from the top down; tables are made now."""
        return [one if isinstance(one, PagePart) else one() for one in self.noted]

    @property
    def tables(self) -> list[PagePart]:
        """The tables alone, made now."""
        return [one() for one in self.noted if not isinstance(one, PagePart)]


_NOW: ContextVar[Gathered | None] = ContextVar("gathered", default=None)


@contextmanager
def gathering() -> Iterator[Gathered]:
    """Gather what is drawn inside the block."""
    found = Gathered()
    before = _NOW.set(found)
    try:
        yield found
    finally:
        _NOW.reset(before)


def part(name: str, module: str, sheets: Sequence[str], content: bytes | Mapping[str, Any]) -> None:
    """Note a component that is drawn, unless it is of use on the page alone."""
    now = _NOW.get()
    blocks = content.get("blocks", ()) if isinstance(content, Mapping) else ()
    kinds = {block["kind"] for block in blocks}
    only_here = bool(kinds) and (kinds <= NOT_IN_A_FILE or not kinds.isdisjoint(CHOSEN_FROM))
    if now is not None and name not in FRAME and not only_here:
        now.noted.append(PagePart(module, tuple(sheets), content))


def chart(key: str, alt: str) -> None:
    """Note a figure that the browser draws, by its key; the browser puts its marks there."""
    now = _NOW.get()
    if now is not None:
        now.noted.append(PagePart("", (), {"chart": key, "alt": alt}))


def heading(text: str, level: int = 2, width: Literal["stretch", "content"] = "stretch") -> None:
    """Draw a heading of the page, and note it."""
    {1: st.title, 2: st.header, 3: st.subheader}[level](text, anchor=False, width=width)
    now = _NOW.get()
    if now is not None:
        block = {"kind": "heading", "level": f"h{level}", "spans": say("{text}", text=text)}
        module, sheets = HEADING
        now.noted.append(PagePart(module, sheets, {"blocks": [block]}))


@contextmanager
def titled(text: str) -> Iterator[None]:
    """Draw a heading, and what is drawn inside at the end of its line, or below it where there is no room."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        heading(text, width="content")
        yield


def table(title: str, name: str, made: Callable[[], Table]) -> None:
    """Offer numbers of this page as CSV, JSON and NPZ; the table is made when a file is asked for."""
    each = [File(one.title, f"{name}.{one.ending}", one.mime, partial(_written, one.write, made)) for one in FORMATS]
    files(title, each)


def rows(title: str, name: str, columns: Columns, formats: Mapping[str, str] | None = None) -> None:
    """Note a table that Streamlit draws, which needs a server: in the file stand its rows, and all of it as CSV.

    ``formats`` are those of its columns, as ``%.2f``; ``name`` is what its CSV is called.
    """
    now = _NOW.get()
    if now is not None:
        now.noted.append(partial(_rows, title, columns, formats or {}, name))


def _rows(title: str, columns: Columns, formats: Mapping[str, str], name: str) -> PagePart:
    module, sheets = HEADING
    return PagePart(module, sheets, {"blocks": [as_data(rows_of(title, columns, formats, name))]})


def files(title: str, offered: Sequence[File]) -> None:
    """Offer numbers of this page as these files."""
    now = _NOW.get()
    if now is not None:
        now.numbers[title] = tuple(offered)


def whole(made: Callable[[Sequence[PagePart]], str]) -> None:
    """Offer the page as a file of its own making, in the place of its parts; it is given the page's tables."""
    now = _NOW.get()
    if now is not None:
        now.whole = made


def _written(write: Callable[[Table], bytes], made: Callable[[], Table]) -> bytes:
    return write(made())
