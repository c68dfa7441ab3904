"""Settings of one training run; the same settings give the same curves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import factorial

from mha.errors import InputError

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
