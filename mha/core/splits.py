"""Three ways to make several heads from one embedding, and what each costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mha.errors import InputError

# What a head reads, and how wide it is.
SPLITS = {
    "full": "every head projects the whole embedding to d_model numbers of its own",
    "slices": "every head projects the whole embedding to d_model / n_heads numbers",
    "overlap": "every head reads its own random, possibly overlapping part of the embedding",
}


def head_width(split: str, d_model: int, n_heads: int) -> int:
    """Return d_head: d_model for "full", d_model / n_heads for "slices", the same rounded up for "overlap".

    Raises:
        InputError: there is no such split, or d_model cannot be cut into that many equal slices.
    """
    if split not in SPLITS:
        raise InputError(f"A split is one of {', '.join(SPLITS)}; this is {split!r}.")
    if n_heads < 1 or d_model < 1:
        raise InputError(f"A layer has at least one head and one number a word; you asked for {n_heads} and {d_model}.")
    if split == "slices" and d_model % n_heads:
        *some, last = (str(count) for count in range(1, d_model + 1) if d_model % count == 0)
        fitting = f"{', '.join(some)} or {last}" if some else last
        raise InputError(
            f"{d_model} numbers cannot be cut into {n_heads} equal slices; choose {fitting} heads, or another split."
        )
    return d_model if split == "full" else -(-d_model // n_heads)


def random_reads(d_model: int, n_heads: int, n_reads: int, generator: np.random.Generator) -> np.ndarray:
    """Return which ``n_reads`` numbers of the embedding each head reads, drawn head by head, bool [head, d_model]."""
    if not 1 <= n_reads <= d_model:
        raise InputError(f"A head reads 1 to {d_model} of {d_model} numbers; you asked for {n_reads}.")
    reads = np.zeros((n_heads, d_model), dtype=bool)
    for row in reads:
        row[generator.choice(d_model, n_reads, replace=False)] = True
    return reads


@dataclass(frozen=True)
class Counts:
    """What one multi-head layer costs: numbers to learn by matrix, and multiplications by step."""

    split: str
    n_heads: int
    d_model: int
    d_head: int
    n_reads: int
    parameters: dict[str, int]
    multiplications: dict[str, int]

    @property
    def n_parameters(self) -> int:
        """All numbers to learn."""
        return sum(self.parameters.values())

    @property
    def n_multiplications(self) -> int:
        """All multiplications of one call."""
        return sum(self.multiplications.values())


def count(
    split: str, d_model: int, n_heads: int, n_tokens: int, d_head: int | None = None, n_reads: int | None = None
) -> Counts:
    """Return what such a layer costs on so many tokens; widths as in `MultiHead.random` unless given.

    Multiplications are those of the matrix products, each computed once for every pair of numbers that meet; scaling,
    softmax and biases are left out, and an overlap head pays only for the numbers it reads.

    >>> count("full", d_model=4, n_heads=2, n_tokens=2).n_parameters
    128
    """
    d_head = head_width(split, d_model, n_heads) if d_head is None else d_head
    drawn = d_model // 2 + 1 if n_reads is None else n_reads
    n_reads = drawn if split == "overlap" else d_model
    projection, output = n_heads * n_reads * d_head, n_heads * d_head * d_model
    looking = n_heads * n_tokens * n_tokens * d_head  # every query meets every key
    return Counts(
        split,
        n_heads,
        d_model,
        d_head,
        n_reads,
        parameters={"w_query": projection, "w_key": projection, "w_value": projection, "w_output": output},
        multiplications={
            "query, key, value": 3 * n_tokens * projection,
            "scores": looking,
            "weights × value": looking,
            "× w_output": n_tokens * output,
        },
    )
