"""What leaves a page as a file, made when it is asked for: numbers, texts, figures for print, the page itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from mha.analysis.sinks import set_aside
from mha.brief import with_arrays
from mha.export.figure import figure
from mha.export.provenance import MapsSource
from mha.export.tables import Table
from mha.figures.print import PaperFigure
from mha.intervention.outcomes import Patch
from mha.maps import AttentionMaps, HeadId
from mha.screens.blocks import Block

Made = TypeVar("Made")


@with_arrays
class OnRequest(Generic[Made]):
    """A table, a text or a figure that is made when somebody asks for it: a module's function, and what it is given.

    A visit keeps it, so it is given little: a link, a way to have maps again. A `MapsSource` is worked out then.
    """

    make: Callable[..., Made]
    given: tuple[Any, ...]

    def made(self) -> Made:
        """Return it; raise what the function raises."""
        return self.make(*(one.told() if isinstance(one, MapsSource) else one for one in self.given))


class Download(Block, kind="download", arrays=True):
    """A file by the word of its button and its name; what is written into it is made when it is asked for."""

    title: str
    file: str
    mime: str
    of: OnRequest[bytes]


class Files(Block, kind="files", arrays=True):
    """Numbers that can be taken away as any of some files, which hold the same."""

    title: str
    files: tuple[Download, ...]


class Print(Block, kind="print", arrays=True):
    """A figure for print that can be taken away: what it shows, the file's name, and who draws it."""

    title: str
    file: str
    of: OnRequest[PaperFigure]


class Numbers(Block, kind="numbers", arrays=True):
    """Numbers that can be taken away: their title, the file's name, and the table with its source, or its maker."""

    title: str
    file: str
    of: Table | OnRequest[Table]


def figure_of_maps(
    maps: AttentionMaps,
    kind: str,
    heads: tuple[HeadId, ...],
    link: str,
    word: int | None = None,
    aside: bool = False,
    readings: Mapping[HeadId, tuple[int, str]] | None = None,
) -> PaperFigure:
    """Return a figure of maps.

    Raises:
        InputError: the sentence is too long for arcs.
    """
    treated = set_aside(maps.merged()) if aside else maps.merged()
    return figure(treated, kind, heads, word="" if word is None else word, readings=readings, link=link)


def figure_of_patch(patch: Patch, link: str) -> PaperFigure:
    """Return what heads carry of a change, as a figure."""
    return figure(patch, "bars", link=link)
