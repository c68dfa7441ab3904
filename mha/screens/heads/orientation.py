"""The line at the top of Heads for newcomers."""

from __future__ import annotations

from mha.models.files.catalog import ModelRow
from mha.screens.blocks import Span, say


def orientation(row: ModelRow) -> tuple[Span, ...]:
    """Return the line for a model."""
    n, earlier = row.n_layers * row.n_heads, "earlier" if row.causal else "other"
    every = f"each of {row.short}’s {n} heads" if n > 1 else f"the one head of {row.short}"
    return say(
        f"An {{head}} lets each word gather information from {earlier} words. See where {every} looks in your "
        "sentence. Where a head looks does not show why, or whether it matters.",
        head=("strong", "attention head"),
    )
