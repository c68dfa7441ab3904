"""The heads with each word: every lean from one version to the other, and where a few heads look in both. Pure."""

from __future__ import annotations

import numpy as np

from mha.analysis.leaning import most_moved
from mha.formats import percent, signed
from mha.maps import HeadId
from mha.screens.blocks import Block, Columns, said, say, word
from mha.screens.readings.blocks.carrying import Slope, SlopeRow, Slopes, SlopesTable, SlopeTitle
from mha.screens.readings.recorded import ranked
from mha.screens.readings.two_versions import SharedOut, looks_from_pivot

SHOWN = 5  # heads in the table of small slopes


def version_blocks(this: SharedOut) -> list[Block]:
    """Return every head's lean in both versions, and where a few heads look in each."""
    before, after = this.moved.words
    moved = most_moved(this.leans[0].lean, this.leans[1].lean, SHOWN)
    heads, which = moved, f"The {len(moved)} heads whose lean changes most. "
    if this.patch is not None:
        heads, which = ranked(this.patch.carried, SHOWN), ""
    lines = np.stack([leans.lean.ravel() for leans in this.leans], axis=1)  # [head, version]
    n_heads = this.leans[0].a.shape[1]
    second = (this.path.receiver,) if this.path and this.own else moved[:2]
    slopes = Slopes(
        before,
        after,
        lines,
        [{"name": str(head), "index": head.layer * n_heads + head.head} for head in second],
        f"lean of all {len(lines)} heads",
        label=f"leans with {before}, then with {after}: "
        + ", ".join(
            f"{head} {signed(this.leans[0].lean[head])}, then {signed(this.leans[1].lean[head])}" for head in second
        ),
    )
    return [
        said(
            "sub",
            which
            + "Left: {before}. Right: {after}. Leans without special tokens; attention in per cent of all attention.",
            before=word(before),
            after=word(after),
        ),
        Columns(([slopes], [_table(this, heads)]), (36, 72), 40),
    ]


def _table(this: SharedOut, heads: tuple[HeadId, ...]) -> SlopesTable:
    found = this.ambiguity
    looks = [looks_from_pivot(maps, found, this.changed) for maps in this.maps]
    numbers = {"lean": [leans.lean for leans in this.leans]}  # before and after, each [layer, head]
    titles: list[SlopeTitle] = [{"spans": say("Head")}]
    if this.patch is not None:
        titles.append({"spans": say("carries")})
    titles.append({"spans": say("lean")})
    if not np.isnan(looks[0][0]).any():
        numbers["cue"] = [look[0] for look in looks]
        titles.append({"spans": say("{p} → changed word", p=this.pivot)})
    for place, (letter, partners) in enumerate(zip("AB", (found.a, found.b), strict=True)):
        numbers[letter.lower()] = [look[1 + place] for look in looks]
        partner = word(found.called[partners[0]])
        titles.append({"spans": say("{p} → {w} ", p=this.pivot, w=partner), "chip": letter})
    rows = []
    for head in heads:
        values: list[Slope] = [
            {"kind": kind, "values": (float(before[head]), float(after[head]))}
            for kind, (before, after) in numbers.items()
        ]
        row: SlopeRow = {"name": str(head), "values": values}
        if this.patch is not None:
            row |= {"carries": percent(this.patch.carried[head]), "direct": bool(this.patch.direct[head])}
        rows.append(row)
    reach = {}
    for kind, both in numbers.items():
        every = [float(one[head]) for one in both for head in heads]
        reach[kind] = (min(every), max(max(every), min(every) + 0.05))
    return SlopesTable(titles, rows, reach)
