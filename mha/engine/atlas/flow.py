"""The flow of one text through all layers of a model, as a job."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mha.analysis.summaries import flowing
from mha.engine.jobs import Job
from mha.maps import AttentionMaps


class FlowRun(Job):
    """The flow of one text through a model's layers, word by word; ``found`` is there at the end, [query, input]."""

    cost = 0.0  # no pass at all

    def __init__(self, maps: AttentionMaps) -> None:
        self.maps = maps
        self.found: np.ndarray | None = None
        self.whole = maps.n_queries
        super().__init__()

    def steps(self) -> Iterator[None]:
        """Follow one word at the top after the other down."""
        rows = []
        for row in flowing(self.maps):
            rows.append(row)
            self.done = len(rows)
            yield
        self.found = np.array(rows)
