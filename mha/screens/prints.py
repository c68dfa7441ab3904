"""Figures for print that a page offers, each drawn when somebody asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mha.analysis.sinks import SetAside, set_aside
from mha.brief import with_arrays
from mha.engine import Request, known
from mha.errors import InputError
from mha.export.figure import KINDS, figure
from mha.figures.print.figure import PaperFigure
from mha.formats import cut, listed
from mha.intervention.outcomes import Patch
from mha.maps import AttentionMaps, HeadId
from mha.screens.shown import Shown
from mha.screens.takings import Print

WIDE = 174  # mm
SMALL = 6  # pt; where labels of 7 pt would touch


@with_arrays
class OfMaps:
    """A figure of maps, as `mha.figure` takes them; ``other`` is the other version of a change, if it is known."""

    maps: AttentionMaps
    kind: str
    heads: tuple[HeadId, ...]
    link: str
    word: int | None = None
    aside: bool = False
    other: Request | None = None

    def figure(self) -> PaperFigure:
        """Draw it, in smaller type and over two columns where its labels would touch.

        Raises:
            InputError: they would touch there, too, or the other version is not known.
        """
        contrast = None
        if self.other is not None:
            recording = known(self.other)
            if recording is None:
                raise InputError("The other version is not recorded any more.")
            contrast = self._treated(recording.maps)
        maps = self._treated(self.maps)

        def drawn(width: float | None = None, size: float = 7) -> PaperFigure:
            return figure(
                maps, self.kind, self.heads, width, size=size, word=self.word, contrast=contrast, link=self.link
            )

        try:
            return drawn()
        except InputError:
            return drawn(WIDE, SMALL)

    def _treated(self, maps: AttentionMaps) -> AttentionMaps | SetAside:
        whole = maps.merged()
        return set_aside(whole) if self.aside else whole


@with_arrays
class OfPatch:
    """What heads carry of a change, as a figure."""

    patch: Patch
    link: str

    def figure(self) -> PaperFigure:
        """Draw it; errors as `mha.figure`."""
        return figure(self.patch, "carry", link=self.link)


def named(heads: Sequence[HeadId]) -> str:
    """Return the names of heads in a row."""
    return listed([str(head) for head in heads])


def of_heads(shown: Shown, link: str) -> Iterator[Print]:
    """Yield the figures of Heads: the pinned heads, the arcs of the locked word, all heads."""

    def one(title: str, kind: str, heads: tuple[HeadId, ...], word: int | None = None) -> Print:
        asked = OfMaps(shown.full, kind, heads, link, word, shown.aside)
        return Print(title, f"parallax-{kind}", asked)

    pins, most = shown.pins, KINDS["maps"].heads[1]
    if pins:
        first = pins[:most]
        several = len(first) > 1
        yield one(f"{'Maps' if several else 'Map'} of {named(first)}", "maps" if several else "map", first)
    if pins and shown.lock is not None and shown.look != "at" and shown.full.units == "words":
        two = pins[: KINDS["arcs"].heads[1]]
        word = shown.maps.tokens[shown.lock].text
        yield one(f"Arcs from “{cut(word)}”: {named(two)}", "arcs", two, shown.lock)
    yield one("All heads", "grid", pins[: KINDS["grid"].heads[1]])


def of_change(
    first: AttentionMaps, heads: tuple[HeadId, ...], second: str, model: str, link: str, twin: bool
) -> Iterator[Print]:
    """Yield the change of each pinned head between two sentences; none against a model's scrambled copy."""
    for head in () if twin else heads:
        asked = OfMaps(first, "change", (head,), link, other=Request(second, model))
        yield Print(f"{head} in both sentences", f"parallax-change-{head}", asked)
