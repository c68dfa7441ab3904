"""What a link says of itself where it is pasted: a title, one sentence, and the looks of its first two pinned heads.

It is read off the page that the link opens, and the looks off Heads. Nothing is run for it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from mha.engine.question import Ask, known_already
from mha.errors import InputError
from mha.link.atlas import AtlasWords
from mha.link.heads import HeadsWords
from mha.link.link import Link
from mha.link.pages import NAME, QuestionsWords, page_row
from mha.maps import HeadId
from mha.readers.first import MOST_LETTERS, First, first
from mha.screens.blocks import Drawing
from mha.screens.guessing import QUESTION
from mha.words import accept, split, words


@dataclass(frozen=True)
class Arc:
    """One head's strongest look: from which piece to which, and the weight."""

    head: str
    query: int
    key: int
    weight: str
    share: float


@dataclass(frozen=True)
class Preview:
    """A link's title and sentence; where what heads do with its text is known, its pieces and up to two arcs."""

    title: str
    sentence: str
    pieces: tuple[str, ...] = ()
    arcs: tuple[Arc, ...] = ()


def preview(link: Link, said: Collection[str], opens: First, ask: Ask = known_already) -> Preview:
    """Return what a link says of itself; of one that cannot be, what its page says without it.

    ``said`` are the words that stand in the address, ``opens`` is the page's first answer.
    """
    row = page_row(link.page)
    plain, title = Preview(f"{row.title} · {NAME}", row.about), f"{row.title} · {NAME}"
    found, own = opens.said != (row.about,), link.own
    if link.view.reveal and isinstance(own, QuestionsWords):
        opened = QuestionsWords.of("open").name in said
        return Preview(f"{opens.texts[0]} · {title}", opens.said[0]) if opened and found else plain
    if link.view.reveal and isinstance(own, AtlasWords):
        if not found or (own.head is None and opens.texts[0].endswith("?")):  # which asks, where nothing is measured
            return plain
        return (
            Preview(title, opens.texts[0])
            if own.head is None
            else Preview(f"{opens.texts[0]} · {title}", opens.said[0])
        )
    if "text" not in said and link.page:
        return plain
    return _of_text(link, opens, ask) or plain


def _of_text(link: Link, opens: First, ask: Ask) -> Preview | None:
    """Return what a link says of its text; None where nothing is known of it."""
    try:
        text = accept(link.view.text).text
    except InputError:
        return None
    if len(text) > MOST_LETTERS:
        return None
    row = page_row(link.page)
    title = f"“{text}” · {row.title} · {NAME}"
    if not link.view.reveal:  # a teacher's link gives nothing away
        return Preview(title, QUESTION, tuple(piece.text for piece in split(text)))
    heads = Link("", replace(link.view, units="words"), HeadsWords())
    looked = opens if heads == link else first(heads, ask)
    if looked.drawn is None or words(looked.texts[0]) != words(text):  # the model's own example, which it knows
        return None
    pieces, arcs = _looks(looked.drawn)
    return Preview(title, row.about if link.page else looked.said[0], pieces, arcs)


def _looks(drawn: Drawing) -> tuple[tuple[str, ...], tuple[Arc, ...]]:
    """Return the pieces of an overview's text, and the looks of its first two pinned heads."""
    header = drawn.header
    pieces = [piece for piece in header["pieces"] if not piece.get("special")]
    place = {piece["at"]: number for number, piece in enumerate(pieces)}
    arcs = []
    for head in header["pins"][:2]:
        layer, at = HeadId.parse(head)
        look = header["looks"][layer * header["heads"] + at]
        if look is not None and {look[0], look[1]} <= place.keys():
            arcs.append(Arc(head, place[look[0]], place[look[1]], f"{look[2]}\u00a0%", look[2] / 100))
    return tuple(piece["text"] for piece in pieces), tuple(arcs)
