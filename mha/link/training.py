"""The words of Watch heads learn: which recorded experiment is shown, and at which moment of its training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mha.link.kinds import Choice, Number
from mha.link.word import Words, word
from mha.training.settings import EXPERIMENTS

WHOLE = 100  # per cent of the training: where the slider stands when nobody looked back


@dataclass(frozen=True)
class TrainingWords(Words):
    """What the link says about the recorded runs."""

    PREFIX: ClassVar[str] = "training_"
    # fmt: off
    experiment: str = word(Choice(tuple(EXPERIMENTS), "pills"), next(iter(EXPERIMENTS)), "Experiments",
                           "the recorded experiment")
    at: int = word(Number(0, WHOLE, drawn="slider"), WHOLE, "Training progress",
                   "per cent of the training")
    # fmt: on
