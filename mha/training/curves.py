"""Snapshots of a learner in training, and a run as arrays over its moments; numpy alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from mha.brief import with_arrays
from mha.training.grammar import Grammar
from mha.training.settings import Settings


@with_arrays
class Snapshot:
    """The learner's accuracies and attention after ``step`` steps.

    ``joint`` is the share of unseen sentences with every reading right, ``joint_seen`` of training pairs; ``readings``
    [reading] each reading's share (unseen). ``looks`` [head, noun] is the mean weight from the pivot to each noun,
    ``silenced`` [head, reading] each reading's share with one head switched off (last layer). ``diversity``
    is the divergence of the heads in bits; ``weights`` [layer, head, query, key] are those of the grammar's example.
    """

    step: int
    joint: float
    joint_seen: float
    readings: np.ndarray
    looks: np.ndarray
    silenced: np.ndarray
    diversity: float
    weights: np.ndarray


IDLE = 0.01  # a head is idle when no reading loses more than this with the head switched off
HOLDS = 0.9  # a head holds a noun when it gives this much of its attention to it
TOGETHER = 0.1  # bits: heads that differ less in where they look still look alike


@with_arrays
class Curves:
    """One run at ``step`` [moment]; every other array has that axis first.

    ``joint`` and ``joint_seen`` [moment], ``readings`` [moment, reading], ``looks`` [moment, head, noun], ``silenced``
    [moment, head, reading], ``weights`` [moment, layer, head, query, key] on the grammar's example; for a single head
    ``diverse_weights`` [moment] is NaN. Meanings as in `mha.training.curves.Snapshot`.
    """

    settings: Settings
    step: np.ndarray
    joint: np.ndarray
    joint_seen: np.ndarray
    readings: np.ndarray
    looks: np.ndarray
    silenced: np.ndarray
    diverse_weights: np.ndarray
    weights: np.ndarray

    @classmethod
    def from_snapshots(cls, settings: Settings, snapshots: Sequence[Snapshot]) -> Curves:
        """Return the curves of a run's snapshots, at least one."""
        plain = ("step", "joint", "joint_seen", "readings", "looks", "silenced", "weights")
        arrays = {name: np.array([getattr(snapshot, name) for snapshot in snapshots]) for name in plain}
        arrays["diverse_weights"] = np.array([snapshot.diversity for snapshot in snapshots])
        return cls(settings, **arrays)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return every array by name."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.name != "settings"}

    def __len__(self) -> int:
        return len(self.step)

    @property
    def words(self) -> tuple[str, ...]:
        """The example sentence that ``weights`` are of."""
        grammar = self._grammar
        return grammar.words(grammar.example(), 0)

    @property
    def pivot(self) -> int:
        """The place of the pivot in ``words``."""
        return int(self._grammar.example().pivot[0])

    @property
    def nouns(self) -> tuple[int, ...]:
        """The places in ``words`` of the nouns that the readings name."""
        return tuple(self._grammar.example().nouns[0].tolist())

    @property
    def _grammar(self) -> Grammar:
        return Grammar(self.settings.n_readings, self.settings.seed)

    def moment(self, share: float) -> int:
        """Return the moment nearest to a share, 0 to 1, of the whole training; the last one there is at most."""
        return int(np.abs(self.step - share * self.settings.n_steps).argmin())

    def holds(self, moment: int = -1) -> tuple[int | None, ...]:
        """Return for each head the noun that gets nearly all it gives from the pivot, or None."""
        best = self.looks[moment].argmax(axis=-1)
        return tuple(
            int(noun) if row[noun] >= HOLDS else None for noun, row in zip(best, self.looks[moment], strict=True)
        )

    def idle(self, moment: int = -1) -> tuple[int, ...]:
        """Return the heads that can be switched off, one at a time, without harm to any reading."""
        lost = self.readings[moment] - self.silenced[moment]  # [head, reading]
        return tuple(np.flatnonzero((lost <= IDLE).all(axis=-1)).tolist())

    def parted(self) -> int | None:
        """Return the first step from which on the heads never look alike again, or None."""
        alike = np.flatnonzero(~(self.diverse_weights >= TOGETHER))  # NaN counts as alike
        first = int(alike[-1]) + 1 if len(alike) else 0
        return int(self.step[first]) if first < len(self) else None
