"""What ablating heads did, said and drawn for the tab "Does it matter?": each in turn, sets, one turned up or down.

`kept` and `turned` ask the engine; everything else is computed from what it answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from mha.analysis.calibration import rank_correlation
from mha.analysis.readings import Leans
from mha.brief import with_arrays
from mha.engine import experiments
from mha.engine.experiments import Score
from mha.engine.question import Ask
from mha.formats import many, percent, signed
from mha.intervention.outcomes import Sweep, heads_where
from mha.link.readings import ALL_OF_LAYER, FURTHEST, ONLY, PINNED, SILENCED, SILENCED_LABELS
from mha.maps import HeadId, heads_of, ranked
from mha.screens.blocks import (
    Block,
    Columns,
    FlagRows,
    Key,
    LabelledPicture,
    NumberRow,
    NumberRows,
    Said,
    as_text,
    head,
    joined,
    said,
)
from mha.screens.readings.recorded import RecordedReadings, carrying
from mha.words import words


class Scatter(LabelledPicture, kind="scatter"):
    """Each head by its lean and its effect; ``none`` marks those that look along neither link."""

    digits: ClassVar[int] = 6
    lean: NumberRows
    effect: NumberRows
    none: FlagRows
    direct: int | None
    named: tuple[HeadId, ...]


class EffectMap(LabelledPicture, kind="effect_map"):
    """How far silencing each head moves the score, written ``times`` as large."""

    digits: ClassVar[int] = 5
    times: int
    effect: NumberRows
    reach: int
    direct: int | None
    hint: str


@with_arrays
class SteerLine:
    """One version's score at each strength [strength], and the other heads' [head, strength]."""

    word: str
    line: NumberRow
    others: NumberRows


class Steer(LabelledPicture, kind="steer"):
    """The score over the strength of one head."""

    name: str
    strengths: tuple[float, ...]
    few: tuple[float, ...]
    now: float
    versions: Sequence[SteerLine]


NAMED = 5  # labelled marks: those that move the score most, and those that lean furthest
LONG = 40  # words; in longer sentences one head is turned without the others of its layer
LARGE = 1.0  # effects from here on are written as they are, smaller ones × 1,000
HINT = "ablate only this head"  # what a click on a cell of the map of effects does
NOTHING_PINNED = "No head is pinned. Pin heads on the *Heads* page, or choose others."


def sweep_blocks(sweep: Sweep, leans: Leans, state: str) -> list[Block]:
    """Return leaning against mattering, and the map of effects; ``state`` "preview" marks what is only foretold."""
    if not np.isfinite(sweep.effect).any():
        return [_map(sweep, None)]
    most, furthest = (heads_where(sweep.acting, np.abs(by)) for by in (sweep.effect, leans.lean))
    named = tuple(sorted({*most[: NAMED - 2], *furthest[:2]}))
    finding = said("finding", _finding(sweep, leans, state))
    beside: list[Block] = [Key("effect_key")] if most else []
    picture = Scatter(leans.lean, sweep.effect, leans.no_opinion, _direct(sweep), named, label=as_text(finding.spans))
    return [finding, Columns(([picture, *beside], [_map(sweep, most[0] if most else None)]))]


def _together(sweep: Sweep, leans: Leans) -> tuple[float, float, float]:
    """Return how leaning and moving the score go together, with its interval; heads of the scored layer left out."""
    return rank_correlation(leans.lean, np.where(sweep.direct, np.nan, sweep.effect))


def _finding(sweep: Sweep, leans: Leans, state: str) -> str:
    """Return whether leaning and moving the score go together."""
    rho, low, high = _together(sweep, leans)
    finding = "No link found here between where heads lean and what ablating them does."
    if np.isnan(rho):
        finding = "Too few heads differ in lean and effect for a comparison."
    elif low > 0:
        finding = "Heads that lean towards a candidate also move the score that way when ablated."
    elif high < 0:
        finding = "Heads that lean towards a candidate move the score away from it when ablated."
    return f"Preview (gradient estimate): {finding}" if state == "preview" else finding


def correlation_blocks(sweep: Sweep, leans: Leans) -> list[Block]:
    """Return the number behind the finding, and which heads move the score most and lean most.

    These are heads that do not mix the compared words by construction.
    """
    acting, furthest = (heads_where(sweep.acting, np.abs(by)) for by in (sweep.effect, leans.lean))
    if not acting:
        return [said("cap", _none_acts(sweep))]
    most, far = acting[0], furthest[0]
    middle = "It also has the largest lean of them ({lean})."
    if most != far:
        middle = (
            "Of them {far} has the largest lean ({lean}); ablating it changes the score by {fby} (rank {rank} of "
            "{count})."
        )
    sizes = np.abs(sweep.effect)
    told: list[Block] = [
        said(
            "cap",
            f"Of {many(len(acting), 'head')}, ablating {{most}} changes the score most, by {{by}} (median head: "
            f"{sweep.typical:.3f}). {middle}",
            most=most,
            by=signed(float(sweep.effect[most]), 3),
            far=far,
            lean=signed(float(leans.lean[far])),
            fby=signed(float(sweep.effect[far]), 3),
            rank=str(1 + int((sizes[sweep.acting] > sizes[far]).sum())),
            count=str(len(acting)),
        )
    ]
    rho, low, high = _together(sweep, leans)
    left = "; scored layer left out" if sweep.direct.any() else ""
    if not np.isnan(rho):
        how = f"Rank correlation {signed(rho)} (95\u00a0% interval {signed(low)} to {signed(high)}{left})."
        told.append(said("cap", how))
    return told


def _none_acts(sweep: Sweep) -> str:
    """Return why no head is named: none is measured, or all of them are of the layer that is scored."""
    if not np.isfinite(sweep.effect).any():
        return "No head that can act on the score is measured yet."
    return "All measured heads are of the scored layer, which mixes the compared words itself, so no head is named."


def _map(sweep: Sweep, most: HeadId | None) -> EffectMap:
    label = f"how far ablating each head moves the score. {_none_acts(sweep)}"
    if most is not None:
        label = (
            f"ablating {most} changes the score most, by {signed(float(sweep.effect[most]), 3)}; all heads are drawn"
        )
    return EffectMap(times(sweep.effect), sweep.effect, sweep.reach, _direct(sweep), HINT, label=label)


def _direct(sweep: Sweep) -> int | None:
    """Return the scored layer, whose heads mix the compared words themselves."""
    return int(np.argwhere(sweep.direct)[0][0]) if sweep.direct.any() else None


def times(effect: np.ndarray) -> int:
    """Return by what effects are multiplied in a map: 1,000 for small ones, as of margins, 1 for others, as in nats."""
    return 1 if np.abs(effect[np.isfinite(effect)]).max(initial=0) >= LARGE else 1000


def stopped_block(effect: np.ndarray, reach: int) -> Said:
    """Return the sentence for a sweep that was stopped: how many heads are measured, and which layers as a whole."""
    found = np.isfinite(effect[:reach])
    layers = np.flatnonzero(found.all(axis=1)).tolist()
    which = "No layer is"
    if layers:
        which = f"Layer {layers[0]} is" if len(layers) == 1 else f"Layers {layers[0]} to {layers[-1]} are"
    return said("text", f"Stopped after {found.sum()} of {found.size} heads. {which} measured. Hatched heads are not.")


def head_sets(case: RecordedReadings, leans: Leans, reach: int) -> dict[str, tuple[HeadId, ...]]:
    """Return the heads of every set that can be silenced together, by its word in the link."""
    every = heads_of(reach, case.row.n_heads)
    layers = {ALL_OF_LAYER.format(at): tuple(one for one in every if one.layer == at) for at in range(reach)}
    sets = {FURTHEST: ranked(leans.lean)[:5], PINNED: tuple(case.view.pins or ())}
    return sets | layers | {ONLY.format(one): (one,) for one in every}


def set_block(heads: tuple[HeadId, ...], kind: str, untouched: float, silenced: float) -> Said:
    """Return what ablating several heads together does to the score."""
    spans = joined([head(one) for one in heads[:8]])
    if len(heads) > 8:
        spans = (*spans, ("plain", f" and {len(heads) - 8} more"))
    move = silenced - untouched
    by = f"by {signed(move, 3)} towards {'A' if move > 0 else 'B'}"
    return said(
        "note",
        "Ablating {heads}{together} ({each}replaced with {kind}) moves the score from {before} to {after}, {by}.",
        heads=spans,
        together=" together" if len(heads) > 1 else "",
        each="each " if len(heads) > 1 else "",
        kind=SILENCED_LABELS.get(kind, kind),
        before=signed(untouched, 3),
        after=signed(silenced, 3),
        by="by less than 0.001" if round(move, 3) == 0 else by,
    )


def silenced_block(case: RecordedReadings, heads: tuple[HeadId, ...], kind: str, score: Score, ask: Ask) -> Said:
    """Return what the score is with heads silenced together, or what to do where there are none."""
    found = case.ambiguity
    if not heads:
        return said("sub", NOTHING_PINNED)
    sets = ((), heads)
    before, after = ask(experiments.scores.of(found.text, found.readings, sets, SILENCED[kind], case.row.name, score))
    return set_block(heads, kind, before, after)


def kept(case: RecordedReadings, kind: str, score: Score, ask: Ask) -> list[Said]:
    """Return what is left of the difference with the heads that carry it silenced; nothing where none is known to."""
    found = case.ambiguity
    if found.contrast is None:
        return []
    heads = carrying(case, ask)  # none within the control limit, or where the versions cannot be patched
    if not heads:
        return []
    texts, kind, model = (found.text, found.contrast.text), SILENCED[kind], case.row.name
    left, control = ask(experiments.kept.of(*texts, found.readings, heads, kind, model, score))
    return [kept_block(heads, left, control)]


def kept_block(heads: tuple[HeadId, ...], left: float, control: np.ndarray) -> Said:
    """Return what is left of the score change with heads ablated, beside other heads."""
    several = len(heads) > 1
    return said(
        "note",
        "Without {heads}, {kept} of the score change remains. Without {count} of the same layers: {low} to {high}.",
        heads=joined([head(one) for one in heads]),
        kept=percent(left),
        count="as many other heads" if several else "one other head",
        low=percent(float(control.min())),
        high=percent(float(control.max())),
    )


def turned(case: RecordedReadings, one: HeadId, score: Score, ask: Ask) -> list[SteerLine]:
    """Return the score over the strength of one head in every version, beside the other heads of its layer.

    Those are not measured in long sentences.
    """
    found, model, few = case.ambiguity, case.row.name, experiments.FEW_STRENGTHS
    number = found.change[0] if found.contrast else found.at if found.cue is None else found.cue
    beside = case.row.n_heads if len(found.words) <= LONG else 0
    others = tuple(HeadId(one.layer, other) for other in range(beside) if other != one.head)
    lines = []
    for text in case.versions:
        (line,) = ask(experiments.steered.of(text, found.readings, (one,), model, score))
        thin = np.empty((0, 0))
        if others:
            thin = ask(experiments.steered.of(text, found.readings, others, model, score, few))
        lines.append(SteerLine(words(text)[number], line, thin))
    return lines


def steer_blocks(one: HeadId, versions: Sequence[SteerLine], now: float) -> tuple[Steer, list[Block]]:
    """Return the score over the strength of one head, the other heads of its layer thin; and what is said beside it."""
    strengths = experiments.STRENGTHS
    scores = [[float(version.line[strengths.index(at)]) for version in versions] for at in (0.0, 1.0, 2.0)]
    changes = len(versions) == 2
    off, normal, doubled = (f"{abs(own[0] - own[1]):.2f}" if changes else signed(own[0], 3) for own in scores)
    sentence = f"Score{' change' if changes else ''} with {one} off: {off}; normal: {normal}; doubled: {doubled}."
    label = f"the score while {one} is scaled: {sentence}"
    picture = Steer(str(one), strengths, experiments.FEW_STRENGTHS, now, versions, label=label)
    thin = [said("cap", f"Thin lines: other heads of layer {one.layer}.")] if versions[0].others.size else []
    return picture, [said("text", sentence), *thin]
