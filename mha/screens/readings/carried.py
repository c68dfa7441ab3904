"""What each head carries where shares are told, and every lean from one version to the other. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mha.analysis.leaning import most_moved
from mha.brief import with_arrays
from mha.examples import example_for
from mha.formats import listed, percent, signed
from mha.intervention.outcomes import Patch
from mha.link.readings import ReadingsWords
from mha.maps import HeadId, ranked
from mha.screens.blocks import (
    Block,
    Button,
    Buttons,
    Columns,
    Key,
    LabelledPicture,
    NumberRow,
    NumberRows,
    Said,
    Spans,
    chip,
    head,
    heading,
    joined,
    said,
    say,
    word,
)
from mha.screens.places import More
from mha.screens.readings.choices import resolved
from mha.screens.readings.path import whole_percent_to
from mha.screens.readings.recorded import Estimate, SharedOut


@dataclass(frozen=True)
class CarriedBar:
    """One head in units of the score: the mean of both directions, each of them, and whether both pass its limit."""

    name: str
    mean: float
    into: float
    back: float
    beyond: bool
    share: str
    ways: str


class CarriedBars(LabelledPicture, kind="carried_bars"):
    """What heads carry, in units of the score, before what one head moves where the reading stays (``floor``)."""

    bars: Sequence[CarriedBar]
    whole: float
    floor: float
    rest: NumberRow
    rest_says: str
    direct: NumberRow
    direct_says: str


class CarriedMap(LabelledPicture, kind="carried_map"):
    """What each head carries; ``control`` has the mean and the range of three others for each layer that acts.

    Parts within ``floor`` either way are drawn empty: one head moves as much where the reading stays.
    """

    carried: NumberRows
    control: Sequence[Estimate | None]
    named: tuple[HeadId, ...]
    direct: int
    floor: float


class Slopes(LabelledPicture, kind="slopes"):
    """Every head's lean [layer, head] in both versions, a line each; some are named."""

    left: str
    right: str
    before: NumberRows
    after: NumberRows
    named: tuple[HeadId, ...]
    about: str


@with_arrays
class SlopeColumn:
    """A small slope for each head of a table: what of, "lean", "cue", "a" or "b", and the numbers before and after."""

    title: Spans
    of: str
    before: NumberRow
    after: NumberRow


class SlopesTable(Block, kind="slopes_table", arrays=True):
    """A few heads with small slopes: lean and looks before and after, and what they carry where that is known."""

    digits: ClassVar[int] = 6
    heads: tuple[HeadId, ...]
    columns: Sequence[SlopeColumn]
    carries: Sequence[str] | None = None
    direct: int | None = None


OWN = "own"  # what the button sends back that takes the example's contrast
TITLE = "What single heads carry"


def shares_blocks(this: SharedOut) -> list[Block]:
    """Return what each head carries: bars beside the control limit of one head; the map and leans are closed."""
    title, leans = heading(TITLE), More("Leans in both versions", version_blocks(this))
    if this.patch is None:
        return [title, *_unequal(this), leans]
    return [title, *_bars(this, this.patch), More("Every head as a map", _map(this, this.patch)), leans]


def _unequal(this: SharedOut) -> list[Block]:
    """Return why nothing can be shared out between versions of unequal length in tokens.

    A button has the word that the example's own contrast has in the place of the cue, where that is another one.
    """
    found = this.ambiguity
    told: list[Block] = [
        said("note", "{why}", why=("strong", this.why_not)),
        said("cap", "Activation patching needs versions with the same number of tokens. The score works without."),
    ]
    own = resolved(found.text, ReadingsWords()) if example_for(found.text) else None
    if own is not None and own.contrast is not None and own.contrast.text != this.contrast:
        told.append(Buttons((Button(OWN, f"Use “{own.change[2]}” instead"),)))
    return told


def _bars(this: SharedOut, patch: Patch) -> list[Block]:
    floor, whole = this.moved.limit, abs(patch.separation)
    large, acting = patch.large(floor), np.isfinite(patch.carried)
    left = acting & ~patch.direct
    for one in large:
        left[one] = False
    rest, direct = patch.carried[left] * whole, patch.carried[acting & patch.direct] * whole
    within = int((np.abs(rest) <= floor.head_bar).sum())  # none where the limit is not known
    others = f"{len(rest)} {'other ' if large else ''}heads" if len(rest) else ""
    if others and not np.isnan(floor.head_bar):
        others += f": {'' if within == len(rest) else f'{within} '}within the control range"
    names = [f"{one} {percent(patch.carried[one])}" for one in this.beyond] or ["no head"]
    picture = CarriedBars(
        [_bar(patch, one, one in this.beyond) for one in large],
        whole,
        _limit(this),
        np.sort(rest),
        others,
        np.sort(direct),
        f"layer {patch.at - 1}: the score is taken here" if len(direct) else "",
        label=f"what heads carry of the score change: {', '.join(names)} beyond the control limit of one head",
    )
    return [_headline(this, patch, bool(large), within == len(rest)), picture]


def _limit(this: SharedOut) -> float:
    """Return the control limit of one head, 0 where it is not known."""
    return float(np.nan_to_num(this.moved.limit.head_bar))


def _bar(patch: Patch, one: HeadId, beyond: bool) -> CarriedBar:
    shares = [float(of[one]) for of in (patch.carried, patch.into_text, patch.into_contrast)]
    into, back = (percent(share).removesuffix("\u00a0%") for share in shares[1:])
    ways = f"{into} and {back}" if beyond else f"{into} one way, {back} the other"
    mean, first, second = (share * abs(patch.separation) for share in shares)
    return CarriedBar(str(one), mean, first, second, beyond, percent(shares[0]), ways)


def _headline(this: SharedOut, patch: Patch, bars: bool, within: bool) -> Said:
    """Return which heads carry the change; ``within`` says that every head without a bar is within its limit."""
    if this.beyond and not this.named:
        return said("finding", "No head is named. {rates}", rates=_rates(this))
    if not this.named:
        drawn = " No head is named where both directions differ more than twofold." if bars else ""
        exceeds = "exceeds the control swaps" if within else "carries a tenth of the score change"
        return said("finding", f"No single head {exceeds} in both directions.{drawn}")
    first, *others = (percent(patch.carried[one]) for one in this.named)
    more = (f"{{h{place}}} {share}" for place, share in enumerate(others, start=1))
    each = listed([f"{{h0}} carries {first} of the score change", *more])
    told = f"Alone, {each}. In 90 of 100 control swaps, no single head moves the score that far. {{rates}}"
    heads = {f"h{place}": one for place, one in enumerate(this.named)}
    return said("finding", told, rates=_rates(this), **heads)


def _rates(this: SharedOut) -> str:
    """Return how often a head passes where the reading is kept, and where it is forced."""
    of = this.naming
    if of is None:
        return "How often a control swap puts a head beyond its limit is not measured for this model yet."
    if not of.n_swaps:
        return "No control swap passes the control limit, so how often one puts a head beyond its own is not known."
    pairs = f" and {of.pairs} of {of.n_pairs} test pairs." if of.n_pairs else ". No test pair is among them."
    return (
        f"Among changes beyond the control limit, a head passes its own limit in {of.swaps} of {of.n_swaps} "
        f"control swaps{pairs}"
    )


def carried_method(this: SharedOut) -> list[Block]:
    """Return how single heads are measured."""
    if this.patch is None:
        return []
    typed, other = (word(one) for one in this.moved.words)
    return [
        said(
            "cap",
            "Activation patching: one head’s output is copied from the other version and the score measured again, in "
            "both directions (Vig et al. 2020; Zhang & Nanda 2023; Heimersheim & Nanda 2024). Bar: mean; "
            "ticks: {other} → {typed} above, {typed} → {other} below. If they differ more than twofold, the head is "
            "not named. Shares can be negative or "
            "exceed 100 %, and do not add up. Counts are of texts with as many tokens in both versions; heads are "
            "named only where test pairs pass more often than control swaps (Fisher’s exact test, one-sided, p < .05).",
            typed=typed,
            other=other,
        )
    ]


def _map(this: SharedOut, patch: Patch) -> list[Block]:
    """Return the same as a map, with what three other heads carry; cells within the floor of one head are empty."""
    drawn, within = patch.control[np.isfinite(patch.control).all(axis=1)], _limit(this) / abs(patch.separation)
    named = ", ".join(f"{one} {percent(patch.carried[one])}" for one in this.beyond) or "none beyond the control limit"
    picture = CarriedMap(
        patch.carried,
        [
            None if np.isnan(draws).all() else (float(draws.mean()), float(draws.min()), float(draws.max()))
            for draws in patch.control[: patch.at]
        ],
        this.named,
        patch.at - 1,
        round(within, 4),
        label=f"share of the score change that each head carries: {named}",
    )
    told = f"Empty: within the control limit (±{percent(within)})."
    if drawn.size:
        told += (
            " Control: three other heads of a layer together, "
            f"{whole_percent_to(float(drawn.min()), float(drawn.max()))}; drawn {drawn.shape[1]} times from the rest."
        )
    if this.named:
        told += " Framed: {named}."
    return [picture, Key("carried_legend"), said("cap", told, named=joined([head(one) for one in this.named]))]


SHOWN = 5  # heads in the table of small slopes


def version_blocks(this: SharedOut) -> list[Block]:
    """Return every head's lean in both versions, and where a few heads look in each."""
    words, (before, after) = this.moved.words, (leans.lean for leans in this.leans)
    moved = most_moved(before, after, SHOWN)
    heads, which = moved, f"The {len(moved)} heads whose lean changes most. "
    if this.patch is not None:
        heads, which = ranked(this.patch.carried)[:SHOWN], ""
    named = (this.path.receiver,) if this.path and this.own else moved[:2]
    told = ", ".join(f"{one} {signed(before[one])}, then {signed(after[one])}" for one in named)
    about, label = f"lean of all {before.size} heads", f"leans with {words[0]}, then with {words[1]}: {told}"
    return [
        said(
            "sub",
            which
            + "Left: {before}. Right: {after}. Leans without special tokens; attention in per cent of all attention.",
            before=word(words[0]),
            after=word(words[1]),
        ),
        Columns(([Slopes(*words, before, after, named, about, label=label)], [_table(this, heads)]), (36, 72), 40),
    ]


def _table(this: SharedOut, heads: tuple[HeadId, ...]) -> SlopesTable:
    found, patch, pivot = this.ambiguity, this.patch, this.ambiguity.pivot_said

    def column(title: Spans, of: str, both: Sequence[np.ndarray]) -> SlopeColumn:
        before, after = (np.array([one[head] for head in heads]) for one in both)
        return SlopeColumn(title, of, before, after)

    columns = [column(say("lean"), "lean", [leans.lean for leans in this.leans])]
    if not np.isnan(this.looks[0][0]).any():
        columns.append(column(say("{p} → changed word", p=pivot), "cue", [looks[0] for looks in this.looks]))
    for to, side in enumerate("ab", start=1):
        title = say("{p} → {w} {letter}", p=pivot, w=word(found.partner(side)), letter=chip(side.upper()))
        columns.append(column(title, side, [looks[to] for looks in this.looks]))
    if patch is None:
        return SlopesTable(heads, columns)
    return SlopesTable(heads, columns, [percent(patch.carried[one]) for one in heads], patch.at - 1)
