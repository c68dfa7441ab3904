"""Which heads of a model look alike: all pairs, how many different heads there are, and those most like one."""

from __future__ import annotations

import base64

import numpy as np

from mha.analysis.alike import nearest, within_and_between
from mha.analysis.alike_over import FEWEST_FOR_LAYERS, MOST_DRAWN
from mha.analysis.calibration import FEWEST_HEADS
from mha.analysis.sinks import set_aside
from mha.engine.atlas import TWIN_SEED
from mha.errors import InputError
from mha.formats import number, signed
from mha.maps import HeadId
from mha.screens.atlas.blocks import (
    AtlasDifferent,
    AtlasLike,
    AtlasMatrix,
    AtlasPlane,
    Thumb,
)
from mha.screens.atlas.whole_model import WholeModel, heads_said
from mha.screens.blocks import Block, Columns, Said, heading, said, say

LIKE = 5


def alike_blocks(case: WholeModel) -> list[Block]:
    """Return all pairs of heads, like by like, and the same distances as a map."""
    alike = case.atlas.alike
    title = heading("Heads that are alike")
    if case.n_heads < FEWEST_FOR_LAYERS:
        return [title, said("sub", "There is one head, which is like no other.")]
    if alike is None:
        return [title, said("sub", "Which heads look alike is measured once the sentences are.")]
    sub = said(
        "sub",
        "Alike means: from the same words they look at the same places. It does not mean that they do the same."
        + (" In one sentence." if case.alone else ""),
    )
    plane, grown = alike.plane, alike.tree
    if plane is None or grown is None:
        return [title, sub, said("cap", f"All pairs are drawn for models of up to {MOST_DRAWN} heads; this one has "
                                        f"{case.n_heads}. The heads most like one stand below.")]  # fmt: skip
    distance, names = alike.distance, _names(case)
    layers = [int(place) // case.row.n_heads for place in range(case.n_heads)]
    order = [int(place) for place in grown.order]
    near = [names[other] for other, _ in nearest(distance, _index(case, case.focus), LIKE)]
    cells = np.rint(distance[np.ix_(order, order)] * 255).astype(np.uint8)
    within, between = within_and_between(distance, case.row.n_heads)
    upper = np.triu_indices(case.n_heads, 1)
    closest = int(distance[upper].argmin())
    a, b = names[upper[0][closest]], names[upper[1][closest]]
    matrix = AtlasMatrix(
        [names[place] for place in order], [layers[place] for place in order],
        base64.b64encode(cells.tobytes()).decode(), grown.forks, str(case.focus),
        f"Distances of all pairs of {case.n_heads} heads, like by like. The closest two are {a} and {b}, "
        f"{number(float(distance[upper].min()))}.",
    )  # fmt: skip
    points = AtlasPlane(
        plane.points, names, layers, str(case.focus), near,
        f"The same distances in the plane: {case.focus} and the heads most like it, {', '.join(near)}.",
    )  # fmt: skip
    rough = "; two dimensions show these distances only roughly, so read pairs off the matrix" if plane.rough else ""
    means = "" if np.isnan(within) else f" Mean distance within a layer {number(within)}"
    means += "" if np.isnan(between) or not means else f", between layers {number(between)}"
    note = say(
        "A numeral is a head of that layer; lines go to the {count} most like {head}. Stress {stress}{rough}. Axes "
        "have no meaning.{means}",
        count=heads_said(len(near)), head=case.focus, stress=number(plane.stress), rough=rough,
        means=f"{means}." if means else "",
    )  # fmt: skip
    left: list[Block] = [heading("All pairs, neighbours side by side", "h3", "first"), matrix]
    right: list[Block] = [
        heading("The same distances, flattened to a map", "h3", "first"), points, Said("cap", note)
    ]  # fmt: skip
    return [title, sub, Columns((left, right))]


def _names(case: WholeModel) -> list[str]:
    return [str(HeadId(place // case.row.n_heads, place % case.row.n_heads)) for place in range(case.n_heads)]


def _index(case: WholeModel, one: HeadId) -> int:
    return one.layer * case.row.n_heads + one.head


def like_blocks(case: WholeModel) -> list[Block]:
    """Return how many different heads there are, layer by layer beside the twin; and the heads most like one."""
    if case.atlas.alike is None or case.n_heads < FEWEST_FOR_LAYERS:
        return []
    most = [heading(f"Most like {case.focus}", style="first"), *most_like(case, case.focus), *_doing(case)]
    left = _different(case)
    return [Columns((left, most))] if left else most


def _different(case: WholeModel) -> list[Block]:
    alike = case.atlas.alike
    if alike is None or alike.twin is None:
        return []
    rows = [(f"all {case.n_heads}", alike.here.whole, alike.twin.whole)]
    if case.row.n_heads >= FEWEST_FOR_LAYERS and case.row.n_layers > 1:
        pairs = zip(alike.here.layers, alike.twin.layers, strict=True)
        rows += [(f"Layer {layer}", one, other) for layer, (one, other) in enumerate(pairs)]
    n = case.row.n_heads
    span = f"{n} or {case.n_heads}" if case.row.n_layers > 1 else f"{n}"
    texts = "this sentence" if case.alone else f"{alike.n_texts} sentences"
    return [
        heading("How many different heads?", style="first"),
        said("cap", f"Effective number: 1 if all heads looked alike, {span} if no two shared a look."),
        AtlasDifferent(
            rows,
            f"Effective number of heads: {number(rows[0][1], 1)} of {case.n_heads}, "
            f"in the twin {number(rows[0][2], 1)}.",
        ),
        said("cap", "Filled: {name}. Open: its scrambled twin, seed {seed}. Both over {texts}. exp of the entropy of "
                    "the eigenvalues of (1 − JS) / n (Vendi score).",
             name=case.row.short, seed=str(TWIN_SEED), texts=texts),
    ]  # fmt: skip


def most_like(case: WholeModel, one: HeadId, click: str = "Click one to see its likes.") -> list[Block]:
    """Return one head and those most like it, with pictures on the typed text."""
    alike = case.atlas.alike
    if alike is None:
        return []
    found = nearest(alike.distance, _index(case, one), LIKE)
    pictures = _pictures(case)

    def thumb(place: int, text: str) -> Thumb:
        at = HeadId(place // case.row.n_heads, place % case.row.n_heads)
        return Thumb(str(at), text, None if pictures is None else pictures[at])

    thumbs = [thumb(_index(case, one), "itself"), *(thumb(other, number(apart)) for other, apart in found)]
    over = "in this sentence" if case.alone else f"over {alike.n_texts} sentences"
    seen = "; pictures on the sentence above, what is [[set aside]] left out" if pictures is not None else ""
    label = f"Most like {one}: " + ", ".join(f"{each.name} at {each.text}" for each in thumbs[1:])
    return [
        said("cap", f"Distance in looking {over}, 0 to 1{seen}. {click}"),
        AtlasLike(thumbs, label),
    ]


def _pictures(case: WholeModel) -> np.ndarray | None:
    """Return the maps of the typed text without what is set aside, [layer, head, query, key]; None for long texts."""
    if case.maps is None or case.maps.n_queries > 40:
        return None
    try:
        return set_aside(case.maps).maps.weights
    except InputError:
        return None


def _doing(case: WholeModel) -> list[Block]:
    measured = case.silenced
    if measured is None or np.isnan(measured.goes_with_looking) or case.atlas.alike is None:
        return []
    acting = int(np.count_nonzero(measured.moved))  # a head that moves no text is in no pair
    if acting < FEWEST_HEADS:
        return []
    pairs = acting * (acting - 1) // 2
    rho = measured.goes_with_looking
    size = "hardly" if abs(rho) < 0.1 else "only weakly" if abs(rho) < 0.3 else "in part" if abs(rho) < 0.6 else "much"
    with_what = f"{size} goes with" if rho >= 0 or abs(rho) < 0.1 else f"{size} goes against"
    return [
        said("cap", "Looking or doing? Over the bundled sentences, being alike in looking {goes} moving the same "
                    "sentences when silenced: rank correlation {rho} over {pairs} pairs of heads, which are not "
                    "independent.", goes=with_what, rho=signed(rho), pairs=f"{pairs:,}"),
    ]  # fmt: skip
