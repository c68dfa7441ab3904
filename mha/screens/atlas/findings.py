"""What Whole model says and shows, from the top of the page down."""

from __future__ import annotations

import base64
from collections import Counter

import numpy as np

from mha.analysis.alike import nearest, within_and_between
from mha.analysis.alike_over import FEWEST_FOR_LAYERS, MOST_DRAWN
from mha.analysis.calibration import FEWEST_HEADS
from mha.analysis.corpus import FEWEST
from mha.analysis.sinks import set_aside
from mha.analysis.whole import MARKED_FROM, ordered, shade
from mha.engine.atlas import TWIN_SEED
from mha.errors import InputError
from mha.formats import number, signed
from mha.link.atlas import BY_VALUE, CORPUS, HERE, OWN, READINGS
from mha.maps import HeadId
from mha.screens.atlas.blocks import (
    AtlasDifferent,
    AtlasLike,
    AtlasMap,
    AtlasMatrix,
    AtlasPlane,
    AtlasRow,
    Interval,
    Thumb,
)
from mha.screens.atlas.whole_model import WholeModel, as_number, heads_said, with_unit
from mha.screens.blocks import Block, Columns, Said, Span, head, heading, said, say

MOST_HALF = 0.5
LIKE = 5
MARKS = {
    "previous_word": "previous word",
    "next_word": "next word",
    "same_word": "same word",
    "elsewhere": "same word elsewhere",
    "punctuation": "punctuation",
    "broad": "broad",
}

QUESTIONS = {  # what the page asks while there is no finding to open with
    CORPUS: "Over many sentences: where does each head look?",
    HERE: "In this sentence: where does each head look?",
    OWN: "Over sentences of yours: where does each head look?",
    READINGS: "Over sentences of yours with two readings: which heads lean further than by chance?",
}


def question_blocks(over: str) -> list[Block]:
    """Return what the page asks over some texts, where nothing is measured yet, or nothing could be."""
    return [said("verdict", QUESTIONS[over])]


def nothing_said(count: int) -> str:
    """Return what is said where no text of a run could be measured."""
    texts, too_long = ("this text", "it is") if count == 1 else (f"these {count:,} texts", "they are")
    return f"Nothing was measured: this model cannot read {texts}, or {too_long} too long for it."


def opening_blocks(case: WholeModel) -> list[Block]:
    """Return how many different heads there are in effect, beside its controls; without them what was measured."""
    alike, n = case.atlas.alike, case.n_heads
    halves = int((np.nan_to_num(case.atlas.mean["sink_share"]) >= MOST_HALF).sum())
    rests = say(
        "{halves} of {n} heads {give} half of their attention or more to what is [[set aside]].",
        halves=str(halves) if halves else "None", n=str(n), give="gives" if halves <= 1 else "give",
    )  # fmt: skip
    over = f"Over {case.texts_said}."
    if n == 1:
        return [said("verdict", "This model has one head."), said("sub", over)]
    if alike is None:
        verdict = say("{heads}, {over}.", heads=heads_said(n).capitalize(), over=case.texts_said)
        return [Said("verdict", verdict), Said("sub", (*rests, *say(" How alike they look comes last.")))]
    if alike.twin is None:
        within = np.triu_indices(n, 1)
        verdict = say(
            "Two heads lie {apart} apart on average, where 0 is the same look from every word and 1 none shared.",
            apart=number(float(alike.distance[within].mean())),
        )
        why = say(" {over} No number of different heads: there is no scrambled twin to hold it against.", over=over)
        return [Said("verdict", verdict), Said("sub", (*rests, *why))]
    before = "In this sentence, by where they look," if case.alone else "By where they look,"
    verdict = say(
        "{before} {n} heads count as {here} different ones.",
        before=before, n=str(n), here=number(alike.here.whole, 1),
    )  # fmt: skip
    if alike.n_texts < case.atlas.n_answered:
        over = f"The number is over the first {alike.n_texts} sentences."
    beside = say(
        " {over} With it left out, the heads count as {aside}; those of the scrambled twin, as {twin}.{alone}",
        over=over, aside=number(alike.aside.whole, 1), twin=number(alike.twin.whole, 1),
        alone=" One sentence is no habit." if case.alone else "",
    )  # fmt: skip
    return [Said("verdict", verdict), Said("sub", (*rests, *beside))]


def map_blocks(case: WholeModel) -> list[Block]:
    """Return every head as a cell."""
    row, values = case.shade, case.values
    top = top_of(values, row.unit)
    last = "100\u00a0%" if row.unit == "share" else f"{top:g}\u00a0{row.unit}"
    counts = Counter(mark for layer in case.marks for mark in layer)
    unmarked = f"no mark: no pattern reaches {MARKED_FROM:.0%} of what the head gives to words, {counts['']}"
    found = AtlasMap(
        values / top,
        [[as_number(value, row.unit) for value in layer] for layer in values],
        case.marks,
        case.atlas.mean["sink_share"],
        ordered(values, case.choices.order == BY_VALUE),
        case.kept,
        row.attention,
        ("0", last),
        row.of,
        [str(pin) for pin in case.view.pins or ()],
        str(case.focus),
        [
            *((key, f"{name}, {counts[key]}") for key, name in MARKS.items() if counts[key]),
            ("", unmarked.replace("%", "\u00a0%")),
        ],
        _map_said(case),
    )
    title = "Where each head looks in this sentence" if case.alone else "Where each head looks, as a habit"
    note = "Click a head to see it in your sentence, on Heads. By keyboard: pinned heads are chosen under View."
    return [heading(title), found, said("cap", note + _faded(case))]


def _faded(case: WholeModel) -> str:
    gone = int((~case.kept).sum())
    return f" {gone} of {case.n_heads} fade: they are outside the range." if gone else ""


def _map_said(case: WholeModel) -> str:
    """Return the text alternative: what the map finds."""
    values = case.values
    if not np.isfinite(values).any():
        return f"{case.shade.title}, {case.n_heads} heads: no answer in these texts."
    best = int(np.nan_to_num(values, nan=-1).argmax())
    most = HeadId(*(int(part) for part in np.unravel_index(best, values.shape)))
    return (
        f"{case.shade.title} of {case.n_heads} heads, {case.texts_said}: most in {most}, "
        f"{with_unit(float(values[most]), case.shade.unit)}; middle head "
        f"{with_unit(float(np.nanmedian(values)), case.shade.unit)}."
    )


def top_of(values: np.ndarray, unit: str) -> float:
    """Return what ends a scale: 1 for shares, else the next half above the largest value.

    >>> top_of(np.array([0.2, 3.1]), "bits")
    3.5
    """
    if unit == "share" or not np.isfinite(values).any():
        return 1.0
    return max(0.5, float(np.ceil(np.nanmax(values) * 2) / 2))


def row_blocks(case: WholeModel) -> list[Block]:
    """Return the heads of one layer, the largest first, with intervals and what the typed text alone has."""
    row, layer = case.shade, case.layer
    values = case.values[layer]
    low, high = (end.get(row.key) for end in (case.atlas.low, case.atlas.high))
    known = low is not None and high is not None
    here = None if case.here is None or case.alone else case.here.mean[row.key][layer]
    rows = []
    for place in np.argsort(-np.nan_to_num(values, nan=-1), kind="stable"):
        if np.isnan(values[place]):
            continue
        least = most = None
        text = with_unit(float(values[place]), row.unit)
        if known and low is not None and high is not None:
            least, most = float(low[layer, place]), float(high[layer, place])
            factor = 100 if row.unit == "share" else 1
            text += f"  {number(least * factor, 1)} to {number(most * factor, 1)}"
        alone = None if here is None or np.isnan(here[place]) else float(here[place])
        rows.append(Interval(str(HeadId(layer, int(place))), float(values[place]), least, most, alone, text))
    over = "Its value in this sentence alone" if case.alone else f"Mean over {case.texts_said}"
    bar = "; bar: 95\u00a0% interval over sentences" if known else ""
    if not known and not case.alone:
        bar = f"; intervals are drawn from {FEWEST} sentences on"
    mark = " Open mark: the sentence above alone. One sentence is not the habit." if here is not None else ""
    title = f"Layer {layer}, {row.title.lower()}{', with intervals' if known else ''}"
    if not rows:
        return [heading(title), said("sub", "This has no answer in these texts: the pattern cannot occur in them.")]
    ends_at = max(
        [one.mean for one in rows]
        + [one.high for one in rows if one.high is not None]
        + [one.here for one in rows if one.here is not None]
    )
    label = f"{row.title} in layer {layer}: most in {rows[0].name}, {rows[0].text}; least in {rows[-1].name}."
    return [
        heading(title),
        said("sub", f"{over}{bar}.{mark}"),
        AtlasRow(rows, _axis(ends_at, row.unit), row.unit, label),
    ]


def _axis(value: float, unit: str) -> float:
    """Return the end of an axis a little beyond a value."""
    step = 0.1 if unit == "share" else 0.5
    return float(max(step, np.ceil(value / step + 1e-9) * step))


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


def sheet_said(one: HeadId) -> tuple[Span, ...]:
    """Return the label of the way to a head's sheet."""
    return (("plain", "What does this head do? The sheet of "), head(one))


def foot_said(case: WholeModel) -> tuple[str, ...]:
    """Return where the numbers come from and how they were treated."""
    left = case.atlas.n_left_out
    out = f" {left} could not be read by this model, or are too long, and are left out." if left else ""
    return (
        f"{case.row.short} ({case.row.source}), {case.row.origin}, {case.row.n_layers} layers × {case.row.n_heads} "
        f"heads, {case.texts_said}, words.{out} Rows of words alone; [CLS], [SEP] and their like, and punctuation, are "
        "looked at and do not look; nothing rescaled. Distance: square root of the mean Jensen–Shannon divergence, "
        "base 2. Order: average linkage with optimal leaves. Map: metric scaling, 20 starts, fixed seed. "
        f"{shade(case.choices.colour).title}: {shade(case.choices.colour).source}. A mark is a habit, not a function. "
        "Where a head looks is not what it does.",
    )
