"""What the looks of the story bring: how much of all that comes to the pivot in a head, beside how much it looks.

The weight of a look is not what it does: a weight of 84 % on a value that W_O makes nothing of brings nothing
(Kobayashi et al. 2020). `brought` asks the engine; the sentences are computed from what it answered.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mha.engine.opened import all_brought
from mha.engine.question import Ask
from mha.errors import MHAError
from mha.formats import percent
from mha.maps import AttentionMaps, HeadId
from mha.screens.blocks import Block, Span, head, said, say, word
from mha.screens.readings.two_versions import SharedOut, looks_from_pivot

Both = tuple[AttentionMaps, AttentionMaps]


def brought(this: SharedOut, model: str, ask: Ask) -> Both | str | None:
    """Return what every look brings in both versions, as typed and with the other word, as shares of a row.

    A sentence where that cannot be told of a model, None where there is no story whose looks it would be about.
    """
    if this.path is None or this.own is None:
        return None
    try:
        first, second = (ask(all_brought.of(text, model)).as_maps() for text in (this.ambiguity.text, this.contrast))
    except MHAError as error:
        return str(error)
    return first, second


def effect_blocks(this: SharedOut, found: Both | str | None) -> list[Block]:
    """Return what the senders' looks at the changed word, and the receiver's at both partners, bring the pivot."""
    if found is None:
        return []
    if isinstance(found, str):
        return [said("sub", "What these looks bring is not told. {why}", why=found)]
    path = this.path
    assert path is not None
    looks = [looks_from_pivot(maps, this.ambiguity, this.changed) for maps in this.maps]  # [version][to, layer, head]
    brings = [looks_from_pivot(maps, this.ambiguity, this.changed) for maps in found]
    typed, other = (word(one) for one in this.moved.words)
    senders = sorted(path.senders, key=lambda one: -looks[0][0][one])
    rows = [_both(head(one), looks, brings, 0, one) for one in senders]
    turner = [
        _both(word(name), looks, brings, place, path.receiver) for place, name in enumerate(this.moved.names, start=1)
    ]
    of_looks = (
        "Of all that comes to {p} in a head, so much comes from {typed}, and from {other} in its place: {rows}. And in "
        if not np.isnan(looks[0][0]).any()  # as where the pivot itself is the word that is changed
        else "Of all that comes to {p} in "
    )
    told = say(
        f"That much attention, but to what effect? {of_looks}{{receiver}}, as typed and then: {{turner}}.",
        p=this.pivot,
        typed=typed,
        other=other,
        rows=_listed(rows),
        receiver=path.receiver,
        turner=_listed(turner),
    )
    return [
        said("sub", "{told}", told=told),
        said(
            "cap",
            "What comes from a word: ‖weight · value · W_O‖ as a share of the pivot’s row, special tokens and full "
            "stop included (Kobayashi et al. 2020); in brackets its share of the attention. Lengths only: what comes "
            "from two words may point different ways.",
        ),
    ]


def _both(
    name: Span, looks: Sequence[np.ndarray], brings: Sequence[np.ndarray], to: int, one: HeadId
) -> tuple[Span, ...]:
    """Return what a look brings in both versions, the weights behind it."""
    told = [f"{percent(brings[place][to][one])} ({percent(looks[place][to][one])})" for place in (0, 1)]
    return name, ("plain", f" {told[0]} and {told[1]}")


def _listed(rows: Sequence[tuple[Span, ...]]) -> tuple[Span, ...]:
    """Return rows with a semicolon between them."""
    parts: list[Span] = []
    for place, row in enumerate(rows):
        parts += [("plain", "; "), *row] if place else row
    return tuple(parts)
