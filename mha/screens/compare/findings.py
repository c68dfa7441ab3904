"""What Change a word opens with and ends with: both sentences with the row that changed most, the pairs, the foot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mha.analysis.changes import NAMED_BEYOND
from mha.formats import counted, many, percent
from mha.maps import ranked
from mha.screens.blocks import Block, LabelledPicture, Span, joined, said, say, word
from mha.screens.compare.comparison import Comparison, labels_of, largest_look
from mha.screens.compare.every_head import bits, why_no_floor


@dataclass(frozen=True)
class ChangeColumn:
    """One place of both sentences: the word of each side, or None; ``same`` where the word stayed."""

    first: str | None
    second: str | None
    same: bool


class ChangeHero(LabelledPicture, kind="change_hero"):
    """Both sentences with equal words above each other, and one row's looks in each, as [place, share].

    ``query`` is the place of the word that looks, ``key`` of the word whose share changes most.
    """

    head: str
    columns: Sequence[ChangeColumn]
    query: int
    key: int
    first: Sequence[tuple[int, float]]
    second: Sequence[tuple[int, float]]
    rtl: bool | None = None


class ChangeWords(Block, kind="change_words"):
    """The words without a partner, and buttons to pair two by hand: ``act`` names side and number."""

    first: Sequence[tuple[str, int, str]]  # text, number, "same", "paired", "alone" or "chosen"
    second: Sequence[tuple[str, int, str]]
    rtl: bool | None = None


FAINTEST = 0.005  # of a look that gets an arc


def hero_blocks(case: Comparison) -> list[Block]:
    """Return both sentences with the one row that changed most, and what is said of it."""
    look = largest_look(case)
    if look is None or case.found is None or case.floor is None:
        return _nothing_named(case)
    head, query, key = look
    rows = [side[head][query] for side in (case.found.first, case.found.second)]
    (looks, _), (first, second) = _pair_words(case, query), _pair_words(case, key)
    columns, place = columns_of(case)
    drawn = [
        [(place[k], float(row[k])) for k in range(len(row) - 1) if k != query and (row[k] >= FAINTEST or k == key)]
        for row in rows
    ]
    label = f"Both sentences, with attention from {looks} in {head}."
    picture = ChangeHero(str(head), columns, place[query], place[key], drawn[0], drawn[1], case.rtl, label=label)
    slots = {
        "head": head, "query": word(looks), "first": word(first), "second": word(second),
        "before": percent(rows[0][key]), "after": percent(rows[1][key]),
    }  # fmt: skip
    stayed = "In head {head}, {query} gives {first} {before} of its attention before the change and {after} after it."
    moved = "In head {head}, {query} gives {before} of its attention to {first}, and {after} to {second} in its place."
    fact = stayed if case.alignment.same[key] else moved
    stiller, every = int((case.floor.floor > case.found.mean[head]).sum()), case.floor.floor.size
    little = f" That is a small change: with one of the control words, {stiller} of {every} heads change more."
    about = said(
        "sub",
        "{head} changes by {change}. With control words in place of {word}: {floor} at most."
        + little * (2 * stiller > every),
        head=head, change=bits(case.found.mean[head]), floor=bits(case.floor.floor[head]),
        word=word(case.words[0][case.swap or 0]),
    )  # fmt: skip
    if case.floor.named.any():
        return [picture, said("verdict", fact, **slots), about]
    none = said("verdict", "No head stands out from what control words do.")
    return [picture, none, said("sub", f"The largest change is shown. {fact}", **slots), about]


def columns_of(case: Comparison) -> tuple[list[ChangeColumn], dict[int, int]]:
    """Return the places of both sentences from left to right, and of each pair its place.

    Words without a partner, and pairs that cross others, stand apart; none is dropped.
    """
    first, second = case.words
    columns: list[ChangeColumn] = []
    place: dict[int, int] = {}
    of_first = {i: index for index, (i, _) in enumerate(case.alignment.pairs)}
    last, straight = -1, []  # pairs in the order of both sentences
    for index, (i, j) in enumerate(case.alignment.pairs):
        if j > last:
            straight.append((index, i, j))
            last = j
    left = right = 0
    for index, i, j in [*straight, (-1, len(first), len(second))]:
        for n in range(left, i):
            if n in of_first:
                place[of_first[n]] = len(columns)
            columns.append(ChangeColumn(first[n], None, False))
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
            said("verdict", "The two sentences have no words in common to compare."),
            said("sub", "Clear the second sentence to start from a copy, or pair words yourself."),
        ]
    if not case.found.counted.any():
        return [said("verdict", "Every word changed, so there is nothing to compare.")]
    furthest = ranked(case.found.mean)[0]
    most = bits(float(case.found.mean.max()))
    if not case.twin and case.texts[0] != case.texts[1] and case.found.mean.max() == 0:
        return [said("verdict", "No head changes on the words that stayed.")]
    if case.same:
        return [
            said("verdict", "Both sentences are identical, so nothing changes."),
            said("sub", "Change a word in the second sentence."),
        ]
    if case.floor is not None:
        return [
            said("verdict", "No head changes more than twice its control limit."),
            said("sub", "Largest change: {most}, in a head with a control limit of {floor}.", most=most,
                 floor=bits(case.floor.floor[furthest])),
        ]  # fmt: skip
    if case.twin and case.found.mean.max() == 0:
        return [said("verdict", "In the scrambled copy, every head looks at the same words.")]
    if case.twin:
        return [
            said("verdict", "In the scrambled copy, heads look elsewhere (change up to {most}).", most=most),
            said("sub", "What both share does not depend on the order of the numbers, which the copy has shuffled in "
                        "each weight matrix. A model has no control swap, so no head is named."),
        ]  # fmt: skip
    return [
        said("verdict", "Heads change by up to {most}.", most=most),
        said("sub", why_no_floor(case) + " Without a control limit no head is named."),
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
    how = said("cap", "Click a word, then its match in the other sentence.")
    return [how, ChangeWords(sides[0], sides[1], case.rtl)]


def pairs_said(case: Comparison) -> tuple[Span, ...]:
    """Return how the words were paired."""
    n, total = sum(case.alignment.same), len(case.words[0])
    parts: list[Span] = list(say("{n} of {all} stayed.", n=str(n), all=many(total, "word")))
    for i, j in case.alignment.changed[:3]:
        parts += say(" {a} is paired with {b}.", a=word(case.words[0][i]), b=word(case.words[1][j]))
    alone = [word(case.words[0][n]) for n in case.alignment.only_first]
    alone += [word(case.words[1][n]) for n in case.alignment.only_second]
    if alone:
        shown = alone[:6] if len(alone) <= 6 else [*alone[:6], ("plain", f"{len(alone) - 6} more")]
        parts += say(" Without a match: {words}.", words=joined(shown))
    return tuple(parts)


def foot_said(case: Comparison) -> tuple[Span, ...]:
    """Return the model, its size, and which of its copies the second side is."""
    copy = f", beside its scrambled copy of seed {case.choices.seed}" if case.twin else ""
    return say(
        "{model}, {origin}, {layers} × {heads}{copy}.", model=case.row.short, origin=case.row.origin_said, copy=copy,
        layers=many(case.row.n_layers, "layer"), heads=many(case.row.n_heads, "head"),
    )  # fmt: skip


def measured(case: Comparison) -> list[tuple[Span, ...]]:
    """Return how the numbers of the page were made, a paragraph each."""
    rows = int(case.found.counted.sum()) if case.found is not None else 0
    found = [
        say(
            "Change: Jensen–Shannon [[divergence]] between a word’s attention on both sides, in bits (0: unchanged, "
            "1: no overlap), averaged over {rows}. Nothing is rescaled; words without a match count as one. Rows of "
            "changed words do not count.",
            rows={0: "the words that stayed", 1: "the one word that stayed"}.get(
                rows, f"the {counted(rows)} words that stayed"
            ),
        )
    ]  # fmt: skip
    if case.floor is not None:
        found.append(
            say(
                "[[Control limit|control limit]]: the largest change of the same head under {n} [[control words|"
                "control swap]] in the same place. Heads above {times} times their limit are named where they "
                "outnumber those that any one control word moves that far beyond the limits of the others. A head that "
                "hardly changes has a low limit, so small changes can exceed it. Heads do not change independently.",
                n=str(len(case.floor.swaps)),
                times=f"{NAMED_BEYOND:.0f}",
            )
        )
        if not case.choices.swaps:
            found.append(
                say(
                    "The control words ({words}) follow {before} in the sample sentences, have the part of speech and "
                    "form of {old}, and are closest to it in the model’s word vectors; nobody has checked them.",
                    before=word(" ".join(case.neutral.follow)), old=word(case.words[0][case.swap or 0]),
                    words=joined([word(one) for one in case.neutral.words]),
                )
            )  # fmt: skip
    look = largest_look(case)
    if look is not None and case.found is not None:
        head, query, _ = look
        before, after = (percent(float(side[head][query, -1])) for side in (case.found.first, case.found.second))
        found.append(
            say(
                "In {head}, {before} of {query}’s attention before the change, and {after} after it, goes to excluded "
                "tokens or to words without a match.",
                head=head, query=word(_pair_words(case, query)[0]), before=before, after=after,
            )
        )  # fmt: skip
    return [*found, say("Model: {model} ({source}).", model=case.row.short, source=case.row.source)]
