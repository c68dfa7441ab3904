"""The heads with each word, and what the forced pairs of a kind say about them, as blocks. Pure."""

from __future__ import annotations

from typing import Any

import numpy as np

from mha.analysis.calibration import rank_correlation, wilson
from mha.analysis.leaning import most_moved
from mha.formats import percent, signed
from mha.intervention.calibrated import KindCalibration
from mha.maps import HeadId
from mha.screens.blocks import Block, columns, heading, joined, numbers, said, say, word
from mha.screens.readings.carry import Carry, looks_from_pivot
from mha.screens.readings.counts import NAMED_FROM

SHOWN = 5  # heads in the table of small slopes


def version_blocks(this: Carry) -> list[Block]:
    """Return every head's lean in both versions, and where a few heads look in each."""
    found = this.ambiguity
    assert found.contrast is not None
    moved = most_moved(this.leans[0].lean, this.leans[1].lean, SHOWN)
    heads = _most_carrying(this) if this.patch is not None else moved
    named = this.story.second if this.story else moved[:2]
    before, after = this.cue_words
    lines = np.stack([leans.lean.ravel() for leans in this.leans], axis=1)  # [head, version]
    n_heads = this.leans[0].a.shape[1]
    slopes: Block = {
        "kind": "slopes",
        "left": before,
        "right": after,
        "lines": numbers(lines),
        "named": [{"name": str(head), "index": head.layer * n_heads + head.head} for head in named],
        "about": f"lean of all {lines.shape[0]} heads",
        "label": "lean of every head in both versions",
    }
    title = "The same heads, with each word" if this.patch is not None else "Where heads look, with each word"
    which = "" if this.patch is not None else f"The {len(heads)} heads whose lean moves furthest. "
    return [
        heading(title),
        said(
            "sub",
            which
            + "Left end of each line: {before}. Right end: {after}. Leans are measured with sinks set aside; looks "
            "are shares of all attention, in per cent.",
            before=word(before),
            after=word(after),
        ),
        columns([slopes], [_table(this, heads)], shares=(36, 72), gap=40),
    ]


def _most_carrying(this: Carry) -> tuple[HeadId, ...]:
    assert this.patch is not None
    shares = np.nan_to_num(this.patch.carried, nan=-np.inf)
    order = np.argsort(-shares, axis=None, kind="stable")[:SHOWN]
    n_heads = shares.shape[1]
    return tuple(HeadId(int(i) // n_heads, int(i) % n_heads) for i in order)


def _table(this: Carry, heads: tuple[HeadId, ...]) -> Block:
    found = this.ambiguity
    assert found.contrast is not None
    assert found.pivot is not None
    number = found.contrast.changed[0]
    looks = [looks_from_pivot(maps, found, number) for maps in this.maps]
    has_cue = not np.isnan(looks[0][0]).any()
    kinds = (["cue"] if has_cue else []) + ["a", "b"]
    at = {"cue": 0, "a": 1, "b": 2}
    pivot = word(found.words[found.pivot])
    titles: list[dict[str, Any]] = [{"spans": say("Head")}]
    if this.patch is not None:
        titles.append({"spans": say("carries")})
    titles.append({"spans": say("lean")})
    if has_cue:
        titles.append({"spans": say("{p} → cue", p=pivot)})
    for letter, partners in zip("AB", (found.a, found.b), strict=True):
        titles.append({"spans": say("{p} → {w} ", p=pivot, w=word(found.words[partners[0]])), "chip": letter})
    rows = []
    for head in heads:
        values = [{"kind": "lean", "values": [float(leans.lean[head]) for leans in this.leans]}]
        values += [{"kind": kind, "values": [float(look[at[kind]][head]) for look in looks]} for kind in kinds]
        row: dict[str, Any] = {"name": str(head), "values": values}
        if this.patch is not None:
            row |= {"carries": percent(this.patch.carried[head]), "direct": bool(this.patch.direct[head])}
        rows.append(row)
    reach = {}
    for kind in ("lean", *kinds):
        every = [value for row in rows for one in row["values"] if one["kind"] == kind for value in one["values"]]
        reach[kind] = [min(every), max(max(every), min(every) + 0.05)]
    return {"kind": "slopes_table", "columns": titles, "rows": rows, "reach": reach}


def pairs_blocks(known: KindCalibration) -> list[Block]:
    """Return each head on "tells them apart" and on "carries", over the forced pairs of a kind."""
    if known.carrying.carrying is not None:
        return [*_strip(known), *_strip_words(known)]
    return [*_forest(known), _no_head(known)]


def _strip(known: KindCalibration) -> list[Block]:
    told, carrying = known.telling, known.carrying
    heads = []
    for layer, number in np.argwhere(np.isfinite(carrying.share)):
        head = HeadId(int(layer), int(number))
        low, high = wilson(float(told.pair[head]) * known.n_pairs, known.n_pairs)
        share = float(carrying.share[head])
        heads.append(
            {
                "name": str(head),
                "pair": float(told.pair[head]),
                "pair_from": low,
                "pair_to": high,
                "tells": bool(told.telling[head]),
                "share": share,
                "from": float(carrying.low[head]),
                "to": float(carrying.high[head]),
                "named": share >= NAMED_FROM and int(layer) < carrying.at - 1,
                "sure": bool(carrying.low[head] > 0),
            }
        )
    return [
        heading(f"Over {known.n_pairs} pairs of this kind"),
        said(
            "sub",
            "Forced pairs: two versions that differ in one word, each allowing one reading. Each head twice: how often "
            "its lean tells the two apart, and how much of the difference it carries.",
        ),
        {
            "kind": "calibration_strip",
            "heads": heads,
            "limit": _limit(known),
            "n_pairs": known.n_pairs,
            "n_patched": carrying.n_pairs,
            "label": "each head on two axes, how often its lean is right and how much it carries",
        },
    ]


def _limit(known: KindCalibration) -> float:
    """Return what chance, shuffled words or the best scrambled twin reach, whichever is largest."""
    told = known.telling
    return float(max(told.pair_threshold, told.shuffled_best_pair, told.twin_pair.max()))


def _strip_words(known: KindCalibration) -> list[Block]:
    told, carrying = known.telling, known.carrying
    rho, low, high = rank_correlation(np.where(np.isfinite(carrying.share), told.pair, np.nan), carrying.share)
    sure = carrying.carrying
    assert sure is not None
    both = [head for head in told.named if head in sure.heads]
    apart = (
        "Looking and carrying are different sets of heads" if low <= 0 <= high else "Looking and carrying go together"
    )
    where = (
        "No head stands in both."
        if not both
        else "Only {both} stands in both."
        if len(both) == 1
        else "In both stand {both}."
    )
    n = int(np.isfinite(carrying.share).sum())
    silenced = carrying.bringing or sure
    names = joined([["head", str(head)] for head in silenced.heads])
    controls = silenced.control
    return [
        said(
            "finding",
            f"{apart}: over {n} heads their rank correlation is {signed(rho)}, interval {signed(low)} to "
            f"{signed(high)}. {where}",
            both=joined([["head", str(head)] for head in both]) or [["plain", ""]],
        ),
        said(
            "cap",
            f"Filled above: better than the best of {told.pair.size} by chance ({percent(told.pair_threshold)}), "
            f"than shuffled words ({percent(told.shuffled_best_pair)}) and than every scrambled twin "
            f"({percent(float(told.twin_pair.max()))}). Filled below: at least {percent(NAMED_FROM)}, interval above "
            "zero; an open mark reaches zero. Lines: 95 % intervals over pairs. Dashed: tells, but carries less. "
            f"With {{names}} silenced together, {percent(silenced.kept)} of the difference is kept; with as many "
            f"others of the same layers, {percent(float(controls.min()))} to {percent(float(controls.max()))}.",
            names=names,
        ),
    ]


def _forest(known: KindCalibration) -> list[Block]:
    told = known.telling
    best = np.argsort(-told.auc, axis=None)[:2]
    rows: list[dict[str, Any]] = []
    for i in best:
        head = HeadId(int(i) // told.auc.shape[1], int(i) % told.auc.shape[1])
        rows.append(
            {
                "name": f"{head}, these sentences",
                "value": float(told.auc[head]),
                "from": float(told.auc_low[head]),
                "to": float(told.auc_high[head]),
                "loud": True,
            }
        )
        rows.append({"name": f"{head}, words shuffled", "value": float(told.shuffled_auc[head])})
    rows += [
        {"name": f"Best of {told.auc.size}, shuffled", "value": told.shuffled_best},
        {"name": f"Chance limit, best of {told.auc.size}", "value": told.auc_threshold},
        {"name": "Best of all, scrambled twin", "value": float(told.twin_auc.mean())},
    ]
    return [
        heading("When the words force a reading"),
        said("sub", _told_apart(known)),
        columns(
            [{"kind": "forest", "rows": rows, "label": "AUC of the two best heads beside their controls"}],
            [
                said(
                    "cap",
                    f"How well a head’s lean tells the forced versions apart over {known.n_pairs} pairs (AUC; 95 % "
                    "interval over pairs). Chance limit: what the best head exceeds in one of twenty tries when labels "
                    "are swapped. Scrambled twin: mean of five.",
                )
            ],
            shares=(7, 4),
        ),
    ]


def _told_apart(known: KindCalibration) -> str:
    """Return whether the best head tells the versions apart, and whether it does so by the words alone."""
    told = known.telling
    if told.auc.max() <= told.auc_threshold:
        return (
            f"Over {known.n_pairs} pairs of this kind no head tells the versions apart better than the best of "
            f"{told.auc.size} heads does by chance."
        )
    start = f"Leans do move between versions, and over {known.n_pairs} pairs of this kind some heads tell them apart"
    if told.shuffled_best < told.auc_threshold:
        return start + "; with the words shuffled none does: the order of the words counts."
    return start + ", but with the words shuffled they do nearly as well: by which words stand there."


def _no_head(known: KindCalibration) -> Block:
    acting = known.carrying.share[: known.carrying.at - 1]
    return said(
        "finding",
        f"Over these pairs no head carries more than {percent(float(np.nanmax(acting)))}. Telling apart is one thing, "
        "carrying another.",
    )
