"""Provenance of numbers: one block that every file has, in any format; and citations of a page or a number.

A citation has this program with version and rules, the model with its revision, and no private address.
"""

import datetime
import functools
import hashlib
import ipaddress
import json
import platform
import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import metadata
from types import MappingProxyType
from urllib.parse import urlsplit

import numpy as np

from mha.analysis.sinks import sink_columns
from mha.assets import BESIDE
from mha.errors import InputError, UnknownModel
from mha.formats import clean
from mha.maps import ATTENTION, CONTRIBUTION, AttentionMaps
from mha.models.files.catalog import DEFAULT, model_row
from mha.models.files.rows import ModelRow

COMPUTED_WITH = ("numpy", "torch", "transformers")
RULES = 4  # version of the rules for sentences about heads: limits, names and readings
MOST_LINK = 25_000  # characters; the longest link of the app
UNITS = {
    "words": "merged into words: weight to a word is the sum over its tokens, from a word the mean over its tokens",
    "tokens": "as the model sees them",
}
AS_THEY_ARE = "weights as they are, nothing rescaled"
MEASURED = {ATTENTION: "", CONTRIBUTION: "‖weight · value · W_O‖ as a share of its row (Kobayashi et al. 2020)"}


@dataclass(frozen=True)
class Provenance:
    """The provenance of numbers; every field is plain text or a tuple of texts.

    ``texts`` are one or two texts as typed. ``model_sha256`` is the hash of the model's weights ("" if unknown),
    ``weights_sha256`` that of the attention weights, float32, little endian, in [layer, head, query, key]. ``tokens``
    describes how tokens became the axes, ``scale`` the rescaling, ``sinks`` the treatment of sinks, ``controls`` the
    controls of the numbers. ``date`` is ISO 8601 in UTC, ``link`` the address that shows them.
    """

    texts: tuple[str, ...]
    model: str
    revision: str
    origin: str
    model_sha256: str
    weights_sha256: str
    versions: dict[str, str]
    tokens: str
    scale: str
    sinks: str
    controls: str
    date: str
    link: str

    def pairs(self) -> dict[str, str]:
        """Return the block as names and texts, for a table or the foot of a page; texts twice, the second as JSON."""
        fields = {name: value for name, value in asdict(self).items() if name not in ("texts", "versions")}
        only = self.texts[0] if len(self.texts) == 1 else list(self.texts)
        texts = {"text": " / ".join(self.texts), "text_json": json.dumps(only)}
        return texts | fields | {"versions": ", ".join(f"{name} {number}" for name, number in self.versions.items())}


def provenance_of(
    maps: AttentionMaps,
    *,
    model_sha256: str = "",
    scale: str = "",
    controls: str = "none",
    link: str = "",
) -> Provenance:
    """Return where the numbers of these maps come from, dated now."""
    return Provenance(
        texts=texts_of(maps),
        model=maps.model,
        revision=maps.revision,
        origin=maps.origin,
        model_sha256=model_sha256,
        weights_sha256=_hash_of(maps.weights),
        versions=dict(versions()),
        tokens=UNITS[maps.units],
        scale="; ".join(filter(None, (MEASURED[maps.measure], scale))) or AS_THEY_ARE,
        sinks=sinks_kept(maps),
        controls=controls,
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        link=link[:MOST_LINK],
    )


def texts_of(maps: AttentionMaps) -> tuple[str, ...]:
    """Return the texts of maps as they were typed, one or two; of cross-attention the one read and the one written."""
    return (maps.text,) if maps.pair is None else (maps.text, maps.pair)


def _hash_of(weights: np.ndarray) -> str:
    """Return the SHA-256 of weights as float32, little endian; a layer at a time, for all are large."""
    digest = hashlib.sha256()
    for layer in weights:
        digest.update(np.ascontiguousarray(layer, dtype="<f4").data)
    return digest.hexdigest()


def without_maps(
    texts: Sequence[str],
    row: tuple[str, str, str],
    note: str,
    *,
    model_sha256: str = "",
    link: str = "",
) -> Provenance:
    """Return the provenance of numbers other than attention maps: ``row`` is model, revision and origin.

    ``note`` describes tokens, scale, sinks and controls; it is the entry for the scale, to which the others refer.
    """
    return Provenance(
        tuple(texts), *row, model_sha256, "", dict(versions()), "see scale", note, "see scale", "see scale",
        datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), link[:MOST_LINK],
    )  # fmt: skip


def provenance_by(model: ModelRow, texts: Sequence[str], about: str, link: str = "") -> Provenance:
    """Return the provenance of numbers of a model other than attention maps, as `without_maps`."""
    row = (model.short, model.revision, model.origin)
    return without_maps(texts, row, about, model_sha256=model.sha256, link=link)


def sinks_kept(maps: AttentionMaps) -> str:
    """Return which pieces are sinks in these maps, which keep them."""
    sinks = sink_columns(maps)
    names = dict.fromkeys(token.text for token, sink in zip(maps.key_tokens, sinks, strict=True) if sink)
    return f"kept: {' '.join(names)}" if names else "none in this text"


@functools.cache  # a process has one of each, and pages ask at every run
def versions() -> Mapping[str, str]:
    """Return the versions of this program, of Python and of what computed the numbers, as installed here."""
    numbers = {"Parallax": app_version(), "rules": str(RULES), "Python": platform.python_version()}
    for name in COMPUTED_WITH:
        with suppress(metadata.PackageNotFoundError):
            numbers[name] = metadata.version(name)
    return MappingProxyType(numbers)


@functools.cache
def app_version() -> str:
    """Return the version of this program: of the checkout it runs from, else of the installed package."""
    source = BESIDE / "pyproject.toml"
    if not source.is_file():
        return metadata.version("mha-parallax")
    return tomllib.loads(source.read_text(encoding="utf-8"))["project"]["version"]


def provenance_array(provenance: Provenance) -> np.ndarray:
    """Return the block for a NumPy archive: its JSON in ASCII, as uint8."""
    return np.frombuffer(json.dumps(asdict(provenance)).encode("ascii"), dtype=np.uint8)


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
    """Return the citation of a page or a number of a model.

    ``model`` is a name of `mha.models` or your own, ``of`` the cited page, figure or text, ``measure`` the meaning of
    its numbers, ``link`` its address, ``seen`` the day as ISO 8601 (default: today). An address of the own machine or
    network is left out.

    >>> cite("my-bert", seen="2026-11-23").text
    'Parallax 0.3.0 (rules 4), attention weights of my-bert (seen 2026-11-23).'

    Raises:
        InputError: ``seen`` is not a date.
    """
    try:
        day = datetime.date.fromisoformat(seen) if seen else datetime.datetime.now(datetime.UTC).date()
    except ValueError as error:
        raise InputError(f"`seen` is a day such as 2026-11-23; this is {seen!r}.") from error
    subject = f"{measure} of {model_citation(model)}"
    address = public(link)
    head = ", ".join(filter(None, (f"Parallax {app_version()} (rules {RULES})", clean(of), subject)))
    tail = f" {address} (seen {day.isoformat()})." if address else f" (seen {day.isoformat()})."
    return Citation(
        head + ("." if address else "") + tail, bibtex(f"{clean(of)}: {subject}" if of else subject, address, day)
    )


def bibtex(note: str, link: str = "", seen: datetime.date | None = None) -> str:
    """Return an entry that cites this program; ``note`` describes the cited part, ``link`` is left out if it is not
    public."""
    fields = {
        "title": f"{{{TITLE}}}",
        "version": f"{{{app_version()}, rules {RULES}}}",
        "note": f"{{{_plain(note)}}}",
    }
    address = public(link)
    if address:
        address = _without_signs(address).replace('"', "%22")
        fields["url"] = f"{{{address}}}"  # as it is: a sign that is escaped would be one of the address
    if address and seen is not None:
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
        is_local = "." not in host or host.endswith((".local", ".localhost", ".internal", ".lan", ".home.arpa"))
        return "" if is_local else clean(link)


def model_citation(model: str) -> str:
    """Return a model's name and revision as they are cited; a name that is not in the table as it is."""
    try:
        row = model_row(model)
    except UnknownModel:
        return clean(model) or "a model without a name"
    return f"{row.short} ({row.revision})" if row.revision else row.short


def _plain(text: str) -> str:
    """Return a text without what BibTeX would take for its own signs, what LaTeX would escaped, and `"` in braces."""
    escaped = re.sub(r"[&%$#_]", r"\\\g<0>", re.sub(r"[~^]", " ", _without_signs(text)))
    return escaped.replace('"', '{"}')


def _without_signs(text: str) -> str:
    return re.sub(r"[{}\\\n]", "", clean(text))
