"""What is known of a model whose load failed."""

from __future__ import annotations

import time
from dataclasses import dataclass

from mha.errors import MHAError, NowhereToWrite

SECONDS = (5.0, 10.0, 20.0)  # after a failing load, how long the next try waits
FAILED = "The model could not be loaded. Choose another, or try again shortly."


@dataclass
class Breaker:
    """The reason, how often the load failed, and when it may be tried again."""

    message: str = ""
    failures: int = 0
    retry_at: float = 0.0
    free: bool = False  # the next try costs nothing, so that it need not wait
    said: str = ""  # the last failure, as it was logged

    @property
    def wait(self) -> float:
        """Seconds until the next try; 0 where it may be now."""
        return max(0.0, self.retry_at - time.monotonic())

    @property
    def open(self) -> bool:
        """Whether the next try has to wait."""
        return self.wait > 0 and not self.free

    def failed(self, error: Exception) -> bool:
        """Note a failing load, each of which makes the next wait longer; return whether it failed in a new way.

        Without a directory to write to nothing was tried: whoever asks next may have it looked for again.
        """
        self.message = str(error) if isinstance(error, MHAError) else FAILED
        self.free = isinstance(error, NowhereToWrite)
        self.retry_at = time.monotonic() + SECONDS[min(self.failures, len(SECONDS) - 1)]
        self.failures += 1
        before, self.said = self.said, repr(error)
        return self.said != before
