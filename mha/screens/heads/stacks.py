"""An encoder–decoder's three attentions: which of them is shown, and a head of each side by side.

Columns of encoder and cross-attention are the source, rows of the decoder what it has read of the target, rows of
cross-attention what it is to write; so that one text keeps its side wherever it stands.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mha.analysis.sinks import sink_columns
from mha.errors import AttentionUnavailable
from mha.formats import labels, percent
from mha.link.heads import CROSS, DECODER, ENCODER
from mha.link.view import fitted
from mha.maps import AttentionMaps, HeadId, Recording, Token
from mha.models.files.rows import OF_ENCODER, ModelRow
from mha.screens.blocks import Block, Columns, FlagRow, Heading, NumberRows, head, heading, said, word
from mha.screens.heads.picture import Picture
from mha.screens.shown import Shown, shown_for
from mha.words import right_to_left

if TYPE_CHECKING:  # it brings torch
    from mha.models.watch.output import Brought

KINDS_TITLE = "Three kinds of attention"
LONGEST = 40  # words a side; larger maps would have no names
WHAT = {
    ENCODER: "input looks at input",
    DECODER: "output looks at earlier output",
    CROSS: "output looks at input",
}


class KindMap(Block, kind="kind_map", arrays=True):
    """One head's weights [row, column] with the words on both sides; ``causal`` hatches what comes later.

    ``left`` says of each row whether anything is left of it, ``rtl`` that columns run from right to left.
    """

    digits: ClassVar[int] = 3
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    weights: NumberRows
    left: FlagRow
    causal: bool
    label: str
    rtl: bool | None = None


def kinds_blocks(picture: Picture, beside: Recording) -> list[Block]:
    """Return the encoder's first pinned head, the decoder's and that of cross-attention beside each other.

    ``picture`` is the encoder's, ``beside`` was recorded with a target.
    """
    shown = {stack: stack_picture(picture, beside, stack).shown for stack in (ENCODER, DECODER, CROSS)}
    hidden = " Hatched: later words, which the decoder cannot see."
    aside = any(one.aside and one.sinks for one in shown.values())
    rest = " Special tokens are excluded." if aside else ""
    about = said(
        "sub",
        f"One head of each kind.{hidden}{rest}",
    )
    return [
        heading(KINDS_TITLE),
        about,
        Columns(tuple(_kind(stack, one) for stack, one in shown.items()), (1, 1, 1), 40),
    ]


def _kind(stack: str, shown: Shown) -> list[Block]:
    one = shown.pins[0] if shown.pins else first_heads(shown.full)[0]
    title = Heading((("plain", f"{stack} "), head(one)), "h3", "first")
    what = said("cap", f"{WHAT[stack]}.".capitalize())
    maps = shown.maps
    if max(maps.n_queries, maps.n_keys) > LONGEST:
        here = f"here there are {maps.n_queries} and {maps.n_keys}"
        more = f"These maps need {LONGEST} words or fewer on each side; {here}."
        return [title, what, said("cap", more)]
    return [title, what, _map(stack, shown, one), _strongest(shown, one)]


def _map(stack: str, shown: Shown, one: HeadId) -> KindMap:
    maps, weights = shown.maps, shown.maps[one]
    rows, columns = labels(maps.tokens), labels(maps.key_tokens)
    source = maps.pair if stack == DECODER and maps.pair else maps.text
    looks = [
        f"{row}: {columns[int(weights[at].argmax())]} {percent(weights[at].max())}" if weights[at].sum() > 0 else row
        for at, row in enumerate(rows)
    ]
    return KindMap(
        rows,
        columns,
        weights.astype(np.float64),
        weights.sum(axis=-1) > 0,
        stack == DECODER,
        f"{stack}, {one}: {WHAT[stack]}; each row and the column it looks at most: {'; '.join(looks)}",
        right_to_left(source) or None,
    )


def _strongest(shown: Shown, one: HeadId) -> Block:
    weights = shown.maps[one]
    row, column = divmod(int(weights.argmax()), weights.shape[1])
    return said(
        "cap",
        f"Strongest: {{row}} at {{column}}, {percent(weights[row, column])}.",
        row=word(labels(shown.maps.tokens)[row]),
        column=word(labels(shown.maps.key_tokens)[column]),
    )


def stack_picture(picture: Picture, beside: Recording, stack: str) -> Picture:
    """Return the picture of one attention of a model with two sides; ``beside`` was recorded with its target."""
    if stack == CROSS:
        maps = _to_be_written(beside.attention("cross"))
    elif stack == DECODER:
        maps = _target_alone(beside.attention("decoder"))
    else:
        return picture
    view, chosen = dataclasses.replace(fitted(picture.view, maps.n_layers, maps.n_heads), lock=None), False
    if stack == CROSS:
        chosen = view.pins is None
        view = dataclasses.replace(view, pins=first_heads(maps) if view.pins is None else view.pins)
        lock = picture.view.lock
        if lock is None:
            view = dataclasses.replace(view, lock=most_divided(shown_for(view, maps)), look="from")
        else:
            view = dataclasses.replace(view, lock=lock, look=picture.view.look)
    shown = dataclasses.replace(shown_for(view, maps), chosen_pins=chosen) if stack == CROSS else shown_for(view, maps)
    row, source = _row_of(picture.row, maps, stack), picture.recording.maps.text
    return Picture(view, dataclasses.replace(beside, maps=maps), shown, row, stack.lower(), source)


def every_row(picture: Picture) -> AttentionMaps:
    """Return the maps of a stack's picture with all rows, those too that write a sign of the model's own."""
    recording = picture.recording
    if picture.stack != CROSS.lower():
        return recording.maps
    keys = recording.maps.key_tokens
    weights = recording.stacks[picture.stack]
    return dataclasses.replace(recording.maps, weights=weights, tokens=recording.written, key_tokens=keys)


def as_read_again(maps: AttentionMaps, found: Sequence[Token], query: int) -> AttentionMaps | None:
    """Return maps with the rows that a target has which is read again; None where those are others, or lack the query.

    What the model wrote ends with rows for signs that nobody types; of what comes before, later tokens change nothing.
    """
    n = len(found)
    if query >= n or [token.raw for token in found] != [token.raw for token in maps.tokens[:n]]:
        return None
    cross = maps.kind == "cross"
    keys = maps.key_tokens if cross else maps.key_tokens[:n]
    return dataclasses.replace(
        maps, weights=maps.weights[:, :, :n, : len(keys)], tokens=maps.tokens[:n], key_tokens=keys
    )


def brought_of(picture: Picture, found: Brought) -> AttentionMaps:
    """Return what the looks of a stack's picture bring, as maps like its own.

    What a key brings hangs on no row: ``found`` may be of another target, if only its keys are the same.

    Raises:
        AttentionUnavailable: they are not.
    """
    maps = picture.recording.maps
    if [token.raw for token in found.maps.key_tokens] != [token.raw for token in maps.key_tokens]:
        raise AttentionUnavailable(
            "No contributions here: the written output splits into other tokens when read again. Type an output text "
            "instead."
        )
    return dataclasses.replace(found, maps=maps).as_maps()


def row_of(picture: Picture, drawn: int) -> int:
    """Return the row of all rows that a drawn one is."""
    rows = every_row(picture).n_queries
    if picture.stack != CROSS.lower() or rows == picture.recording.maps.n_queries:
        return drawn
    return [row for row, token in enumerate(picture.recording.written) if not token.special][drawn]


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


def most_divided(shown: Shown) -> int:
    """Return the row of the first pinned head whose second strongest look is largest: the one with most to see."""
    head = shown.pins[0] if shown.pins else first_heads(shown.full)[0]
    strong = np.sort(shown.maps[head], axis=-1)
    return int(strong[:, -2 if shown.maps.n_keys > 1 else -1].argmax())
