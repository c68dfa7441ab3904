"""What a newcomer reads first: what a head is, what the page shows of how many, and what that does not show."""

from __future__ import annotations

from mha.link.heads import BROUGHT
from mha.models.files.catalog import ModelRow
from mha.screens.blocks import Span, say


def orientation(row: ModelRow, shares: str = "") -> tuple[Span, ...]:
    """Return the line for a model; ``shares`` is what the page's shares were asked to be of, by the link's word."""
    n, earlier = row.n_layers * row.n_heads, "earlier" if row.causal else "other"
    every = f"each of {row.short}’s {n} heads" if n > 1 else f"the one head of {row.short}"
    shown, limit = f"See where {every} looks in your sentence.", "Where a head looks does not show why, or whether it "
    if shares == BROUGHT:
        shown = f"See what {every} passes between the words of your sentence."
        limit = "This does not show why, or whether it "
    return say(
        f"An {{head}} lets each word gather information from {earlier} words. {shown} {limit}matters.",
        head=("strong", "attention head"),
    )
