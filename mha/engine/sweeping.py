"""The sweep over all heads as a job: low layers first, with what is known so far, to be stopped and gone on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mha.engine.answers import Job
from mha.engine.scores import LINK, Score
from mha.errors import MHAError
from mha.maps import HeadId, Reading
from mha.models.files.catalog import model_row

if TYPE_CHECKING:
    from mha.intervention.sweep import Sweep


@dataclass(frozen=True)
class Asked:
    """What is swept: one text between two readings, by one kind of silencing, with the score that is read."""

    text: str
    readings: tuple[Reading, Reading]
    kind: str
    model: str
    score: Score


class SweepRun:
    """One sweep under way. ``effect`` is float64 [layer, head], NaN where it was not measured or cannot act."""

    def __init__(self, asked: Asked) -> None:
        row = model_row(asked.model)
        self.asked = asked
        self.n_heads = row.n_heads
        self.effect = np.full((row.n_layers, row.n_heads), np.nan)
        self.untouched = float("nan")
        self.reach = asked.score.reach(row.n_layers)  # layers that can act on the score
        self.preparing: tuple[int, int] | None = None  # sentences of the corpus averaged so far, of how many
        self._job = Job(self._steps())

    @property
    def state(self) -> str:
        """One of "running", "done", "stopped", "failed"."""
        return self._job.state

    @property
    def measured(self) -> int:
        """How many heads are measured."""
        return int(np.isfinite(self.effect).sum())

    @property
    def whole(self) -> int:
        """How many heads can act on the score."""
        return self.reach * self.n_heads

    def stop(self) -> None:
        """End after the heads that are under way."""
        self._job.stop()

    def go_on(self) -> None:
        """Measure the heads that are missing."""
        self._job = Job(self._steps())

    def wait(self, seconds: float) -> bool:
        """Wait for the end, at most so long; return whether it is over.

        Raises:
            MHAError: what the experiment itself raised.
        """
        over = self._job.wait(seconds)
        if self._job.state == "failed" and self._job.error is not None:
            raise self._job.error if isinstance(self._job.error, MHAError) else RuntimeError() from self._job.error
        return over

    def result(self) -> Sweep:
        """Return what is measured so far."""
        from mha.intervention.sweep import Sweep

        direct = np.zeros(self.effect.shape, dtype=bool)
        if self.asked.score.name == LINK:  # the heads whose block mixes the two vectors that are compared
            direct[self.reach - 1] = True
        return Sweep(
            text=self.asked.text,
            kind=self.asked.kind,
            at=self.reach,
            untouched=self.untouched,
            effect=self.effect.copy(),
            direct=direct,
            reach=self.reach,
        )

    def _steps(self) -> Iterator[None]:
        from mha.intervention.sweep import sweeping

        asked = self.asked
        if asked.kind == "mean":
            yield from self._prepare()
        missing = [HeadId(int(layer), int(head)) for layer, head in np.argwhere(np.isnan(self.effect[: self.reach]))]
        score = asked.score.readout(), asked.score.at
        for found in sweeping(asked.text, asked.readings, asked.kind, *score, asked.model, heads=missing):
            done = np.isfinite(found.effect)
            self.effect[done] = found.effect[done]
            self.untouched = found.untouched
            yield

    def _prepare(self) -> Iterator[None]:
        """Average every head's output over the corpus, where that does not come with the program."""
        from mha.intervention.bank import gathering
        from mha.intervention.subject import subject

        for done in gathering(subject(self.asked.model)):
            self.preparing = done
            yield
        self.preparing = None
