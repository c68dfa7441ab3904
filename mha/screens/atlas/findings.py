"""What is found of a whole model: how many heads look differently, each head's value, and one layer with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from mha.analysis.between import equally_apart
from mha.analysis.roles import FEWEST_WORDS as FEWEST_HERE
from mha.analysis.roles import MIXED, RoleRow
from mha.analysis.usual import FEWEST_WORDS
from mha.analysis.whole import ordered
from mha.engine.atlas import TWIN_SEED
from mha.formats import many, number, percent
from mha.link.atlas import BY_VALUE, CORPUS, HERE
from mha.maps import HeadId, ranked
from mha.screens.atlas.across_heads import linked
from mha.screens.atlas.whole_model import WholeModel, as_number, title_of, with_unit
from mha.screens.blocks import (
    Block,
    ChartRow,
    FlagRows,
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
from mha.screens.places import Together


class AtlasMap(LabelledPicture, kind="atlas_map"):
    """Every head as a cell: its value [layer, head] as a part of ``top``, as text, its mark and its share set aside.

    ``told`` are the values with their units, by which cells are named; ``order`` is which head stands where in its
    layer, ``kept`` which do not fade; ``attention`` whether values are shares of attention, in the ink of weights.
    ``ends`` are the ends of the legend, ``counts`` of the marks by name.
    """

    values: NumberRows
    texts: Sequence[Sequence[str]]
    told: Sequence[Sequence[str]]
    marks: Sequence[Sequence[str]]
    aside: NumberRows
    order: NumberRows
    kept: FlagRows
    attention: bool
    ends: tuple[str, str]
    pins: Sequence[str]
    focus: str
    counts: Sequence[tuple[str, str]]


MOST_HALF = 0.5
QUESTIONS = {  # what the page asks while there is no finding to open with
    CORPUS: "Where does each head look, on average?",
    HERE: "Where does each head look in this sentence?",
}


def question(over: str) -> Together:
    """Return what the page asks over some texts, where nothing is measured yet, or nothing could be."""
    return Together([said("verdict", QUESTIONS[over])], name="whole_question")


def opening_blocks(case: WholeModel) -> list[Block]:
    """Return how many different heads there are in effect, beside its controls; without them what was measured."""
    alike, n = case.atlas.alike, case.n_heads
    halves = int((np.nan_to_num(case.atlas.mean["sink_share"]) >= MOST_HALF).sum())
    rests = say(
        "{halves} of {n} {give} half or more of {their} attention to [[attention sinks|attention sink]].",
        halves=str(halves) if halves else "None", n=f"{'' if halves else 'the '}{n} heads",
        give="gives" if halves <= 1 else "give", their="its" if halves <= 1 else "their",
    )  # fmt: skip
    over = f"Average over {case.texts_said}." if not case.alone else "One sentence is not a pattern."
    if n == 1:
        return [said("verdict", "This model has one head."), said("sub", over)]
    if alike.twin is None:
        within = np.triu_indices(n, 1)
        verdict = say(
            "Average distance between two heads: {apart} (0: same attention everywhere, 1: no overlap).",
            apart=number(float(alike.distance[within].mean())),
        )
        why = say(
            " {over} No effective number is shown, because there is no [[scrambled copy]] as a control.", over=over
        )
        return [Said("verdict", verdict), Said("sub", (*rests, *why))]
    before = "In this sentence, counting" if case.alone else "Counting"
    verdict = say(
        "{before} similar heads as one, the {n} heads look in {here} different ways.",
        before=before, n=str(n), here=number(alike.here.whole, 1),
    )  # fmt: skip
    if alike.n_texts < case.atlas.n_answered:
        over = f"Average over the first {alike.n_texts} sentences."
    _, bound = equally_apart(alike.distance**2)
    beside = say(
        "{over} If every two heads differed equally: {bound}. Without attention sinks: {aside}. [[Scrambled copy|"
        "scrambled copy]]: {twin}. ",
        over=over, bound=number(bound, 1), aside=number(alike.aside.whole, 1), twin=number(alike.twin.whole, 1),
    )  # fmt: skip
    return [Said("verdict", verdict), Said("sub", (*beside, *rests))]


def map_blocks(case: WholeModel) -> list[Block]:
    """Return every head as a cell."""
    row, values = case.shade, case.values
    top = top_of(values, row.unit)
    last = "100\u00a0%" if row.unit == "share" else f"{top:g}\u00a0{row.unit}"
    counts = Counter(row.key for layer in case.patterns for row in layer)
    found = AtlasMap(
        values / top,
        [[as_number(value, row.unit) for value in layer] for layer in values],
        [[with_unit(value, row.unit) for value in layer] for layer in values],
        [["" if row is MIXED else row.key for row in layer] for layer in case.patterns],
        case.atlas.mean["sink_share"],
        ordered(values, case.choices.order == BY_VALUE),
        case.kept,
        row.attention,
        ("0", last),
        [str(pin) for pin in case.view.pins or ()],
        str(case.focus),
        [("" if row is MIXED else row.key, f"{row.name} {counts[row.key]}") for row in case.rule if counts[row.key]],
        label=_map_said(case),
    )
    title = "What each head looks at in this sentence" if case.alone else "What each head usually looks at"
    note: list[Span] = [("next", "Click a head to see it in your sentence.")]
    if gone := int((~case.kept).sum()):
        are = "is" if gone == 1 else "are"
        note.append(("plain", f" {gone} of {case.n_heads} heads {are} dimmed (outside the range)."))
    return [heading(title), found, Said("cap", tuple(note))]


def _map_said(case: WholeModel) -> str:
    """Return the text alternative: what the map finds."""
    values = case.values
    if not np.isfinite(values).any():
        return f"{title_of(case.shade)}, {many(case.n_heads, 'head')}: this pattern cannot occur in these texts."
    most, unit = ranked(np.nan_to_num(values, nan=-1))[0], case.shade.unit
    return (
        f"{title_of(case.shade)} of {many(case.n_heads, 'head')}, {case.texts_said}: highest in {most} "
        f"({with_unit(float(values[most]), unit)}), median {with_unit(float(np.nanmedian(values)), unit)}."
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
    here = None if case.here is None or case.alone else case.here.mean[row.key][layer]
    rows = []
    for place in np.argsort(-np.nan_to_num(values, nan=-1), kind="stable"):
        if np.isnan(values[place]):
            continue
        marks = [RowMark("dot", float(values[place]))]
        text = with_unit(float(values[place]), row.unit)
        if low is not None and high is not None:
            least, most = float(low[layer, place]), float(high[layer, place])
            factor = 100 if row.unit == "share" else 1
            text += f"  {number(least * factor, 1)} to {number(most * factor, 1)}"
            marks.insert(0, RowMark("range", least, most))
        if here is not None and np.isfinite(here[place]):
            marks.append(RowMark("ring", float(here[place])))
        rows.append(ChartRow(str(HeadId(layer, int(place))), marks, text))
    over = "Dot: value in this sentence." if case.alone else "Dot: average."
    bar = " Bar: 95\u00a0% interval." if low is not None and high is not None else ""
    mark = " Ring: your sentence." if here is not None else ""
    title = f"Layer {layer}: {title_of(row).lower()}"
    if not rows:
        return [heading(title), said("sub", "This pattern cannot occur in these texts.")]
    ends_at = max(end for one in rows for mark in one.marks for end in (mark.at, mark.to) if end is not None)
    there = rows[0].number.replace("  ", ", 95\u00a0% interval ")
    label = f"{title_of(row)} in layer {layer}: highest in {rows[0].name}, {there}; lowest in {rows[-1].name}."
    return [
        heading(title),
        said("sub", f"{over}{bar}{mark}"),
        RowChart("intervals", rows, _axis(ends_at, row.unit), row.unit, label=label),
    ]


def _axis(value: float, unit: str) -> float:
    """Return the end of an axis a little beyond a value."""
    step = 0.1 if unit == "share" else 0.5
    return float(max(step, np.ceil(value / step + 1e-9) * step))


def foot_said(case: WholeModel) -> tuple[Span, ...]:
    """Return what no number of the page shows, and the model."""
    return say(
        "Where a head looks is not what it does. {model}, {origin}, {layers} × {heads}.",
        model=case.row.short, origin=case.row.origin_said,
        layers=many(case.row.n_layers, "layer"), heads=many(case.row.n_heads, "head"),
    )  # fmt: skip


def rule_lines(rows: Sequence[RoleRow]) -> tuple[tuple[Span, ...], ...]:
    """Return the rule, a line for each pattern in its order."""
    return tuple(
        say(f"{{name}}: at least {percent(row.threshold)} of {row.of}. ({row.source})", name=row.name)
        for row in rows[:-1]
    )


def measured(case: WholeModel) -> list[tuple[Span, ...]]:
    """Return how the numbers of the page were made, a paragraph each."""
    left, row = case.atlas.n_left_out, case.shade
    out = f" {left} could not be read by this model, or are too long, and are skipped." if left else ""
    fewest = f"{FEWEST_HERE if case.alone else FEWEST_WORDS} words or more"
    rule = [say(f"Symbols of patterns need {'a sentence' if case.alone else 'sentences'} of {fewest}.")]
    if case.patterns:
        over = "" if case.alone else f", over those of {fewest}"
        symbols = say(f"Symbols: the first pattern that fits{over}. Heads without one are mixed.")
        rule = [symbols, *rule_lines(case.rule)]
    found = [
        say(
            "Texts: {texts}.{out} Only words count as rows; special tokens and punctuation count as columns. Nothing "
            "is rescaled.",
            texts=case.texts_said, out=out,
        ),
        *rule,
        say("Colour: {title}, {of} ({source}).", title=title_of(row).lower(), of=row.of, source=row.source),
    ]  # fmt: skip
    alike = case.atlas.alike
    if case.n_heads > 1:
        apart, _ = equally_apart(alike.distance**2)
        found += [
            say(
                "Distance: square root of the mean Jensen–Shannon [[divergence]] (0: same attention everywhere, 1: no "
                "overlap)."
            ),
        ]
        if alike.twin is not None:  # else no effective number is shown
            found.append(
                say(
                    "[[Effective number|effective number of heads]]: exp of the entropy of the eigenvalues of (1 − JS) "
                    "/ n (Vendi score, Friedman & Dieng 2023; 1 if all look at the same places, {n} if none overlap). "
                    "The scrambled copy has seed {seed}. “If every two heads differed equally”: by {apart} bits each, "
                    "the average.",
                    seed=str(TWIN_SEED),
                    n=str(case.n_heads),
                    apart=number(apart, 2),
                )
            )
        if case.maps is not None:
            found.append(say("Small maps of similar heads: your sentence, attention sinks excluded."))
        found += linked(case)
    return [*found, say("Model: {model} ({source}).", model=case.row.short, source=case.row.source)]
