"""What is found of a whole model: how many heads look differently, each head's value, and one layer with intervals."""

from __future__ import annotations

from collections import Counter

import numpy as np

from mha.analysis.corpus import FEWEST
from mha.analysis.whole import MARKED_FROM, ordered, shade
from mha.formats import number
from mha.link.atlas import BY_VALUE, CORPUS, HERE, OWN, READINGS
from mha.maps import HeadId
from mha.screens.atlas.blocks import (
    AtlasMap,
    AtlasRow,
    Interval,
)
from mha.screens.atlas.whole_model import WholeModel, as_number, heads_said, with_unit
from mha.screens.blocks import Block, Said, Span, head, heading, said, say

MOST_HALF = 0.5
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
