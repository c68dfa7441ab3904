"""What a newcomer reads first: what the page is for, what a head is, how many this model has, how they are named."""

from __future__ import annotations

from mha.link.heads import ATTENTION, BROUGHT
from mha.maps import HeadId
from mha.models.files.catalog import ModelRow
from mha.screens.blocks import Span, say

MEANS = {  # a strong colour, by what shares were asked to be of: attention is drawn too where the other is not told
    ATTENTION: "looks there",
    BROUGHT: "a large share",
}
PURPOSE = "See where a transformer looks when it reads your sentence, head by head, and what that does not tell."


def orientation(row: ModelRow) -> tuple[Span, ...]:
    """Return the line for a model; where it is drawn, which knows dark from bright, one of `MEANS` follows it."""
    return say(
        "{purpose} A {head} is one way in which the model lets each word look at other words. {size} {named}",
        purpose=("strong", PURPOSE),
        head=("strong", "head"),
        size=_size(row),
        named=_named(row),
    )


def _size(row: ModelRow) -> str:
    if row.n_layers == 1:
        return f"{row.short} has one layer of {row.n_heads}." if row.n_heads > 1 else f"{row.short} has one head."
    return f"{row.short} has {row.n_layers} layers of {row.n_heads}: {row.n_layers * row.n_heads} heads."


def _named(row: ModelRow) -> tuple[Span, ...]:
    example = HeadId(min(1, row.n_layers - 1) if row.n_heads == 1 else 0, min(1, row.n_heads - 1))
    if example == HeadId(0, 0):
        return say("Its name is {example}: head 0 of layer 0; both count from 0.", example=example)
    return say("{example} is " + f"head {example.head} of layer {example.layer}; both count from 0.", example=example)
