"""Contributions along the path: how much of all that the ambiguous word receives in a head, beside its attention.

The weight of a look is not what it does: a weight of 84 % on a value that W_O makes nothing of brings nothing
(Kobayashi et al. 2020). `brought` asks the engine; the sentences are computed from what it answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mha.engine.experiments import all_brought
from mha.engine.question import Ask
from mha.errors import MHAError
from mha.formats import listed, percent
from mha.maps import AttentionMaps, HeadId
from mha.screens.blocks import Block, said
from mha.screens.places import More, PlainTable
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


class Contributed(NamedTuple):
    """One head in one version: its attention to a word, and what it supplies from there, as shares of 1.

    ``together`` says that both change in the same direction between the versions.
    """

    head: str
    version: str
    word: str
    attention: float
    contribution: float
    together: bool


def effect_blocks(this: SharedOut, found: Both | str | None) -> list[Block]:
    """Return, closed, what the senders and the receiver look at beside what arrives from there, in both versions."""
    if found is None:
        return []
    if isinstance(found, str):
        return [said("sub", "No contributions available: {why}", why=found)]
    path = this.path
    assert path is not None
    looks = [looks_from_pivot(maps, this.ambiguity, this.changed) for maps in this.maps]  # [version][to, layer, head]
    brings = [looks_from_pivot(maps, this.ambiguity, this.changed) for maps in found]
    rows: list[Contributed] = []
    if not np.isnan(looks[0][0]).any():  # as where the ambiguous word itself is changed
        senders = sorted(path.senders, key=lambda one: -looks[0][0][one])
        rows += [_row(one, this.moved.words, place, 0, looks, brings) for one in senders for place in (0, 1)]
    for to, name in enumerate(this.moved.names, start=1):
        rows += [_row(path.receiver, (name, name), place, to, looks, brings) for place in (0, 1)]
    how = (
        "Contribution: ‖weight · value · W_O‖ as a share of all that {p} receives in that head (Kobayashi et al. "
        "2020). It measures size, not direction."
    )
    blocks = said("text", _lead(rows), p=this.pivot), _table(rows), said("cap", how, p=this.pivot)
    return [More("Contributions along the path", blocks)]


def _row(
    one: HeadId,
    to_words: tuple[str, str],
    place: int,
    to: int,
    looks: Sequence[np.ndarray],
    brings: Sequence[np.ndarray],
) -> Contributed:
    look, bring = (float(both[place][to][one]) for both in (looks, brings))
    turns = [np.sign(both[1][to][one] - both[0][to][one]) for both in (looks, brings)]
    version = "changed" if place else "original"
    return Contributed(str(one), version, to_words[place], look, bring, bool(turns[0] == turns[1]))


def _lead(rows: Sequence[Contributed]) -> str:
    """Return whether contributions change as attention does."""
    apart = dict.fromkeys(row.head for row in rows if not row.together)
    if not apart:
        return "What {p} receives changes in the same direction as its attention."
    return f"Attention and contribution change in different directions in {listed(list(apart))}."


def _table(rows: Sequence[Contributed]) -> PlainTable:
    columns = {
        "Head": [row.head for row in rows],
        "Version": [row.version for row in rows],
        "Word": [row.word for row in rows],
        "Attention to the word": [percent(row.attention) for row in rows],
        "Contribution from the word": [percent(row.contribution) for row in rows],
    }
    return PlainTable(columns, "attention and contribution, a row each head and version", "parallax-contributions")
