"""What Change a word opens with and ends with: both sentences with the row that changed most, the pairs, the foot."""

from __future__ import annotations

import numpy as np

from mha.analysis.changes import NAMED_BEYOND
from mha.formats import counted, percent
from mha.maps import HeadId
from mha.screens.blocks import Block, Span, joined, said, say, word
from mha.screens.compare.blocks import (
    ChangeColumn,
    ChangeHero,
    ChangeWords,
)
from mha.screens.compare.comparison import Comparison, labels_of, largest_look
from mha.screens.compare.every_head import bits, why_no_floor

QUESTION = "What in the sentence, or in the model, moves a head?"
FAINTEST = 0.005  # of a look that gets an arc


def question_blocks() -> list[Block]:
    """Return what the page asks, where two sides cannot be compared."""
    return [said("verdict", QUESTION)]


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
        said("sub", why_no_floor(case) + " Without a floor no head is named."),
    ]


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
