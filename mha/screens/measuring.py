"""How far a long measurement is, with Stop and going on; and the sentence about a model without a measurement."""

from __future__ import annotations

from collections.abc import Iterator

from mha.engine.following import FOLLOWERS
from mha.engine.jobs import Job, Long
from mha.link.acts import Begin, Stop
from mha.models.files.catalog import ModelRow
from mha.screens.blocks import Block
from mha.screens.inputs import Press
from mha.screens.places import Plain, ProgressBar

PACE = 1.5  # seconds between looks at a run
FAILED = "The measurement failed on our side and was logged."
SHARED = "Other visitors wait for this run too; it continues while one of you stays."


def far(
    asked: Long, run: Job, what: str, rest: str = "Continue", failed: str = FAILED, told: bool = True
) -> Iterator[Block]:
    """Yield how far a run is, in words too, with Stop or going on; ``told`` says who else waits, and that it failed."""
    if run.state == "failed" and told:
        yield Plain(failed)
    yield ProgressBar(min(1.0, run.done / max(run.whole, 1)), what)
    if run.running:
        yield stop(asked, run) if told else Press("Stop", (Stop(asked),))
    elif run.state != "done":
        yield Press(rest, (Begin(asked),))


def stop(asked: Long, run: Job, name: str = "") -> Press | Plain:
    """Return the button that stops a run; where others wait for it, too, the sentence that it goes on."""
    return Plain(SHARED) if len(FOLLOWERS.of(run)) > 1 else Press("Stop", (Stop(asked),), name=name)


def missing_measurement(row: ModelRow, measurements: str, command: str) -> str:
    """Return that a model has no such measurements, and the command that makes them; "" if the model cannot have any.

    A toy cannot read the sample sentences. A local folder has no revision, and measurements
    are read only for the revision that they belong to.
    """
    if row.kind != "transformer":
        return ""
    if not row.revision:
        return (
            f"There are no {measurements} for {row.short}: they belong to one revision of a model, and a local folder "
            "has none. Models offered by their hub id can be measured."
        )
    return f"There are no {measurements} for {row.short}; `{command}` in a checkout of the repository makes them."
