"""What ablating heads did, said and drawn for the tab "Does it matter?": each in turn, and sets.

`silenced_block` asks the engine; everything else is computed from what it answered.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from mha.analysis.readings import Leans
from mha.engine import experiments
from mha.engine.experiments import Score
from mha.engine.question import Ask
from mha.formats import many, signed
from mha.intervention.outcomes import Sweep, heads_where
from mha.link.readings import ALL_OF_LAYER, FURTHEST, ONLY, PINNED, SILENCED, SILENCED_LABELS
from mha.maps import HeadId, heads_of, ranked
from mha.screens.blocks import (
    Block,
    LabelledPicture,
    NumberRows,
    Said,
    head,
    joined,
    said,
)
from mha.screens.readings.recorded import RecordedReadings


class EffectMap(LabelledPicture, kind="effect_map"):
    """How far silencing each head moves the score, written ``times`` as large."""

    digits: ClassVar[int] = 5
    times: int
    effect: NumberRows
    reach: int
    direct: int | None
    hint: str


LARGE = 1.0  # effects from here on are written as they are, smaller ones × 1,000
HINT = "ablate only this head"  # what a click on a cell of the map of effects does
NOTHING_PINNED = "No head is pinned. Pin heads on the *Heads* page, or choose others."


def sweep_blocks(sweep: Sweep, preview: bool = False) -> list[Block]:
    """Return the map of effects under the head that moves the score most; ``preview`` marks a gradient estimate.

    Heads of the scored layer mix the compared words by construction, so none of them is named.
    """
    acting = heads_where(sweep.acting, np.abs(sweep.effect))
    if not acting:
        return [_map(sweep, None)]
    finding = said(
        "finding",
        f"{'Preview (gradient estimate): of' if preview else 'Of'} {many(len(acting), 'head')}, ablating {{most}} "
        f"changes the score most, by {{by}} (median head: {sweep.typical:.3f}).",
        most=acting[0],
        by=signed(float(sweep.effect[acting[0]]), 3),
    )
    scale = " × 1,000" if times(sweep.effect) > 1 else ""
    key = f"Score change{scale} with the head ablated: amber towards A, teal towards B."
    if sweep.direct.any():
        key += " Dashed: scored layer, which mixes the compared words itself."
    return [finding, _map(sweep, acting[0]), said("cap", key)]


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
