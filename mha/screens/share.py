"""What a view is shared by: its link, the code for a page that frames it, a code for phones, a citation."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import urlencode

from mha.export.provenance import Citation, cite
from mha.link.view import DEFAULT_MODEL, DEFAULT_TEXT
from mha.navigation import ROWS

ON_THE_SENTENCE = tuple(row.title for row in ROWS if row.of_text)  # pages about the text and the model
FRAME_HEIGHT = 760  # pixels
MOST_CODED = 600  # characters of a link whose code a reader still finds in a picture of this page
TOO_LONG = "The link is too long for a QR code. Please copy it instead."


@dataclass(frozen=True)
class SharedLink:
    """The link of a view, what frames it, what cites it, and whether a code can carry it."""

    link: str
    frame: str
    citation: Citation
    can_be_coded: bool


def shared(
    address: str, query: Mapping[str, Sequence[str]], title: str, today: datetime.date,
    text: str | None = None, model: str | None = None,
) -> SharedLink:  # fmt: skip
    """Return the link of a view, its embedding and its citation.

    ``address`` is the page, ``query`` its parameters; ``text`` and ``model`` are cited, by default those of ``query``.
    """
    link, framed = linked(address, query), linked(address, {**query, "embed": ["true"]})
    frame = (
        f'<iframe src="{escape(framed)}" title="{escape(title)} · Parallax" width="100%" height="{FRAME_HEIGHT}" '
        'style="border:0" loading="lazy" allow="clipboard-write"></iframe>'
    )
    text = text or (query.get("text") or [DEFAULT_TEXT])[-1]
    of = f"{title}, “{text}”" if title in ON_THE_SENTENCE else title
    model = model or (query.get("model") or [DEFAULT_MODEL])[-1]
    cited = cite(model, of=of, measure="results", link=link, seen=today.isoformat())
    return SharedLink(link, frame, cited, len(link) <= MOST_CODED)


def linked(address: str, query: Mapping[str, Sequence[str]]) -> str:
    """Return the link of a view: the address of its page, and what stands behind it."""
    said = urlencode(query, doseq=True)
    return address + (f"?{said}" if said else "")
