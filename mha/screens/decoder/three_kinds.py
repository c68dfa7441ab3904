"""The three attentions of an encoder–decoder side by side, a head of each: which text looks at which. Pure.

Columns of encoder and cross-attention are the source, rows of the decoder what it has read of the target, rows of
cross-attention what it is to write; so that one text keeps its side wherever it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mha.brief import brief
from mha.formats import labels, percent
from mha.link.heads import CROSS, DECODER, ENCODER
from mha.maps import HeadId, Recording
from mha.screens.blocks import Block, Columns, FlagRow, Heading, NumberRows, head, heading, said, word
from mha.screens.decoder.crossing import first_heads, stack_picture
from mha.screens.heads.picture import Picture
from mha.screens.shown import Shown
from mha.words import right_to_left

TITLE = "Three kinds of attention"
LONGEST = 40  # words a side; larger maps would have no names
WHAT = {
    ENCODER: "input looks at input",
    DECODER: "output looks at earlier output",
    CROSS: "output looks at input",
}


@dataclass(frozen=True, eq=False)
class KindMap:
    """One head's weights [row, column] with the words on both sides; ``causal`` hatches what comes later.

    ``left`` says of each row whether anything is left of it, ``rtl`` that columns run from right to left.
    """

    kind: ClassVar[str] = "kind_map"
    digits: ClassVar[int] = 3
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    weights: NumberRows
    left: FlagRow
    causal: bool
    label: str
    rtl: bool | None = None

    __repr__ = brief


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
    return [heading(TITLE), about, Columns(tuple(_kind(stack, one) for stack, one in shown.items()), (1, 1, 1), 40)]


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
