"""What each head carries of a score change beyond the control limit. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.examples import example_for
from mha.formats import percent
from mha.intervention.outcomes import Patch
from mha.link.readings import ReadingsWords
from mha.maps import HeadId
from mha.screens.blocks import (
    Block,
    Button,
    Buttons,
    Key,
    LabelledPicture,
    NumberRow,
    NumberRows,
    heading,
    said,
    word,
)
from mha.screens.places import More
from mha.screens.readings.choices import resolved
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
    direct: int
    floor: float


OWN = "own"  # what the button sends back that takes the example's contrast
TITLE = "What single heads carry"


def shares_blocks(this: SharedOut) -> list[Block]:
    """Return what each head carries: bars with the control limit of one head, and the map, closed."""
    title = heading(TITLE)
    if this.patch is None:
        return [title, *_unequal(this)]
    return [title, *_bars(this, this.patch), More("Every head as a map", _map(this, this.patch))]


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
    return [said("finding", _rates(this)), picture]


def _limit(this: SharedOut) -> float:
    """Return the control limit of one head, 0 where it is not known."""
    return float(np.nan_to_num(this.moved.limit.head_bar))


def _bar(patch: Patch, one: HeadId, beyond: bool) -> CarriedBar:
    shares = [float(of[one]) for of in (patch.carried, patch.into_text, patch.into_contrast)]
    into, back = (percent(share).removesuffix("\u00a0%") for share in shares[1:])
    ways = f"{into} and {back}" if beyond else f"{into} one way, {back} the other"
    mean, first, second = (share * abs(patch.separation) for share in shares)
    return CarriedBar(str(one), mean, first, second, beyond, percent(shares[0]), ways)


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
            "ticks: {other} → {typed} above, {typed} → {other} below. If they differ more than twofold, the bar is "
            "empty. Shares can be negative or exceed 100 %, and do not add up. Counts are of texts with as many tokens "
            "in both versions.",
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
    return [picture, Key("carried_legend"), said("cap", told)]


def whole_percent_to(low: float, high: float) -> str:
    """Return a range of shares: "−2 to 7 %"."""
    return f"{percent(low).removesuffix(chr(0xA0) + '%')} to {percent(high)}"
