"""The tab "Does it matter?", second part: the sweep, sets of heads, one head turned up or down.

`kept` and `turned` ask the engine; everything else is computed from what it answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mha.analysis.calibration import rank_correlation
from mha.analysis.readings import Leans
from mha.brief import brief
from mha.engine import experiments
from mha.engine.experiments import Score
from mha.engine.question import Ask
from mha.formats import percent, signed
from mha.intervention.outcomes import Sweep
from mha.link.readings import ALL_OF_LAYER, FURTHEST, ONLY, PINNED, SILENCED, SILENCED_LABELS
from mha.maps import HeadId
from mha.screens.blocks import Block, Columns, NumberRow, NumberRows, Said, as_text, head, joined, said
from mha.screens.readings.recorded import RecordedReadings, carrying, ranked
from mha.screens.readings.shapes import EFFECT_KEY, LabelledPicture, Legend
from mha.words import words


@dataclass(frozen=True)
class ScatterHead:
    """A head by its lean and its effect."""

    name: str
    lean: float
    effect: float
    none: bool
    direct: bool
    named: bool


class Scatter(LabelledPicture, kind="scatter"):
    """Leaning against mattering."""

    heads: Sequence[ScatterHead]


class EffectMap(LabelledPicture, kind="effect_map"):
    """How far silencing each head moves the score, written ``times`` as large."""

    digits: ClassVar[int] = 5
    times: int
    effect: NumberRows
    reach: int
    direct: int | None
    hint: str


@dataclass(frozen=True, eq=False)
class SteerLine:
    """One version's score at each strength [strength], and the other heads' [head, strength]."""

    word: str
    line: NumberRow
    others: NumberRows

    __repr__ = brief


class Steer(LabelledPicture, kind="steer"):
    """The score over the strength of one head."""

    name: str
    strengths: tuple[float, ...]
    few: tuple[float, ...]
    now: float
    versions: Sequence[SteerLine]


NAMED = 5  # labelled marks: those that move the score most, and those that lean furthest
LONG = 40  # words; in longer sentences one head is turned without the others of its layer
HINT = "ablate only this head"  # what a click on a cell of the map of effects does
NOTHING_PINNED = "No head is pinned. Pin heads on the *Heads* page, or choose others."


def sweep_blocks(sweep: Sweep, leans: Leans, state: str) -> list[Block]:
    """Return leaning against mattering, and the map of effects; ``state`` "preview" marks what is only foretold."""
    found = [HeadId(*map(int, place)) for place in np.argwhere(np.isfinite(sweep.effect))]
    if not found:
        return [_map(sweep)]
    acting = [one for one in found if not sweep.direct[one]]  # direct heads mix the two words that are compared
    most = sorted(acting, key=lambda one: -abs(sweep.effect[one]))
    furthest = sorted(acting, key=lambda one: -abs(leans.lean[one]))
    named = {*most[: NAMED - 2], *furthest[:2]}
    marks = [
        ScatterHead(
            str(one),
            float(leans.lean[one]),
            float(sweep.effect[one]),
            none=bool(leans.no_opinion[one]),
            direct=bool(sweep.direct[one]),
            named=one in named,
        )
        for one in found
    ]
    finding = _finding(sweep, leans, state)
    picture = Scatter(marks, label=as_text(finding[0].spans))
    if not acting:
        return [*finding, Columns(([picture], [_map(sweep)]))]
    return [
        *finding,
        Columns(([picture, Legend(EFFECT_KEY)], [_map(sweep, most[0])])),
    ]


def _finding(sweep: Sweep, leans: Leans, state: str) -> list[Said]:
    """Return whether leaning and moving the score go together, heads of the scored layer left out.

    Nothing is said where the correlation is undefined.
    """
    rho, low, high = rank_correlation(leans.lean, np.where(sweep.direct, np.nan, sweep.effect))
    foretold = "Preview (gradient estimate): " if state == "preview" else ""
    if np.isnan(rho):
        return [said("finding", foretold + "Too few heads are measured for a comparison.")]
    finding = "No link found here between where heads lean and what ablating them does."
    if low > 0:
        finding = "Heads that lean towards a candidate also move the score that way when ablated."
    elif high < 0:
        finding = "Heads that lean towards a candidate move the score away from it when ablated."
    return [said("finding", foretold + finding)]


def correlation_blocks(sweep: Sweep, leans: Leans) -> list[Block]:
    """Return the number behind the finding, and which heads move the score most and lean most."""
    acting = [HeadId(*map(int, place)) for place in np.argwhere(np.isfinite(sweep.effect) & ~sweep.direct)]
    if not acting:
        return [said("cap", "No head that can act on the score is measured yet.")]
    most, furthest = (max(acting, key=lambda one: abs(float(values[one]))) for values in (sweep.effect, leans.lean))
    told: list[Block] = [_map_words(sweep, leans, most, furthest, acting)]
    rho, low, high = rank_correlation(leans.lean, np.where(sweep.direct, np.nan, sweep.effect))
    left = "; scored layer left out" if sweep.direct.any() else ""
    if not np.isnan(rho):
        how = f"Rank correlation {signed(rho)} (95\u00a0% interval {signed(low)} to {signed(high)}{left})."
        told.append(said("cap", how))
    return told


def _times(sweep: Sweep) -> int:
    """Return by what effects are multiplied in the map: 1,000 for margins, 1 for differences in nats."""
    sizes = np.abs(sweep.effect[np.isfinite(sweep.effect)])
    return 1 if sizes.size and sizes.max() >= 1 else 1000


def _map(sweep: Sweep, most: HeadId | None = None) -> EffectMap:
    label = "how far ablating each head moves the score: no head is measured yet"
    if most is not None:
        label = (
            f"ablating {most} changes the score most, by {signed(float(sweep.effect[most]), 3)}; all heads are drawn"
        )
    return EffectMap(
        _times(sweep),
        sweep.effect,
        sweep.reach,
        int(np.argwhere(sweep.direct)[0][0]) if sweep.direct.any() else None,
        HINT,
        label=label,
    )


def _map_words(sweep: Sweep, leans: Leans, most: HeadId, furthest: HeadId, acting: Sequence[HeadId]) -> Said:
    """Return who moves the score most, of the heads that do not mix the compared words by construction."""
    sizes = {one: abs(float(sweep.effect[one])) for one in acting}
    typical = float(np.median(list(sizes.values())))
    middle = "It also has the largest lean ({lean})."
    if most != furthest:
        middle = "{far} has the largest lean ({lean}); ablating it changes the score by {fby} (rank {rank} of {count})."
    return said(
        "cap",
        f"Ablating {{most}} changes the score most, by {{by}} (median head: {typical:.3f}). {middle}",
        most=most,
        by=signed(float(sweep.effect[most]), 3),
        far=furthest,
        lean=signed(float(leans.lean[furthest])),
        fby=signed(float(sweep.effect[furthest]), 3),
        rank=str(1 + sum(size > sizes[furthest] for size in sizes.values())),
        count=str(len(acting)),
    )


def stopped_block(effect: np.ndarray, reach: int) -> Said:
    """Return the sentence for a sweep that was stopped: how many heads are measured, and which layers as a whole."""
    found = np.isfinite(effect[:reach])
    layers = np.flatnonzero(found.all(axis=1)).tolist()
    which = (
        "No layer is"
        if not layers
        else f"Layer {layers[0]} is"
        if len(layers) == 1
        else f"Layers {layers[0]} to {layers[-1]} are"
    )
    return said(
        "text",
        f"Stopped after {found.sum()} of {found.size} heads. {which} measured. Hatched heads are not.",
    )


def head_sets(case: RecordedReadings, leans: Leans, reach: int) -> dict[str, tuple[HeadId, ...]]:
    """Return the heads of every set that can be silenced together, by its word in the link."""
    every = case.heads(reach)
    sets = {FURTHEST: ranked(leans.lean, 5), PINNED: tuple(case.view.pins or ())}
    for layer in range(reach):
        sets[ALL_OF_LAYER.format(layer)] = tuple(one for one in every if one.layer == layer)
    return sets | {ONLY.format(one): (one,) for one in every}


def set_block(heads: tuple[HeadId, ...], kind: str, untouched: float, silenced: float) -> Said:
    """Return what ablating several heads together does to the score."""
    spans = joined([head(one) for one in heads[:8]])
    if len(heads) > 8:
        spans = (*spans, ("plain", f" and {len(heads) - 8} more"))
    move = silenced - untouched
    return said(
        "note",
        "Ablating {heads}{together} ({kind}) moves the score from {before} to {after}, by {move} towards {side}.",
        heads=spans,
        together=" together" if len(heads) > 1 else "",
        kind=SILENCED_LABELS.get(kind, kind),
        before=signed(untouched, 3),
        after=signed(silenced, 3),
        move=signed(move, 3),
        side="A" if move > 0 else "B",
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
    left, control = ask(
        experiments.kept.of(
            found.text, found.contrast.text, found.readings, heads, SILENCED[kind], case.row.name, score
        )
    )
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


@dataclass(frozen=True, eq=False)
class Turned:
    """One head turned up and down: ``lines`` are the score at each of ``strengths``, float64 [strength], a version.

    ``names`` are the versions' words that differ; ``others`` the other heads of the layer at ``few`` strengths, float64
    [head, strength] a version; none if not measured.
    """

    head: HeadId
    names: tuple[str, ...]
    lines: tuple[np.ndarray, ...]
    others: tuple[np.ndarray, ...] = ()
    strengths: tuple[float, ...] = experiments.STRENGTHS
    few: tuple[float, ...] = experiments.FEW_STRENGTHS

    __repr__ = brief


def turned(case: RecordedReadings, one: HeadId, score: Score, ask: Ask) -> Turned:
    """Return the score over the strength of one head in every version, beside the other heads of its layer."""
    found, model, few = case.ambiguity, case.row.name, experiments.FEW_STRENGTHS
    number = found.contrast.changed[0] if found.contrast else found.pivot if found.cue is None else found.cue
    assert number is not None
    beside = case.row.n_heads if len(found.words) <= LONG else 0
    others = tuple(HeadId(one.layer, other) for other in range(beside) if other != one.head)
    texts, pair = case.versions, found.readings
    return Turned(
        one,
        tuple(words(text)[number] for text in texts),
        tuple(ask(experiments.steered.of(text, pair, (one,), model, score))[0] for text in texts),
        tuple(ask(experiments.steered.of(text, pair, others, model, score, few)) for text in texts) if others else (),
    )


def steer_blocks(this: Turned, now: float) -> tuple[Steer, list[Block]]:
    """Return the score over the strength of one head, the other heads of its layer thin; and what is said beside it."""
    one, lines = this.head, this.lines
    others = this.others or tuple(np.empty((0, 0)) for _ in lines)
    versions = [SteerLine(*version) for version in zip(this.names, lines, others, strict=True)]
    at = [this.strengths.index(strength) for strength in (0.0, 1.0, 2.0)]
    if len(lines) == 2:
        gap = [abs(float(lines[0][i] - lines[1][i])) for i in at]
        sentence = f"Score change with {one} off: {gap[0]:.2f}; normal: {gap[1]:.2f}; doubled: {gap[2]:.2f}."
    else:
        score = [signed(float(lines[0][i]), 3) for i in at]
        sentence = f"Score with {one} off: {score[0]}; normal: {score[1]}; doubled: {score[2]}."
    picture = Steer(
        str(one), this.strengths, this.few, now, versions, label=f"the score while {one} is scaled: {sentence}"
    )
    thin = [said("cap", f"Thin lines: other heads of layer {one.layer}.")] if this.others else []
    return picture, [said("text", sentence), *thin]
