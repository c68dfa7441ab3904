"""What the test pairs of a kind say: who distinguishes the versions, and who carries the change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mha.analysis.calibration import rank_correlation, wilson
from mha.engine import experiments
from mha.formats import counted, percent, signed
from mha.intervention.calibrated import KindCalibration
from mha.intervention.outcomes import NAMED_FROM
from mha.maps import ranked
from mha.models.files.catalog import ModelRow
from mha.pairs import KINDS, LATE_KINDS, pairs_of
from mha.screens.blocks import Block, FlagRows, LabelledPicture, NumberRows, head, heading, joined, said
from mha.screens.measuring import missing_measurement
from mha.screens.places import More, Together
from mha.screens.readings.recorded import HOW, section


class CalibrationStrip(LabelledPicture, kind="calibration_strip"):
    """Every head over the forced pairs on two axes, joined: how often it is right, and what it carries, with intervals.

    Arrays are [layer, head]. ``tells`` and ``named`` mark the heads that stand out on either axis, ``sure`` those that
    carry more than nothing by their interval; heads without a ``share`` are not drawn.
    """

    digits: ClassVar[int] = 6
    pair: NumberRows
    pair_low: NumberRows
    pair_high: NumberRows
    tells: FlagRows
    share: NumberRows
    low: NumberRows
    high: NumberRows
    named: FlagRows
    sure: FlagRows
    limit: float
    n_pairs: int
    n_patched: int


NO_PAIRS_OF_CAUSAL = (
    "{model} reads left to right. In the test pairs of this type the deciding word comes after the words of the score, "
    "so both versions have equal scores whatever the model does. Choose two continuations as the score."
)


@dataclass(frozen=True)
class ForestRow:
    """A number; the sentence's own have their interval."""

    name: str
    value: float
    from_: float | None = None
    to: float | None = None


class Forest(LabelledPicture, kind="forest"):
    """Plain intervals below each other."""

    rows: Sequence[ForestRow]


def pairs_blocks(known: KindCalibration) -> list[Block]:
    """Return each head on "tells them apart" and on "carries", over the forced pairs of a kind."""
    if known.carrying.carrying is not None:
        return [*_strip(known), *_strip_words(known)]
    return [*_forest(known), said("finding", _none_carries(known))]


def _none_carries(known: KindCalibration) -> str:
    """Return how much a head carries at most, or why that cannot be told of any."""
    acting = known.carrying.share[: known.carrying.at - 1]
    if np.isfinite(acting).any():
        return f"Across these pairs no head carries more than {percent(float(np.nanmax(acting)))} of the score change."
    if acting.size:
        return "No test pair has as many tokens in both versions, so what heads carry cannot be measured."
    return (
        "All heads before the score are of the scored layer, which mixes the compared words itself, so none is named."
    )


def pairs_said(known: KindCalibration) -> str:
    """Return what test pairs are, and how many of a kind allow both readings on a second look."""
    loose = sum(pair.loose for pair in pairs_of(known.kind))
    also = (
        f" {counted(loose).capitalize()} of them {'allow' if loose > 1 else 'allows'} both on a second look."
        if loose
        else ""
    )
    return (
        "Test pairs: two sentences that differ in one word, each written to allow one reading; not checked with "
        f"readers.{also}"
    )


def _strip(known: KindCalibration) -> list[Block]:
    told, carrying = known.telling, known.carrying
    low, high = np.vectorize(wilson)(told.pair * known.n_pairs, known.n_pairs)
    named = carrying.share >= NAMED_FROM
    named[carrying.at - 1 :] = False  # direct heads mix the words that are compared
    # what chance, shuffled words or the best scrambled twin reach, whichever is largest
    limit = float(max(told.pair_threshold, told.shuffled_best_pair, told.twin_pair.max()))
    best, most = ranked(told.pair)[0], ranked(carrying.share)[0]
    label = (
        f"across the pairs {best} distinguishes the versions most often, in {percent(told.pair[best])}; {most} "
        f"carries most, {percent(carrying.share[most])}; every head is drawn on both axes"
    )
    return [
        heading(f"Across {known.n_pairs} test pairs"),
        said(
            "sub",
            "Each head appears twice: how often its lean distinguishes the versions, and how much of the score change "
            "it carries.",
        ),
        CalibrationStrip(
            told.pair,
            low,
            high,
            told.telling,
            carrying.share,
            carrying.low,
            carrying.high,
            named,
            carrying.low > 0,
            limit,
            known.n_pairs,
            carrying.n_pairs,
            label=label,
        ),
    ]


def _strip_words(known: KindCalibration) -> list[Block]:
    told, carrying = known.telling, known.carrying
    measured = np.isfinite(carrying.share)
    measured[carrying.at - 1 :] = False
    rho, low, high = rank_correlation(np.where(measured, told.pair, np.nan), carrying.share)
    sure = carrying.carrying
    assert sure is not None
    both = [head(one) for one in told.named if one in sure.heads]
    together = "No link found between distinguishing the versions and carrying the change."
    if low > 0 or high < 0:
        much = "more" if low > 0 else "less"
        together = f"Heads that distinguish the versions tend to carry {much} of the change."
    where = ("No head does both.", "Only {both} does both.", "{both} do both.")[min(len(both), 2)]
    silenced = carrying.bringing or sure
    how = [
        said(
            "cap",
            f"Upper row, filled: better than the best head by chance ({percent(told.pair_threshold)}), than shuffled "
            f"sentences ({percent(told.shuffled_best_pair)}) and than every scrambled copy "
            f"({percent(float(told.twin_pair.max()))}). Lower row, filled: at least {percent(NAMED_FROM)}, 95 % "
            "interval above zero; an open mark reaches zero. Lines: 95 % intervals over pairs. Dashed: "
            f"distinguishes, but carries less. Control: with {{names}} ablated, {percent(silenced.kept)} of the score "
            f"change remains; with as many other heads of the same layers, {percent(float(silenced.control.min()))} to "
            f"{percent(float(silenced.control.max()))}.",
            names=joined([head(one) for one in silenced.heads]),
        ),
        said("cap", pairs_said(known)),
    ]
    if np.isfinite(rho):
        where = f"{together} {where}"
        numbers = (
            f"Rank correlation {signed(rho)} over {measured.sum()} heads (95 % interval {signed(low)} to "
            f"{signed(high)}; scored layer left out)."
        )
        how.insert(0, said("cap", numbers))
    return [said("finding", where, both=joined(both)), More(HOW, how)]


def _forest(known: KindCalibration) -> list[Block]:
    told = known.telling
    apart = f"Across {known.n_pairs} test pairs some heads distinguish the versions"
    if told.auc.max() <= told.auc_threshold:
        apart = f"Across {known.n_pairs} test pairs no head distinguishes the versions better than chance."
    elif told.shuffled_best < told.auc_threshold:
        apart += ". With shuffled words none does, so word order counts."
    else:
        apart += ", but nearly as well with shuffled words. This does not show that word order counts."
    rows: list[ForestRow] = []
    for best in ranked(told.auc)[:2]:
        auc, low, high = (float(one[best]) for one in (told.auc, told.auc_low, told.auc_high))
        rows.append(ForestRow(f"{best}, these sentences", auc, low, high))
        rows.append(ForestRow(f"{best}, shuffled words", float(told.shuffled_auc[best])))
    rows += [
        ForestRow(f"Best of {told.auc.size}, shuffled", told.shuffled_best),
        ForestRow(f"Chance limit, best of {told.auc.size}", told.auc_threshold),
        ForestRow("Best of all, scrambled copy", float(told.twin_auc.mean())),
    ]
    how = said(
        "cap",
        f"How well a head’s lean distinguishes the versions over {known.n_pairs} test pairs (AUC; 95\u00a0% interval "
        "over pairs). Chance limit: what the best head exceeds in one of twenty tries when labels are swapped. "
        f"Scrambled copy: mean of five. {pairs_said(known)}",
    )
    return [
        heading(f"Across {known.n_pairs} test pairs"),
        said("sub", apart),
        Forest(rows, label="; ".join(f"{row.name}: AUC {row.value:.2f}" for row in rows)),
        More(HOW, (how,)),
    ]


def missing_pairs(kind: str, row: ModelRow, large: bool) -> Iterator[Block]:
    """Yield the section of a model that has no measured test pairs; nothing if there are no pairs to measure."""
    told = missing_measurement(row, "measured test pairs", f"python -m studies.calibrate {row.name}")
    if kind in KINDS and told and experiments.calibration_of_kind(kind, row.name) is None:
        yield section("Test pairs", large)
        if row.causal and kind in LATE_KINDS:
            yield Together((said("sub", NO_PAIRS_OF_CAUSAL, model=row.short),))
        else:
            yield Together((said("sub", "{told}", told=told),))
