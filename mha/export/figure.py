"""Figures for print from numbers, with where these come from; `mha.figures.print` draws them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from mha.analysis.sinks import SetAside
from mha.errors import InputError
from mha.export.provenance import MOST_LINK, app_version, bibtex
from mha.figures.print import arcs, captions, carried, panels
from mha.figures.print.figure import PaperFigure, WantedFigure
from mha.figures.print.marks import Sheet, Style, clean, width_in_mm
from mha.intervention.outcomes import Patch
from mha.maps import ATTENTION, AttentionMaps, HeadId, Recording, maps_of


class FigureKind(NamedTuple):
    """One kind: what it shows, its width unless said, how few and how many heads it takes, who draws it of maps."""

    shows: str
    width: str
    heads: tuple[int, int]
    drawn: Callable[[WantedFigure, Style], tuple[Sheet, str]] | None = None


class Cited(NamedTuple):
    """What files and entries say of where numbers come from."""

    model: str
    revision: str
    origin: str
    measure: str
    heads: str
    texts: tuple[str, ...]


def figure(
    maps: AttentionMaps | Recording | SetAside | Patch,
    kind: str = "map",
    heads: Sequence[tuple[int, int] | str] = (),
    width: float | str | None = None,
    font: str = "sans",
    size: float = 7,
    colours: str = "blue",
    *,
    word: str | int | None = None,
    contrast: AttentionMaps | Recording | SetAside | None = None,
    link: str = "",
    sentence: bool = True,
) -> PaperFigure:
    """Return a figure for print, made of numbers and not of a page.

    Tokens are merged into words first. ``heads`` are pairs (layer, head) or names such as "L3H1"; ``width`` is in mm,
    "single" (84) or "double" (174); ``font`` "sans" or "serif"; ``size`` 6, 7, 8 or 9 pt; ``colours`` "blue", "yellow"
    (yellow to blue) or "grey". The kind arcs takes the ``word`` that they leave, or its place among the pieces; the
    kind change takes the maps of the other version as ``contrast``; the kind carry is drawn of what `mha.patch` found.
    ``link`` goes into the file's metadata; with ``sentence=False`` neither caption nor metadata give the text, whose
    words still stand on the axes. What `mha.set_aside` returns is drawn without its sinks.

    Raises:
        InputError: no such kind, head or choice, versions that do not match or are too close, or labels would touch at
            this width; the message says what to choose.
    """
    if kind not in KINDS:
        raise InputError(f"A kind of figure is one of {', '.join(KINDS)}; this is {kind!r}.")
    row = KINDS[kind]
    style = Style(width_in_mm(row.width if width is None else width), font, size, colours)
    if isinstance(maps, Patch) or kind == "carry":
        return _carry(maps, kind, heads, style, link, not sentence)
    aside = maps if isinstance(maps, SetAside) else None
    shown = _words(maps)
    if not shown.weights.size:
        raise InputError("These maps have no weights, so there is nothing to draw.")
    if (contrast is None) == (kind == "change"):
        raise InputError("The kind change, and no other, takes the maps of another version: contrast.")
    second = None if contrast is None else _words(contrast)
    asked = WantedFigure(shown, _heads(heads, kind, shown), word, aside, not sentence, second)
    assert row.drawn is not None
    sheet, caption = row.drawn(asked, style)
    return _finished(sheet, caption, _cited(asked), kind, link, asked.hidden)


def _words(maps: AttentionMaps | Recording | SetAside) -> AttentionMaps:
    return (maps.maps if isinstance(maps, SetAside) else maps_of(maps)).merged()


def _carry(
    found: AttentionMaps | Recording | SetAside | Patch,
    kind: str,
    heads: Sequence[tuple[int, int] | str],
    style: Style,
    link: str,
    hidden: bool,
) -> PaperFigure:
    if not isinstance(found, Patch) or kind != "carry":
        raise InputError("The kind carry, and no other, is drawn of what patching finds: a text and a contrast.")
    if heads:
        raise InputError("The kind carry chooses its heads itself: the ten with the largest shares.")
    shares = carried.carrying(found)
    caption = captions.carry_caption(found, shares, hidden)
    named = " ".join(str(one.head) for one in shares)
    texts = (found.text, found.contrast)
    cited = Cited(found.model, found.revision, found.origin, "activation patching (Vig et al. 2020)", named, texts)
    return _finished(carried.shares_of_heads(shares, style), caption, cited, kind, link, hidden)


def _heads(heads: Sequence[tuple[int, int] | str], kind: str, maps: AttentionMaps) -> tuple[HeadId, ...]:
    """Return the heads that are asked for; raise InputError where the model or the kind does not take them."""
    given = (heads,) if isinstance(heads, str) else heads
    found = tuple(map(HeadId.of, given))
    for head in found:
        _ = maps[head]  # raises for a head that is not there
    least, most = KINDS[kind].heads
    if not least <= len(found) <= most:
        number = str(least) if least == most else f"{least} to {most}"
        raise InputError(f"The kind {kind} takes {number} heads, such as L0H0; {len(found)} were given.")
    if len(set(found)) < len(found):
        raise InputError("A figure shows each head once; one was given twice.")
    return found


def _cited(asked: WantedFigure) -> Cited:
    maps, second = asked.maps, asked.second
    measure = "attention weights" if maps.measure == ATTENTION else "contributions (Kobayashi et al. 2020)"
    texts = (maps.text, maps.pair or "", "" if second is None else second.text)
    heads = " ".join(map(str, asked.heads)) or "all heads"
    return Cited(maps.model, maps.revision, maps.origin, f"{measure}; {maps.units}", heads, texts)


def _finished(sheet: Sheet, caption: str, cited: Cited, kind: str, link: str, hidden: bool) -> PaperFigure:
    """Return a sheet with what its files say of themselves, under names of Dublin Core, and an entry that cites it."""
    source = clean(" ".join(filter(None, (cited.model, cited.revision))))
    told = {
        "title": f"{KINDS[kind].shows}: {cited.heads}",
        "description": caption,
        "creator": f"Parallax {app_version()}",
        "source": f"{source}, {cited.origin}" if source else cited.origin,
        "subject": f"{cited.measure}; heads: {cited.heads}",
        "coverage": "" if hidden else " / ".join(clean(text) for text in cited.texts if text),
        "identifier": clean(link) if len(link) <= MOST_LINK and not hidden else "",
    }
    model = f"{cited.model or 'a model without a name'} {cited.revision}".strip()
    note = f"{KINDS[kind].shows}: {cited.measure.partition(';')[0]} of {model} ({cited.origin})"
    return PaperFigure(sheet, caption, {name: value for name, value in told.items() if value}, bibtex(note, link))


def _maps(asked: WantedFigure, style: Style) -> tuple[Sheet, str]:
    sheet, numbers = panels.heads_beside(asked.maps, asked.heads, style)
    return sheet, captions.map_caption(asked, numbers)


def _arcs(asked: WantedFigure, style: Style) -> tuple[Sheet, str]:
    query = arcs.query_of(asked.maps, asked.word)
    sheet = arcs.sentence_with_arcs(asked.maps, asked.heads, query, style)
    return sheet, captions.arcs_caption(asked, query)


def _grid(asked: WantedFigure, style: Style) -> tuple[Sheet, str]:
    sheet = panels.all_heads(asked.maps, asked.heads, style)
    return sheet, captions.grid_caption(asked)


def _change(asked: WantedFigure, style: Style) -> tuple[Sheet, str]:
    assert asked.second is not None
    sheet = panels.head_in_two(asked.maps, asked.second, asked.heads[0], style)
    return sheet, captions.change_caption(asked, asked.second)


KINDS: dict[str, FigureKind] = {
    "map": FigureKind("One head", "single", (1, 1), _maps),
    "maps": FigureKind("Heads side by side", "double", (2, 4), _maps),
    "arcs": FigureKind("Sentence with arcs", "double", (1, 2), _arcs),
    "grid": FigureKind("All heads", "double", (0, 2), _grid),
    "carry": FigureKind("What heads carry", "single", (0, 0)),
    "change": FigureKind("Change", "double", (1, 1), _change),
}
