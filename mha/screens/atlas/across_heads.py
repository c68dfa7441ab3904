"""Across heads: how many different heads there are, and those most similar to one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mha.analysis.alike import FEWEST_FOR_LAYERS, nearest
from mha.analysis.sinks import set_aside
from mha.brief import with_arrays
from mha.errors import InputError
from mha.formats import number, signed
from mha.maps import HeadId
from mha.screens.atlas.whole_model import WholeModel
from mha.screens.blocks import (
    Block,
    ChartRow,
    Columns,
    LabelledPicture,
    NumberRows,
    RowChart,
    RowMark,
    Span,
    heading,
    said,
    say,
)

FEWEST_HEADS = 10  # of nine, two orders by chance alone correlate by .70 or more in one of twenty


@with_arrays
class Thumb:
    """One head on the typed text: name, what stands under it, its map [query, key] (None where there is no text)."""

    name: str
    text: str
    weights: NumberRows | None


class AtlasLike(LabelledPicture, kind="atlas_like"):
    """A head and those most like it; the first is the head itself."""

    heads: Sequence[Thumb]


LIKE = 5
LINKED = ((0.1, "hardly"), (0.3, "only weakly"), (0.6, "partly"))  # rank correlations that are smaller, in words


def alike_blocks(case: WholeModel) -> list[Block]:
    """Return the heading above the similar heads, with its reservation."""
    title = heading("Similar heads")
    if case.n_heads < FEWEST_FOR_LAYERS:
        return [title, said("sub", "This model has one head.")]
    return [title, said("sub", "Similar heads look at the same places. They may still do different things.")]


def like_blocks(case: WholeModel) -> list[Block]:
    """Return how many different heads there are, layer by layer beside the twin; and the heads most like one."""
    alike = case.atlas.alike
    if case.n_heads < FEWEST_FOR_LAYERS:
        return []
    most = [heading(f"Most similar to {case.focus}", style="first"), *most_like(case, case.focus)]
    if alike.twin is None:
        return most
    rows = [(f"all {case.n_heads}", alike.here.whole, alike.twin.whole)]
    if case.row.n_heads >= FEWEST_FOR_LAYERS and case.row.n_layers > 1:
        pairs = zip(alike.here.layers, alike.twin.layers, strict=True)
        rows += [(f"Layer {layer}", one, other) for layer, (one, other) in enumerate(pairs)]
    different: list[Block] = [
        heading("How many different heads are there?", style="first"),
        _different(rows, f"Effective number of heads: {number(rows[0][1], 1)} of {case.n_heads}, in the scrambled copy "
                         f"{number(rows[0][2], 1)}."),
        said("cap", "● {name} · ○ [[scrambled copy]]", name=case.row.short),
    ]  # fmt: skip
    return [Columns((different, most))]


def _different(rows: Sequence[tuple[str, float, float]], label: str) -> RowChart:
    """Return effective numbers of heads, the model's beside its twin's: of each row its name and both."""
    drawn: list[ChartRow] = []
    for name, one, other in rows:
        marks = (RowMark("line", other, one), RowMark("open", other), RowMark("dot", one))
        drawn.append(ChartRow(name, marks, number(one, 1), bold=not drawn))
    top = max(2, math.ceil(max(max(row[1:]) for row in rows) + 0.5))
    return RowChart("effective", drawn, top, "heads", label=label)


def most_like(case: WholeModel, one: HeadId) -> list[Block]:
    """Return one head and those most like it, with pictures on the typed text."""
    alike = case.atlas.alike
    found = nearest(alike.distance, case.index(one), LIKE)
    pictures = _pictures(case)

    def thumb(place: int, text: str) -> Thumb:
        at = case.heads[place]
        return Thumb(str(at), text, None if pictures is None else pictures[at])

    thumbs = [thumb(case.index(one), "itself"), *(thumb(other, number(apart)) for other, apart in found)]
    over = "in this sentence" if case.alone else f"average over {alike.n_texts} sentences"
    label = f"Most similar to {one}: " + ", ".join(f"{each.name} at {each.text}" for each in thumbs[1:])
    return [said("cap", f"Distance 0 to 1, {over}."), AtlasLike(thumbs, label=label)]


def _pictures(case: WholeModel) -> np.ndarray | None:
    """Return the maps of the typed text without what is set aside, [layer, head, query, key]; None for long texts."""
    if case.maps is None or case.maps.n_queries > 40:
        return None
    try:
        return set_aside(case.maps).maps.weights
    except InputError:
        return None


def linked(case: WholeModel) -> list[tuple[Span, ...]]:
    """Return whether heads that look alike affect the same sentences when ablated; nothing where it is not known."""
    measured = case.silenced
    if measured is None or np.isnan(measured.goes_with_looking):
        return []
    acting = int(np.count_nonzero(measured.moved))  # a head that moves no text is in no pair
    if acting < FEWEST_HEADS:
        return []
    pairs = acting * (acting - 1) // 2
    rho = measured.goes_with_looking
    size = next((name for below, name in LINKED if abs(rho) < below), "closely")
    which = "the same" if rho >= 0 or abs(rho) < LINKED[0][0] else "different"
    return [
        say(
            "Looking alike is {size} linked to affecting {which} sentences when ablated (rank correlation {rho} over "
            "{pairs} pairs of heads, not independent).",
            size=size, which=which, rho=signed(rho), pairs=f"{pairs:,}",
        )
    ]  # fmt: skip
