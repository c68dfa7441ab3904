"""The shuffle control of the connection that Heads opens with: bundled for examples, else an idle job."""

from collections.abc import Iterator
from dataclasses import dataclass

from mha.analysis.shuffles import N_COPIES, ShuffleControl
from mha.engine.jobs import Job, Long
from mha.engine.queue import cost
from mha.engine.recordings import Request, cached_recording
from mha.engine.remote import InPieces
from mha.maps import AttentionMaps, HeadId


@dataclass(frozen=True)
class ControlRequest(Long):
    """The control of one connection; the job begins when a page asks for it. ``query`` and ``key`` are word numbers."""

    idle = True
    text: str
    model: str
    head: HeadId
    query: int
    key: int

    def run(self) -> Job:
        pieces = InPieces(iter_control, (self,), cost(N_COPIES, self.model, self.text), self.model)
        return Job(pieces, N_COPIES, idle=True)


def iter_control(request: ControlRequest) -> Iterator[tuple[int, int] | ShuffleControl]:
    """Yield how many copies are done, of how many at most, after each batch, and then the control.

    A step computes with one thread: short texts gain nothing from more, and others need the cores.
    """
    from mha.intervention.shuffles import control_steps
    from mha.models.files.environment import one_thread

    connection = request.head, request.query, request.key, request.model
    steps = control_steps(request.text, *connection, sequential=True, maps=_known_maps(request))
    n_done = 0
    while True:
        try:
            with one_thread():
                n_done += next(steps)
        except StopIteration as end:
            yield end.value
            return
        yield n_done, N_COPIES


def _known_maps(request: ControlRequest) -> AttentionMaps | None:
    """Return the maps of the text if this process has recorded them."""
    recording = cached_recording(Request(request.text, request.model))
    return recording.maps if recording else None
