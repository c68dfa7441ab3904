"""Where numbers come from: one block that every file takes along, whatever its format."""

from __future__ import annotations

import datetime
import functools
import hashlib
import json
import platform
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from typing import Any

import numpy as np

from mha.analysis.sinks import sink_columns
from mha.assets import BESIDE
from mha.brief import brief
from mha.maps import ATTENTION, BROUGHT, AttentionMaps

COMPUTED_WITH = ("numpy", "torch", "transformers")
RULES = 4  # of what is said of heads: limits, names and readings; counts on when one of them changes
MOST_LINK = 25_000  # characters; a link of the app is no longer
UNITS = {
    "words": "merged into words: weight to a word is the sum over its tokens, from a word the mean over its tokens",
    "tokens": "as the model sees them",
}
AS_THEY_ARE = "weights as they are, nothing rescaled"
MEASURED = {ATTENTION: "", BROUGHT: "‖weight · value · W_O‖ as a share of its row (Kobayashi et al. 2020)"}


@dataclass(frozen=True)
class Provenance:
    """What has to be known of some numbers to use them elsewhere; every field is plain text, or a few of them.

    ``texts`` are as they were typed, one or two. ``model_sha256`` is the hash of the model's weights ("" where none is
    known), ``weights_sha256`` that of the attention weights, float32, little endian, in [layer, head, query, key].
    ``tokens`` says how tokens became the axes, ``scale`` what was rescaled, ``sinks`` what was done with sinks,
    ``controls`` what the numbers were held against. ``date`` is ISO 8601 in UTC, ``link`` the address that shows them.
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

    def as_json(self) -> dict[str, Any]:
        """Return the block as JSON has it."""
        return asdict(self)

    def pairs(self) -> dict[str, str]:
        """Return the block as names and texts, for a table or the foot of a page; texts twice, the second as JSON."""
        told = {name: value for name, value in asdict(self).items() if name not in ("texts", "versions")}
        only = self.texts[0] if len(self.texts) == 1 else list(self.texts)
        said = {"text": " / ".join(self.texts), "text_json": json.dumps(only)}
        return said | told | {"versions": ", ".join(f"{name} {number}" for name, number in self.versions.items())}


def provenance_of(
    maps: AttentionMaps,
    *,
    model_sha256: str = "",
    scale: str = "",
    sinks: str = "",
    controls: str = "none",
    link: str = "",
    now: datetime.datetime | None = None,
) -> Provenance:
    """Return where the numbers of these maps come from; ``now`` is the moment, this one unless given."""
    moment = (now or datetime.datetime.now(datetime.UTC)).astimezone(datetime.UTC)
    return Provenance(
        texts=(maps.text,) if maps.pair is None else (maps.text, maps.pair),
        model=maps.model,
        revision=maps.revision,
        origin=maps.origin,
        model_sha256=model_sha256,
        weights_sha256=hashlib.sha256(maps.weights.astype("<f4", copy=False).tobytes()).hexdigest(),
        versions=versions(),
        tokens=UNITS[maps.units],
        scale="; ".join(filter(None, (MEASURED[maps.measure], scale))) or AS_THEY_ARE,
        sinks=sinks or sinks_kept(maps),
        controls=controls,
        date=moment.isoformat(timespec="seconds"),
        link=link[:MOST_LINK],
    )


@dataclass(frozen=True, eq=False)
class MapsSource:
    """Where the numbers of some maps come from, worked out once they are taken away: all weights are gone through.

    ``texts`` are those that the numbers are about, where they are not those of the maps.
    """

    maps: AttentionMaps
    model_sha256: str = ""
    controls: str = "none"
    link: str = ""
    texts: tuple[str, ...] = ()

    __repr__ = brief

    def told(self) -> Provenance:
        """Return it."""
        found = provenance_of(self.maps, model_sha256=self.model_sha256, controls=self.controls, link=self.link)
        return replace(found, texts=self.texts) if self.texts else found


def without_maps(
    texts: Sequence[str],
    row: tuple[str, str, str],
    told: str,
    *,
    model_sha256: str = "",
    link: str = "",
    now: datetime.datetime | None = None,
) -> Provenance:
    """Return where numbers come from that are no attention maps: ``row`` is model, revision and origin.

    ``told`` says of tokens, scale, sinks and controls at once what is to be said of them; ``now`` as above.
    """
    moment = (now or datetime.datetime.now(datetime.UTC)).astimezone(datetime.UTC)
    return Provenance(
        tuple(texts), *row, model_sha256, "", versions(), told, told, told, told,
        moment.isoformat(timespec="seconds"), link[:MOST_LINK],
    )  # fmt: skip


def sinks_kept(maps: AttentionMaps) -> str:
    """Return which pieces are sinks in these maps, which keep them."""
    sinks = sink_columns(maps)
    names = dict.fromkeys(token.text for token, sink in zip(maps.key_tokens, sinks, strict=True) if sink)
    return f"kept: {' '.join(names)}" if names else "none in this text"


def versions() -> dict[str, str]:
    """Return the versions of this program, of Python and of what computed the numbers, as installed here."""
    return dict(_versions())


@functools.cache  # a process has one of each, and pages ask at every run
def _versions() -> dict[str, str]:
    found = {"Parallax": app_version(), "rules": str(RULES), "Python": platform.python_version()}
    for name in COMPUTED_WITH:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


@functools.cache
def app_version() -> str:
    """Return the version of this program: of the checkout it runs from, else of the installed package."""
    source = BESIDE / "pyproject.toml"
    if not source.is_file():
        return metadata.version("mha-parallax")
    return tomllib.loads(source.read_text(encoding="utf-8"))["project"]["version"]


def provenance_array(provenance: Provenance) -> np.ndarray:
    """Return the block for a NumPy archive: its JSON in ASCII, as uint8."""
    return np.frombuffer(json.dumps(provenance.as_json()).encode("ascii"), dtype=np.uint8)
