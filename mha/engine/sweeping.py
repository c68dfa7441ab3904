"""The sweep over all heads as a job: layer by layer, with what is known so far, to be stopped and gone on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mha.engine.answers import Job
from mha.errors import MHAError
from mha.maps import HeadId, Reading
from mha.models.catalog import model_row

if TYPE_CHECKING:
    from mha.intervention.sweep import Sweep


@dataclass(frozen=True)
class Asked:
    """What is swept: one text between two readings, by one kind of silencing, read at block output ``at``."""

    text: str
    readings: tuple[Reading, Reading]
    kind: str
    model: str
    at: int


class SweepRun:
    """One sweep under way. ``effect`` is float64 [layer, head], NaN where it was not measured or cannot act."""

    def __init__(self, asked: Asked) -> None:
        row = model_row(asked.model)
        self.asked = asked
        self.n_heads = row.n_heads
        self.effect = np.full((row.n_layers, row.n_heads), np.nan)
        self.untouched = float("nan")
        self._job = Job([self._layer(layer) for layer in range(asked.at)])

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
        return self.asked.at * self.n_heads

    def stop(self) -> None:
        """End after the layer that is under way."""
        self._job.stop()

    def go_on(self) -> None:
        """Measure the layers that are missing."""
        missing = [layer for layer in range(self.asked.at) if not np.isfinite(self.effect[layer]).all()]
        self._job = Job([self._layer(layer) for layer in missing])

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
        direct[self.asked.at - 1] = True
        return Sweep(
            text=self.asked.text,
            kind=self.asked.kind,
            at=self.asked.at,
            untouched=self.untouched,
            effect=self.effect.copy(),
            direct=direct,
            reach=self.asked.at,
        )

    def _layer(self, layer: int) -> Callable[[], None]:
        def step() -> None:
            from mha.intervention.sweep import preferences

            sets = [(), *([HeadId(layer, head)] for head in range(self.n_heads))]
            found = preferences(
                self.asked.text,
                self.asked.readings,
                sets,
                at=self.asked.at,
                kind=self.asked.kind,
                model=self.asked.model,
            )
            self.untouched = float(found[0])
            self.effect[layer] = found[1:] - found[0]

        return step
