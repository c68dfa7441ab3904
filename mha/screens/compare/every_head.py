"""How far every head moved beside its floor, which moved beyond it, and the pinned ones on both sides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mha.analysis.changes import Changes
from mha.formats import counted, number, percent
from mha.maps import HeadId
from mha.screens.blocks import Block, Columns, Span, heading, joined, said, say, word
from mha.screens.compare.blocks import (
    ChangeMap,
    ChangePin,
    ChangeRank,
    ChangeScale,
    MovedHead,
)
from mha.screens.compare.brings import Both, rows_of
from mha.screens.compare.brings import about as about_brought
from mha.screens.compare.brings import told as told_brought
from mha.screens.compare.comparison import Comparison, labels_of, moved_row

SHOWN = 9  # named heads in the list
DIFFERENCE = "Difference is second minus first, in points: more in ink, less in grey with a minus."
LARGEST = {  # by whether what looks bring is drawn
    False: "Largest: {query} looks at {key} with {before}, then {after}.{rest}",
    True: "Largest: {before} of all that comes to {query} is from {key}, then {after}.{rest}",
}
SAME = {
    False: "This head looks the same on both sides.",
    True: "What this head brings is the same on both sides.",
}
OF = {False: "its looks", True: "what its looks bring"}


def bits(value: float) -> str:
    """Return bits as the page writes them."""
    return f"{number(value, 3)}\u00a0bits"


def why_no_floor(case: Comparison) -> str:
    if case.swap is None:
        return "A floor needs exactly one word that was exchanged for another."
    if case.choices.swaps:
        return "A floor needs three neutral words, and fewer of those typed can stand in this place: each has to be " \
               "one word, and one that the model can read."  # fmt: skip
    n = len(case.neutral.words)
    return f"A floor needs three neutral words for this place; {counted(n) if n else 'none'} " \
           f"{'was' if n == 1 else 'were'} found. Type three as neutral words, above."  # fmt: skip


def map_blocks(case: Comparison) -> list[Block]:
    """Return every head's change beside its floor, and the list of those beyond it."""
    if case.found is None or not case.found.counted.any():
        return []
    floor = None if case.floor is None else case.floor.floor
    n = len(case.found.mean.ravel())
    rows = int(case.found.counted.sum())
    label = f"change of {n} heads; the list beside it has the largest" if floor is not None else f"change of {n} heads"
    ring = " Ring: its floor, the most that three neutral swaps did to the same head." if floor is not None else ""
    drawn = ChangeMap(case.found.mean, floor, case.top, [str(pin) for pin in case.pins], label)
    mean = f"the mean of the {counted(rows)} rows whose word stayed" if rows > 1 else "the one row whose word stayed"
    left: list[Block] = [
        heading("How much each head changed", style="first"),
        said(
            "sub",
            f"Disc: its change in bits, {mean}.{ring} Click one to see it in both; "
            "by keyboard, pinned heads are chosen under View.",
        ),
        drawn,
    ]
    return [Columns((left, _rank(case)), (62, 36), 56), *_swaps(case)] if case.floor is not None else left


def _rank(case: Comparison) -> list[Block]:
    assert case.found is not None
    assert case.floor is not None
    rows = []
    names = labels_of(case.words[0])
    for head in (HeadId(*one) for one in case.floor.ranked[:SHOWN]):
        swaps = [float(one[head]) for one in case.floor.swaps]
        moved = names[case.alignment.pairs[moved_row(case, head)][0]]
        rows.append(MovedHead(str(head), float(case.found.mean[head]), float(case.floor.floor[head]), swaps, moved))
    n, beyond, named = case.floor.floor.size, int(case.floor.beyond.sum()), int(case.floor.named.sum())
    new = case.words[1][case.alignment.changed[0][1]]
    chance = said(
        "cap",
        "{beyond} of {n} heads lie beyond all three swaps. Were {new} one more neutral word, about {expected} would; "
        "heads do not move independently. {named} beyond twice the floor, and only those are named.",
        beyond=str(beyond), n=str(n), new=word(new), expected=f"{case.floor.expected:.0f}",
        named=f"{named} {'lies' if named == 1 else 'lie'}",
    )  # fmt: skip
    if not rows:
        return [heading("Beyond twice their own floor", "h3"), chance]
    return [
        heading("Beyond twice their own floor", "h3", "first"),
        said(
            "cap",
            "A head that hardly moves has a low floor, so that little is beyond it. Mean change in bits. Grey: the "
            "floor; ticks: the three swaps. Right: the row that moved most.",
        ),
        ChangeRank(rows, case.top, f"the {len(rows)} heads furthest beyond twice their own floors"),
        chance,
    ]


def _swaps(case: Comparison) -> list[Block]:
    spans: tuple[Span, ...] = joined([word(one) for one in case.neutral.words])
    if case.choices.swaps:
        return [said("cap", "Neutral swaps, as they were typed: {words}.", words=spans)]
    return [
        said(
            "cap",
            "Neutral swaps, chosen because they follow {before} in the bundled sentences and lie nearest to {old} in "
            "the model’s own word vectors: {words}. Nobody has judged them; others can be typed above.",
            before=word(" ".join(case.neutral.follow)), old=word(case.words[0][case.swap or 0]), words=spans,
        )
    ]  # fmt: skip


def pin_blocks(case: Comparison, found: Both | str | None = None, weighed: Both | None = None) -> list[Block]:
    """Return the pinned heads in the first, in the second, and the difference.

    ``found`` is what `brings` returns, ``weighed`` what is drawn in the place of attention.
    """
    if case.found is None:
        return []
    if not case.pins:
        return [
            heading("First, second, difference"),
            said("sub", "No head is pinned. Click one in the map to see it on both sides."),
        ]
    sub = (
        "Shares of all attention, nothing rescaled: a row and its grey bar add up to 100. The bar is what was set "
        f"aside or went to words without a partner. {DIFFERENCE}{about_brought(found)}"
    )
    drawn = case.found
    if weighed is not None:
        first, second = rows_of(weighed, case)
        drawn = replace(case.found, first=first, second=second)
        sub = (
            "Shares of ‖weight · value · W_O‖ (Kobayashi et al. 2020), nothing rescaled: what a word brings to the one "
            "that looks, of all that comes to it. A row and its grey bar add up to 100; the bar is what all else "
            f"brings, words without a partner among it. {DIFFERENCE} Bits and floors stay those of attention."
        )
    pins = [_pin(case, head, place + 1, found, drawn, weighed is not None) for place, head in enumerate(case.pins)]
    return [heading("Pinned: first, second, difference"), said("sub", sub), *pins, ChangeScale()]


def _pin(
    case: Comparison, head: HeadId, place: int, found: Both | str | None, drawn: Changes, weighed: bool
) -> ChangePin:
    assert case.found is not None
    first, second = drawn.first[head], drawn.second[head]  # [pair, pair + 1]
    names = [labels_of(case.words[side]) for side in (0, 1)]
    keys = [[names[side][pair[side]] for pair in case.alignment.pairs] for side in (0, 1)]
    alone = len(case.alignment.changed) == 1
    both = [
        one if same else "changed" if alone else f"{one} / {other}"
        for one, other, same in zip(*keys, case.alignment.same, strict=True)
    ]
    cell = drawn.strongest(head)
    before, after = percent(float(first[cell])), percent(float(second[cell]))
    asked = "the changed word" if alone and not case.alignment.same[cell[1]] else ""
    spans = say(
        LARGEST[weighed],
        query=word(keys[0][cell[0]]), key=("plain", asked) if asked else word(both[cell[1]]),
        before=before, after=after,
        rest=" Rows of changed words are drawn and not counted." if not all(case.alignment.same) else "",
    )  # fmt: skip
    if weighed:
        looks = (percent(float(side[head][cell])) for side in (case.found.first, case.found.second))
        spans = (
            *spans,
            *say(" That look has {before}, then {after} of its attention.", before=next(looks), after=next(looks)),
        )
    elif cell[0] != cell[1]:
        spans = (*spans, *told_brought(found, case, head, cell, keys[0][cell[0]]))
    if np.array_equal(first, second):
        spans = say(SAME[weighed])
    floor = f", floor {number(case.floor.floor[head], 3)}" if case.floor is not None else ""
    badge = f"{bits(case.found.mean[head])}{floor}" if case.found.counted.any() else ""
    return ChangePin(
        str(head), place, badge, both, keys[0], keys[1], both, first[:, :-1], second[:, :-1], first[:, -1],
        second[:, -1], cell, spans, f"head {head}: {OF[weighed]} in the first, in the second, and the difference",
        case.rtl, weighed or None,
    )  # fmt: skip
