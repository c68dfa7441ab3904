"""A running Parallax as a notebook's model: `connect` gives what `mha` asks a model about texts, over HTTP.

What needs the model itself in hand (`mha.record`, `preference`, `ablate`, `predict`, `generate`) is not asked from
afar; whatever takes maps (`mha.show`, `ask`, `roles`, `opening`, statistics) takes those that `attend` returns.
"""

from __future__ import annotations

import io
import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np

from mha.errors import Busy, InputError, MHAError, ModelUnavailable
from mha.intervention.outcomes import Patch
from mha.maps import AttentionMaps, Reading
from mha.models.files.catalog import DEFAULT
from mha.saved import load_maps

if TYPE_CHECKING:
    from mha.figures.print.figure import PaperFigure

MOST_BYTES = 2**27
SECONDS = 100.0
ERRORS: dict[int, type[MHAError]] = {400: InputError, 413: InputError, 422: InputError, 429: Busy, 503: Busy}


def connect(url: str, seconds: float = SECONDS) -> Remote:
    """Return a running Parallax at an address, such as ``http://localhost:8501``; it is asked first whether it is one.

    Raises:
        InputError: this is no http(s) address.
        ModelUnavailable: nothing answers there, or no Parallax.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise InputError(f"Connect to an address such as http://localhost:8501; this is {url[:100]!r}.")
    remote = Remote(url.rstrip("/"), seconds)
    remote.models()
    return remote


@dataclass(frozen=True)
class Remote:
    """A running Parallax; ``seconds`` is how long an answer may take."""

    url: str
    seconds: float = SECONDS

    def models(self) -> list[str]:
        """Return the names of the models on offer there."""
        return [row["name"] for row in self._json("/api/models")["models"]]

    def attend(self, text: str, model: str = DEFAULT, pair: str | None = None) -> AttentionMaps:
        """Return where every head of a model looks in a text; as `mha.attend`, up to 128 tokens."""
        question = {"text": text, "model": model, "pair": pair}
        return load_maps(io.BytesIO(self._ask("/api/attend", question, "application/x-npz")), MOST_BYTES)

    def attend_many(self, texts: Sequence[str], model: str = DEFAULT, progress: bool = False) -> list[AttentionMaps]:
        """Return the maps of many texts, in their order, one question each; ``progress`` shows how many are left."""
        from tqdm import tqdm

        return [self.attend(text, model) for text in tqdm(texts, disable=not progress, unit=" texts")]

    def figure(
        self,
        text: str,
        kind: str = "map",
        heads: Sequence[tuple[int, int] | str] = (),
        model: str = DEFAULT,
        contrast: str | None = None,
        **how: Any,
    ) -> PaperFigure:
        """Return a figure for print of a text, as `mha.figure` draws it and with its choices; it is drawn here.

        The kinds change and carry take the other version of the text as ``contrast``.
        """
        from mha.export.figure import figure

        if kind == "carry" and contrast is not None:
            from mha.analysis.proposals import suggested

            return figure(self.patch(text, contrast, suggested(text), model), kind, heads, **how)
        other = None if contrast is None else self.attend(contrast, model)
        return figure(self.attend(text, model), kind, heads, contrast=other, **how)

    def page(self, link: str) -> dict[str, Any]:
        """Return a page by its link, such as ``"readings?text=…"``, as data: its title, and its blocks in order."""
        parts = urlsplit(link)
        name = parts.path.rstrip("/").rpartition("/")[2]
        words = [*parse_qsl(parts.query, keep_blank_values=True), *([("page", name)] if name else [])]
        page: dict[str, Any] = self._json(f"/api/page?{urlencode(words)}")
        return page

    def lean(
        self, text: str | AttentionMaps, readings: Sequence[Reading], measure: str = "default", model: str = DEFAULT
    ) -> np.ndarray:
        """Return each head's lean between two readings, as float64 [layer, head]; of maps it is reckoned here."""
        if isinstance(text, AttentionMaps):
            from mha.analysis.readings import lean

            return lean(text, readings, measure)
        found = self._readings(text, readings, model, want=["leans"], measure=measure)
        return _array(found["leans"]["lean"])

    def patch(self, text: str, contrast: str, readings: Sequence[Reading], model: str = DEFAULT) -> Patch:
        """Return what each head carries of the difference between two versions; as `mha.patch`."""
        found = self._readings(text, readings, model, want=["carried"], contrast=contrast)["carried"]
        return Patch(
            text=text,
            contrast=contrast,
            at=found["at"],
            margins=(found["margins"][0], found["margins"][1]),
            carried=_array(found["carried"]),
            control=_array(found["control"]),
            direct=np.array(found["direct"], dtype=bool),
            changed=tuple(found["changed"]),
            into_text=_array(found["into_text"]),
            into_contrast=_array(found["into_contrast"]),
            model=found["model"],
            revision=found["revision"],
            origin=found["origin"],
        )

    def _readings(self, text: str, readings: Sequence[Reading], model: str, **more: Any) -> dict[str, Any]:
        if len(readings) != 2:
            raise InputError(f"A lean is between two readings; here are {len(readings)}.")
        both = {letter: _reading(reading) for letter, reading in zip("ab", readings, strict=True)}
        return self._json("/api/readings", {"text": text, "model": model, **both, **more})

    def _json(self, path: str, question: dict[str, Any] | None = None) -> Any:
        content = self._ask(path, question, "application/json")
        try:
            return json.loads(content)
        except ValueError as error:
            raise ModelUnavailable(f"What answers at {self.url} is no Parallax.") from error

    def _ask(self, path: str, question: dict[str, Any] | None, form: str) -> bytes:
        body = None if question is None else json.dumps(question).encode()
        headers = {"Accept": form, "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=self.seconds) as answer:
                content: bytes = answer.read(MOST_BYTES + 1)
        except urllib.error.HTTPError as error:
            with error:
                raise ERRORS.get(error.code, ModelUnavailable)(_detail(error.read(2**16), error.code)) from error
        except OSError as error:
            raise ModelUnavailable(f"Nothing answers at {self.url}: {str(error)[:120]}.") from error
        if len(content) > MOST_BYTES:
            raise InputError(f"The answer has more than {MOST_BYTES:,} bytes.")
        return content


def _reading(reading: Reading) -> dict[str, Any]:
    pivots = {pivot for pivot, _ in reading.links}
    if len(pivots) != 1:
        raise InputError(f"Over HTTP a reading has one ambiguous word; {reading.name!r} has {len(pivots)}.")
    return {"name": reading.name, "pivot": pivots.pop(), "partners": [partner for _, partner in reading.links]}


def _array(grid: list[list[float | None]]) -> np.ndarray:
    return np.array([[np.nan if one is None else one for one in row] for row in grid], dtype=np.float64)


def _detail(content: bytes, status: int) -> str:
    try:
        return str(json.loads(content)["detail"])
    except (ValueError, KeyError, TypeError):
        return f"The answer was {status}, and said no more."
