"""Three ways to make several heads from one embedding."""

from __future__ import annotations

import numpy as np

from mha.errors import InputError

# The numbers that a head reads, and its width.
SPLITS = {
    "full": "every head projects the whole embedding to d_model numbers of its own",
    "slices": "every head projects the whole embedding to d_model / n_heads numbers",
    "overlap": "every head reads its own random, possibly overlapping part of the embedding",
}


def head_width(split: str, d_model: int, n_heads: int) -> int:
    """Return d_head: d_model for "full", d_model / n_heads for "slices", the same rounded up for "overlap".

    Raises:
        InputError: the split is unknown, or d_model cannot be cut into that many equal slices.
    """
    if split not in SPLITS:
        raise InputError(f"A split is one of {', '.join(SPLITS)}; this is {split!r}.")
    if n_heads < 1 or d_model < 1:
        raise InputError(f"A layer has at least one head and one number a word; you asked for {n_heads} and {d_model}.")
    if split == "slices" and d_model % n_heads:
        *first_counts, last = (str(count) for count in range(1, d_model + 1) if d_model % count == 0)
        fitting = f"{', '.join(first_counts)} or {last}" if first_counts else last
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
