"""The one way from a page to a number: a question, asked of whoever answers it.

A question is a frozen dataclass, and says what it takes; its answer is a value. A page does not know who answers: this
process, a cluster, or only what is known already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, overload

from mha.engine.experiments import Leaning, leaning
from mha.engine.recordings import Request, known, record
from mha.engine.trainings import Progress, progress
from mha.errors import MHAError
from mha.maps import Reading, Recording
from mha.training.settings import Settings

T = TypeVar("T")


@dataclass(frozen=True)
class Leans:
    """Where every head leans between two readings of a text, and in 199 orders of its words."""

    text: str
    readings: tuple[Reading, Reading]
    model: str = "minilm"


@dataclass(frozen=True)
class Kept:
    """What this visit keeps under a name; None where it keeps nothing, "" where it keeps that nothing was chosen."""

    name: str


@dataclass(frozen=True)
class Watched:
    """How far runs of `mha.training` are, those that come with the program among them."""

    settings: tuple[Settings, ...]


class NotKnown(MHAError):
    """The answer is not known yet, and nothing is run for it here."""


class Ask(Protocol):
    """Whoever answers."""

    @overload
    def __call__(self, question: Request, /) -> Recording: ...
    @overload
    def __call__(self, question: Leans, /) -> Leaning: ...
    @overload
    def __call__(self, question: Kept, /) -> str | None: ...
    @overload
    def __call__(self, question: Watched, /) -> list[Progress]: ...


def here(question: Any) -> Any:
    """Answer a question in this process. A visit's own (`Kept`) are nobody's here: None.

    Raises:
        MHAError: as what is asked raises it.
    """
    return HERE[type(question)](question)


def known_already(question: Any) -> Any:
    """Answer a question from what comes with the program or is kept; nothing is run for it.

    Raises:
        NotKnown: the answer is not known yet.
    """
    found = KNOWN[type(question)](question) if type(question) in KNOWN else UNKNOWN
    if found is UNKNOWN:
        raise NotKnown("This is not known yet.")
    return found


def _recording(request: Request) -> Any:
    found = known(request)
    return UNKNOWN if found is None else found


UNKNOWN = object()
HERE: Mapping[type, Callable[[Any], Any]] = {
    Request: record,
    Leans: lambda asked: leaning(asked.text, asked.readings, asked.model),
    Kept: lambda _: None,
    Watched: lambda asked: [progress(settings) for settings in asked.settings],
}
KNOWN: Mapping[type, Callable[[Any], Any]] = {
    Request: _recording,
    Kept: lambda _: None,
    Watched: HERE[Watched],
}
