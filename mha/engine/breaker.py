"""What is known of a model whose load failed."""

from __future__ import annotations

import time
from dataclasses import dataclass

from mha.errors import MHAError

SECONDS = (5.0, 10.0, 20.0)  # after a failing load, how long the next try waits


@dataclass
class Breaker:
    """The reason, how often the load failed, and when it may be tried again."""

    message: str = ""
    failures: int = 0
    retry_at: float = 0.0

    @property
    def wait(self) -> float:
        """Seconds until the next try; 0 where it may be now."""
        return max(0.0, self.retry_at - time.monotonic())

    @property
    def open(self) -> bool:
        """Whether the next try has to wait."""
        return self.wait > 0

    def failed(self, error: Exception) -> None:
        """Note a failing load; each one makes the next wait longer."""
        self.message = str(error) if isinstance(error, MHAError) else "The model could not be loaded."
        self.retry_at = time.monotonic() + SECONDS[min(self.failures, len(SECONDS) - 1)]
        self.failures += 1
