"""What is measured once of a model over sentences of ours: what its heads usually do.

Habits come with the program for MiniLM and SmolLM2 (``python -m studies.bundled`` writes them). For another model they
are measured as jobs that all visitors share.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mha.analysis.habit import Habit, habit, measuring
from mha.engine.jobs import Finding, RunOf
from mha.pairs import corpus

if TYPE_CHECKING:  # this brings torch
    from mha.models.files.loading import LoadedModel


def habit_steps(model: str | LoadedModel) -> Iterator[tuple[int, int] | Habit]:
    """Yield how many corpus sentences are done, of how many, after each, and then the model's habit."""
    from mha.models.watch.attending import attend, loaded_model

    loaded = loaded_model(model)
    texts = corpus()
    return measuring((attend(text, loaded) for text in texts), len(texts), loaded.row.name, loaded.row.revision)


def habit_asked(model: str) -> RunOf:
    """Return the question what a model's heads usually do, over the bundled sentences."""
    return Finding.of(habit_steps, (model,), len(corpus()))


def habit_of(model: str) -> Habit | None:
    """Return a model's habit: as it comes with the program, or was measured since it started; else None."""
    run = habit_asked(model).answer()
    return habit(model) or (run.found if run else None)
