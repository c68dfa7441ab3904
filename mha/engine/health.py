"""How the engine is, of this process or on the cluster that it asks (`mha.engine.elsewhere`)."""

from __future__ import annotations

from dataclasses import dataclass

from mha.engine import recordings
from mha.engine.elsewhere import LOST, WAYS


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


def health() -> Health:
    """Return how the engine is, at once."""
    state = recordings.state()
    if state.ready and not WAYS.able:
        state = recordings.ModelState("waking", LOST)
    return Health(state.phase, state.message, *recordings.usage())
