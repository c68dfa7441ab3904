"""The shuffle control of the connection that Heads opens with: bundled for examples, else a background job."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mha.analysis.shuffles import N_COPIES, ShuffleControl, bundled_control
from mha.engine.jobs import Job, Long
from mha.engine.question import InPieces
from mha.engine.queue import cost
from mha.maps import HeadId


@dataclass(frozen=True)
class ControlRequest(Long):
    """The control of one connection; the job begins when a page asks for it. ``query`` and ``key`` are word numbers."""

    begins = True
    text: str
    model: str
    head: HeadId
    query: int
    key: int

    def bundled(self) -> ShuffleControl | None:
        """Return the control that comes with the program, or None."""
        return bundled_control(self.text, self.model, (self.head, self.query, self.key))

    def run(self) -> Job:
        return Job(InPieces(iter_control, (self,), cost(N_COPIES, self.model, self.text)), N_COPIES)


def iter_control(request: ControlRequest) -> Iterator[tuple[int, int] | ShuffleControl]:
    """Yield how many copies are done, of how many, after each batch, and then the control."""
    from mha.intervention.shuffles import control_steps

    steps, done = control_steps(request.text, request.head, request.query, request.key, request.model), 0
    while True:
        try:
            done += next(steps)
        except StopIteration as end:
            yield end.value
            return
        yield done, N_COPIES
