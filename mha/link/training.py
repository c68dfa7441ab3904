"""The words of Watch heads learn: which recorded experiment is shown, and at which moment of its training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mha.link.kinds import Choice, Number
from mha.link.word import Words, word
from mha.training.settings import EXPERIMENTS

WHOLE = 100  # per cent of the training: where the slider stands when nobody looked back
SIDES = ("heads", "start", "reads", "pressure", "layers")  # settings of 0.2, one for each side
REMOVED = (
    *(f"training_{name}_{side}" for name in SIDES for side in ("left", "right")),
    *(f"training_{name}" for name in ("readings", "strength", "seed", "steps")),
)


@dataclass(frozen=True)
class TrainingWords(Words):
    """What the link says about the recorded runs."""

    PREFIX: ClassVar[str] = "training_"
    REMOVED: ClassVar[tuple[str, ...]] = REMOVED
    # fmt: off
    experiment: str = word(Choice(tuple(EXPERIMENTS), "pills"), next(iter(EXPERIMENTS)), "Experiments",
                           "the recorded experiment")
    at: int = word(Number(0, WHOLE, drawn="slider"), WHOLE, "Training progress",
                   "per cent of the training")
    # fmt: on
