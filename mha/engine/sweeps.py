"""The sweep that ablates every head of a text once, as a job, and the score that it measures, as a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mha.engine.followers import FOLLOWERS
from mha.engine.jobs import RUNS, Job, Long
from mha.engine.question import InPieces
from mha.engine.queue import cost
from mha.errors import MHAError
from mha.intervention.outcomes import Sweep
from mha.maps import HeadId, Reading
from mha.models.files.catalog import model_row

if TYPE_CHECKING:  # this imports torch
    from mha.intervention.readout import AskedReadout

LINK = "link"
NO_PROGRESS = 0.6  # seconds to wait before progress is shown


@dataclass(frozen=True)
class Score:
    """One readout: ``name`` is "link", "continuations", "fills" or "targets"; ``a`` and ``b`` the texts compared.

    ``score_layer`` is the block output at which the link margin is read, by default the last but one.
    """

    name: str = LINK
    a: str = ""
    b: str = ""
    score_layer: int | None = None

    def readout(self, text: str, readings: Sequence[Reading], model: str) -> AskedReadout:
        """Return the readout itself, asked of a text between two readings."""
        from mha.intervention.readout import AskedReadout, readout_named

        return AskedReadout.from_text(text, readings, readout_named(self.name, self.a, self.b), self.score_layer, model)

    @property
    def is_link(self) -> bool:
        """Whether the link margin is read, in the last block that can act on it."""
        return self.name == LINK

    def reach(self, n_layers: int) -> int:
        """Return how many of the model's layers can act on the score."""
        return self.read_at(n_layers) if self.is_link else n_layers

    def read_at(self, n_layers: int) -> int:
        """Return the number of the block output that the link margin is read at."""
        return max(1, n_layers - 1) if self.score_layer is None else self.score_layer


LINK_MARGIN = Score()


@dataclass(frozen=True)
class SweepRequest(Long):
    """A sweep of one text between two readings, by one kind of ablation, with one score.

    It begins with its first request; without a visitor the request waits for its end.
    """

    begins = True
    text: str
    readings: tuple[Reading, Reading]
    kind: str
    model: str
    score: Score

    def run(self) -> SweepRun:
        return SweepRun(self)

    def watch(self, visitor: str | None) -> SweepRun:
        """Return the run as `Long.watch` does, begun again if it failed; a short one is over then.

        Raises:
            MHAError: an early error of the experiment.
        """
        run: SweepRun | None = RUNS.get(self)
        if run is None or run.state == "failed":
            run = self.begin(visitor)
            run.wait(NO_PROGRESS)
        return run

    def answer(self) -> SweepRun:
        run = SweepRun(self)
        with FOLLOWERS.following(run):  # it ends if its HTTP client hangs up
            while not run.wait(1.0):
                pass
        return run


class SweepRun(Job):
    """The sweep over all heads, low layers first, with the results so far.

    ``effect`` is float64 [layer, head]; missing heads and heads that cannot act are NaN.
    """

    def __init__(self, request: SweepRequest) -> None:
        row = model_row(request.model)
        self.request = request
        self.n_heads = row.n_heads
        self.effect = np.full((row.n_layers, row.n_heads), np.nan)
        self.untouched = float("nan")
        self.reach = request.score.reach(row.n_layers)  # layers that can act on the score
        self.total = self.reach * row.n_heads
        self.cost = cost(self.total / 2, request.model, request.text)  # layers below an ablated head run once for all
        super().__init__()

    def wait(self, seconds: float) -> bool:
        """Wait for the end, at most so long; return whether it is over.

        Raises:
            MHAError: the error of the experiment.
        """
        has_ended = super().wait(seconds)
        if self.state == "failed" and self.error is not None:
            raise self.error if isinstance(self.error, MHAError) else RuntimeError() from self.error
        return has_ended

    def sweep(self) -> Sweep:
        """Return the results so far."""
        direct = np.zeros(self.effect.shape, dtype=bool)
        if self.request.score.is_link:  # the heads whose block mixes the two vectors that are compared
            direct[self.reach - 1] = True
        return Sweep(
            text=self.request.text,
            kind=self.request.kind,
            at=self.request.score.read_at(len(self.effect)),
            untouched=self.untouched,
            effect=self.effect.copy(),
            direct=direct,
            reach=self.reach,
        )

    def missing_work(self) -> InPieces:
        """Return the heads that are missing."""
        heads = [HeadId(int(layer), int(head)) for layer, head in np.argwhere(np.isnan(self.effect[: self.reach]))]
        return InPieces(iter_sweep, (self.request, heads), self.cost, self.request.model)

    def take(self, piece: Sweep) -> None:
        """Take the effects of some heads."""
        is_measured = np.isfinite(piece.effect)
        self.effect[is_measured] = piece.effect[is_measured]
        self.untouched = piece.untouched
        self.n_done = int(np.isfinite(self.effect).sum())


def iter_sweep(request: SweepRequest, heads: list[HeadId]) -> Iterator[Sweep]:
    """Measure some heads."""
    from mha.intervention.sweep import sweeping

    question = request.score.readout(request.text, request.readings, request.model)
    return sweeping(question, request.kind, heads=heads)
