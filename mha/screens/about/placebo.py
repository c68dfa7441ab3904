"""Would patching name heads just as well where the reading stays? Hits against false namings, and what paths carry."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mha.analysis.calibration import wilson
from mha.analysis.placebo import (
    HeldOut,
    Interval,
    Placebo,
    area,
    carried_beyond,
    curve,
    held_out,
    pairs_needed,
)
from mha.brief import with_arrays
from mha.formats import counted, listed, number, percent
from mha.intervention.calibrated import Calibration, KindCalibration, calibration
from mha.link.view import DEFAULT_MODEL
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.screens.blocks import Block, caption, heading
from mha.screens.places import Chart, Listed, More, PageTable

EVEN = 0.5  # of comparisons: no difference
MARKS = (
    "Curve: all thresholds. Dot: the threshold that 90 of 100 control swaps stay under, tried on sentences it was not "
    "chosen from; cross: 95\u00a0% intervals. Dotted: no difference."
)
METHOD = (
    "Every test pair and control swap with the same number of tokens in both versions is patched head by head, both "
    "ways (Vig et al. 2020; Zhang & Nanda 2023). What counts is the head that moves the score furthest, of those whose "
    "directions agree within a factor of two. Heads of the layer before the score is taken are left out.",
    "Threshold: chosen on half of the sentences of each author, tried on the other half, both ways. Intervals redraw "
    "authors, then their sentences, and test pairs.",
    "Pairs kept apart: pairs that chose neither a head nor a limit, looked at once (intervals: Wilson 1927).",
    "Area: in how many of all comparisons the head of a test pair moves the score further than that of a control swap; "
    "50\u00a0% is no difference (Mann & Whitney 1947).",
    "Pairs needed: with this many pairs and as many swaps, 80 of 100 studies would show that the shares differ "
    "(one-sided, p < .05; Fleiss 1981).",
    "Test pairs change the score more as a whole. So a head that moves it further is no evidence for readings by "
    "itself, and Two readings compares changes beyond the control limit only.",
    "Path: how much of the change in a later head’s lean some heads carry, in test pairs minus in control swaps. The "
    "intervals hold for all paths together (Bonferroni).",
    "`python -m studies.calibrate` repeats it from nothing; `--csv FILE` writes every pair and swap.",
)


@with_arrays
class OfKind:
    """What one kind of readings shows: the area, the threshold on what it was not chosen from, and all thresholds."""

    kind: str
    placebo: Placebo
    area: Interval
    tried: HeldOut
    curve: tuple[np.ndarray, np.ndarray]
    apart: Apart | None


@dataclass(frozen=True)
class Apart:
    """Of pairs kept apart: of how many the whole change passes the control limit, and a head the threshold."""

    n_pairs: int
    change: Interval
    head: Interval


@with_arrays
class OfPath:
    """How much more a path carries in test pairs than in control swaps."""

    kind: str
    senders: tuple[HeadId, ...]
    receiver: HeadId
    of_pairs: float
    of_swaps: float
    beyond: Interval


def placebos(model: str) -> Iterator[Block]:
    """Yield the section of a model, or of MiniLM where nothing is measured of it; nothing where that is away, too."""
    for name in dict.fromkeys((model, DEFAULT_MODEL)):
        found = calibration(name)
        kinds, paths = told_of(found) if found is not None else ((), ())
        if kinds:
            yield from section(model_row(name).short, kinds, paths)
            return


@functools.lru_cache(maxsize=4)
def told_of(found: Calibration) -> tuple[tuple[OfKind, ...], tuple[OfPath, ...]]:
    """Return what the kinds and the paths of a calibration show; its intervals take a second, once."""
    whole = [one for one in found.kinds.values() if one.placebo is not None and one.placebo.enough]
    kinds = tuple(
        OfKind(one.kind, one.placebo, area(one.placebo), held_out(one.placebo), curve(one.placebo), _apart(one))
        for one in whole
        if one.placebo
    )
    return kinds, tuple(_paths(whole))


def _apart(one: KindCalibration) -> Apart | None:
    if one.kept_apart is None or one.floor is None or one.placebo is None or not len(one.kept_apart.heads):
        return None
    changes, heads = np.abs(one.kept_apart.scores) > one.floor.limit, one.kept_apart.heads > one.placebo.threshold
    return Apart(len(changes), _share(changes), _share(heads))


def _share(passes: np.ndarray) -> Interval:
    return float(passes.mean()), *wilson(int(passes.sum()), len(passes))


def _paths(whole: Sequence[KindCalibration]) -> Iterator[OfPath]:
    kept = [(one, path, path.kept) for one in whole for path in one.paths if path.kept and len(path.kept.carried)]
    for one, path, both in kept:
        if one.placebo is None or len(both.carried) != len(one.placebo.swaps):
            continue
        beyond = carried_beyond(one.placebo, both.carried_of_pairs, both.carried, len(kept))
        means = float(both.carried_of_pairs.mean()), float(both.carried.mean())
        yield OfPath(one.kind, path.senders, path.receiver, *means, beyond)


def section(model: str, kinds: Sequence[OfKind], paths: Sequence[OfPath]) -> Iterator[Block]:
    """Yield the section of these."""
    yield heading("Does patching find heads of readings?")
    yield caption(finding(model, kinds, paths), style="answer")
    yield hits_chart(kinds)
    yield caption(MARKS)
    yield PageTable(_columns(kinds), "Hits and false namings by kind", "parallax-placebo")
    for title, columns, name in (
        ("Pairs kept apart", _apart_columns(kinds), "parallax-placebo-apart"),
        ("What paths carry", _path_columns(paths), "parallax-placebo-paths"),
    ):
        if columns["kind"]:
            yield More(title, (PageTable(columns, title, name),))
    yield More("How is this measured?", (Listed((counts(kinds), *METHOD)),))


def finding(model: str, kinds: Sequence[OfKind], paths: Sequence[OfPath]) -> str:
    """Return which kinds and which paths stand out from control swaps, in two sentences."""
    out = [one.kind for one in kinds if one.area[1] > EVEN]
    rest = [one.kind for one in kinds if one.area[1] <= EVEN]
    what = f"In {model}, single heads move the score further where the reading changes than where it stays"
    if not out:
        first = f"{what}: not shown for any kind."
    else:
        kinds_said = f"{what} for the kind{'s' if len(out) > 1 else ''} {listed(out)}"
        first = kinds_said + (f"; not shown for {listed(rest)}." if rest else ".")
    if not paths:
        return first
    survive = sum(one.beyond[1] > 0 for one in paths)
    more = f"{counted(survive)} {'carries' if survive == 1 else 'carry'} more where it changes"
    return f"{first} Of {counted(len(paths), 'path')} between heads, {more}."


def counts(kinds: Sequence[OfKind]) -> str:
    """Return how many changes each kind has."""
    each = (f"{one.kind} {len(one.placebo.pairs)} and {len(one.placebo.swaps)}" for one in kinds)
    return f"Test pairs and control swaps: {'; '.join(each)}."


def hits_chart(kinds: Sequence[OfKind]) -> Chart:
    """Return hits against false namings, a curve for each kind."""
    curves, chosen = {}, {}
    for one in kinds:
        curves[one.kind] = tuple([[1.0] * 3, *ends.T.tolist()] for ends in one.curve[::-1])
        chosen[one.kind] = one.tried.false, one.tried.hits
    said = "; ".join(
        f"{one.kind}: {percent(one.tried.hits[0])} of test pairs, {percent(one.tried.false[0])} of control swaps"
        for one in kinds
    )
    return Chart("hits", {"curves": curves, "chosen": chosen}, f"Changes in which a head passes the threshold. {said}.")


def _columns(kinds: Sequence[OfKind]) -> dict[str, list[str]]:
    needed = [pairs_needed(one.tried.hits[0], one.tried.false[0]) for one in kinds]
    return {
        "kind": [one.kind for one in kinds],
        "area": [_percents(one.area) for one in kinds],
        "hits": [_percents(one.tried.hits) for one in kinds],
        "false namings": [_percents(one.tried.false) for one in kinds],
        "pairs needed": ["–" if count is None else f"{count:,}" for count in needed],
    }


def _apart_columns(kinds: Sequence[OfKind]) -> dict[str, list[str]]:
    found = [(one.kind, one.apart) for one in kinds if one.apart is not None]
    return {
        "kind": [kind for kind, _ in found],
        "test pairs": [str(apart.n_pairs) for _, apart in found],
        "change beyond the control limit": [_percents(apart.change) for _, apart in found],
        "a head passes": [_percents(apart.head) for _, apart in found],
    }


def _path_columns(paths: Sequence[OfPath]) -> dict[str, list[str]]:
    return {
        "kind": [one.kind for one in paths],
        "path": [f"{', '.join(map(str, one.senders))} → {one.receiver}" for one in paths],
        "test pairs": [number(one.of_pairs, 3) for one in paths],
        "control swaps": [number(one.of_swaps, 3) for one in paths],
        "difference": ["{} ({} to {})".format(*(number(end, 3) for end in one.beyond)) for one in paths],
    }


def _percents(one: Interval) -> str:
    low = percent(one[1]).removesuffix("\u00a0%")
    return f"{percent(one[0])} ({low}–{percent(one[2])})"
