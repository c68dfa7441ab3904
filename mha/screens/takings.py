"""What leaves a page as a file: numbers, texts, the page itself. Each is made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Protocol

from mha.brief import with_arrays
from mha.export.provenance import MapsSource
from mha.export.tables import Table
from mha.figures.print.figure import PaperFigure
from mha.link.view import View
from mha.maps import AttentionMaps
from mha.screens.blocks import Block


class Figured(Protocol):
    """A value that has a figure for print, which is drawn when it is asked for."""

    def figure(self) -> PaperFigure:
        """Draw it; raise InputError where it cannot be drawn."""


class Tabled(Protocol):
    """A value that has a table to be taken away, which is made when it is asked for."""

    def table(self) -> Table:
        """Return the table."""


class Written(Protocol):
    """A value that can be written as a text."""

    def text(self) -> bytes:
        """Return it as it is written."""


@with_arrays
class AsFile:
    """One file of several that hold the same: the word of its button, its name, and what is written into it."""

    title: str
    file: str
    mime: str
    of: Written


class Files(Block, kind="files", arrays=True):
    """Numbers that can be taken away as any of some files."""

    title: str
    files: tuple[AsFile, ...]


class Print(Block, kind="print", arrays=True):
    """A figure for print that can be taken away: what it shows, the file's name, and who draws it."""

    title: str
    file: str
    of: Figured


class WholePage(Block, kind="whole_page", arrays=True):
    """The page as a file of its own making: every head can be pinned in it."""

    maps: AttentionMaps
    view: View
    source: MapsSource


class Numbers(Block, kind="numbers", arrays=True):
    """Numbers that can be taken away: their title, the file's name, columns of one length, and what they are of.

    ``of`` makes a table that says itself where its numbers come from, in the place of both.
    """

    title: str
    file: str
    columns: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""
    of: Tabled | None = None


class Download(Block, kind="download", arrays=True):
    """A button that hands over a text as a file; it is written when it is asked for."""

    text: str
    file: str
    mime: str
    of: Written


@with_arrays
class Made:
    """A table that is made already."""

    made: Table

    def table(self) -> Table:
        """Return it."""
        return self.made


@with_arrays
class TableOf:
    """A table that is made by a function of what it is ``given``, once it is asked for."""

    made: Callable[..., Table]
    given: tuple[Any, ...]

    def table(self) -> Table:
        """Make it."""
        return self.made(*self.given)
