"""What every engine can do, wherever its forward passes run; pages and addresses need no more of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mha.engine.recordings import Request
from mha.maps import Recording


@dataclass(frozen=True)
class Health:
    """How an engine is: ``phase`` and ``message`` as in `mha.engine.recordings.ModelState`.

    ``waiting`` requests wait or run; ``kept`` recordings take ``kept_bytes``; ``passes`` were begun so far.
    """

    phase: str
    message: str = ""
    waiting: int = 0
    kept: int = 0
    kept_bytes: int = 0
    passes: int = 0

    @property
    def ready(self) -> bool:
        """Whether a new text is answered at once."""
        return self.phase == "ready"


class Engine(Protocol):
    """Where forward passes run. Every method may raise `Busy`, and an `MHAError` that is written for the reader."""

    def record(self, request: Request) -> Recording:
        """Return what one forward pass shows of a request."""

    def statistics(self, request: Request) -> dict[str, np.ndarray]:
        """Return every statistic of every head, each float64 [layer, head], by name."""

    def experiment(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Return the answer of an experiment of `mha.engine.experiments`, by its name and arguments."""

    def health(self) -> Health:
        """Return how the engine is, at once."""
