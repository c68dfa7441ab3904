"""An encoder–decoder's three attentions: which is shown, and how cross-attention joins a target to its source."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mha.analysis.sinks import sink_columns
from mha.brief import brief
from mha.errors import AttentionUnavailable
from mha.formats import labels, percent, whole_percent
from mha.link.heads import CROSS, DECODER
from mha.link.view import fitted
from mha.maps import AttentionMaps, HeadId, Recording, Token
from mha.models.files.rows import ModelRow
from mha.screens.blocks import Span, say, word
from mha.screens.decoder.writing import shown_text
from mha.screens.drawing import Drawing
from mha.screens.heads.picture import Picture
from mha.screens.shown import Shown, shown_for
from mha.words import right_to_left

if TYPE_CHECKING:  # it brings torch
    from mha.models.watch.norms import Brought


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
    which = "the one from target to source" if stack == CROSS else "the decoder's"
    source = f"{row.source.partition('; of its two stacks')[0]}; of its three attentions {which}"
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


@dataclass(frozen=True, eq=False)
class CrossLooks:
    """One head's looks from the words to be written at those of the source; ``lock`` is a row, None for none."""

    shown: Shown
    head: HeadId
    lock: int | None
    chosen: bool
    large: bool = False

    __repr__ = brief

    @cached_property
    def weights(self) -> np.ndarray:
        """Float64 [row, source word], each row rescaled to what it gives to those that stand there."""
        return self.shown.maps[self.head].astype(np.float64)

    @cached_property
    def left(self) -> np.ndarray:
        """Which rows have anything left once sinks are set aside."""
        return self.weights.sum(axis=-1) > 0

    @cached_property
    def strongest(self) -> np.ndarray:
        """The place of each row's strongest look."""
        return self.weights.argmax(axis=-1)


def most_divided(shown: Shown) -> int:
    """Return the row of the first pinned head whose second strongest look is largest: the one with most to see."""
    head = shown.pins[0] if shown.pins else first_heads(shown.full)[0]
    strong = np.sort(shown.maps[head], axis=-1)
    return int(strong[:, -2 if shown.maps.n_keys > 1 else -1].argmax())


def alignment_of(picture: Picture) -> CrossLooks:
    """Return the alignment of the first pinned head; a locked column leaves no row locked."""
    shown = picture.shown
    head = shown.pins[0] if shown.pins else first_heads(shown.full)[0]
    return CrossLooks(shown, head, None if shown.look == "at" else shown.lock, shown.chosen_pins, picture.view.large)


def finding(made: CrossLooks, row: int | None) -> tuple[Span, ...]:
    """Return what one row shows; without one, the strongest look of all."""
    targets, sources = labels(made.shown.maps.tokens), labels(made.shown.maps.key_tokens)
    row = int(made.weights.max(axis=-1).argmax()) if row is None else row
    if not made.left[row]:
        return say(
            "To write {target}, {head} hardly looks at input words; its attention goes to excluded tokens.",
            target=word(targets[row]),
            head=made.head,
        )
    place = int(made.strongest[row])
    of = "of its attention to input words" if made.shown.aside and made.shown.sinks else "of its attention"
    return say(
        f"To write {{target}}, {{head}} gives {{source}} {percent(made.weights[row, place])} {of}.",
        target=word(targets[row]),
        head=made.head,
        source=word(sources[place]),
    )


def about(made: CrossLooks) -> tuple[Span, ...]:
    """Return what the lines show together: looks at the word that is written, their order, and what was set aside."""
    said = []
    maps, rows = made.shown.maps, np.flatnonzero(made.left)
    same = sum(
        maps.tokens[row].text.casefold() == maps.key_tokens[int(made.strongest[row])].text.casefold() for row in rows
    )
    if same > len(rows) / 2:
        said.append(f"In {same} of {maps.n_queries} positions it looks most at the word it writes.")
    steps = np.diff(made.strongest[rows])
    if len(steps) > 1 and (steps < 0).all():
        said.append("All lines cross: this head reads the input backwards.")
    elif len(steps) > 1 and (steps > 0).all():
        said.append("No strong lines cross: this head reads the input in order.")
    if made.shown.sinks and made.shown.aside:
        named = " and ".join(dict.fromkeys(token.text for token in made.shown.sinks))
        share = float(made.shown.share[made.head])
        much = percent(share) if whole_percent(share) else "Almost none"
        said.append(f"{much} of this head’s attention goes to {{named}} and is excluded.")
        return say(" ".join(said), named=named)
    return say(" ".join(said) or "Nothing is excluded.")


def drawing(made: CrossLooks) -> Drawing:
    """Return what the component "crossing" draws: source above, target below, a line for each look from 4 % up."""
    maps = made.shown.maps
    header = {
        "head": str(made.head),
        "chosen": made.chosen,
        "sources": [shown_text(token) for token in maps.key_tokens],
        "targets": [shown_text(token) for token in maps.tokens],
        "lock": made.lock,
        "large": made.large,
        "rtl": [right_to_left(maps.text), right_to_left(maps.pair or "")],
        "findings": [finding(made, row) for row in range(maps.n_queries)],
        "finding": finding(made, None),
        "about": about(made),
        "say": {
            "source": "source",
            "target": f"output, one {unit_of_target(maps)} at a time",
            "scale": "Thicker line: more attention (4 % or more)",
            "locked": "Click an output word to isolate its lines.",
            "chosen": "picked for you",
            "label": alternative(made),
        },
    }
    whole = np.floor(100 * np.clip(made.weights, 0, 1) + 0.5).astype(np.uint8)
    return Drawing(header, {"shares": whole})


def unit_of_target(maps: AttentionMaps) -> str:
    """Return what a piece of the target is called."""
    return "word" if maps.units == "words" else "token"


def alternative(made: CrossLooks) -> str:
    """Return the picture's text alternative: every row's strongest look."""
    targets, sources = labels(made.shown.maps.tokens), labels(made.shown.maps.key_tokens)
    looks = [
        f"{target}: "
        + (
            f"{sources[int(made.strongest[row])]} {whole_percent(float(made.weights[row].max()))}\u00a0%"
            if made.left[row]
            else "all excluded"
        )
        for row, target in enumerate(targets)
    ]
    return f"Head {made.head}, from each output word to the input word it looks at most: {'; '.join(looks)}."


def grid_about(maps: AttentionMaps) -> tuple[Span, ...]:
    """Return the line under all cross-attention heads."""
    unit = unit_of_target(maps)
    return say(
        f"Rows: output {unit}s. Columns: input. A diagonal down to the right is a copy in order; down to the left, a "
        "reversal."
    )
