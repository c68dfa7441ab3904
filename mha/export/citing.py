"""How to cite what was seen: this program with version and rules, the model with its revision; no private address."""

from __future__ import annotations

import datetime
import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from mha.errors import InputError, UnknownModel
from mha.export.provenance import MOST_LINK, RULES, app_version
from mha.figures.print.metrics import clean
from mha.models.files.catalog import DEFAULT, model_row

TITLE = "Parallax: one sentence, many viewpoints"


@dataclass(frozen=True)
class Citation:
    """One line for a text and an entry of BibTeX for a list of sources."""

    text: str
    bibtex: str

    def __str__(self) -> str:
        """Return the line."""
        return self.text


def cite(
    model: str = DEFAULT, *, of: str = "", measure: str = "attention weights", link: str = "", seen: str = ""
) -> Citation:
    """Return how to cite what this program shows of a model.

    ``model`` is a name of `mha.models` or one of your own, ``of`` what is cited (a page, a figure, a text), ``measure``
    what its numbers are, ``link`` an address that shows it, ``seen`` the day as ISO 8601 (today, unless it is given).
    An address that only the reader's own machine or network knows is left out.

    >>> cite("my-bert", seen="2026-11-23").text
    'Parallax 0.2.0 (rules 4), attention weights of my-bert (seen 2026-11-23).'

    Raises:
        InputError: ``seen`` is no day.
    """
    try:
        day = datetime.date.fromisoformat(seen) if seen else datetime.datetime.now(datetime.UTC).date()
    except ValueError as error:
        raise InputError(f"`seen` is a day such as 2026-11-23; this is {seen!r}.") from error
    what = f"{measure} of {named(model)}"
    known = public(link)
    told = ", ".join(filter(None, (f"Parallax {app_version()} (rules {RULES})", clean(of), what)))
    where = f" {known} (seen {day.isoformat()})." if known else f" (seen {day.isoformat()})."
    return Citation(told + ("." if known else "") + where, bibtex(f"{clean(of)}: {what}" if of else what, known, day))


def bibtex(note: str, link: str = "", seen: datetime.date | None = None) -> str:
    """Return an entry that cites this program; ``note`` is what of it, ``link`` is left out where `public` says so."""
    fields = {
        "title": f"{{{TITLE}}}",
        "version": f"{{{app_version()}, rules {RULES}}}",
        "note": f"{{{_plain(note)}}}",
    }
    known = public(link)
    if known:
        fields["url"] = f"{{{_plain(known)}}}"
    if known and seen is not None:
        fields["urldate"] = f"{{{seen.isoformat()}}}"
    return "@software{parallax,\n" + "".join(f"  {name} = {value},\n" for name, value in fields.items()) + "}\n"


def public(link: str) -> str:
    """Return an address that others can reach, or "" for one of this machine or of a private network.

    >>> public("https://parallax.example/readings"), public("http://localhost:8501/"), public("http://192.168.1.7/")
    ('https://parallax.example/readings', '', '')
    """
    try:
        parts = urlsplit(clean(link))
        host = parts.hostname or ""
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or len(link) > MOST_LINK:
        return ""
    try:
        return clean(link) if ipaddress.ip_address(host).is_global else ""
    except ValueError:
        own = "." not in host or host.endswith((".local", ".localhost", ".internal", ".lan", ".home.arpa"))
        return "" if own else clean(link)


def named(model: str) -> str:
    """Return a model's name and revision as they are cited; a name that is not in the table as it is."""
    try:
        row = model_row(model)
    except UnknownModel:
        return clean(model) or "a model without a name"
    return f"{row.short} ({row.revision})" if row.revision else row.short


def _plain(text: str) -> str:
    """Return a text without what BibTeX would take for its own signs."""
    return re.sub(r"[{}\\\"\n]", "", clean(text)).replace("_", r"\_")
