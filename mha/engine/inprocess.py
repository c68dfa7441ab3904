"""The engine of this process for whoever asks by name or by number: recordings, experiments, and how it is.

What these two run is in this process, or on a cluster (`mha.engine.elsewhere`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.analysis.statistics import head_statistics
from mha.engine import recordings
from mha.engine.answers import every_experiment
from mha.engine.elsewhere import LOST, WAYS
from mha.engine.recordings import Request
from mha.errors import InputError
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


class InProcess:
    """Forward passes in threads of this process, or what these threads wait for."""

    def record(self, request: Request) -> Recording:
        """Return what one forward pass shows; as `mha.engine.recordings.record`."""
        return recordings.record(request)

    def statistics(self, request: Request) -> dict[str, np.ndarray]:
        """Return every statistic of every head, each float64 [layer, head]."""
        return dict(head_statistics(self.record(request).maps))

    def experiment(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Return the answer of an experiment.

        Raises:
            InputError: there is none of this name.
        """
        known = every_experiment()
        if name not in known:
            raise InputError(f"There is no experiment “{name}”; there are {', '.join(sorted(known))}.")
        return known[name](*args, **kwargs)

    def health(self) -> Health:
        """Return how the engine is, at once."""
        state = recordings.state()
        if state.ready and not WAYS.able:
            state = recordings.ModelState("waking", LOST)
        return Health(state.phase, state.message, *recordings.usage())


ENGINE = InProcess()
