"""What does this head do? Its profile: usual shares, rank, connections, what it carries, what cannot be concluded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.analysis.roles import MIXED
from mha.analysis.whole import Extreme, rank, shade
from mha.brief import with_arrays
from mha.formats import counted, many, number, percent, signed
from mha.intervention.calibrated import Calibration, Carrying
from mha.intervention.outcomes import Threes
from mha.maps import HeadId, ranked
from mha.pairs import KINDS, corpus
from mha.screens.atlas.across_heads import most_like
from mha.screens.atlas.whole_model import WholeModel, title_of, with_unit
from mha.screens.blocks import (
    Block,
    ChartRow,
    Columns,
    LabelledPicture,
    RowChart,
    RowMark,
    Said,
    Span,
    heading,
    said,
    say,
    word,
)
from mha.screens.pieces import Piece, text_pieces
from mha.words import words


class SheetHabit(LabelledPicture, kind="sheet_habit"):
    """Mean shares by distance from word to word: (how many words on, share)."""

    bars: Sequence[tuple[int, float]]


@dataclass(frozen=True)
class SheetStrip:
    """One number of all heads as ticks, this head's as a disc with its interval; all as parts of the axis."""

    title: str
    others: Sequence[float]
    own: float
    low: float | None
    high: float | None
    text: str
    rank: str


class SheetPlace(LabelledPicture, kind="sheet_place"):
    """Where a head stands among all, a strip each; ``ends`` are the numbers under the axis of a single one."""

    strips: Sequence[SheetStrip]
    ends: Sequence[str]


@dataclass(frozen=True)
class SheetLook:
    """One look on its sentence: ``query`` and ``key`` are places of pieces; beside it what the habit gives.

    ``brought`` is the share of what the look brings, None where that is not told.
    """

    pieces: Sequence[Piece]
    query: int
    key: int
    weight: float
    habit: float
    label: str
    brought: float | None = None


class SheetLooks(Block, kind="sheet_looks"):
    """The looks furthest beyond the habit, in two columns."""

    looks: Sequence[SheetLook]


class SheetNot(Block, kind="sheet_not"):
    """What may not be concluded, a line each."""

    lines: Sequence[tuple[Span, ...]]


REACH = 4  # words that the habit is drawn to, on either side
LEAST_SHARE = 0.2  # of its attention: less is no description of a head, whatever its rank
BEST_OF = 10  # ranks that a pattern may stand out with, of 72 heads; in smaller models the first seventh
STANDS_OUT = {  # pattern: what a head that is among the first in it does
    "next_word": "{head} {mostly}looks at the next word: {share} of its attention, {rank}.",
    "previous_word": "{head} {mostly}looks at the previous word: {share} of its attention, {rank}.",
    "same_word": "{head} {mostly}looks at the word itself: {share} of its attention, {rank}.",
    "elsewhere": "{head} looks at repeated words: where a word occurs again, it gives {share} of its attention to "
    "the copy, {rank}.",
    "punctuation": "{head} {mostly}looks at punctuation: {share} of its attention, {rank}.",
}
USUAL = {
    "sinks": "{head} mostly looks at [[attention sinks|attention sink]]."
}  # by `mha.analysis.roles`, if no rank stands out
PLACES = (*STANDS_OUT, "sink_share", "entropy", "mean_distance")
ORDINALS = ("the most", "the second most", "the third most", "the fourth most", "the fifth most")
MOSTLY = 0.5  # of its attention
FEWEST_LINES = 4
OFTEN = 3  # looks that start at the same word, and it is told
KIND_TITLES = {"attachment": "Attachment", "pronoun": "Pronoun", "he/she": "He or she",
               "relative clause": "Relative clause"}  # fmt: skip


@with_arrays
class HeadSheet:
    """One head of a whole model over the bundled sentences; what is not known is None.

    ``brings`` are shares of what its looks bring, look by look, or why that is not told.
    """

    case: WholeModel
    head: HeadId
    calibration: Calibration | None
    threes: Threes | None
    brings: tuple[float, ...] | str = ()

    @property
    def index(self) -> int:
        """Its number among all heads."""
        return self.case.index(self.head)

    @property
    def looks(self) -> tuple[Extreme, ...]:
        """Its looks furthest beyond its habit."""
        return self.case.atlas.looks[self.index] if self.case.atlas.looks else ()


def stands_out(sheet: HeadSheet) -> str | None:
    """Return the pattern in which the head has the best rank, if that is among the first and a fifth of its looks."""
    n = sheet.case.n_heads
    most = min(BEST_OF, math.ceil(n / 7))
    found = [
        (rank(values, sheet.head), -float(values[sheet.head]), key)
        for key in STANDS_OUT
        if (values := sheet.case.atlas.mean[key])[sheet.head] >= LEAST_SHARE  # nor is what was not measured
    ]
    best = min(found, default=None)
    return best[2] if best is not None and best[0] <= most and n > 1 else None


def opening_blocks(sheet: HeadSheet) -> list[Block]:
    """Return the first sentence, and what its strongest looks have in common."""
    case, pattern, head = sheet.case, stands_out(sheet), sheet.head
    about = f"layer {head.layer} · {case.row.short}"
    usual = case.patterns[head.layer][head.head] if case.patterns else MIXED
    finding = said("finding", "No clear pattern.")
    if usual is not MIXED:
        about = f"{usual.name} · {about}"
        finding = said("finding", USUAL.get(usual.key, "Usual pattern: {name}."), head=head, name=usual.name)
    if pattern is not None:
        values = case.atlas.mean[pattern]
        place = rank(values, head)
        order = ORDINALS[place - 1] if place <= len(ORDINALS) else f"rank {place}"
        finding = said(
            "finding",
            STANDS_OUT[pattern],
            head=head,
            share=percent(values[head]),
            mostly="mostly " if values[head] >= MOSTLY else "",
            rank=f"{order} of {case.n_heads} heads",
        )
    return [said("verdict", "Head {head}", head=head), said("cap", about), finding, Said("sub", _beyond(sheet))]


def _beyond(sheet: HeadSheet) -> tuple[Span, ...]:
    """Return what its strongest looks have in common, and how much it rests."""
    looks, n = sheet.looks, len(sheet.looks)
    aside = percent(sheet.case.atlas.mean["sink_share"][sheet.head])
    rests = " {aside} of its attention goes to [[attention sinks|attention sink]]."
    if not looks:
        return say("None of its connections is above the usual share." + rests, aside=aside)
    steps = [look.key - look.query for look in looks]
    ahead = sum(step > 0 for step in steps)
    some, points = counted(n), "points" if ahead == 1 else "point"
    direction = "forward" if ahead else "back"
    way = f"Of its {some} most unusual connections, {counted(ahead)} {points} forward and {counted(n - ahead)} back,"
    if sheet.case.row.causal:  # no connection of such a model can point forward
        way = "Its most unusual connection reaches" if n == 1 else f"Its {some} most unusual connections reach"
        way += " back"
    elif n == 1:
        way = f"Its most unusual connection points {direction},"
    elif ahead in (0, n):
        way = f"Its {some} most unusual connections all point {direction},"
    sizes = sorted({abs(step) for step in steps})
    far = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    starts = Counter(words(corpus()[look.text])[look.query].casefold() for look in looks)
    first, often = starts.most_common(1)[0]
    begins = say(" ({often} start at {first})", often=str(often), first=word(first)) if often >= OFTEN else ()
    by = "word" if far == "1" else "words"
    return say("{way} by {far} {by}{begins}." + rests, way=way, far=far, by=by, begins=begins, aside=aside)


def habit_blocks(sheet: HeadSheet) -> list[Block]:
    """Return the habit by distance, and the head's place among all."""
    case = sheet.case
    middle = case.atlas.habit.shape[-1] // 2
    habit = case.atlas.habit[sheet.head]
    bars = [(step, float(habit[middle + step])) for step in range(-REACH, REACH + 1)]
    most = max((bar for bar in bars if bar[0]), key=lambda bar: bar[1])
    label = f"Usual share by distance: most at {signed(most[0], 0)}, {percent(most[1])}."
    left: list[Block] = [
        heading("Usual attention by distance", style="first"),
        said("cap", "Average share between words."),
        SheetHabit(bars, label=label),
    ]  # fmt: skip
    strips = [strip for key in PLACES if (strip := _strip(sheet, key)) is not None]
    interval = "; bar: 95\u00a0% interval" if case.atlas.low else ""
    right: list[Block] = [
        heading(f"Compared with all {case.n_heads} heads", style="first"),
        said("cap", f"Tick: one head{interval}. 1 = most."),
        SheetPlace(strips, (), label="; ".join(f"{strip.title} {strip.text}, {strip.rank}" for strip in strips)),
    ]
    return [Columns((left, right), (36, 60))]


def _strip(sheet: HeadSheet, key: str) -> SheetStrip | None:
    case, row = sheet.case, shade(key)
    values = case.atlas.mean[key]
    own = float(values[sheet.head])
    if np.isnan(own):
        return None
    top = 1.0 if row.unit == "share" else max(float(np.nanmax(values)), 1e-9)
    others = np.delete(values.ravel(), sheet.index)
    low, high = (float(end[key][sheet.head] / top) if key in end else None for end in (case.atlas.low, case.atlas.high))
    return SheetStrip(
        title_of(row), [float(one) / top for one in others if np.isfinite(one)], own / top,
        low, high, with_unit(own, row.unit), f"{rank(values, sheet.head)} of {case.n_heads}",
    )  # fmt: skip


def looks_blocks(sheet: HeadSheet) -> list[Block]:
    """Return the connections furthest above their usual shares, as sentences with arcs."""
    looks, title = sheet.looks, heading("Most unusual connections")
    if not looks:
        return [title, said("sub", "None is above the usual share.")]
    drawn = []
    told = sheet.brings if isinstance(sheet.brings, tuple) else ()
    for look, share in zip(looks, told or [None] * len(looks), strict=True):
        text = corpus()[look.text]
        own = words(text)
        also = "" if share is None else f"; it supplies {percent(share)} of what {own[look.query]} receives"
        label = (
            f"{own[look.query]} gives {percent(look.weight)} of its attention to {own[look.key]}; usually "
            f"{percent(look.habit)} at this distance{also}: {text}"
        )
        drawn.append(SheetLook(text_pieces(text), look.query, look.key, look.weight, look.habit, label, share))
    about = f"Attention; grey: usually{', then [[contribution]]' if told else ''}.{{why}}"
    why = f" No contributions available: {sheet.brings}" if isinstance(sheet.brings, str) else ""
    return [title, said("sub", about, why=why), SheetLooks(drawn)]


def carries_blocks(sheet: HeadSheet) -> list[Block]:
    """Return what the head carries of the difference between the versions of forced pairs, kind by kind."""
    title = heading("Share of score changes it carries", style="first")
    known, carried = sheet.calibration, _carried(sheet)
    if known is None:
        return [title, said("cap", "Measure this model on Two readings, under “Does it matter?”, to see it.")]
    if not carried:
        return [title, said("cap", "No test pair has equal length in this model’s tokens.")]
    read = f"read after layer {next(known.kinds[kind].carrying.at for kind in KINDS if kind in known.kinds) - 1}"
    if all(np.isnan(found.share[sheet.head]) for found in carried.values()):
        return [title, said("cap", f"Scores are {read}. This head comes later and cannot affect them.")]
    rows = [_carried_row(sheet, kind, found) for kind, found in carried.items()]
    most = max(float(np.nanmax([found.high[sheet.head], np.nanmax(found.share)])) for found in carried.values())
    label = "; ".join(f"{row.name}: {row.number}" for row in rows)
    band = " Band: three other heads together." if any(row.marks[0].shape == "grey" for row in rows) else ""
    return [
        title,
        RowChart("carried", rows, math.ceil(max(0.1, most) * 10) / 10, label=label),
        said("cap", f"Bar: 95\u00a0% interval. Open: includes 0.{band} Dashed: best head."),
    ]


def _carried(sheet: HeadSheet) -> dict[str, Carrying]:
    """Return what heads carry of each kind whose pairs were patched."""
    known = {} if sheet.calibration is None else {kind: sheet.calibration.of(kind) for kind in KINDS}
    return {
        kind: of.carrying
        for kind, of in known.items()
        if of is not None and of.carrying.n_pairs and np.isfinite(of.carrying.share).any()
    }


def _carried_row(sheet: HeadSheet, kind: str, found: Carrying) -> ChartRow:
    """Return what the head carries of a kind, beside three others of its layer and the one that carries most."""
    head, best = sheet.head, ranked(found.share)[0]
    share, low, high = (float(one[head]) for one in (found.share, found.low, found.high))
    draws = np.zeros(0) if sheet.threes is None else sheet.threes.without(kind, head)
    marks = [RowMark("dashed", float(found.share[best]), name=str(best))]
    if len(draws):
        marks = [RowMark("grey", float(draws.min()), float(draws.max())), RowMark("tick", float(draws.mean())), *marks]
    if math.isnan(share):
        marks.append(RowMark("said", 0, name="later layer: cannot affect the score"))
    else:
        marks += [RowMark("range", low, high), RowMark("open" if low <= 0 else "dot", share)]
    return ChartRow(KIND_TITLES[kind], marks, percent(share), f"{found.n_pairs} pairs")


def silencing_blocks(sheet: HeadSheet) -> list[Block]:
    """Return how far silencing the head turns the vectors of sentences."""
    title = heading("Effect of ablation", style="first")
    found = sheet.case.silenced
    if found is None:
        return [title, said("cap", "Ablation is not measured for this model.")]
    moved = found.moved
    own, place = float(moved[sheet.head]), rank(moved, sheet.head)
    largest = ranked(moved)[0]
    top = max(float(moved.max()), 1e-9)
    others = [float(one) / top for one in np.delete(moved.ravel(), sheet.index)]
    strip = SheetStrip("", others, own / top, None, None, "", "")
    return [
        title,
        SheetPlace([strip], ("0", number(top, 3)), label=f"Ablating {sheet.head} turns vectors by {number(own, 4)}"),
        said("cap", "Sentence vectors turn by {own} (rank {place} of {n}; median {middle}; largest {most}, {largest})",
             own=number(own, 4), place=str(place), n=str(sheet.case.n_heads), middle=number(float(np.median(moved)), 4),
             largest=largest, most=number(top, 3)),
    ]  # fmt: skip


def middle_blocks(sheet: HeadSheet) -> list[Block]:
    """Return what it carries beside what silencing it moves, and the heads most like it."""
    alike: list[Block] = []
    if sheet.case.n_heads > 1:
        alike = [heading("Most similar heads", style="near"), *most_like(sheet.case, sheet.head)]
    return [Columns((carries_blocks(sheet), [*silencing_blocks(sheet), *alike]))]


def not_blocks(sheet: HeadSheet) -> list[Block]:
    """Return what the numbers of this head do not show, by rules; never fewer than four lines."""
    case = sheet.case
    lines = [say("That it follows meaning.")]
    n = len(sheet.looks)
    if n:
        these = "these examples are typical: they were" if n > 1 else "this example is typical: it was"
        lines.append(say("That {these} picked as unusual.", these=these))
    carried = {kind: found.share for kind, found in _carried(sheet).items() if np.isfinite(found.share[sheet.head])}
    below = [kind for kind, share in carried.items() if ranked(share)[0] != sheet.head]
    if below:
        kind = max(below, key=lambda one: carried[one][sheet.head])
        name = {"he/she": "he-or-she"}.get(kind, KIND_TITLES[kind].lower())
        best = ranked(carried[kind])[0]
        lines.append(say("That it is the {kind} head: {other} carries more.", kind=name, other=best))
    moved = None if case.silenced is None else case.silenced.moved
    if moved is not None and moved[sheet.head] < np.median(moved):
        lines.append(say("That the model needs it: ablating it changes less than for most heads."))
    elif moved is not None:
        lines.append(say("That it alone causes the loss: other heads build on its output."))
    if case.n_heads > 1:
        lines.append(say("That similar heads do the same."))
    lines.append(say("Anything about other models or longer texts."))
    more = (
        say("That it does nothing else: averages hide what is rare."),
        say("That training gave it this: a scrambled copy looks somewhere, too."),
    )
    lines += more[: max(0, FEWEST_LINES - len(lines))]
    return [heading("What this does not show"), SheetNot(lines)]


def foot_said(sheet: HeadSheet) -> str:
    """Return the model."""
    row = sheet.case.row
    return f"{row.short}, {row.origin_said}, {many(row.n_layers, 'layer')} × {many(row.n_heads, 'head')}."


def measured(sheet: HeadSheet) -> list[tuple[Span, ...]]:
    """Return how the numbers of the profile were made, a paragraph each."""
    known = sheet.calibration
    found = [
        say(
            "Texts: {texts}, nothing rescaled. Intervals: 95\u00a0%, bootstrap over sentences or test pairs. [[Usual "
            "share|usual share]]: average attention at the same distance. The most unusual connections were picked for "
            "being extreme, one per sentence, no pair of words twice. The next or the previous word is often part "
            "of the "
            "same phrase anyway; a pattern describes positions only.",
            texts=sheet.case.texts_said,
        )
    ]
    if known is not None and known.kinds:
        at = next(iter(known.kinds.values())).carrying.at - 1
        found.append(
            say(
                "Share carried: [[activation patching]] on test pairs; the score is read after layer {at}. Band: three "
                "other heads of the same layer together.",
                at=str(at),
            )
        )
    if sheet.case.silenced is not None:
        found.append(
            say(
                "[[Ablation|ablation]]: the head’s average output takes its place. Sentence vectors turn by 1 − "
                "cosine, "
                "averaged over {n} sentences.",
                n=str(sheet.case.silenced.n_texts),
            )
        )
    return [*found, say("Model: {model} ({source}).", model=sheet.case.row.short, source=sheet.case.row.source)]
