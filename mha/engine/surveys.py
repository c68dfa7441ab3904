"""Surveys of long texts in the background: layer by layer, stopped and begun again, the last few kept."""

from __future__ import annotations

import contextvars
import dataclasses
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from queue import Queue
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mha.engine.answers import answered
from mha.engine.jobs import Job, Long
from mha.engine.patience import LEFT
from mha.engine.question import InPieces
from mha.errors import Busy
from mha.maps import HeadId, Token
from mha.models.files.catalog import model_row

if TYPE_CHECKING:
    from mha.models.watch.lengths import Measure
    from mha.models.watch.survey import Survey

FULL = 65535  # of a weight of 1 in the map that is kept of a head


@dataclass(frozen=True)
class SurveyWanted(Long):
    """What is looked at: a text, the token whose rows and columns are kept, and the heads that are kept whole.

    The survey begins as it is asked for; one that was stopped stays so until it is begun again, anew.
    """

    begins = True
    text: str
    model: str
    token: int
    heads: tuple[HeadId, ...] = ()

    def run(self) -> SurveyRun:
        return SurveyRun(self)

    def answer(self) -> SurveyRun:
        run: SurveyRun = self.watch(None)
        return run


class Surveyed(NamedTuple):
    """How many layers are done after how many seconds, and the overview of the last one; the survey at the end."""

    done: int
    seconds: float
    overview: np.ndarray | None
    found: Survey | None = None


def surveyed(wanted: SurveyWanted) -> Iterator[Surveyed]:
    """Yield each layer as soon as it is done, and then the survey, whose whole maps are uint16.

    The model runs in a thread of its own, for what tells of its layers is called in the midst of a pass; it waits until
    the next piece is wanted, and ends when none will be.
    """
    from mha.models.watch.survey import survey

    told: Queue[Surveyed | BaseException] = Queue()
    wanted_next, closed, begun = threading.Semaphore(0), threading.Event(), time.perf_counter()

    def progress(done: int, _whole: int, overview: np.ndarray) -> None:
        told.put(Surveyed(done, time.perf_counter() - begun, overview))
        wanted_next.acquire()
        if closed.is_set():
            raise Busy(LEFT)

    def run() -> None:
        try:
            found = survey(
                wanted.text, model=wanted.model, words=(wanted.token,), heads=wanted.heads, progress=progress
            )
            maps = {head: np.rint(whole * FULL).astype(np.uint16) for head, whole in found.maps.items()}
            told.put(Surveyed(found.n_layers, time.perf_counter() - begun, None, dataclasses.replace(found, maps=maps)))
        except BaseException as error:
            told.put(error)

    threading.Thread(target=contextvars.copy_context().run, args=(run,), name="survey", daemon=True).start()
    try:
        while True:
            piece = told.get()
            if isinstance(piece, BaseException):
                raise piece
            yield piece
            if piece.found is not None:
                return
            wanted_next.release()
    finally:
        closed.set()
        wanted_next.release()


class SurveyRun(Job):
    """One survey: the overview of each layer as soon as it is done, and at the end everything that was asked for.

    ``layers`` has float32 [head, cell, cell] of each layer that is done; ``found`` the survey, without its whole maps,
    which ``maps`` has as uint16 [query, key], `FULL` for a weight of 1. ``seconds`` is how long it took so far. A run
    that was stopped begins anew.
    """

    def __init__(self, wanted: SurveyWanted) -> None:
        row = model_row(wanted.model)
        self.wanted = wanted
        self.whole = row.n_layers
        self.layers: list[np.ndarray] = []
        self.found: Survey | None = None
        self.maps: dict[HeadId, np.ndarray] = {}
        self.seconds = 0.0
        super().__init__()

    def rest(self) -> InPieces:
        """Return the whole survey: what is stopped in between is done from its beginning."""
        self.done, self.seconds = 0, 0.0
        return InPieces(surveyed, (self.wanted,), model=self.wanted.model)

    def take(self, piece: Surveyed) -> None:
        """Take a layer, or all that was asked for."""
        self.done, self.seconds = piece.done, piece.seconds
        if piece.overview is not None and piece.done > len(self.layers):
            self.layers.append(piece.overview)
        if piece.found is not None:
            self.maps, self.found = dict(piece.found.maps), dataclasses.replace(piece.found, maps={})


@answered
def measured(text: str, model: str) -> Measure:
    """Return how long a text is to a model; errors as `mha.models.watch.lengths.measure`."""
    from mha.models.watch.lengths import measure

    return measure(text, model)


@answered
def tokens_read(text: str, model: str) -> tuple[Token, ...]:
    """Return the tokens that a model reads of a text at once; errors as `mha.models.watch.lengths.measure`."""
    from mha.models.watch.lengths import tokens_read as read

    return read(text, model)
