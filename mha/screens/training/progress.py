"""How far two runs are, with Stop and carrying on, and the button that trains them here and now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mha.engine.trainings import Progress, Watched
from mha.link.acts import Begin, BeginAnew, Stop
from mha.screens.blocks import Block
from mha.screens.inputs import Press
from mha.screens.places import Notice, ProgressBar
from mha.screens.training import words

PACE = 0.7  # seconds between looks at a run under way


def under_way(every: Sequence[Progress]) -> bool:
    """Return whether a run is under way."""
    return any(progress.phase == "training" for progress in every)


def status(asked: Watched, every: Sequence[Progress]) -> Iterator[Block]:
    """Yield how far the runs are; Stop while one is under way, Carry on once it was stopped."""
    for settings, progress in zip(asked.settings, every, strict=True):
        step = int(progress.curves.step[-1]) if progress.curves is not None else 0
        if progress.phase == "training":
            yield ProgressBar(step / settings.n_steps, words.training(settings, step))
        elif progress.phase == "stopped":
            yield Notice(words.stopped(settings, step))
        elif progress.phase == "failed":
            yield Notice(f"{words.title_of(settings)}: {progress.message}")
    phases = {progress.phase for progress in every}
    if "training" in phases:
        yield Press("Stop", (Stop(asked),), name="training_stop")
    elif "stopped" in phases:
        yield Press("Continue", (Begin(asked),), name="training_carry_on")


def train_live(asked: Watched, every: Sequence[Progress], first: str = "Train live") -> Press:
    """Return the button that trains the runs again, here and now, before the reader's eyes."""
    label = first if all(progress.bundled for progress in every) else "Train again"
    return Press(label, (BeginAnew(asked),), off=under_way(every), name="training_live_button")
