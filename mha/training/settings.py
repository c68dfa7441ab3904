"""Settings of a training run, and its curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from math import factorial

import numpy as np

from mha.brief import with_arrays
from mha.errors import InputError
from mha.training.grammar import Grammar

STARTS = {
    "usual": "Xavier: random numbers of a size that keeps the signal's size",
    "small": "the usual numbers, a tenth as large",
    "large": "the usual numbers, three times as large",
    "orthogonal": "orthogonal matrices: the heads' subspaces share nothing",
    "identical": "every head starts with the same numbers",
    "identical+noise": "the same numbers, plus noise of a thousandth",
    "identical, own output": "the same Q, K and V, but each head its own rows of the output matrix",
}
READS = {
    "everything": "each head reads the whole embedding",
    "slices": "each head reads its own part of the numbers",
    "random": "each head reads a random part of the numbers; parts can overlap",
}
PRESSURES = {
    "none": "nothing but the task",
    "positions": "heads are rewarded for looking at different words",
}


@dataclass(frozen=True)
class Settings:
    """One run. ``d_head`` None means d_model / n_heads; ``n_reads`` None means d_head numbers a head.

    ``pressure`` is a disagreement regulariser of Li et al. 2018, weighted by ``strength``; ``mlp_readers`` gives
    each reader a hidden layer.

    Raises:
        InputError: a choice does not exist or does not fit; the message lists the valid choices.
    """

    n_heads: int = 2
    d_head: int | None = None
    n_layers: int = 1
    n_readings: int = 2
    start: str = "usual"
    reads: str = "everything"
    n_reads: int | None = None
    pressure: str = "none"
    strength: float = 1.0
    mlp_readers: bool = False
    seed: int = 0
    n_steps: int = 1200
    batch: int = 128
    learning_rate: float = 3e-3
    d_model: int = 32

    def __post_init__(self) -> None:
        for name, table in (("start", STARTS), ("reads", READS), ("pressure", PRESSURES)):
            if getattr(self, name) not in table:
                raise InputError(f"`{name}` is one of {', '.join(table)}; this is {getattr(self, name)!r}.")
        for name, low, high in (("n_heads", 1, 32), ("n_layers", 1, 2), ("n_readings", 2, 3), ("n_steps", 1, 10_000)):
            if not low <= getattr(self, name) <= high:
                raise InputError(f"{name} is {low} to {high}; this is {getattr(self, name)}.")
        if self.d_head is None and self.d_model % self.n_heads:
            raise InputError(
                f"{self.n_heads} heads do not divide {self.d_model}; say how wide a head is with d_head, "
                f"for example {-(-self.d_model // self.n_heads)}."
            )
        if self.reads == "slices" and self.n_heads * self.numbers_read > self.d_model:
            raise InputError(f"{self.n_heads} slices of {self.numbers_read} do not fit into {self.d_model} numbers.")
        if not 1 <= self.numbers_read <= self.d_model:
            raise InputError(f"A head reads 1 to {self.d_model} of {self.d_model} numbers; not {self.numbers_read}.")

    @property
    def guess(self) -> float:
        """The joint accuracy of a guesser with the right nouns in random order: 1/2, or 1/6."""
        return 1 / factorial(self.n_readings)

    @property
    def width(self) -> int:
        """How many numbers a query has."""
        return self.d_model // self.n_heads if self.d_head is None else self.d_head

    @property
    def numbers_read(self) -> int:
        """How many numbers of the embedding each head reads."""
        if self.reads == "everything":
            return self.d_model
        return self.width if self.n_reads is None else self.n_reads


ONE, TWO, FOUR = Settings(n_heads=1), Settings(n_heads=2), Settings(n_heads=4)
EXPERIMENTS: dict[str, tuple[Settings, Settings]] = {  # recorded: left and right
    "one or two heads": (ONE, TWO),
    "identical start": (replace(FOUR, start="identical"), replace(FOUR, start="identical+noise")),
    "kept apart": (FOUR, replace(FOUR, pressure="positions")),
    "overlapping parts": (FOUR, Settings(n_heads=3, d_head=11, reads="random", n_reads=16)),
}


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
    ``diverse_weights`` [moment] is NaN. Meanings as in `mha.training.settings.Snapshot`.
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
