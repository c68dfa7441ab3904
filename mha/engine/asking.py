"""The questions of the pages that are no recording and no experiment: what a visit knows, and what takes long.

A recording is asked for by a `mha.engine.Request`, an experiment by its own ``of``: ``experiments.twin_maps.of(text,
model, seed)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mha.analysis.own_readings import OwnReading
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
from mha.engine.habits import habit_run, measure_habit
from mha.engine.jobs import CalibrationRun, Job, SweepRequest, SweepRun, calibrate, calibration_run
from mha.engine.own_readings import ReadingsRun, measure_readings, readings_run
from mha.engine.question import Question
from mha.engine.recordings import Request, record
from mha.engine.surveys import SurveyRun, SurveyWanted, begin, run_of
from mha.engine.trainings import Progress, progress
from mha.maps import AttentionMaps
from mha.training.settings import Settings


@dataclass(frozen=True)
class Here(Question[str]):
    """The address of this very view; "" where it has none."""

    def answer(self) -> str:
        return ""

    known = answer


@dataclass(frozen=True)
class Arrival:
    """Whether the run before was of the same page, or the reader comes from another; ``words`` are the address's."""

    stayed: bool = False
    from_another: bool = False
    words: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Came(Question[Arrival]):
    """How the reader came to this page."""

    def answer(self) -> Arrival:
        return Arrival()

    known = answer


@dataclass(frozen=True)
class Kept(Question[Any]):
    """What this visit keeps under a name and no link says; None where it keeps nothing."""

    name: str

    def answer(self) -> Any:
        return None

    known = answer


@dataclass(frozen=True)
class Watched(Question[list[Progress]]):
    """How far runs of `mha.training` are, those that come with the program among them."""

    settings: tuple[Settings, ...]

    def answer(self) -> list[Progress]:
        return [progress(settings) for settings in self.settings]

    known = answer


@dataclass(frozen=True)
class AtlasOfText(Question[Atlas]):
    """What every head does in one text, beside its looks in the scrambled twin."""

    text: str
    model: str

    def answer(self) -> Atlas:
        return atlas_of_text(self.text, self.model)


class Long(Question[Any]):
    """What takes long: its answer is the run, under way or over, None where none was begun."""

    def begin(self, visitor: str | None) -> Job:
        """Begin it, or go on with it, for a visitor; raise `Busy` where too much is under way."""
        raise NotImplementedError


@dataclass(frozen=True)
class AtlasOfCorpus(Long):
    """What every head does over the bundled sentences."""

    model: str

    def answer(self) -> AtlasRun | None:
        return atlas_run(self.model)

    known = answer

    def begin(self, visitor: str | None) -> Job:
        return measure_atlas(self.model, visitor)


@dataclass(frozen=True)
class AtlasOfTexts(Long):
    """What every head does over somebody's own texts."""

    model: str
    texts: tuple[str, ...]

    def answer(self) -> AtlasRun | None:
        return own_run(self.model, self.texts)

    known = answer

    def begin(self, visitor: str | None) -> Job:
        return measure_own(self.model, self.texts, visitor)


@dataclass(frozen=True)
class LeansOfTexts(Long):
    """The mean lean of every head over somebody's own sentences with two readings."""

    model: str
    rows: tuple[OwnReading, ...]

    def answer(self) -> ReadingsRun | None:
        return readings_run(self.model, self.rows)

    known = answer

    def begin(self, visitor: str | None) -> Job:
        return measure_readings(self.model, self.rows, visitor)


@dataclass(frozen=True)
class SilencingOf(Long):
    """How far silencing each head turns the bundled sentences."""

    model: str

    def answer(self) -> SilencedRun | None:
        return silenced_run(self.model)

    known = answer

    def begin(self, visitor: str | None) -> Job:
        return measure_silenced(self.model, visitor)


@dataclass(frozen=True)
class FlowOf(Long):
    """The flow of a text over all layers."""

    text: str
    model: str

    def answer(self) -> FlowRun | None:
        return flow_run(self.text, self.model)

    known = answer

    def begin(self, visitor: str | None) -> Job:
        return measure_flow(self.text, self.model, record(Request(self.text, self.model)).maps.merged(), visitor)


@dataclass(frozen=True)
class CalibrationOn(Long):
    """A model's calibration on the forced pairs."""

    model: str

    def answer(self) -> CalibrationRun | None:
        return calibration_run(self.model)

    known = answer

    def begin(self, visitor: str | None) -> Job:
        return calibrate(self.model, visitor)


@dataclass(frozen=True)
class HabitOf(Long):
    """What a model's heads usually do, over the bundled sentences."""

    model: str

    def answer(self) -> Job | None:
        return habit_run(self.model)

    known = answer

    def begin(self, visitor: str | None) -> Job:
        return measure_habit(self.model, visitor)


@dataclass(frozen=True)
class SurveyQuestion(Long):
    """A survey of a long text, which begins as it is asked for; one that was stopped stays so."""

    wanted: SurveyWanted

    def answer(self) -> SurveyRun:
        return self.of(None)

    def of(self, visitor: str | None) -> SurveyRun:
        """Return the survey, begun for a visitor unless it was."""
        return run_of(self.wanted) or begin(self.wanted, visitor)

    def begin(self, visitor: str | None) -> Job:
        return begin(self.wanted, visitor)


@dataclass(frozen=True)
class OwnFile:
    """A file of maps that a visit holds: its name, its maps, and how to have them again; or why it is not drawn."""

    name: str
    maps: AttentionMaps | None
    again: Callable[[], AttentionMaps] | None = None
    refused: str = ""


@dataclass(frozen=True)
class OwnMaps(Question[OwnFile | None]):
    """The file of maps in the visit's field; None without one."""

    def answer(self) -> OwnFile | None:
        return None

    known = answer


@dataclass(frozen=True)
class SweepQuestion(Question[SweepRun]):
    """Silencing each head once, which begins as it is asked for; where nobody watches, it is over then."""

    asked: SweepRequest

    def answer(self) -> SweepRun:
        run = SweepRun(self.asked)
        while not run.wait(1.0):
            pass
        return run
