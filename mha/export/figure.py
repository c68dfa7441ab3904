"""Figures for print from numbers, with where these come from; `mha.figures.print` draws them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from mha.analysis.sinks import SetAside
from mha.errors import InputError
from mha.export.citing import bibtex
from mha.export.provenance import MOST_LINK, app_version
from mha.figures.print import arcs, captions, overview, panels
from mha.figures.print.figure import PaperFigure
from mha.figures.print.marks import Sheet
from mha.figures.print.metrics import clean
from mha.figures.print.style import Style, width_in_mm
from mha.maps import ATTENTION, AttentionMaps, HeadId


class WantedFigure(NamedTuple):
    """What a figure is drawn of: maps, heads, the word for arcs, what was set aside, whether the text is left out."""

    maps: AttentionMaps
    heads: tuple[HeadId, ...]
    word: str | int | None
    aside: SetAside | None
    hidden: bool


class FigureKind(NamedTuple):
    """One kind: what it shows, its width unless said, how few and how many heads it takes, and who draws it."""

    shows: str
    width: str
    heads: tuple[int, int]
    draw: Callable[[WantedFigure, Style], tuple[Sheet, str]]


def figure(
    maps: AttentionMaps | SetAside,
    kind: str = "map",
    heads: Sequence[tuple[int, int] | str] = (),
    width: float | str | None = None,
    font: str = "sans",
    size: float = 7,
    colours: str = "blue",
    *,
    word: str | int | None = None,
    link: str = "",
    sentence: bool = True,
) -> PaperFigure:
    """Return a figure for print, made of numbers and not of a page.

    Tokens are merged into words first. ``heads`` are pairs (layer, head) or names such as "L3H1"; ``width`` is in mm,
    "single" (84) or "double" (174); ``font`` "sans" or "serif"; ``size`` 6, 7, 8 or 9 pt; ``colours`` "blue", "yellow"
    (yellow to blue) or "grey". The kind arcs takes the ``word`` that they leave, or its place among the pieces.
    ``link`` goes into the file's metadata; with ``sentence=False`` neither caption nor metadata give the text, whose
    words still stand on the axes. What `mha.set_aside` returns is drawn without its sinks.

    Raises:
        InputError: no such kind, head or choice, or labels would touch at this width; the message says what to choose.
    """
    if kind not in KINDS:
        raise InputError(f"A kind of figure is one of {', '.join(KINDS)}; this is {kind!r}.")
    row = KINDS[kind]
    style = Style(width_in_mm(row.width if width is None else width), font, size, colours)
    aside = maps if isinstance(maps, SetAside) else None
    shown = (aside.maps if aside is not None else maps).merged()  # type: ignore[union-attr]
    if not shown.weights.size:
        raise InputError("These maps have no weights, so there is nothing to draw.")
    asked = WantedFigure(shown, _heads(heads, kind, shown), word, aside, not sentence)
    sheet, caption = row.draw(asked, style)
    return PaperFigure(sheet, caption, _about(asked, kind, caption, link), _bibtex(shown, kind, link))


def _heads(heads: Sequence[tuple[int, int] | str], kind: str, maps: AttentionMaps) -> tuple[HeadId, ...]:
    """Return the heads that are asked for; raise InputError where the model or the kind does not take them."""
    given = (heads,) if isinstance(heads, str) else heads
    found = tuple(HeadId.parse(head) if isinstance(head, str) else HeadId(*head) for head in given)
    for head in found:
        _ = maps[head]  # raises for a head that is not there
    least, most = KINDS[kind].heads
    if not least <= len(found) <= most:
        number = str(least) if least == most else f"{least} to {most}"
        raise InputError(f"The kind {kind} takes {number} heads, such as L0H0; {len(found)} were given.")
    if len(set(found)) < len(found):
        raise InputError("A figure shows each head once; one was given twice.")
    return found


def _about(asked: WantedFigure, kind: str, caption: str, link: str) -> dict[str, str]:
    """Return what a file says of itself, under names of Dublin Core."""
    maps = asked.maps
    heads = " ".join(map(str, asked.heads)) or "all heads"
    texts = [] if asked.hidden else [clean(text) for text in (maps.text, maps.pair) if text]
    source = clean(" ".join(filter(None, (maps.model, maps.revision))))
    measure = "attention" if maps.measure == ATTENTION else "‖weight · value · W_O‖ (Kobayashi et al. 2020)"
    told = {
        "title": f"{KINDS[kind].shows}: {heads}",
        "description": caption,
        "creator": f"Parallax {app_version()}",
        "source": f"{source}, {maps.origin}" if source else maps.origin,
        "subject": f"{measure}; {maps.units}; heads: {heads}",
        "coverage": " / ".join(texts),
        "identifier": clean(link) if len(link) <= MOST_LINK and not asked.hidden else "",
    }
    return {name: value for name, value in told.items() if value}


def _bibtex(maps: AttentionMaps, kind: str, link: str) -> str:
    """Return an entry that cites the program, with model and measure in its note."""
    model = f"{maps.model or 'a model without a name'} {maps.revision}".strip()
    measure = "attention weights" if maps.measure == ATTENTION else "contributions (Kobayashi et al. 2020)"
    return bibtex(f"{KINDS[kind].shows}: {measure} of {model} ({maps.origin})", link)


def _map(asked: WantedFigure, style: Style) -> tuple[Sheet, str]:
    sheet, numbers = panels.one_head(asked.maps, asked.heads[0], style)
    return sheet, captions.map_caption(asked.maps, asked.heads, numbers, asked.hidden, asked.aside)


def _maps(asked: WantedFigure, style: Style) -> tuple[Sheet, str]:
    sheet = panels.heads_beside(asked.maps, asked.heads, style)
    return sheet, captions.map_caption(asked.maps, asked.heads, False, asked.hidden, asked.aside)


def _arcs(asked: WantedFigure, style: Style) -> tuple[Sheet, str]:
    query = arcs.query_of(asked.maps, asked.word)
    sheet = arcs.sentence_with_arcs(asked.maps, asked.heads, query, style)
    return sheet, captions.arcs_caption(asked.maps, asked.heads, query, asked.hidden, asked.aside)


def _grid(asked: WantedFigure, style: Style) -> tuple[Sheet, str]:
    sheet = overview.all_heads(asked.maps, asked.heads, style)
    return sheet, captions.grid_caption(asked.maps, asked.heads, asked.hidden, asked.aside)


KINDS: dict[str, FigureKind] = {
    "map": FigureKind("One head", "single", (1, 1), _map),
    "maps": FigureKind("Heads side by side", "double", (2, 4), _maps),
    "arcs": FigureKind("Sentence with arcs", "double", (1, 2), _arcs),
    "grid": FigureKind("All heads", "double", (0, 2), _grid),
}
