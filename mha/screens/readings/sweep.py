"""The tab "Does it matter?" as blocks, second part: the sweep, sets of heads, one head turned up or down. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mha.analysis.calibration import rank_correlation
from mha.analysis.readings import Leans
from mha.formats import percent, signed
from mha.maps import HeadId
from mha.screens.blocks import Block, columns, head, joined, numbers, said

if TYPE_CHECKING:  # the module brings torch
    from mha.intervention.sweep import Sweep

NAMED = 5  # labelled marks: those that move the score most, and those that lean furthest


HINT = "silence only this head"  # what a click on a cell of the map of effects does


def sweep_blocks(sweep: Sweep, leans: Leans, state: str) -> list[Block]:
    """Return leaning against mattering, and the map of effects; ``state`` "preview" marks what is only foretold."""
    found = np.isfinite(sweep.effect)
    if not found.any():
        return [_map(sweep)]
    heads = [HeadId(int(layer), int(head)) for layer, head in np.argwhere(found)]
    named = _named(sweep, leans, heads)
    marks = [
        {
            "name": str(head),
            "lean": float(leans.lean[head]),
            "effect": float(sweep.effect[head]),
            "none": bool(leans.no_opinion[head]),
            "direct": bool(sweep.direct[head]),
            "named": head in named,
        }
        for head in heads
    ]
    picture: Block = {"kind": "scatter", "heads": marks, "label": "where each head leans against how far it matters"}
    return [
        _finding(sweep, leans, state),
        columns(
            [picture, _scatter_words(sweep, leans, len(heads))],
            [_map(sweep), _map_words(sweep, leans, heads)],
            shares=(1, 1),
        ),
    ]


def _named(sweep: Sweep, leans: Leans, heads: list[HeadId]) -> set[HeadId]:
    most = sorted(heads, key=lambda head: -abs(sweep.effect[head]))[: NAMED - 2]
    furthest = sorted(heads, key=lambda head: -abs(leans.lean[head]))[:2]
    return {*most, *furthest}


def _finding(sweep: Sweep, leans: Leans, state: str) -> Block:
    rho, low, high = rank_correlation(leans.lean, sweep.effect)
    together = "hardly go together here" if not (low > 0 or high < 0) else "go together here"
    foretold = "Preview, from one backward pass. " if state == "preview" else ""
    if np.isnan(rho):
        return said("finding", foretold + "Too few heads are measured to compare leaning with moving the score.")
    return said(
        "finding",
        f"{foretold}Leaning and moving the score {together}: rank correlation {signed(rho)}, interval {signed(low)} to "
        f"{signed(high)}.",
    )


def _scatter_words(sweep: Sweep, leans: Leans, count: int) -> Block:
    rho = rank_correlation(leans.lean, np.where(sweep.direct, np.nan, sweep.effect))[0]
    direct = f" Open: direct. Without the direct ones {signed(rho)}." if sweep.direct.any() else ""
    return said(
        "cap",
        f"{count} heads. Round: leans to A. Square: leans to B. Small ring: looks along neither." + direct,
    )


def _times(sweep: Sweep) -> int:
    """Return by what effects are multiplied in the map: 1,000 for margins, 1 for differences in nats."""
    sizes = np.abs(sweep.effect[np.isfinite(sweep.effect)])
    return 1 if sizes.size and sizes.max() >= 1 else 1000


def _map(sweep: Sweep) -> Block:
    return {
        "kind": "effect_map",
        "times": _times(sweep),
        "effect": numbers(sweep.effect, 5),
        "reach": sweep.reach,
        "direct": int(np.argwhere(sweep.direct)[0][0]) if sweep.direct.any() else None,
        "hint": HINT,
        "label": "how far silencing each head moves the score; the numbers are in the caption and the scatter",
    }


def _map_words(sweep: Sweep, leans: Leans, heads: list[HeadId]) -> Block:
    most = max(heads, key=lambda head: abs(sweep.effect[head]))
    furthest = max(heads, key=lambda head: abs(leans.lean[head]))
    typical = float(np.median(np.abs(sweep.effect[np.isfinite(sweep.effect)])))
    same = most == furthest
    unit = "Effect × 1,000" if _times(sweep) > 1 else "Effect"
    last = " Dashed: direct." if sweep.direct.any() else ""
    middle = "It also leans furthest ({lean})."
    if not same:
        middle = "{far} leans furthest ({lean}) and moves it by {fby}, rank {rank} of {count}."
    return said(
        "cap",
        f"{unit}, amber towards A, teal towards B. {{most}} moves the score most, by {{by}}; typical {{typical}}. "
        f"{middle}{last} Click a head to silence it alone.",
        most=most,
        by=signed(float(sweep.effect[most]), 3),
        typical=f"{typical:.3f}",
        far=furthest,
        lean=signed(float(leans.lean[furthest])),
        fby=signed(float(sweep.effect[furthest]), 3),
        rank=str(sweep.rank(furthest)),
        count=str(len(heads)),
    )  # fmt: skip


def stopped_block(measured: int, whole: int, layers: list[int]) -> Block:
    """Return the sentence for a sweep that was stopped; ``layers`` are those of which every head is measured."""
    which = (
        "No layer is"
        if not layers
        else f"Layer {layers[0]} is"
        if len(layers) == 1
        else f"Layers {layers[0]} to {layers[-1]} are"
    )
    return said(
        "text", f"Stopped after {measured} of {whole} heads. {which} whole; what is missing is hatched, not zero."
    )


def set_block(names: list[HeadId], kind: str, untouched: float, silenced: float) -> Block:
    """Return what silencing several heads together does to the score."""
    spans = joined([head(one) for one in names[:8]])
    if len(names) > 8:
        spans.append(["plain", f" and {len(names) - 8} more"])
    move = silenced - untouched
    towards = "towards A" if move > 0 else "towards B"
    return said(
        "note",
        "{heads}, silenced "
        + ("together" if len(names) > 1 else "alone")
        + " ({kind}): the score goes from {before} to {after}, by {move} {towards}.",
        heads=spans,
        kind=kind,
        before=signed(untouched, 3),
        after=signed(silenced, 3),
        move=signed(move, 3),
        towards=towards,
    )


def kept_block(heads: Sequence[HeadId], kept: float, control: np.ndarray) -> Block:
    """Return what is left of the difference between both versions with heads silenced, beside other heads."""
    return said(
        "note",
        "{lead} {heads} silenced, {kept} of the difference between the versions is kept; with {count} of the same "
        "layers silenced instead, {low} to {high}.",
        lead=["strong", "Those that carry it:" if len(heads) > 1 else "The one that carries it:"],
        heads=joined([head(one) for one in heads]),
        kept=percent(kept),
        count="as many others" if len(heads) > 1 else "one other",
        low=percent(float(control.min())),
        high=percent(float(control.max())),
    )


@dataclass(frozen=True, eq=False)
class Turned:
    """One head turned up and down: ``lines`` are the score at each of ``strengths``, float64 [strength], a version.

    ``others`` are the other heads of its layer at fewer strengths, float64 [head, strength] a version; none if not
    measured.
    """

    head: HeadId
    strengths: tuple[float, ...]
    lines: tuple[np.ndarray, ...]
    few: tuple[float, ...] = ()
    others: tuple[np.ndarray, ...] = ()


def steer_blocks(turned: Turned, names: list[str], now: float) -> list[Block]:
    """Return the score over the strength of one head, the other heads of its layer thin."""
    one, lines = turned.head, turned.lines
    others = turned.others or tuple(np.empty((0, 0)) for _ in lines)
    block: Block = {
        "kind": "steer",
        "name": str(one),
        "strengths": list(turned.strengths),
        "few": list(turned.few),
        "now": now,
        "versions": [
            {"word": name, "line": numbers(line), "others": numbers(thin)}
            for name, line, thin in zip(names, lines, others, strict=True)
        ],
        "label": f"the score while {one} is scaled from 0 to 3",
    }
    at = [turned.strengths.index(strength) for strength in (0.0, 1.0, 2.0)]
    if len(lines) == 2:
        gap = [abs(float(lines[0][i] - lines[1][i])) for i in at]
        sentence = (
            f"At 0 the two versions are {gap[0]:.2f} apart, as it is {gap[1]:.2f}, at double strength {gap[2]:.2f}."
        )
    else:
        score = [signed(float(lines[0][i]), 3) for i in at]
        sentence = f"At 0 the score is {score[0]}, as it is {score[1]}, at double strength {score[2]}."
    thin = f"Thin lines: the other heads of layer {one.layer}, in steps of 0.5. " if turned.others else ""
    return [block, said("text", sentence), said("cap", f"{thin}{one} in steps of 0.1, all computed.")]
