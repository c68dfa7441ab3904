"""What is seen across heads: which look alike and how many differ, and all layers in one picture.

All pairs, how many different heads there are, and those most like one; mean over heads, rollout, and Kovaleva's
classes, each of these with its caution first.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence

import numpy as np

from mha.analysis.alike import FEWEST_FOR_LAYERS, MOST_DRAWN, nearest, within_and_between
from mha.analysis.calibration import FEWEST_HEADS
from mha.analysis.patterns import CLASSES, MOST_ON, kovaleva_classes
from mha.analysis.sinks import set_aside
from mha.analysis.summaries import MOST_TOKENS, head_mean, rollout
from mha.brief import with_arrays
from mha.errors import InputError
from mha.formats import labels, many, number, percent, signed
from mha.maps import AttentionMaps, HeadId
from mha.screens.atlas.whole_model import WholeModel, heads_said
from mha.screens.blocks import (
    Block,
    ChartRow,
    Columns,
    LabelledPicture,
    NumberRows,
    RowChart,
    RowMark,
    Said,
    Span,
    heading,
    said,
    say,
)
from mha.words import right_to_left


class AtlasMatrix(LabelledPicture, kind="atlas_matrix"):
    """Distances of all pairs in an order in which like stands by like.

    ``cells`` are bytes, row by row, in base64: a distance times 255. ``forks`` are the tree above, each two places, two
    heights and its own height. ``names`` are in the order, ``layers`` theirs.
    """

    names: Sequence[str]
    layers: Sequence[int]
    cells: str
    forks: NumberRows
    focus: str


class AtlasPlane(LabelledPicture, kind="atlas_plane"):
    """Heads as points in the plane, [head, 2]; lines go from the focus to the ``near`` ones."""

    points: NumberRows
    names: Sequence[str]
    layers: Sequence[int]
    focus: str
    near: Sequence[str]


@with_arrays
class Thumb:
    """One head on the typed text: name, what stands under it, its map [query, key] (None where there is no text)."""

    name: str
    text: str
    weights: NumberRows | None


class AtlasLike(LabelledPicture, kind="atlas_like"):
    """A head and those most like it; the first is the head itself. ``rtl`` mirrors their maps, as the text reads."""

    heads: Sequence[Thumb]
    rtl: bool | None = None


class AtlasHeat(LabelledPicture, kind="atlas_heat"):
    """Words looking at words, shares of a row [query, key] in the ink of weights; ``rtl`` mirrors them."""

    words: Sequence[str]
    weights: NumberRows
    rtl: bool | None = None


LIKE = 5
LINKED = ((0.1, "hardly"), (0.3, "only weakly"), (0.6, "partly"))  # rank correlations that are smaller, in words


def alike_blocks(case: WholeModel) -> tuple[list[Block], list[Block]]:
    """Return all pairs of heads, similar ones side by side; and the same distances as a map, where there is one."""
    alike = case.atlas.alike
    title = heading("Similar heads")
    if case.n_heads < FEWEST_FOR_LAYERS:
        return [title, said("sub", "This model has one head.")], []
    if alike is None:
        return [title, said("sub", "Similarity is measured after the sentences.")], []
    sub = said("sub", "Similar heads look at the same places. They may still do different things.")
    plane, grown = alike.plane, alike.tree
    if plane is None or grown is None:
        few = f"All pairs are shown for models of up to {MOST_DRAWN} heads; this one has {case.n_heads}."
        return [title, sub, said("cap", few)], []
    distance, names = alike.distance, [str(head) for head in case.heads]
    layers = [int(place) // case.row.n_heads for place in range(case.n_heads)]
    order = [int(place) for place in grown.order]
    near = [names[other] for other, _ in nearest(distance, case.index(case.focus), LIKE)]
    cells = np.rint(distance[np.ix_(order, order)] * 255).astype(np.uint8)
    within, between = within_and_between(distance, case.row.n_heads)
    upper = np.triu_indices(case.n_heads, 1)
    closest = int(distance[upper].argmin())
    a, b = names[upper[0][closest]], names[upper[1][closest]]
    matrix = AtlasMatrix(
        [names[place] for place in order], [layers[place] for place in order],
        base64.b64encode(cells.tobytes()).decode(), grown.forks, str(case.focus),
        label=f"Distances between all pairs of {case.n_heads} heads. Closest: {a} and {b}, "
        f"{number(float(distance[upper].min()))}.",
    )  # fmt: skip
    points = AtlasPlane(
        plane.points, names, layers, str(case.focus), near,
        label=f"The same distances as a map: {case.focus} and the heads most similar to it, {', '.join(near)}.",
    )  # fmt: skip
    rough = " Distances are only approximate here (stress {stress}); use the matrix for pairs." if plane.rough else ""
    means = "" if np.isnan(within) else f" Average distance within a layer: {number(within)}"
    means += "" if np.isnan(between) or not means else f", between layers: {number(between)}"
    note = say(
        "Digits: layers. {lines} nearest to {head}. Axes have no meaning." + rough + "{means}",
        lines=f"Lines: the {heads_said(len(near))}" if len(near) > 1 else "Line: the head", head=case.focus,
        stress=number(plane.stress),
        means=f"{means}." if means else "",
    )  # fmt: skip
    return [title, sub, matrix], [points, Said("cap", note)]


def like_blocks(case: WholeModel) -> list[Block]:
    """Return how many different heads there are, layer by layer beside the twin; and the heads most like one."""
    alike = case.atlas.alike
    if alike is None or case.n_heads < FEWEST_FOR_LAYERS:
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
    if alike is None:
        return []
    found = nearest(alike.distance, case.index(one), LIKE)
    pictures = _pictures(case)

    def thumb(place: int, text: str) -> Thumb:
        at = case.heads[place]
        return Thumb(str(at), text, None if pictures is None else pictures[at])

    thumbs = [thumb(case.index(one), "itself"), *(thumb(other, number(apart)) for other, apart in found)]
    over = "in this sentence" if case.alone else f"average over {alike.n_texts} sentences"
    label = f"Most similar to {one}: " + ", ".join(f"{each.name} at {each.text}" for each in thumbs[1:])
    return [said("cap", f"Distance 0 to 1, {over}."), AtlasLike(thumbs, _rtl(case.maps), label=label)]


def _rtl(maps: AttentionMaps | None) -> bool | None:
    """Return whether maps run from right to left, as their text does; None for "no"."""
    return (maps is not None and right_to_left(maps.text)) or None


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
    if measured is None or np.isnan(measured.goes_with_looking) or case.atlas.alike is None:
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


_FORGETS = "These summaries use attention only. They ignore values and everything between layers."


def too_long_said(maps: AttentionMaps) -> str:
    """Return what stands in the place of the pictures of a text that is too long for them; "" of any other."""
    if maps.n_queries <= MOST_TOKENS:
        return ""
    return (
        f"Averages and rollout are computed for up to {MOST_TOKENS} words and punctuation marks; this sentence "
        f"has {maps.n_queries}."
    )


def mean_blocks(maps: AttentionMaps, layer: int) -> list[Block]:
    """Return the mean over the heads of a layer, and rollout up to it."""
    names = labels(maps.tokens)
    mean, rolled = head_mean(maps)[layer], rollout(maps)[-1]
    rtl = _rtl(maps)
    through = "one layer" if maps.n_layers == 1 else f"all {maps.n_layers} layers"
    return [
        said("cap", f"{_FORGETS} An average can show attention that no single head has. Both are for your sentence "
                    f"only."),
        heading(f"Average of the {many(maps.n_heads, 'head')} of layer {layer}", "h3"),
        AtlasHeat(names, mean, rtl, label=f"Average of the heads of layer {layer}: {_strongest(mean, names)}"),
        heading(f"Rollout through {through}", "h3"),
        said("cap", "Rollout: average the heads, add half of the word itself, multiply the layers. It estimates "
                    "which input "
                    "words reach which output (Abnar & Zuidema 2020)."),
        AtlasHeat(names, rolled, rtl, label=f"Rollout: {_strongest(rolled, names)}"),
    ]  # fmt: skip


def _strongest(shares: np.ndarray, names: tuple[str, ...]) -> str:
    """Return the largest share from a word to another one."""
    if len(shares) < 2:
        return "there is one token alone"
    others = np.where(np.eye(len(shares), dtype=bool), -1.0, shares)
    query, key = np.unravel_index(int(others.argmax()), others.shape)
    largest = percent(shares[query, key])
    return f"the largest share between two tokens is {names[query]} to {names[key]}, {largest}"


def class_blocks(maps: AttentionMaps) -> list[Block]:
    """Return the five classes of Kovaleva et al. 2019 by a rule that can be checked, with their heads."""
    classes, half = kovaleva_classes(maps), percent(MOST_ON)
    about = said(
        "cap",
        "Five map classes (after Kovaleva et al. 2019, with a fixed rule): what a map looks like in your sentence, not "
        f"what the head is for. Vertical: more than {half} of the attention goes to special tokens and punctuation. "
        "Diagonal: to the word itself and its neighbours. Both: to these together. Block: within one of two texts. "
        "Heterogeneous: all others.",
    )
    rows: list[Block] = []
    for at, name in enumerate(CLASSES):
        heads = [HeadId(int(layer), int(head)) for layer, head in np.argwhere(classes == at)]
        if heads:
            listed = ", ".join(str(head) for head in heads[:24]) + (" …" if len(heads) > 24 else "")
            rows.append(said("text", "{name}, {n}: {heads}", name=name.capitalize(), n=str(len(heads)), heads=listed))
    return [about, *rows]
