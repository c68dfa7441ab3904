"""The flow of one text through all layers of a model, as a job."""

from __future__ import annotations

import numpy as np

from mha.analysis.summaries import flowing
from mha.engine.jobs import Job
from mha.engine.question import InPieces
from mha.maps import AttentionMaps


class FlowRun(Job):
    """The flow of one text through a model's layers, word by word; ``found`` is there at the end, [query, input]."""

    cost = 0.0  # no pass at all

    def __init__(self, maps: AttentionMaps) -> None:
        self.maps = maps
        self.found: np.ndarray | None = None
        self.whole = maps.n_queries
        self._rows: list[np.ndarray] = []
        super().__init__()

    def rest(self) -> InPieces:
        """Return all of it: one word at the top after the other, followed down."""
        self._rows = []
        return InPieces(flowing, (self.maps,), self.cost)

    def take(self, piece: np.ndarray) -> None:
        """Take the row of the next word."""
        self._rows.append(piece)
        self.done = len(self._rows)
        if self.done == self.whole:
            self.found = np.array(self._rows)
