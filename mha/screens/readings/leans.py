"""Every head's lean beside its controls: the lean maps, the reach strip, each head's own shuffles, the table. Pure."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from mha.analysis.leaning import Leaning
from mha.analysis.readings import Leans
from mha.formats import few, few_of, signed
from mha.intervention.calibrated import KindCalibration
from mha.maps import HeadId
from mha.screens.blocks import Block, Columns, heading, said
from mha.screens.readings.case import ranked
from mha.screens.readings.drawn import LEAN_LEGEND, MARKS_KEY, LeanMap, Legend, OwnShuffles, Reach, ReachRow

HINT = "show it above"  # what a click on a head of the large map does
PAIRS = ("AUC", "AUC from", "AUC to")


def outside_sentence(leaning: Leaning) -> str:
    """Return how many heads lie outside their own shuffles, beside what chance gives."""
    found = leaning.n_outside
    who = few(found) if found else "None"
    verb, own = ("lies", "its") if found < 2 else ("lie", "their")
    return (
        f"{who} of {leaning.here.a.size} heads {verb} outside all {own} own shuffles; about "
        f"{round(leaning.summary.expected_outside)} would by chance."
    )


def reached(lean: np.ndarray) -> str:
    """Return the furthest head to each side as a part of a sentence; ``lean`` is [layer, head]."""
    sides = []
    for letter, towards in (("A", lean), ("B", -lean)):
        furthest = ranked(towards)[0]
        there = towards[furthest] > 0
        sides.append(
            f"furthest to {letter} {furthest}, {signed(lean[furthest])}" if there else f"no head leans to {letter}"
        )
    return ", ".join(sides)


def map_blocks(leaning: Leaning, chosen: tuple[HeadId, HeadId]) -> list[Block]:
    """Return the lean of every head beside its controls, one key for all maps; the chosen heads are ringed."""
    here = leaning.here
    controls: list[Block] = [
        heading("The same words, shuffled", "h3", "first"),
        _map(leaning.mean_shuffle, "mean of the shuffles"),
        said(
            "cap",
            f"Mean of {len(leaning.shuffles)} orders. Rank correlation with this sentence "
            f"{signed(leaning.shuffle_correlation).replace('+', '')}: that much of a lean belongs to the words.",
        ),
    ]
    if leaning.twin is None:
        controls.append(said("cap", "A toy has no scrambled twin; the shuffles are its control."))
    else:
        controls += [
            heading("Scrambled twin", "h3", "near"),
            _map(leaning.twin, "scrambled twin"),
            said(
                "cap",
                f"The same weights, each matrix’s entries in random places. It leans as far as "
                f"{leaning.twin_reach:.2f} without knowing anything; {few_of(leaning.beyond_twin)} of "
                f"{here.a.size} heads here go beyond that. All three maps share one key.",
            ),
        ]
    main: list[Block] = [
        heading("This sentence", "h3", "first"),
        _map(here, "this sentence", size="large", chosen=chosen, hint=HINT),
        Legend(LEAN_LEGEND),
        said("cap", "Click a head to see it in one of the two pictures above."),
    ]
    return [Legend(MARKS_KEY), Columns((main, controls), (62, 43), 64)]


def _map(leans: Leans, about: str, size: str = "small", **more: Any) -> LeanMap:
    label = f"{about}: {reached(leans.lean)}; the same numbers are in the table"
    return LeanMap(size, leans.a, leans.b, leans.no_opinion, label, **more)


def strip_blocks(leaning: Leaning, names: tuple[str, str]) -> list[Block]:
    """Return how far any head leans, beside shuffles and twin, and each head beside its own shuffles.

    ``names`` are those of reading A and reading B.
    """
    here, summary, orders = leaning.here, leaning.summary, len(leaning.shuffles)
    low, high = leaning.band
    rows = [
        ReachRow(
            "This sentence",
            f"{here.a.size} heads",
            "heads",
            here.lean.ravel(),
            none=here.no_opinion.ravel(),
            named=[{"name": str(head), "lean": float(here.lean[head])} for head in leaning.furthest],
        ),
        ReachRow(
            "The same words, shuffled",
            f"{orders} × {here.a.size}",
            "shuffles",
            np.round(summary.leans.ravel(), 3),
            furthest=np.concatenate(leaning.edges),
        ),
    ]
    if leaning.twin is not None:
        about = f"{here.a.size} heads, same weights, permuted"
        rows.append(ReachRow("Scrambled twin", about, "twin", leaning.twin.lean.ravel()))
    twin = "" if leaning.twin is None else f"; the scrambled twin: {reached(leaning.twin.lean)}"
    counted, outside = outside_sentence(leaning), leaning.n_outside
    ringed = " They are ringed." if outside > 1 else " It is ringed." if outside else ""
    return [
        heading("How far does any head lean?", "h3"),
        said(
            "cap",
            "Each mark is one head. The tall dark ticks are the furthest head of each shuffle, either way; the band is "
            "what half of them reach.",
        ),
        Reach(
            rows,
            {"low": low, "high": high},
            dict(zip("ab", names, strict=True)),
            f"this sentence: {reached(here.lean)}; half of the {orders} shuffles reach past {signed(low)} to B or past "
            f"{signed(high)} to A{twin}",
        ),
        heading(f"Each head against its own {orders} shuffles", "h3"),
        said("cap", f"Grey: how far this head leans when the same words stand in other orders. {counted}{ringed}"),
        OwnShuffles(
            here.lean,
            summary.leans.min(axis=0),
            summary.leans.max(axis=0),
            here.no_opinion,
            summary.outside,
            "the lean of each head beside the range of its own shuffles; " + counted,
        ),
    ]


def lean_rows(leaning: Leaning, known: KindCalibration | None) -> dict[str, list[Any]]:
    """Return the table: one column a number, an entry a head; the AUC only where the kind has forced pairs."""
    here, summary = leaning.here, leaning.summary
    arrays = {"a": here.a, "b": here.b, "lean": here.lean, "share": here.share}
    arrays |= {"shuffled": summary.mean, "spread": summary.spread}
    columns: dict[str, list[Any]] = {"Head": [str(HeadId(*place)) for place in np.ndindex(here.a.shape)]}
    for name, array in arrays.items():
        columns[name] = [None if np.isnan(value) else round(float(value), 4) for value in array.ravel()]
    columns["looks along neither"] = here.no_opinion.ravel().tolist()
    columns["outside its shuffles"] = summary.outside.ravel().tolist()
    if known is not None:
        told = known.telling
        for name, array in zip(PAIRS, (told.auc, told.auc_low, told.auc_high), strict=True):
            columns[name] = [round(float(value), 4) for value in array.ravel()]
    return columns


def lean_csv(rows: dict[str, list[Any]]) -> str:
    """Return the rows as CSV, one line a head."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(rows)
    writer.writerows(zip(*rows.values(), strict=True))
    return text.getvalue()
