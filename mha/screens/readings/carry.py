"""The tab "What carries it" as blocks: the map of what each head carries, and the states without one.

Pure: numbers come from `mha.intervention` through the engine, sentences are computed from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mha.analysis.places import word_position
from mha.analysis.readings import Leans
from mha.formats import few, layer_names, percent, signed
from mha.intervention.story import Story
from mha.maps import AttentionMaps, HeadId
from mha.screens.blocks import Block, Span, numbers, said, word
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.counts import NAMED_FROM
from mha.words import words

if TYPE_CHECKING:  # the module brings torch
    from mha.intervention.patching import Patch


@dataclass(frozen=True, eq=False)
class Carry:
    """What the tab draws; every pair is (as typed, with the other word).

    ``patch`` is None where patching is not possible (``why_not`` says why), ``story`` None where none is told,
    ``together`` what the heads of its first step carry together.
    """

    ambiguity: Ambiguity
    maps: tuple[AttentionMaps, AttentionMaps]
    leans: tuple[Leans, Leans]
    margins: tuple[float, float]
    patch: Patch | None
    story: Story | None
    together: float = float("nan")
    why_not: str = ""

    @property
    def contrast(self) -> str:
        """The other version."""
        assert self.ambiguity.contrast is not None
        return self.ambiguity.contrast.text

    @property
    def cue_words(self) -> tuple[str, str]:
        """The first word that differs, in both versions."""
        assert self.ambiguity.contrast is not None
        number = self.ambiguity.contrast.changed[0]
        return self.ambiguity.words[number], words(self.contrast)[number]

    @property
    def pivot(self) -> Span:
        """The pivot as a span."""
        assert self.ambiguity.pivot is not None
        return word(self.ambiguity.words[self.ambiguity.pivot])


def nothing_carries_blocks(this: Carry) -> list[Block]:
    """Return the screen for versions between which no head carries a tenth of the difference."""
    assert this.patch is not None
    assert this.ambiguity.contrast is not None
    before, after = this.cue_words
    own = this.ambiguity.pivot in this.ambiguity.contrast.changed
    acting = np.where(this.patch.direct, np.nan, this.patch.carried)
    if np.isnan(acting).all():
        return [
            said("result", "No head carries the difference."),
            _no_difference(this),
        ]
    layer, number = np.unravel_index(np.nanargmax(acting), acting.shape)
    head = HeadId(int(layer), int(number))
    why = (
        "The changed word is the pivot itself: {x} and {y} start out as different words, and nothing has to be brought "
        "to them. "
        if own
        else "From {x} to {y} the score moves by {move}, but through no single head. "
    )
    return [
        said("result", "No head carries the difference."),
        said(
            "sub",
            why + "The most that one head carries is {most} ({head}).",
            x=word(before),
            y=word(after),
            move=signed(this.patch.separation),
            most=percent(this.patch.carried[head]),
            head=head,
        ),
    ]


def _no_difference(this: Carry) -> Block:
    """Return why there is nothing to be carried."""
    found = this.ambiguity
    assert found.contrast is not None
    assert found.pivot is not None
    last = max(found.pivot, *found.a, *found.b)
    if this.maps[0].causal and min(found.contrast.changed) > last:
        return said(
            "sub",
            "This model sees only what came before. {x} stands after all the words that are compared, so it cannot act "
            "on them: the score is the same in both versions.",
            x=word(this.cue_words[0]),
        )
    return said("sub", "The score is the same in both versions, so that there is no difference to be carried.")


def carried_words(this: Carry) -> list[Block]:
    """Return how much the largest head carries, beside three others of its layer."""
    patch = this.patch
    assert patch is not None
    head = patch.named[0]
    control = patch.control[head.layer]
    beside = "" if np.isnan(control).all() else f"; three other heads of its layer, {percent(float(control.mean()))}"
    together = ""
    if this.story and len(this.story.first) > 1 and not np.isnan(this.together):
        layers = layer_names(sorted({one.layer for one in this.story.first}))
        together = f" The {few(len(this.story.first)).lower()} of {layers} together carry {percent(this.together)}."
    drawn = (
        ""
        if np.isnan(control).all()
        else f" Three others: drawn {len(control)} times from the heads of the layer that carry less than "
        f"{percent(NAMED_FROM)}, {percent(float(control.min()))} to {percent(float(control.max()))}."
    )
    return [
        said(
            "finding",
            "{head} carries {share} of the difference between the two versions" + beside + "." + together,
            head=head,
            share=percent(patch.carried[head]),
        ),
        said(
            "cap",
            "One head’s output is taken from the other version, and the score measured again; mean of both directions."
            + drawn,
        ),
    ]


def carried_map(this: Carry) -> list[Block]:
    """Return the map of what each head carries, with its control beside it; hatched where it was not measured."""
    shape = this.leans[0].a.shape
    if this.patch is None:
        block: Block = {
            "kind": "carried_map", "carried": [[None] * shape[1]] * shape[0], "control": None, "named": [],
            "direct": None, "absent": "", "label": "not measured",
        }  # fmt: skip
        return [block, said("cap", "Not measured: hatched, not zero.")]
    patch = this.patch
    control = [
        None
        if np.isnan(draws).all()
        else {"low": float(draws.min()), "high": float(draws.max()), "mean": float(draws.mean())}
        for draws in patch.control[: patch.at]
    ]
    named = ", ".join(f"{head} {percent(patch.carried[head])}" for head in patch.named) or "none from 10 per cent"
    return [
        {
            "kind": "carried_map",
            "carried": numbers(patch.carried),
            "control": control,
            "named": [list(head) for head in patch.named],
            "direct": patch.at - 1,
            "absent": "absent: after the score is taken",
            "label": f"share of the difference that each head carries: {named}",
        },
        {"kind": "carried_legend"},
    ]


def unequal_blocks(this: Carry) -> list[Block]:
    """Return why patching is not possible; what can be compared stands below."""
    return [
        said("note", "{why}", why=["strong", this.why_not]),
        said(
            "cap",
            "So what each head carries cannot be measured here; where it looks and leans can, and stands below.",
        ),
    ]


def looks_from_pivot(maps: AttentionMaps, found: Ambiguity, number: int | None) -> np.ndarray:
    """Return where heads look from the pivot, float64 [3, layer, head]: to a word (NaN if none), to A, to B.

    Shares of all attention; of several partners the mean.
    """
    merged = maps.merged()
    assert found.pivot is not None
    pivot = word_position(merged, found.pivot)
    row = merged.weights[:, :, pivot].astype(np.float64)  # [layer, head, key]
    own = number is None or number == found.pivot
    first = np.full(row.shape[:2], np.nan) if own else row[..., word_position(merged, number or 0)]
    partners = [np.mean([row[..., word_position(merged, one)] for one in side], axis=0) for side in (found.a, found.b)]
    return np.stack([first, *partners])
