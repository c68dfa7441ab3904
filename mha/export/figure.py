"""Print figures with their provenance: `mha.figures.print` draws them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mha.analysis.sinks import SetAside
from mha.errors import InputError
from mha.export.provenance import MOST_LINK, app_version, bibtex, public
from mha.figures import print
from mha.figures.captions import describe_bars, describe_maps
from mha.figures.print import PaperFigure, open_canvas
from mha.formats import clean
from mha.intervention.outcomes import Patch
from mha.maps import ATTENTION, AttentionMaps, HeadId, Recording, maps_of


class FigureKind(NamedTuple):
    """A kind of figure: its title, its default width, and the least and most heads that it takes."""

    title: str
    width: str
    heads: tuple[int, int]


KINDS = {
    "map": FigureKind("One head", "single", (1, 1)),
    "maps": FigureKind("Heads side by side", "double", (2, 4)),
    "arcs": FigureKind("Sentence with arcs", "double", (1, 2)),
    "grid": FigureKind("All heads", "double", (0, 2)),
    "bars": FigureKind("What heads carry", "single", (0, 0)),
    "change": FigureKind("Change", "double", (1, 1)),
}
ALIASES = {"carry": "bars"}
CAPTION_LINK = 300  # characters: a longer link is in the metadata alone


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
    """Return a print figure of maps, or of a patch for the kind bars.

    Tokens are merged into words first. ``heads`` are pairs (layer, head) or names such as "L3H1"; ``width`` is in mm,
    "single" (84) or "double" (174); ``font`` "sans" or "serif"; ``size`` 6, 7, 8 or 9 pt; ``colours`` "blue", "yellow"
    (yellow to blue) or "grey". Arcs leave ``word``, a word or its position; a change takes the maps of the other
    version as ``contrast``. Maps from `mha.set_aside` have no sinks. The files contain ``link``. ``sentence=False``
    keeps text and link out of caption and metadata; the words are still on the axes.

    Raises:
        InputError: a choice is not available, versions do not match or are too close, labels would touch at this
            width, or matplotlib is missing.
    """
    kind = ALIASES.get(kind, kind)
    if kind not in KINDS:
        raise InputError(f"A kind of figure is one of {', '.join(KINDS)}; this is {kind!r}.")
    if isinstance(maps, Patch) != (kind == "bars"):
        raise InputError("The kind bars, and no other, draws the result of mha.patch: a text and a contrast.")
    if (contrast is None) == (kind == "change"):
        raise InputError("The kind change, and no other, takes the maps of another version: contrast.")
    row, names = KINDS[kind], (heads,) if isinstance(heads, str) else heads
    chosen = tuple(map(HeadId.of, names))
    if not row.heads[0] <= len(chosen) <= row.heads[1] or len(set(chosen)) < len(chosen):
        number = " to ".join(map(str, sorted(set(row.heads))))
        number += " head" if number == "1" else " different heads"
        raise InputError(f"The kind {kind} takes {number}, such as L0H0; this is {list(names)!r}.")
    shown: AttentionMaps | Patch
    with open_canvas(row.width if width is None else width, font, size, colours) as canvas:
        if isinstance(maps, Patch):
            shown, texts, measure = maps, [maps.text, maps.contrast], "activation patching (Vig et al. 2020)"
            chosen = tuple(head for head, *_ in print.largest_shares(maps))
            print.draw_bars(canvas, maps)
            caption = describe_bars(maps, not sentence)
        else:
            excluded = maps if isinstance(maps, SetAside) else None
            shown, second = merge(maps), None if contrast is None else merge(contrast)
            texts = [shown.text, shown.pair or "", "" if second is None else second.text]
            measure = "attention weights" if shown.measure == ATTENTION else "contributions (Kobayashi et al. 2020)"
            query = print.find_word(shown, word) if kind == "arcs" else 0
            for head in chosen:
                _ = shown[head]  # raises if the model has no such head
            if kind == "arcs":
                print.draw_arcs(canvas, shown, chosen, query)
            elif kind == "grid":
                print.draw_grid(canvas, shown, chosen)
            else:
                print.draw_maps(canvas, shown, chosen, second)
            caption = describe_maps(kind, shown, chosen, query, excluded, second, not sentence, canvas.notes)
    address = public(link) if sentence else ""
    caption += f" {address}" if 0 < len(address) <= CAPTION_LINK else ""
    model = f"{shown.model or 'a model without a name'} {shown.revision}".strip()
    title = f"{row.title}: {' '.join(map(str, chosen)) or 'all heads'}"
    made = [f"{measure} of {model} ({shown.origin})", f"Parallax {app_version()}"]
    made += [*texts, link * (len(link) <= MOST_LINK)] if sentence else []
    note = bibtex(f"{row.title}: {made[0]}", link)
    return PaperFigure(canvas, title, caption, "; ".join(map(clean, filter(None, made))), note)


def merge(maps: AttentionMaps | Recording | SetAside) -> AttentionMaps:
    """Return maps of words.

    Raises:
        InputError: the maps have no weights.
    """
    merged = (maps.maps if isinstance(maps, SetAside) else maps_of(maps)).merged()
    if not merged.weights.size:
        raise InputError("These maps have no weights, so there is nothing to draw.")
    return merged
