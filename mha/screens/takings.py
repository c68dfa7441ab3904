"""What leaves a page as a file: numbers, texts, the page itself. Each is made when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from mha.brief import brief
from mha.export.provenance import MapsSource
from mha.export.tables import Table
from mha.figures.print.figure import PaperFigure
from mha.link.view import View
from mha.maps import AttentionMaps


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


@dataclass(frozen=True, eq=False)
class AsFile:
    """One file of several that hold the same: the word of its button, its name, and what is written into it."""

    title: str
    file: str
    mime: str
    of: Written

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Files:
    """Numbers that can be taken away as any of some files."""

    kind: ClassVar[str] = "files"
    title: str
    files: tuple[AsFile, ...]

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Print:
    """A figure for print that can be taken away: what it shows, the file's name, and who draws it."""

    kind: ClassVar[str] = "print"
    title: str
    file: str
    of: Figured

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class WholePage:
    """The page as a file of its own making: every head can be pinned in it."""

    kind: ClassVar[str] = "whole_page"
    maps: AttentionMaps
    view: View
    source: MapsSource

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers that can be taken away: their title, the file's name, columns of one length, and what they are of.

    ``of`` makes a table that says itself where its numbers come from, in the place of both.
    """

    kind: ClassVar[str] = "numbers"
    title: str
    file: str
    columns: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""
    of: Tabled | None = None

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Download:
    """A button that hands over a text as a file; it is written when it is asked for."""

    kind: ClassVar[str] = "download"
    text: str
    file: str
    mime: str
    of: Written

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Made:
    """A table that is made already."""

    made: Table

    __repr__ = brief

    def table(self) -> Table:
        """Return it."""
        return self.made
