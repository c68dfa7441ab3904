"""A running Parallax as a notebook's model: `connect` gives what `mha` asks a model about texts, over HTTP.

Every method takes and returns what the function of `mha` by its name does, with the name of a model on offer there.
What needs the model itself in hand (`mha.record`) or takes a text of any length (`mha.survey`) is not asked from afar;
whatever takes maps (`mha.show`, `ask`, `roles`, `opening`, statistics) takes those that `attend` returns.
"""

from __future__ import annotations

import io
import json
import operator
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np

from mha import errors
from mha.analysis.readings import Readings
from mha.archive import unpacked
from mha.errors import Busy, InputError, MHAError, ModelUnavailable
from mha.intervention.outcomes import Direct, Patch, Path, Prediction, Sweep
from mha.maps import AttentionMaps, HeadId, Reading, Recording, readings_of
from mha.models.files.catalog import DEFAULT
from mha.pairs import OTHER
from mha.saved import load_maps

Found = TypeVar("Found")

if TYPE_CHECKING:
    from mha.figures.print.figure import PaperFigure
    from mha.intervention.ablation import Heads
    from mha.intervention.readout import Readout
    from mha.models.watch.cell import Cell
    from mha.models.watch.generating import Generation
    from mha.models.watch.output import Brought

MOST_BYTES = 2**27
SECONDS = 100.0
TOLD = ("InputError", "ShapeError", "UnknownModel", "ModelUnavailable", "AttentionUnavailable", "Busy")
ERRORS: dict[int, type[MHAError]] = {400: InputError, 413: InputError, 422: InputError, 429: Busy, 503: Busy}


def connect(url: str, seconds: float = SECONDS) -> Remote:
    """Return a running Parallax at an address, such as ``http://localhost:8501``; it is asked first whether it is one.

    Raises:
        InputError: this is no http(s) address.
        ModelUnavailable: nothing answers there, or no Parallax.
    """
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except (ValueError, TypeError, AttributeError):
        sound = False
    if not sound or any(character <= " " for character in url):
        raise InputError(f"Connect to an address such as http://localhost:8501; this is {str(url)[:100]!r}.")
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
        try:
            return [row["name"] for row in self._json("/api/models")["models"]]
        except (LookupError, TypeError) as error:
            raise ModelUnavailable(f"What answers at {self.url} is not a Parallax.") from error

    def attend(
        self, text: str, model: str = DEFAULT, pair: str | None = None, target: str | None = None, stack: str = ""
    ) -> AttentionMaps:
        """Return where every head of a model looks in a text; as `mha.attend`, up to 128 tokens."""
        question = {"text": text, "model": model, "pair": pair, "target": target, "stack": stack}
        return load_maps(io.BytesIO(self._ask("/api/attend", question, "application/x-npz")), MOST_BYTES)

    def attend_many(self, texts: Sequence[str], model: str = DEFAULT, *, progress: bool = False) -> list[AttentionMaps]:
        """Return the maps of many texts, in their order, one question each; ``progress`` shows how many are left."""
        from tqdm import tqdm

        if isinstance(texts, str):
            raise InputError("This is one text: attend takes it. Several are a list.")
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

            return figure(self.patch(text, contrast, suggested(text), model=model), kind, heads, **how)
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
        self,
        text: str | AttentionMaps,
        readings: Readings | None = None,
        measure: str = "default",
        model: str = DEFAULT,
    ) -> np.ndarray:
        """Return each head's lean between two readings, as float64 [layer, head]; of maps it is reckoned here."""
        if isinstance(text, AttentionMaps):
            from mha.analysis.readings import lean

            return lean(text, readings, measure)
        asked = _between(readings) | {"text": text, "model": model, "want": ["leans"], "measure": measure}
        return np.array(self._json("/api/readings", asked)["leans"]["lean"], dtype=np.float64)  # null is NaN

    def sweep(
        self,
        text: str,
        readings: Readings,
        kind: str = "mean",
        readout: str | Readout = "link",
        at: int | None = None,
        model: str = DEFAULT,
        like: str = OTHER,
    ) -> Sweep:
        """Return what silencing each head by itself does to the readout; as `mha.sweep`, but no progress is told."""
        asked = _between(readings) | {"readout": _readout(readout), "kind": kind, "at": at, "like": like}
        return self._found(Sweep, "sweep", text, model, **asked)

    def preference(
        self,
        text: str,
        readings: Readings,
        readout: str | Readout = "link",
        at: int | None = None,
        silenced: Heads = (),
        kind: str = "mean",
        model: str = DEFAULT,
        like: str = OTHER,
    ) -> float:
        """Return the readout of a text between two readings, with some heads silenced; as `mha.preference`."""
        asked = _between(readings) | {"readout": _readout(readout), "at": at, "silenced": _names(silenced)}
        found = self._json("/api/preference", asked | {"text": text, "kind": kind, "model": model, "like": like})
        return float(found["value"])

    def patch(
        self,
        text: str,
        contrast: str,
        readings: Readings,
        at: int | None = None,
        model: str = DEFAULT,
        controls: bool = True,
    ) -> Patch:
        """Return what each head carries of the difference between two versions; as `mha.patch`."""
        asked = _between(readings) | {"contrast": contrast, "at": at, "controls": controls}
        return self._found(Patch, "patch", text, model, **asked)

    def follow(
        self,
        text: str,
        contrast: str,
        readings: Readings,
        senders: Heads,
        receiver: HeadId | tuple[int, int] | str,
        model: str = DEFAULT,
        controls: bool = True,
    ) -> Path:
        """Return how much of what one head changes between two versions comes from earlier heads; as `mha.follow`."""
        heads = {"senders": _names(senders), "receiver": _names([receiver])[0], "controls": controls}
        return self._found(Path, "follow", text, model, contrast=contrast, **_between(readings), **heads)

    def ablate(
        self, text: str, heads: Heads, kind: str = "mean", model: str = DEFAULT, keep: Sequence[str] = ()
    ) -> Recording:
        """Return the recording of a text with some heads silenced; as `mha.ablate`."""
        return self._found(Recording, "ablate", text, model, heads=_names(heads), kind=kind, keep=list(keep))

    def predict(
        self,
        text: str,
        model: str = DEFAULT,
        count: int = 10,
        silenced: Heads = (),
        each: Heads = (),
        kind: str = "mean",
        mask: int = 0,
        target: str = "",
    ) -> Prediction:
        """Return the likeliest words after a text, in a typed ``[MASK]``, or next in a target; as `mha.predict`."""
        asked = {"count": count, "silenced": _names(silenced), "each": _names(each), "kind": kind, "mask": mask}
        return self._found(Prediction, "predict", text, model, target=target, **asked)

    def generate(
        self, text: str, model: str = DEFAULT, n_tokens: int = 16, seed: int | None = None, temperature: float = 1.0
    ) -> Generation:
        """Return what a model writes, and where its heads looked meanwhile; as `mha.generate`."""
        from mha.models.watch.generating import Generation

        asked = {"n_tokens": n_tokens, "seed": seed, "temperature": float(temperature)}
        return self._found(Generation, "generate", text, model, **asked)

    def direct(self, text: str, a: str, b: str, model: str = DEFAULT) -> Direct:
        """Return what each head gives directly to the score of ``a`` over ``b`` as the next word; as `mha.direct`."""
        return self._found(Direct, "direct", text, model, a=a, b=b)

    def cell(
        self,
        text: str,
        head: tuple[int, int] | str,
        query: int | str,
        key: int | str,
        model: str = DEFAULT,
        pair: str | None = None,
        target: str | None = None,
        stack: str = "",
    ) -> Cell:
        """Return every number of one cell; as `mha.cell`."""
        from mha.models.watch.cell import Cell

        place = {"head": _names([head])[0], "query": query, "key": key}
        return self._found(Cell, "cell", text, model, pair=pair, target=target, stack=stack, **place)

    def brought(
        self, text: str, model: str = DEFAULT, pair: str | None = None, target: str | None = None, stack: str = ""
    ) -> Brought:
        """Return what every head brings from every key; as `mha.brought`."""
        from mha.models.watch.output import Brought

        return self._found(Brought, "brought", text, model, pair=pair, target=target, stack=stack)

    def _found(self, of: type[Found], name: str, text: str, model: str, /, **more: Any) -> Found:
        """Return what an experiment finds, bit for bit."""
        content = self._ask(f"/api/{name}", {"text": text, "model": model, **more}, "application/x-npz")
        try:
            found: Found = unpacked(of, content, MOST_BYTES)
        except (ValueError, TypeError, LookupError) as error:
            raise ModelUnavailable(f"What answers at {self.url} is not a Parallax of this version.") from error
        return found

    def _json(self, path: str, question: dict[str, Any] | None = None) -> Any:
        content = self._ask(path, question, "application/json")
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            raise ModelUnavailable(f"What answers at {self.url} is not a Parallax.") from error

    def _ask(self, path: str, question: dict[str, Any] | None, form: str) -> bytes:
        body = None if question is None else json.dumps(question, default=operator.index).encode()
        headers = {"Accept": form, "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=self.seconds) as answer:
                content: bytes = answer.read(MOST_BYTES + 1)
        except urllib.error.HTTPError as error:
            with error:
                raise _refused(error.read(2**16), error.code) from error
        except (OSError, HTTPException) as error:
            raise ModelUnavailable(f"Nothing answers at {self.url}: {str(error)[:120]}.") from error
        if len(content) > MOST_BYTES:
            raise InputError(f"The answer has more than {MOST_BYTES:,} bytes.")
        return content


def _between(readings: Readings | None) -> dict[str, Any]:
    """Return the words of a question about two readings; without any they are those that the text suggests."""
    if readings is None:
        return {}
    return {letter: _reading(reading) for letter, reading in zip("ab", readings_of(readings), strict=True)}


def _reading(reading: Reading) -> dict[str, Any]:
    pivots = {pivot for pivot, _ in reading.links}
    if len(pivots) != 1:
        raise InputError(f"Over HTTP a reading has one ambiguous word; {reading.name!r} has {len(pivots)}.")
    return {"name": reading.name, "pivot": pivots.pop(), "partners": [partner for _, partner in reading.links]}


def _readout(readout: str | Readout) -> dict[str, str]:
    if isinstance(readout, str):
        return {"name": readout}
    given = {name: str(getattr(readout, name)) for name in ("a", "b") if hasattr(readout, name)}
    kind = type(readout).__name__
    return {"name": kind.lower() if given else {"LinkMargin": "link"}.get(kind, kind), **given}


def _names(heads: Heads) -> list[str]:
    return [str(HeadId.of(head)) for head in heads]


def _refused(content: bytes, status: int) -> MHAError:
    """Return the error that a problem tells of, of the kind that its type names where that is one of ours."""
    try:
        problem = json.loads(content)
        detail, name = str(problem["detail"]), str(problem["type"]).rpartition("#")[2]
    except (ValueError, KeyError, TypeError):
        detail, name = f"The answer was {status}, and said no more.", ""
    kind = getattr(errors, name, None) if name in TOLD else None
    return (kind or ERRORS.get(status, ModelUnavailable))(detail)
