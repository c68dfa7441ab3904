"""What a view is shared by: its link, the code for a page that frames it, a code for phones, a citation."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import urlencode

from mha.export.provenance import app_version
from mha.link.view import DEFAULT_MODEL, DEFAULT_TEXT
from mha.models.files.catalog import model_row

FRAME_HEIGHT = 760  # pixels
MOST_CODED = 900  # characters of a link that a phone reads off a projector
TOO_LONG = "This link is too long for a code that phones could read; send the link."


@dataclass(frozen=True)
class Shared:
    """The link of a view, what frames it, what cites it, and whether a code can carry it."""

    link: str
    frame: str
    citation: str
    can_be_coded: bool


def shared(address: str, query: Mapping[str, Sequence[str]], title: str, today: datetime.date) -> Shared:
    """Return what a view is shared by: ``address`` is its page's, ``query`` what stands behind it."""
    pairs = [(name, value) for name, values in query.items() for value in values]
    link = address + (f"?{urlencode(pairs)}" if pairs else "")
    framed = f"{address}?{urlencode([*pairs, ('embed', 'true')])}"
    frame = (
        f'<iframe src="{escape(framed)}" title="{escape(title)} · Parallax" width="100%" height="{FRAME_HEIGHT}" '
        'style="border:0" loading="lazy" allow="clipboard-write"></iframe>'
    )
    text = (query.get("text") or [DEFAULT_TEXT])[-1]
    row = model_row((query.get("model") or [DEFAULT_MODEL])[-1])
    citation = (
        f"Parallax {app_version()}, {title}: “{text}”, {row.short} ({row.revision}). {link} (seen {today.isoformat()})."
    )
    return Shared(link, frame, citation, len(link) <= MOST_CODED)
