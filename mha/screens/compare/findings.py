"""What Change a word says and shows, from the top of the page down."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mha.analysis.changes import NAMED_BEYOND, Changes
from mha.formats import counted, number, percent
from mha.maps import HeadId
from mha.screens.blocks import Block, Columns, Span, heading, joined, said, say, word
from mha.screens.compare.blocks import (
    ChangeColumn,
    ChangeHero,
    ChangeMap,
    ChangePin,
    ChangeRank,
    ChangeScale,
    ChangeWords,
    MovedHead,
)
from mha.screens.compare.brings import Both, rows_of
from mha.screens.compare.brings import about as about_brought
from mha.screens.compare.brings import told as told_brought
from mha.screens.compare.comparison import Comparison, labels_of, largest_look, moved_row

QUESTION = "What in the sentence, or in the model, moves a head?"
SHOWN = 9  # named heads in the list
FAINTEST = 0.005  # of a look that gets an arc
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


def question_blocks() -> list[Block]:
    """Return what the page asks, where two sides cannot be compared."""
    return [said("verdict", QUESTION)]


def bits(value: float) -> str:
    """Return bits as the page writes them."""
    return f"{number(value, 3)}\u00a0bits"


def hero_blocks(case: Comparison) -> list[Block]:
    """Return both sentences with the one row that changed most, and what is said of it."""
    look = largest_look(case)
    if look is None:
        return _nothing_named(case)
    assert case.found is not None
    assert case.floor is not None
    head, query, key = look
    before, after = (float(side[head][query, key]) for side in (case.found.first, case.found.second))
    first, second = _pair_words(case, key)
    looks, _ = _pair_words(case, query)
    slots = {
        "head": head, "query": word(looks), "first": word(first), "second": word(second),
        "before": percent(before), "after": percent(after),
    }  # fmt: skip
    stayed = (
        "In head {head}, {query} looks at {first} with {before} of its attention in the first, {after} in the second."
    )
    if case.twin:
        stayed = "In head {head}, {query} looks at {first} with {before} of its attention, in the twin with {after}."
    moved = "In head {head}, {query} looks at {first} with {before} of its attention, at {second} with {after}."
    rest = [percent(float(side[head][query, -1])) for side in (case.found.first, case.found.second)]
    n_named = int(case.floor.named.sum())
    stiller = int((case.floor.floor > case.found.mean[head]).sum())
    every = case.floor.floor.size
    little = f" That is little: under one of the neutral swaps {stiller} of {every} heads move further than that."
    about = said(
        "sub",
        "The largest change of one look in the {n} beyond twice {their} floor. As a whole this head moves by {change}; "
        "swapping {word} for a neutral word moves it by at most {floor}."
        + little * (2 * stiller > every)
        + " Of {query}, {rest} was set aside or went to words without a partner in the first, {other} in the second.",
        n=counted(n_named, "head"), their="its" if n_named == 1 else "their",
        change=bits(case.found.mean[head]), floor=bits(case.floor.floor[head]),
        word=word(case.words[0][case.swap or 0]), query=word(looks), rest=rest[0], other=rest[1],
    )  # fmt: skip
    return [_hero(case, head, query, key), said("verdict", moved if first != second else stayed, **slots), about]


def _hero(case: Comparison, head: HeadId, query: int, key: int) -> ChangeHero:
    assert case.found is not None
    columns, place = columns_of(case)
    sides = []
    for side in (case.found.first, case.found.second):
        row = side[head][query]
        sides.append(
            [(place[k], float(row[k])) for k in range(len(row) - 1) if k != query and (row[k] >= FAINTEST or k == key)]
        )
    label = f"Both sentences, and where {_pair_words(case, query)[0]} looks in head {head}."
    return ChangeHero(str(head), columns, place[query], place[key], sides[0], sides[1], label, case.rtl)


def columns_of(case: Comparison) -> tuple[list[ChangeColumn], dict[int, int]]:
    """Return the places of both sentences from left to right, and of each pair its place.

    Words without a partner, and pairs that cross others, stand apart; none is dropped.
    """
    first, second = case.words
    columns: list[ChangeColumn] = []
    place: dict[int, int] = {}
    last = -1
    left = 0
    straight = []  # pairs in the order of both sentences
    for index, (i, j) in enumerate(case.alignment.pairs):
        if j > last:
            straight.append((index, i, j))
            last = j
    right = 0
    for index, i, j in [*straight, (-1, len(first), len(second))]:
        for n in range(left, i):
            columns.append(ChangeColumn(first[n], None, False))
            crossing = next((p for p, pair in enumerate(case.alignment.pairs) if pair[0] == n), None)
            if crossing is not None:
                place[crossing] = len(columns) - 1
        columns.extend(ChangeColumn(None, second[n], False) for n in range(right, j))
        if index >= 0:
            place[index] = len(columns)
            columns.append(ChangeColumn(first[i], second[j], case.alignment.same[index]))
        left, right = i + 1, j + 1
    return columns, place


def _pair_words(case: Comparison, pair: int) -> tuple[str, str]:
    i, j = case.alignment.pairs[pair]
    return labels_of(case.words[0])[i], labels_of(case.words[1])[j]


def _nothing_named(case: Comparison) -> list[Block]:
    if case.found is None:
        return [
            said("verdict", "No word of one sentence has a partner in the other, so that no row can be compared."),
            said("sub", "Empty the second sentence, and it becomes a copy of the first to change a word in; or pair "
                        "words by hand."),
        ]  # fmt: skip
    if not case.found.counted.any():
        return [said("verdict", "No word stayed the same, so that no row can be held against itself.")]
    furthest = HeadId(*(int(part) for part in np.unravel_index(int(case.found.mean.argmax()), case.found.mean.shape)))
    most = bits(float(case.found.mean.max()))
    if not case.twin and case.texts[0] != case.texts[1] and case.found.mean.max() == 0:
        return [said("verdict", "No head moves at all on the words that stayed.")]
    if not case.twin and case.found.mean.max() == 0:
        return [
            said("verdict", "Both sentences are the same, and so is every head."),
            said("sub", "Change a word of the second to see which heads move."),
        ]
    if case.floor is not None:
        return [
            said("verdict", "No head changes more than twice as far as under a neutral swap."),
            said("sub", "The largest change is {most}, in a head whose floor is {floor}: no head is named.", most=most,
                 floor=bits(case.floor.floor[furthest])),
        ]  # fmt: skip
    if case.twin:
        return [
            said("verdict", "Heads of the scrambled twin look elsewhere: by up to {most} over the words.", most=most),
            said("sub", "The twin has the same numbers in each matrix, in another order: what both sides share was not "
                        "learned. There is no neutral swap of a model, so that no floor is drawn and no head named."),
        ]  # fmt: skip
    return [
        said("verdict", "Heads move by up to {most} over the words that stayed.", most=most),
        said("sub", _why_no_floor(case) + " Without a floor no head is named."),
    ]


def _why_no_floor(case: Comparison) -> str:
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


def words_block(case: Comparison, chosen: tuple[int, int] | None) -> list[Block]:
    """Return every word of both sides as a button, to be paired by hand; ``chosen`` is a side and a number."""
    sides = []
    for side in (0, 1):
        paired = {pair[side]: same for pair, same in zip(case.alignment.pairs, case.alignment.same, strict=True)}
        sides.append(
            [
                (text, at, "chosen" if chosen == (side, at) else
                 ("same" if paired[at] else "paired") if at in paired else "alone")
                for at, text in enumerate(case.words[side])
            ]
        )  # fmt: skip
    how = said("cap", "Choose a word of one side, then its partner on the other.")
    return [how, ChangeWords(sides[0], sides[1], case.rtl)]


def pairs_said(case: Comparison) -> tuple[Span, ...]:
    """Return how the words were paired, in one sentence."""
    n, total = sum(case.alignment.same), len(case.words[0])
    parts: list[Span] = list(say("{n} of {all} words of the first stayed", n=str(n), all=str(total)))
    for i, j in case.alignment.changed[:3]:
        parts += say("; {a} and {b} are paired by place", a=word(case.words[0][i]), b=word(case.words[1][j]))
    alone = [word(case.words[0][n]) for n in case.alignment.only_first]
    alone += [word(case.words[1][n]) for n in case.alignment.only_second]
    if alone:
        shown = alone[:6] if len(alone) <= 6 else [*alone[:6], ("plain", f"{len(alone) - 6} more")]
        parts += say("; without a partner: {words}", words=joined(shown))
    return (*parts, ("plain", "."))


def foot_said(case: Comparison) -> tuple[str, ...]:
    """Return where the numbers come from and how they were treated."""
    sides = "on both sides" if not case.twin else f"first; its scrambled twin of seed {case.choices.seed}, second"
    return (
        f"{case.row.short} ({case.row.source}), {case.row.origin}, {case.row.n_layers} layers × {case.row.n_heads} "
        f"heads, {sides}. Change: Jensen–Shannon divergence of a row, base 2, over the paired words and one key for "
        f"everything else, nothing rescaled; mean over the rows whose word stayed. Named: more than {NAMED_BEYOND:.0f} "
        "times the floor. A head that changes has changed; why, and whether it matters, this page cannot say. One pair "
        "of sentences is no habit.",
    )
