"""What a learner looks like in the midst of its training, as a value without torch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mha.brief import brief


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What the learner can do and how its heads look after ``step`` steps.

    ``joint`` is the share of unseen sentences with every reading right, ``joint_seen`` of training pairs; ``readings``
    [reading] each reading's share (unseen). ``looks`` [head, noun] is the mean weight from the pivot to each noun,
    ``silenced`` [head, reading] each reading's share with one head switched off (last layer). ``diversity`` has the
    three `MEASURES`; ``weights`` [layer, head, query, key] are those of the sentence ``words``.
    """

    step: int
    loss: float
    joint: float
    joint_seen: float
    readings: np.ndarray
    looks: np.ndarray
    silenced: np.ndarray
    diversity: dict[str, float]
    words: tuple[str, ...]
    weights: np.ndarray

    __repr__ = brief
