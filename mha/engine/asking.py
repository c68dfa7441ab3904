"""The one way from a page to a number: a question, asked of whoever answers it.

A question is a frozen dataclass, and says what it takes; its answer is a value. A page does not know who answers: this
process, a cluster, or only what is known already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, overload

from mha.analysis.own_readings import OwnReading
from mha.analysis.swaps import Neutral
from mha.engine.atlas import (
    Atlas,
    AtlasRun,
    FlowRun,
    SilencedRun,
    atlas_of_text,
    atlas_run,
    flow_run,
    measure_atlas,
    measure_flow,
    measure_own,
    measure_silenced,
    own_run,
    silenced_run,
)
from mha.engine.experiments import Leaning, added, leaning, neutral_words, twin_maps
from mha.engine.jobs import Job
from mha.engine.opened import all_brought
from mha.engine.own_readings import ReadingsRun, measure_readings, readings_run
from mha.engine.recordings import Request, known, record
from mha.engine.trainings import Progress, progress
from mha.errors import MHAError
from mha.maps import AttentionMaps, HeadId, Reading, Recording
from mha.models.watch.norms import Brought
from mha.models.watch.output import Added
from mha.training.settings import Settings


@dataclass(frozen=True)
class Leans:
    """Where every head leans between two readings of a text, and in 199 orders of its words."""

    text: str
    readings: tuple[Reading, Reading]
    model: str = "minilm"


@dataclass(frozen=True)
class TwinMaps:
    """Where the heads of a model's scrambled twin look in a text, by word."""

    text: str
    model: str
    seed: int


@dataclass(frozen=True)
class NeutralWords:
    """Words for one place of a text that should not matter there."""

    text: str
    number: int
    model: str


@dataclass(frozen=True)
class Brings:
    """What every look of a model brings in a text."""

    text: str
    model: str


@dataclass(frozen=True)
class Here:
    """The address of this very view; "" where it has none."""


@dataclass(frozen=True)
class Came:
    """How the reader came to this page: an `Arrival`."""


@dataclass(frozen=True)
class Arrival:
    """Whether the run before was of the same page, or the reader comes from another; ``words`` are the address's."""

    stayed: bool = False
    from_another: bool = False
    words: frozenset[str] = frozenset()


@dataclass(frozen=True)
class AddedByHeads:
    """What each head of a head's layer adds to a token, through W_O."""

    text: str
    model: str
    head: HeadId
    token: int


@dataclass(frozen=True)
class Kept:
    """What this visit keeps under a name and no link says; None where it keeps nothing."""

    name: str


@dataclass(frozen=True)
class Watched:
    """How far runs of `mha.training` are, those that come with the program among them."""

    settings: tuple[Settings, ...]


@dataclass(frozen=True)
class AtlasOfText:
    """What every head does in one text, beside its looks in the scrambled twin."""

    text: str
    model: str


@dataclass(frozen=True)
class AtlasOfCorpus:
    """What every head does over the bundled sentences. Long: its answer is the run, None where none was begun."""

    model: str


@dataclass(frozen=True)
class AtlasOfTexts:
    """What every head does over somebody's own texts. Long."""

    model: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class LeansOfTexts:
    """The mean lean of every head over somebody's own sentences with two readings. Long."""

    model: str
    rows: tuple[OwnReading, ...]


@dataclass(frozen=True)
class SilencingOf:
    """How far silencing each head turns the bundled sentences. Long."""

    model: str


@dataclass(frozen=True)
class FlowOf:
    """The flow of a text over all layers. Long."""

    text: str
    model: str


class NotKnown(MHAError):
    """The answer is not known yet, and nothing is run for it here."""


Long = AtlasOfCorpus | AtlasOfTexts | LeansOfTexts | SilencingOf | FlowOf


class Ask(Protocol):
    """Whoever answers."""

    @overload
    def __call__(self, question: Request, /) -> Recording: ...
    @overload
    def __call__(self, question: Leans, /) -> Leaning: ...
    @overload
    def __call__(self, question: TwinMaps, /) -> AttentionMaps: ...
    @overload
    def __call__(self, question: NeutralWords, /) -> Neutral: ...
    @overload
    def __call__(self, question: Brings, /) -> Brought: ...
    @overload
    def __call__(self, question: AtlasOfText, /) -> Atlas: ...
    @overload
    def __call__(self, question: AtlasOfCorpus | AtlasOfTexts, /) -> AtlasRun | None: ...
    @overload
    def __call__(self, question: LeansOfTexts, /) -> ReadingsRun | None: ...
    @overload
    def __call__(self, question: SilencingOf, /) -> SilencedRun | None: ...
    @overload
    def __call__(self, question: FlowOf, /) -> FlowRun | None: ...
    @overload
    def __call__(self, question: Here, /) -> str: ...
    @overload
    def __call__(self, question: Came, /) -> Arrival: ...
    @overload
    def __call__(self, question: AddedByHeads, /) -> Added: ...
    @overload
    def __call__(self, question: Kept, /) -> Any: ...
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


def begin(question: Any, visitor: str | None) -> Job:
    """Begin what is long (`Long`), or go on with it, for a visitor.

    Raises:
        Busy: too much is under way.
    """
    return BEGUN[type(question)](question, visitor)


UNKNOWN = object()
RUNS: Mapping[type, Callable[[Any], Job | None]] = {
    AtlasOfCorpus: lambda asked: atlas_run(asked.model),
    AtlasOfTexts: lambda asked: own_run(asked.model, asked.texts),
    LeansOfTexts: lambda asked: readings_run(asked.model, asked.rows),
    SilencingOf: lambda asked: silenced_run(asked.model),
    FlowOf: lambda asked: flow_run(asked.text, asked.model),
}
BEGUN: Mapping[type, Callable[[Any, str | None], Job]] = {
    AtlasOfCorpus: lambda asked, visitor: measure_atlas(asked.model, visitor),
    AtlasOfTexts: lambda asked, visitor: measure_own(asked.model, asked.texts, visitor),
    LeansOfTexts: lambda asked, visitor: measure_readings(asked.model, asked.rows, visitor),
    SilencingOf: lambda asked, visitor: measure_silenced(asked.model, visitor),
    FlowOf: lambda asked, visitor: measure_flow(
        asked.text, asked.model, record(Request(asked.text, asked.model)).maps.merged(), visitor
    ),
}
HERE: Mapping[type, Callable[[Any], Any]] = {
    Request: record,
    Leans: lambda asked: leaning(asked.text, asked.readings, asked.model),
    TwinMaps: lambda asked: twin_maps(asked.text, asked.model, asked.seed),
    NeutralWords: lambda asked: neutral_words(asked.text, asked.number, asked.model),
    Brings: lambda asked: all_brought(asked.text, asked.model, None),
    AddedByHeads: lambda asked: added(asked.text, asked.model, asked.head, asked.token),
    Here: lambda _: "",
    Came: lambda _: Arrival(),
    Kept: lambda _: None,
    Watched: lambda asked: [progress(settings) for settings in asked.settings],
    AtlasOfText: lambda asked: atlas_of_text(asked.text, asked.model),
    **RUNS,
}
KNOWN: Mapping[type, Callable[[Any], Any]] = {
    Request: _recording,
    Here: lambda _: "",
    Came: lambda _: Arrival(),
    Kept: lambda _: None,
    Watched: HERE[Watched],
    **RUNS,
}
