"""The questions of the pages that are no recording, no experiment and no long run: what a visit knows, what it watches.

A recording is asked for by a `mha.engine.Request`, an experiment by its own ``of``: ``experiments.twin_maps.of(text,
model, seed)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mha.engine.jobs import SweepRequest, SweepRun
from mha.engine.question import Question
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
