"""The preview of a link where it is pasted: a title, one sentence, and the strongest connections of two heads.

It uses recordings that the engine has already; nothing is run for it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from mha.analysis.opening import example_readings
from mha.engine import Request, known
from mha.errors import MHAError
from mha.link.link import Link
from mha.link.pages import NAME, page_row
from mha.maps import HeadId
from mha.screens.blocks import Drawing, as_text
from mha.screens.guessing import QUESTION
from mha.screens.heads.findings import ASK
from mha.screens.heads.overview import overview_of
from mha.screens.heads.picture import SCALE_OF
from mha.screens.shown import shown_for
from mha.server.first import MOST_LETTERS, accepted
from mha.words import split, words


@dataclass(frozen=True)
class Arc:
    """The strongest connection of one head: query and key among the pieces, and the weight."""

    head: str
    query: int
    key: int
    weight: str
    share: float


@dataclass(frozen=True)
class Preview:
    """A link's title and sentence; its pieces and up to two arcs if its text has been recorded."""

    title: str
    sentence: str
    pieces: tuple[str, ...] = ()
    arcs: tuple[Arc, ...] = ()


def preview(link: Link, params: Collection[str]) -> Preview:
    """Return the preview of a link; ``params`` are the names in its address.

    A page other than Heads shows a text only if the address names one. A link that lets a class guess names no head.
    """
    row = page_row(link.page)
    text = accepted(link.view.text)
    if not row.of_text or ("text" not in params and link.page) or not text or len(text) > MOST_LETTERS:
        return Preview(f"{row.title} · {NAME}", row.about)
    title = f"“{text}” · {row.title} · {NAME}"
    if not link.view.reveal:
        return Preview(title, QUESTION, tuple(piece.text for piece in split(text)))
    drawing = _overview(link)
    if drawing is None:
        return Preview(title, row.about)
    pieces, arcs = _connections(drawing)
    findings = drawing.header["finding"]
    finding = as_text(findings[0]).removesuffix(ASK).rstrip() if findings and not link.page else row.about
    return Preview(title, finding, pieces, arcs)


def _overview(link: Link) -> Drawing | None:
    """Return the overview of a link's text, or None if the text is not recorded or the model read another one."""
    try:
        recording = known(Request(link.view.text, link.view.model))
        if recording is None or words(recording.maps.text) != words(link.view.text):
            return None
        maps, view = recording.maps, replace(link.view, units="words")
        return overview_of(shown_for(view, maps, example_readings(maps)), SCALE_OF[view.scale], asks=False)
    except MHAError:
        return None


def _connections(drawing: Drawing) -> tuple[tuple[str, ...], tuple[Arc, ...]]:
    """Return the pieces of an overview's text, and the connections of its first two pinned heads."""
    header = drawing.header
    pieces = [piece for piece in header["pieces"] if not piece.get("special")]
    position = {piece["at"]: number for number, piece in enumerate(pieces)}
    arcs = []
    for name in header["pins"][:2]:
        head = HeadId.parse(name)
        look = header["looks"][head.layer * header["heads"] + head.head]
        if look is not None and {look[0], look[1]} <= position.keys():
            arcs.append(Arc(name, position[look[0]], position[look[1]], f"{look[2]}\u00a0%", look[2] / 100))
    return tuple(piece["text"] for piece in pieces), tuple(arcs)
