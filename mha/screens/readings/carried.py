"""The tab "What carries it": its state, what it says there, and the map of what each head carries. Pure."""

from __future__ import annotations

import numpy as np

from mha.examples import example_for
from mha.formats import few, layer_names, percent, signed
from mha.link.readings import Choices
from mha.screens.blocks import Block, Button, Buttons, Said, head, heading, joined, said, word
from mha.screens.readings.ambiguity import Ambiguity, resolved
from mha.screens.readings.case import ranked
from mha.screens.readings.drawn import CARRIED_LEGEND, CarriedMap, Legend
from mha.screens.readings.slopes import version_blocks
from mha.screens.readings.story import story_blocks
from mha.screens.readings.two_versions import NAMED_FROM, Carry
from mha.words import words

OWN = "own"  # what the button sends back that takes the example's contrast
TITLE = "How much of the difference each head carries"


def carry_blocks(this: Carry) -> list[Block]:
    """Return the tab: not to be patched, no head carries it, some do without a story, or the story."""
    title = heading(TITLE)
    if this.patch is None:
        return [*_unequal(this), *version_blocks(this), title, *_carried_map(this)]
    if not this.patch.named:
        scale = said("cap", "Same scale as for every sentence, 0 to 30 %.")
        return [*_nothing_carries(this), title, scale, *_carried_map(this), *version_blocks(this)]
    top = _carry_without_story(this) if this.story is None else story_blocks(this)
    return [*top, title, *_largest(this), *_carried_map(this), *version_blocks(this)]


def _unequal(this: Carry) -> list[Block]:
    """Return why patching is not possible; what can be compared stands below."""
    use = _own_word(this.ambiguity)
    return [
        said("note lead", "{why}", why=("strong", this.why_not)),
        said(
            "cap",
            "So what each head carries cannot be measured here; where it looks and leans can, and stands below.",
        ),
        *([Buttons((Button(OWN, f"Use “{use}” instead"),))] if use else []),
    ]


def _own_word(found: Ambiguity) -> str:
    """Return the word that the example's own contrast has in the place of the cue; none for other texts."""
    own = resolved(found.text, Choices()).contrast if example_for(found.text) else None
    if own is None or (found.contrast and own.text == found.contrast.text):
        return ""
    return words(own.text)[own.changed[0]]


def _nothing_carries(this: Carry) -> list[Block]:
    """Return why no head carries a tenth of the difference."""
    return [said("result", "No head carries the difference."), _why_nothing(this)]


def _why_nothing(this: Carry) -> Said:
    patch, found = this.patch, this.ambiguity
    assert patch is not None
    assert found.pivot is not None
    before, after = this.cue_words
    acting = np.where(patch.direct, np.nan, patch.carried)
    if np.isnan(acting).all():
        if this.maps[0].causal and min(this.changed) > max(found.pivot, *found.a, *found.b):
            return said(
                "sub",
                "This model sees only what came before. {x} stands after all the words that are compared, so it cannot "
                "act on them: the score is the same in both versions.",
                x=word(before),
            )
        return said("sub", "The score is the same in both versions, so that there is no difference to be carried.")
    most = ranked(acting)[0]
    why = (
        "The changed word is the pivot itself: {x} and {y} start out as different words, and nothing has to be brought "
        "to them. "
        if found.pivot in this.changed
        else "From {x} to {y} the score moves by {move}, but through no single head. "
    )
    return said(
        "sub",
        why + "The most that one head carries is {most} ({head}).",
        x=word(before),
        y=word(after),
        move=signed(patch.separation),
        most=percent(patch.carried[most]),
        head=most,
    )


def _carry_without_story(this: Carry) -> list[Block]:
    assert this.patch is not None
    named = this.patch.named
    return [
        said(
            "verdict",
            "{heads} " + ("carry" if len(named) > 1 else "carries") + " the difference.",
            heads=joined([head(one) for one in named[:4]]),
        ),
        said("sub", "No two-step story can be told here: its rule finds no heads for both steps."),
    ]


def _largest(this: Carry) -> list[Block]:
    """Return how much the largest head carries, beside three others of its layer."""
    patch = this.patch
    assert patch is not None
    most = patch.named[0]
    control = patch.control[most.layer]
    beside, drawn, together = "", "", ""
    if not np.isnan(control).all():
        beside = f"; three other heads of its layer, {percent(float(control.mean()))}"
        drawn = (
            f" Three others: drawn {len(control)} times from the heads of the layer that carry less than "
            f"{percent(NAMED_FROM)}, {percent(float(control.min()))} to {percent(float(control.max()))}."
        )
    if this.story and len(this.story.first) > 1 and not np.isnan(this.together):
        layers = layer_names(sorted({one.layer for one in this.story.first}))
        together = f" The {few(len(this.story.first)).lower()} of {layers} together carry {percent(this.together)}."
    return [
        said(
            "finding",
            "{head} carries {share} of the difference between the two versions" + beside + "." + together,
            head=most,
            share=percent(patch.carried[most]),
        ),
        said(
            "cap",
            "One head’s output is taken from the other version, and the score measured again; mean of both directions."
            + drawn,
        ),
    ]


def _carried_map(this: Carry) -> list[Block]:
    """Return the map of what each head carries, with its control beside it; hatched where it was not measured."""
    patch = this.patch
    if patch is None:
        unmeasured = np.full(this.leans[0].a.shape, np.nan)
        return [CarriedMap(unmeasured, "not measured"), said("cap", "Not measured: hatched, not zero.")]
    named = ", ".join(f"{one} {percent(patch.carried[one])}" for one in patch.named) or "none from 10 per cent"
    picture = CarriedMap(
        patch.carried,
        f"share of the difference that each head carries: {named}",
        [
            None
            if np.isnan(draws).all()
            else {"low": float(draws.min()), "high": float(draws.max()), "mean": float(draws.mean())}
            for draws in patch.control[: patch.at]
        ],
        patch.named,
        direct=patch.at - 1,
        absent="absent: after the score is taken",
    )
    return [picture, Legend(CARRIED_LEGEND)]
