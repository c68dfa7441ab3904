"""The tab "What carries it": which of its states it is in, and the blocks of each."""

from __future__ import annotations

import dataclasses

import streamlit as st

from mha import engine
from mha.analysis.readings import leans
from mha.engine import experiments
from mha.errors import AttentionUnavailable, InputError
from mha.examples import example_for
from mha.intervention.story import story
from mha.maps import HeadId, Reading
from mha.screens import blocks
from mha.screens.blocks import heading
from mha.screens.readings.ambiguity import Ambiguity, Choices, resolved
from mha.screens.readings.carry import (
    Carry,
    carried_map,
    carried_words,
    nothing_carries_blocks,
    unequal_blocks,
)
from mha.screens.readings.door import USE, door_blocks, slot
from mha.screens.readings.pairs import pairs_blocks, version_blocks
from mha.screens.readings.picture import Picture
from mha.screens.readings.story import story_blocks
from mha.ui.components.blocks import draw as draw_blocks
from mha.ui.readings import calibrating as readings_calibrating
from mha.ui.readings import controls as readings_controls
from mha.words import words

ACTS = ("own",)


def draw(picture: Picture) -> None:
    """Draw the tab."""
    found = picture.ambiguity
    if found.contrast is None:
        _door(picture)
        return
    if not experiments.has_twin(picture.view.model):
        raise AttentionUnavailable(
            f"The heads of {picture.row.title} cannot be taken from another version. Choose MiniLM to see what carries "
            "the difference."
        )
    with st.spinner("Taking each head from the other version …", show_time=True):
        this = carry(picture)
    known = experiments.calibration_of_kind(found.kind, picture.view.model)
    draw_blocks(_blocks(this), "carry", ACTS, _act)
    if known is not None:
        draw_blocks(pairs_blocks(known), "carry_pairs")
    else:
        readings_calibrating.offer(found.kind, picture.row)


def _door(picture: Picture) -> None:
    """Draw the doorway of a sentence without contrast; a word that the example knows for the slot makes one."""
    found, number = picture.ambiguity, slot(picture.ambiguity)
    example = example_for(found.text)
    others = example.others if example and example.cue == number else ()
    if experiments.has_twin(picture.view.model):
        own, *theirs = experiments.token_counts((found.words[number], *others), picture.view.model)
    else:  # a toy takes whole words
        own, theirs = 1, [1] * len(others)
    blocks = door_blocks(found, dict(zip(others, theirs, strict=True)), own)
    acts = {USE.format(place): other for place, other in enumerate(others)}
    draw_blocks(blocks, "carry_door", acts, lambda act: readings_controls.word_changed(found, number, acts[act]))


def _blocks(this: Carry) -> list[blocks.Block]:
    title = heading("How much of the difference each head carries")
    if this.patch is None:
        use = _suggestion(this.ambiguity)
        button = {"kind": "buttons", "buttons": [{"act": "own", "text": f"Use “{use}” instead"}]}
        return [
            *unequal_blocks(this),
            *([button] if use else []),
            *version_blocks(this),
            title,
            *carried_map(this),
        ]
    if not this.patch.named:
        scale = blocks.said("cap", "Same scale as for every sentence, 0 to 30 %.")
        return [*nothing_carries_blocks(this), title, scale, *carried_map(this), *version_blocks(this)]
    if this.story is None:
        return [
            blocks.said(
                "verdict",
                "{heads} " + ("carry" if len(this.patch.named) > 1 else "carries") + " the difference.",
                heads=blocks.joined([blocks.head(head) for head in this.patch.named[:4]]),
            ),
            blocks.said("sub", "No two-step story can be told here: its rule finds no heads for both steps."),
            title,
            *carried_words(this),
            *carried_map(this),
            *version_blocks(this),
        ]
    return [*story_blocks(this), title, *carried_words(this), *carried_map(this), *version_blocks(this)]


def carry(picture: Picture) -> Carry:
    """Return what the tab draws: both versions recorded, patched where that is possible."""
    found, model = picture.ambiguity, picture.view.model
    assert found.contrast is not None
    other = engine.record(engine.Request(found.contrast.text, model)).maps
    pair = found.readings
    both = (leans(picture.maps, pair), leans(other, pair))
    try:
        patch = experiments.patched(found.text, found.contrast.text, pair, model)
    except InputError as error:
        margins = tuple(experiments.scores(text, pair, model=model)[0] for text in (found.text, found.contrast.text))
        return Carry(found, (picture.maps, other), both, (margins[0], margins[1]), None, None, why_not=str(error))
    told = None
    if len(found.contrast.changed) == 1:
        cued = [dataclasses.replace(reading, cue=found.contrast.changed[0]) for reading in pair]
        told = story(picture.maps, other, _two(cued), patch.named)
    together = float("nan")
    if told and len(told.first) > 1:
        together = experiments.carried_together(found.text, found.contrast.text, pair, told.first, model)
    return Carry(found, (picture.maps, other), both, patch.margins, patch, told, together)


def carrying_heads(picture: Picture) -> tuple[HeadId, ...]:
    """Return the heads that carry the difference: those of the story's first step, or all that carry a tenth.

    Raises:
        InputError: the versions cannot be patched.
    """
    this = carry(picture)
    if this.patch is None:
        raise InputError(this.why_not)
    return this.story.first if this.story else this.patch.named


def _two(readings: list[Reading]) -> tuple[Reading, Reading]:
    return readings[0], readings[1]


def _suggestion(found: Ambiguity) -> str:
    """Return the word that the example's own contrast has in the place of the cue; none for other texts."""
    own = resolved(found.text, Choices()).contrast if example_for(found.text) else None
    if own is None or (found.contrast and own.text == found.contrast.text):
        return ""
    return words(own.text)[own.changed[0]]


def _act(name: str) -> None:
    st.session_state[readings_controls.KEYS["contrast"]] = ""
