"""What does this head do? Its sheet: habit, place, looks, what it carries and moves, what may not be concluded."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from mha.analysis.beyond import Extreme
from mha.analysis.whole import rank, shade
from mha.brief import brief
from mha.formats import counted, number, percent, signed
from mha.intervention.calibrated import Calibration
from mha.intervention.threes import Threes
from mha.maps import HeadId
from mha.pairs import KINDS, corpus
from mha.screens.atlas.alike import most_like
from mha.screens.atlas.blocks import (
    CarriedKind,
    SheetCarries,
    SheetHabit,
    SheetLook,
    SheetLooks,
    SheetNot,
    SheetPlace,
    SheetStrip,
)
from mha.screens.atlas.findings import MARKS
from mha.screens.atlas.whole_model import WholeModel, with_unit
from mha.screens.blocks import Block, Columns, Span, heading, said, say, word
from mha.screens.pieces import text_pieces
from mha.words import words

REACH = 4  # words that the habit is drawn to, on either side
LEAST_SHARE = 0.2  # of its attention: less is no description of a head, whatever its rank
BEST_OF = 10  # ranks that a pattern may stand out with, of 72 heads; in smaller models the first seventh
STANDS_OUT = {  # pattern: what a head that is among the first in it does
    "next_word": "It looks ahead: to the next word with {share} of its attention, {rank}.",
    "previous_word": "It looks back: to the word before with {share} of its attention, {rank}.",
    "same_word": "It looks at the word itself, with {share} of its attention, {rank}.",
    "elsewhere": "It looks at the same word elsewhere: words that occur again give it {share}, {rank}.",
    "punctuation": "It looks at punctuation, with {share} of its attention, {rank}.",
}
PLACES = (*STANDS_OUT, "sink_share", "entropy", "mean_distance")
ORDINALS = ("most", "second most", "third most", "fourth most", "fifth most")
FEWEST_LINES = 4
OFTEN = 3  # looks that start at the same word, and it is told
KIND_TITLES = {"attachment": "Attachment", "pronoun": "Pronoun", "he/she": "He or she",
               "relative clause": "Relative clause"}  # fmt: skip


@dataclass(frozen=True, eq=False)
class HeadSheet:
    """One head of a whole model over the bundled sentences; what is not known is None.

    ``brings`` are shares of what its looks bring, look by look, or why that is not told.
    """

    case: WholeModel
    head: HeadId
    calibration: Calibration | None
    threes: Threes | None
    brings: tuple[float, ...] | str = ()

    __repr__ = brief

    @property
    def index(self) -> int:
        """Its number among all heads."""
        return self.head.layer * self.case.row.n_heads + self.head.head


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
    case, pattern = sheet.case, stands_out(sheet)
    mark = MARKS.get(case.marks[sheet.head.layer][sheet.head.head], "")
    about = f"layer {sheet.head.layer} of 0 to {case.row.n_layers - 1} · {case.row.short}"
    blocks: list[Block] = [
        said("verdict", "What does head {head} do?", head=sheet.head),
        said("cap", f"{mark} · {about}" if mark else about),
    ]
    if pattern is None:
        return [*blocks, said("finding", "No pattern stands out."), said("sub", "{rest}", rest=_beyond(sheet))]
    values = case.atlas.mean[pattern]
    place = rank(values, sheet.head)
    order = ORDINALS[place - 1] if place <= len(ORDINALS) else f"rank {place}"
    template = STANDS_OUT[pattern]
    return [
        *blocks,
        said("finding", template, share=percent(float(values[sheet.head])), rank=f"{order} of {case.n_heads} heads"),
        said("sub", "{rest}", rest=_beyond(sheet)),
    ]


def _beyond(sheet: HeadSheet) -> tuple[Span, ...]:
    looks = _looks(sheet)
    aside = percent(float(sheet.case.atlas.mean["sink_share"][sheet.head]))
    rests = say(" {aside} of its attention is [[set aside]].", aside=aside)
    if not looks:
        return (*say("No look of it goes beyond its habit."), *rests)
    steps = [look.key - look.query for look in looks]
    ahead = sum(step > 0 for step in steps)
    sizes = sorted({abs(step) for step in steps})
    far = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    n = len(looks)
    way = f"{ahead} of its {n} strongest looks go ahead, {n - ahead} back"
    if ahead in (0, n) and n > 1:
        way = f"its {counted(n)} strongest looks all go {'ahead' if ahead else 'back'}"
    if n == 1:
        way = f"its one look goes {'ahead' if ahead else 'back'}"
    starts = Counter(words(corpus()[look.text])[look.query].casefold() for look in looks)
    first, often = starts.most_common(1)[0]
    begins = say("; {often} of them start at {first}", often=str(often), first=word(first)) if often >= OFTEN else ()
    by = say("Beyond its habit {way}, by {far} {words}", way=way, far=far, words="word" if far == "1" else "words")
    return (*by, *begins, ("plain", "."), *rests)


def looks_of(case: WholeModel, head: HeadId) -> tuple[Extreme, ...]:
    """Return the looks of a head furthest beyond its habit, where heads were compared."""
    return case.atlas.looks[head.layer * case.row.n_heads + head.head] if case.atlas.looks else ()


def _looks(sheet: HeadSheet) -> tuple[Extreme, ...]:
    return looks_of(sheet.case, sheet.head)


def habit_blocks(sheet: HeadSheet) -> list[Block]:
    """Return the habit by distance, and the head's place among all."""
    case = sheet.case
    middle = case.atlas.habit.shape[-1] // 2
    habit = case.atlas.habit[sheet.head]
    bars = [(step, float(habit[middle + step])) for step in range(-REACH, REACH + 1)]
    most = max((bar for bar in bars if bar[0]), key=lambda bar: bar[1])
    label = f"Mean share by distance: most at {signed(most[0], 0)}, {percent(most[1])}."
    left: list[Block] = [
        heading("Its habit", style="first"),
        said("cap", "Mean share of attention by distance, from word to word. Steps to punctuation and to what is set "
                    "aside are left out."),
        SheetHabit(bars, label),
    ]  # fmt: skip
    strips = [strip for key in PLACES if (strip := _strip(sheet, key)) is not None]
    over = case.texts_said
    interval = "; mean and interval" if case.atlas.low else ""
    right: list[Block] = [
        heading(f"Its place among {case.n_heads}", style="first"),
        said("cap", f"Each tick a head{interval} over {over}. Rank 1 has most."),
        SheetPlace(strips, (), "; ".join(f"{strip.title} {strip.text}, {strip.rank}" for strip in strips)),
    ]
    return [Columns((left, right), (36, 60))]


def _strip(sheet: HeadSheet, key: str) -> SheetStrip | None:
    case, row = sheet.case, shade(key)
    values = case.atlas.mean[key]
    own = float(values[sheet.head])
    if np.isnan(own):
        return None
    top = max(float(np.nanmax(values)), 1e-9)
    if row.unit == "share":
        top = 1.0
    others = np.delete(values.ravel(), sheet.index)
    low, high = (end[key][sheet.head] / top if key in end else None for end in (case.atlas.low, case.atlas.high))
    return SheetStrip(
        row.title, [float(one) / top for one in others if np.isfinite(one)], own / top,
        None if low is None else float(low), None if high is None else float(high), with_unit(own, row.unit),
        f"{rank(values, sheet.head)} of {case.n_heads}",
    )  # fmt: skip


def looks_blocks(sheet: HeadSheet) -> list[Block]:
    """Return the looks furthest beyond the habit, as sentences with arcs."""
    looks = _looks(sheet)
    title = heading("Its strongest looks beyond the habit")
    if not looks:
        why = "None goes beyond its habit." if sheet.case.atlas.alike else "They are found once heads are compared."
        return [title, said("sub", why)]
    drawn = []
    told = sheet.brings if isinstance(sheet.brings, tuple) else ()
    for look, share in zip(looks, told or [None] * len(looks), strict=True):
        text = corpus()[look.text]
        own = words(text)
        also = "" if share is None else f"; it brings {percent(share)} of what comes to {own[look.query]}"
        drawn.append(
            SheetLook(
                text_pieces(text), look.query, look.key, look.weight, look.habit,
                f"{own[look.query]} looks at {own[look.key]} with {percent(look.weight)}; its habit there is "
                f"{percent(look.habit)}{also}: {text}", share,
            )
        )  # fmt: skip
    about = (
        "One a sentence, no pair of words twice. The figure is the share of the looking word’s attention; in grey, "
        "what the habit gives at that distance"
    )
    if told:
        about += (
            ", and left of it what the look brings: ‖weight · value · W_O‖, of all that this head brings to the "
            "looking word (Kobayashi et al. 2020)"
        )
    why = f" What a look brings: {sheet.brings}" if isinstance(sheet.brings, str) and sheet.brings else ""
    return [title, said("sub", f"{about}.{why}"), SheetLooks(drawn)]


def carries_blocks(sheet: HeadSheet) -> list[Block]:
    """Return what the head carries of the difference between the versions of forced pairs, kind by kind."""
    title = heading("What it carries", style="first")
    known = sheet.calibration
    if known is None:
        return [
            title,
            said("cap", "What its heads carry is measured for this model on Two readings, under Does it matter?"),
        ]
    rows = [row for kind in KINDS if (row := _carried(sheet, kind)) is not None]
    if not rows:
        return [title, said("cap", "There are no pairs of equal length in this model’s tokens.")]
    ats = [known.kinds[kind].carrying.at for kind in KINDS if kind in known.kinds]
    read = f"read after layer {ats[0] - 1}"
    if all(row.share is None for row in rows):
        return [title, said("cap", f"Scores are {read}: this head comes later, and can carry nothing of them.")]
    top = max([0.1, *(row.high for row in rows if row.share is not None), *(row.best[1] for row in rows)])
    bands = any(row.band for row in rows)
    label = "; ".join(f"{row.title}: {row.text}" for row in rows)
    band = " Band: three other heads of its layer together." if bands else ""
    return [
        title,
        said("cap", f"Share of the difference between two versions that this head’s output moves, with interval; "
                    f"{read}."),
        SheetCarries(rows, math.ceil(top * 10) / 10, label),
        said("cap", f"Open mark: the interval reaches zero.{band} Dashed: the head that carries most in that kind."),
    ]  # fmt: skip


def _carried(sheet: HeadSheet, kind: str) -> CarriedKind | None:
    known = sheet.calibration.of(kind) if sheet.calibration else None
    if known is None or not known.carrying.n_pairs or not np.isfinite(known.carrying.share).any():
        return None
    found = known.carrying
    best = HeadId(*(int(part) for part in np.unravel_index(int(np.nanargmax(found.share)), found.share.shape)))
    share = float(found.share[sheet.head])
    draws = np.zeros(0) if sheet.threes is None else sheet.threes.without(kind, sheet.head)
    band = (float(draws.min()), float(draws.mean()), float(draws.max())) if len(draws) else None
    nothing = math.isnan(share)
    return CarriedKind(
        KIND_TITLES[kind], f"{found.n_pairs} pairs", None if nothing else share,
        0.0 if nothing else float(found.low[sheet.head]), 0.0 if nothing else float(found.high[sheet.head]), band,
        (str(best), float(found.share[best])), "–" if nothing else percent(share),
    )  # fmt: skip


def silencing_blocks(sheet: HeadSheet) -> list[Block]:
    """Return how far silencing the head turns the vectors of sentences."""
    title = heading("What silencing it moves", style="first")
    found = sheet.case.silenced
    if found is None:
        return [title, said("cap", "How far silencing turns the sentences is not measured for this model yet.")]
    moved = found.moved
    own, place = float(moved[sheet.head]), rank(moved, sheet.head)
    largest = HeadId(*(int(part) for part in np.unravel_index(int(moved.argmax()), moved.shape)))
    top = max(float(moved.max()), 1e-9)
    strip = SheetStrip(
        "", [float(one) / top for one in np.delete(moved.ravel(), sheet.index)], own / top, None, None, "",
        "",
    )  # fmt: skip
    return [
        title,
        said("cap", f"How far sentence vectors turn when it gives its mean instead: 1 − cosine, mean over "
                    f"{found.n_texts} sentences."),
        SheetPlace([strip], ("0", number(top, 3)), f"{sheet.head} turns vectors by {number(own, 4)}"),
        said("cap", "{own}, rank {place} of {n}; the middle head {middle}, the largest, {largest}, {most}.",
             own=number(own, 4), place=str(place), n=str(sheet.case.n_heads), middle=number(float(np.median(moved)), 4),
             largest=largest, most=number(top, 3)),
    ]  # fmt: skip


def middle_blocks(sheet: HeadSheet) -> list[Block]:
    """Return what it carries beside what silencing it moves, and the heads most like it."""
    alike: list[Block] = []
    if sheet.case.n_heads > 1 and sheet.case.atlas.alike is not None:
        alike = [
            heading("Most like it", style="near"),
            *most_like(sheet.case, sheet.head, "Click one to open its sheet."),
        ]
    return [Columns((carries_blocks(sheet), [*silencing_blocks(sheet), *alike]))]


def not_blocks(sheet: HeadSheet) -> list[Block]:
    """Return what may not be concluded, by rules; never fewer than four lines."""
    return [heading("What may not be concluded"), SheetNot(not_concluded(sheet))]


def not_concluded(sheet: HeadSheet) -> list[tuple[Span, ...]]:
    """Return the lines of what may not be concluded of this head."""
    case, pattern = sheet.case, stands_out(sheet)
    why = {
        "next_word": " It looks ahead, and what completes a phrase often lies ahead.",
        "previous_word": " It looks back, and what begins a phrase often stands just before.",
    }.get(pattern or "", " A pattern of looking is told by places alone.")
    lines = [say("That it looks for meaning.{why}", why=why)]
    n = len(_looks(sheet))
    if n:
        these = f"{counted(n)} looks are" if n > 1 else "one look is"
        chosen = "They are the furthest from its habit" if n > 1 else "It is the furthest from its habit"
        lines.append(say("That {these} typical. {chosen}, chosen for that.", these=these, chosen=chosen))
    rows = [row for kind in KINDS if (row := _carried(sheet, kind)) is not None]
    below = [row for row in rows if row.share is not None and row.best[0] != str(sheet.head)]
    if below:
        best = max(below, key=lambda row: row.share or 0)
        kind = {"He or she": "he-or-she"}.get(best.title, best.title.lower())
        lines.append(say("That it is the head for {kind} pairs. {other} carries more of them.", kind=kind,
                         other=HeadId.parse(best.best[0])))  # fmt: skip
    moved = None if case.silenced is None else case.silenced.moved
    if moved is not None and moved[sheet.head] < np.median(moved):
        lines.append(say("That the model needs it. Silenced, it moves the vector less than most heads do."))
    elif moved is not None:
        lines.append(say("That it alone does what goes missing. Silencing takes away what other heads build on, too."))
    if case.n_heads > 1:
        lines.append(say("That a head like it does the same. Alike is measured in looking, not in doing."))
    lines.append(say("Anything about another model, or about longer texts than these sentences."))
    more = (
        say("That it does nothing else. These numbers are means; a mean hides what is rare."),
        say("That training gave it this. Numbers that were scrambled look somewhere, too."),
    )
    return [*lines, *more[: max(0, FEWEST_LINES - len(lines))]]


def foot_said(sheet: HeadSheet) -> str:
    """Return where the sheet's numbers come from."""
    row = sheet.case.row
    return (
        f"{row.short} ({row.source}), {row.origin}, {row.n_layers} layers × {row.n_heads} heads. "
        f"{sheet.case.texts_said[0].upper()}{sheet.case.texts_said[1:]}, words, nothing rescaled; intervals: "
        "95\u00a0%, bootstrap over sentences or pairs. The strongest looks were chosen for being extreme. Silencing: "
        "the head’s mean over the corpus in its place."
    )
