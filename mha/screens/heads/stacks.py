"""An encoder–decoder's attention: the encoder's, its decoder's, or from its output to the text.

Columns of encoder and cross-attention are the text, rows of the decoder the output that it has read, rows of
cross-attention the output that it writes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import TYPE_CHECKING

import numpy as np

from mha.analysis.sinks import sink_columns
from mha.engine import writing
from mha.engine.question import Ask
from mha.errors import AttentionUnavailable, Busy, InputError
from mha.link.heads import CROSS, DECODER, ENCODER
from mha.link.view import fitted
from mha.maps import AttentionMaps, HeadId, Recording
from mha.models.files.rows import OF_ENCODER, ModelRow
from mha.screens.blocks import Block, caption, say
from mha.screens.heads.picture import Picture
from mha.screens.places import Notice, Wait
from mha.screens.shown import shown_for

if TYPE_CHECKING:  # it brings torch
    from mha.models.watch.output import Brought

MOST_WRITTEN = 64  # tokens of an output; `mha.generate` writes no more
OUTPUT = {
    DECODER: "Shown: the output that {model} writes for your text, and its attention to its own earlier words.",
    CROSS: "Output that {model} writes: “{output}”. Rows are its words, each before it is written; columns are yours.",
}
READ_AS_OUTPUT = "{model} writes no output, so its decoder reads your text."


def select_stack(picture: Picture, stack: str, ask: Ask) -> Generator[Block, None, Picture]:
    """Yield what the chosen attention of an encoder–decoder is of, and return its picture.

    The picture stays the encoder's for another model, and where the model cannot write.
    """
    row = picture.row
    if not row.two_sided or stack == ENCODER:
        return picture
    yield Wait("Writing …")
    text = picture.recording.maps.text
    try:
        recording = _recording_with_output(text, row, ask)
    except (AttentionUnavailable, Busy, InputError) as error:
        yield Notice(str(error))
        return picture
    template = OUTPUT[stack] if row.predicts else READ_AS_OUTPUT
    yield caption(say(template, model=row.short, output=recording.target or ""))
    return stack_picture(picture, recording, stack)


def _recording_with_output(text: str, row: ModelRow, ask: Ask) -> Recording:
    """Return the recording of a text with the output that a model writes, or with the text if it writes none."""
    if row.predicts:
        return ask(writing.written.of(text, row.name, MOST_WRITTEN, None)).recording
    return ask(writing.beside.of(text, text, row.name))


def stack_picture(picture: Picture, beside: Recording, stack: str) -> Picture:
    """Return the picture of one attention of a model with two sides; ``beside`` was recorded with its target."""
    if stack == CROSS:
        maps = _to_be_written(beside.attention("cross"))
    elif stack == DECODER:
        maps = _target_alone(beside.attention("decoder"))
    else:
        return picture
    view = dataclasses.replace(fitted(picture.view, maps.n_layers, maps.n_heads), lock=None)
    chosen = view.pins is None
    if stack == CROSS:
        lock = -1 if picture.view.lock is None else picture.view.lock
        view = dataclasses.replace(
            view, lock=lock, look=picture.view.look, pins=first_heads(maps) if chosen else view.pins
        )
    shown = dataclasses.replace(shown_for(view, maps), chosen_pins=chosen)
    row, source = _row_of(picture.row, maps, stack), picture.recording.maps.text
    return Picture(view, dataclasses.replace(beside, maps=maps), shown, row, stack.lower(), source)


def brought_of(picture: Picture, found: Brought) -> AttentionMaps:
    """Return what the looks of a stack's picture bring, as maps like its own.

    What a key brings hangs on no row: ``found`` may be of another target, if only its keys are the same.

    Raises:
        AttentionUnavailable: they are not.
    """
    maps = picture.recording.maps
    if [token.raw for token in found.maps.key_tokens] != [token.raw for token in maps.key_tokens]:
        raise AttentionUnavailable(
            "No contributions here: the written output splits into other tokens when read again."
        )
    return dataclasses.replace(found, maps=maps).as_maps()


def _row_of(row: ModelRow, maps: AttentionMaps, stack: str) -> ModelRow:
    """Return a model's row as the attention that is drawn has it: its layers, its heads, and which it is."""
    which = "cross-attention, from target to source" if stack == CROSS else "attention of its decoder"
    source = f"{row.source.removesuffix(OF_ENCODER)}; {which}"
    return dataclasses.replace(row, source=source, n_layers=maps.n_layers, n_heads=maps.n_heads)


def _to_be_written(maps: AttentionMaps) -> AttentionMaps:
    """Return cross-attention without the rows that write a sign of the model's own, unless there are no others."""
    rows = [place for place, token in enumerate(maps.tokens) if not token.special]
    if not rows:
        return maps
    return dataclasses.replace(
        maps,
        weights=maps.weights[:, :, rows],
        tokens=tuple(maps.tokens[row] for row in rows),
        key_tokens=maps.key_tokens,
    )


def _target_alone(maps: AttentionMaps) -> AttentionMaps:
    """Return the decoder's maps as those of a text of their own: what it has read of the target."""
    tokens = tuple(dataclasses.replace(token, segment=0) for token in maps.tokens)
    return dataclasses.replace(maps, text=maps.pair or "", pair=None, tokens=tokens, key_tokens=tokens)


def first_heads(maps: AttentionMaps) -> tuple[HeadId, ...]:
    """Return the heads that open cross-attention: those that look at words sharpest, of the last layer and before."""
    sinks = sink_columns(maps)
    words = maps.weights if sinks.all() else maps.weights[..., ~sinks]
    sharp = words.max(axis=-1).mean(axis=-1)  # [layer, head]
    late = HeadId(maps.n_layers - 1, int(sharp[-1].argmax()))
    if maps.n_layers == 1:
        return (late,)
    layer, head = np.unravel_index(int(sharp[:-1].argmax()), sharp[:-1].shape)
    return late, HeadId(int(layer), int(head))
