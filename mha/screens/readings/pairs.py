"""What the forced pairs of a kind say: who tells versions apart, and who carries. Pure."""

from __future__ import annotations

import numpy as np

from mha.analysis.calibration import rank_correlation, wilson
from mha.formats import few, percent, signed
from mha.intervention.calibrated import KindCalibration
from mha.maps import HeadId
from mha.models.files.catalog import ModelRow
from mha.pairs import KINDS, pairs, pairs_of, swaps
from mha.screens.blocks import Block, Columns, Said, head, heading, joined, said
from mha.screens.readings.blocks.scoring import CalibrationStrip, Forest, ForestRow, PairsHead
from mha.screens.readings.recorded import ranked

NAMED_FROM = 0.10  # the part of the difference from which a head is named; as in `mha.intervention.patching`


def pairs_blocks(known: KindCalibration) -> list[Block]:
    """Return each head on "tells them apart" and on "carries", over the forced pairs of a kind."""
    if known.carrying.carrying is not None:
        return [*_strip(known), *_strip_words(known)]
    acting = known.carrying.share[: known.carrying.at - 1]
    no_head = (
        f"Over these pairs no head carries more than {percent(float(np.nanmax(acting)))}. Telling apart is one thing, "
        "carrying another."
    )
    return [*_forest(known), said("finding", no_head)]


def forced_pairs(known: KindCalibration) -> str:
    """Return what forced pairs are, and how many of a kind allow both readings on a second look."""
    loose = sum(pair.loose for pair in pairs_of(known.kind))
    said_loose = f" {few(loose)} of them {'allow' if loose > 1 else 'allows'} both on a second look." if loose else ""
    what = "Forced pairs: two versions that differ in one word, each meant to allow one reading; not normed on people."
    return what + said_loose


def can_be_measured(kind: str, row: ModelRow) -> bool:
    """Return whether there are forced pairs of a kind that a model can be measured on."""
    return kind in KINDS and row.kind == "transformer" and not row.example


def offer_blocks(row: ModelRow) -> list[Block]:
    """Return what measuring a model on the forced pairs would tell, and takes."""
    return [
        said(
            "sub",
            "Which heads of {model} tell forced versions apart, which carry the difference, whether its score may be "
            f"believed, and how far it moves when the reading stays: that takes {len(pairs())} pairs, their words in "
            f"20 other orders, five scrambled twins, and {len(swaps())} changes that keep the reading. "
            "It is measured once, for everyone who looks at this model here.",
            model=row.short,
        )
    ]


def _strip(known: KindCalibration) -> list[Block]:
    told, carrying = known.telling, known.carrying
    heads = []
    for place in np.argwhere(np.isfinite(carrying.share)):
        one = HeadId(*map(int, place))
        low, high = wilson(float(told.pair[one]) * known.n_pairs, known.n_pairs)
        share = float(carrying.share[one])
        heads.append(
            PairsHead(
                str(one),
                pair=float(told.pair[one]),
                pair_from=low,
                pair_to=high,
                tells=bool(told.telling[one]),
                share=share,
                from_=float(carrying.low[one]),
                to=float(carrying.high[one]),
                named=share >= NAMED_FROM and one.layer < carrying.at - 1,
                sure=bool(carrying.low[one] > 0),
            )
        )
    # what chance, shuffled words or the best scrambled twin reach, whichever is largest
    limit = float(max(told.pair_threshold, told.shuffled_best_pair, told.twin_pair.max()))
    best, most = ranked(told.pair)[0], ranked(carrying.share)[0]
    label = (
        f"over the pairs {best} tells the versions apart most often, in {percent(told.pair[best])}; {most} "
        f"carries most, {percent(carrying.share[most])}; every head is drawn on both axes"
    )
    return [
        heading(f"Over {known.n_pairs} pairs of this kind"),
        said(
            "sub",
            f"{forced_pairs(known)} Each head twice: how often its lean tells the two apart, and how much of the "
            "difference it carries.",
        ),
        CalibrationStrip(heads, limit, known.n_pairs, carrying.n_pairs, label=label),
    ]


def _strip_words(known: KindCalibration) -> list[Said]:
    told, carrying = known.telling, known.carrying
    measured = np.isfinite(carrying.share)
    measured[carrying.at - 1 :] = False  # direct heads mix the words that are compared
    rho, low, high = rank_correlation(np.where(measured, told.pair, np.nan), carrying.share)
    sure = carrying.carrying
    assert sure is not None
    both = [head(one) for one in told.named if one in sure.heads]
    together = "are not shown to go together here" if low <= 0 <= high else "go together here"
    if low <= high < 0:
        together = "go against each other here"
    where = ("No head stands in both.", "Only {both} stands in both.", "In both stand {both}.")[min(len(both), 2)]
    silenced = carrying.bringing or sure
    controls = silenced.control
    return [
        said(
            "finding",
            (f"Telling apart and carrying {together}. " if np.isfinite(rho) else "") + where,
            both=joined(both),
        ),
        *(
            [
                said(
                    "cap",
                    f"Over {measured.sum()} heads their rank correlation is {signed(rho)}, interval {signed(low)} to "
                    f"{signed(high)}; direct heads left out.",
                )
            ]
            if np.isfinite(rho)
            else []
        ),
        said(
            "cap",
            f"Filled above: better than the best of {told.pair.size} by chance ({percent(told.pair_threshold)}), "
            f"than shuffled words ({percent(told.shuffled_best_pair)}) and than every scrambled twin "
            f"({percent(float(told.twin_pair.max()))}). Filled below: at least {percent(NAMED_FROM)}, interval above "
            "zero; an open mark reaches zero. Lines: 95\u00a0% intervals over pairs. Dashed: tells, but carries less. "
            f"With {{names}} silenced together, {percent(silenced.kept)} of the difference is kept; with as many "
            f"others of the same layers, {percent(float(controls.min()))} to {percent(float(controls.max()))}.",
            names=joined([head(one) for one in silenced.heads]),
        ),
    ]


def _forest(known: KindCalibration) -> list[Block]:
    told = known.telling
    rows: list[ForestRow] = []
    for best in ranked(told.auc, 2):
        own = ForestRow(
            f"{best}, these sentences",
            float(told.auc[best]),
            float(told.auc_low[best]),
            float(told.auc_high[best]),
            loud=True,
        )
        rows += [own, ForestRow(f"{best}, words shuffled", float(told.shuffled_auc[best]))]
    rows += [
        ForestRow(f"Best of {told.auc.size}, shuffled", told.shuffled_best),
        ForestRow(f"Chance limit, best of {told.auc.size}", told.auc_threshold),
        ForestRow("Best of all, scrambled twin", float(told.twin_auc.mean())),
    ]
    how = said(
        "cap",
        f"How well a head’s lean tells the forced versions apart over {known.n_pairs} pairs (AUC; 95\u00a0% "
        "interval over pairs). Chance limit: what the best head exceeds in one of twenty tries when labels "
        "are swapped. Scrambled twin: mean of five.",
    )
    return [
        heading("When the words force a reading"),
        said("sub", f"{_told_apart(known)} {forced_pairs(known)}"),
        Columns(([Forest(rows, label="; ".join(f"{row.name}: AUC {row.value:.2f}" for row in rows))], [how]), (7, 4)),
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
