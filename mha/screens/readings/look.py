"""The tab "Where they look": the two heads that lean furthest, or the screen for a sentence that none separates. Pure.

Numbers come from `mha.analysis.leaning`, sentences are computed from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.analysis.leaning import Leaning
from mha.analysis.places import word_position
from mha.analysis.sinks import set_aside, sink_share
from mha.formats import few, few_of, percent, signed
from mha.intervention.calibrated import KindCalibration
from mha.maps import AttentionMaps, HeadId
from mha.screens.blocks import (
    Block,
    Button,
    Columns,
    Question,
    Questions,
    Said,
    Way,
    Ways,
    as_text,
    heading,
    said,
    say,
    word,
)
from mha.screens.pieces import sentence_pieces
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.case import ranked
from mha.screens.readings.drawn import HeadLine, MiniHeatmap, MiniSentence, Spans
from mha.screens.readings.leans import outside_sentence

HEAT_WORDS = 48  # longer sentences have arcs, but no heatmap beside them
NOTHING_FURTHER = "No head leans further here than on the same words shuffled."
ONE_WAY = (
    "This model sees only what came before: of two words only the later one can look, so each link has one direction "
    "and half the strength."
)
STEADY = 0.02  # a spread over shuffles under which a head goes by the words alone
DOG = "dog"  # what the button sends back that opens the example


@dataclass(frozen=True, eq=False)
class Looking:
    """What the tab draws: the ambiguity, its maps (as recorded), the leans with their controls, the two heads shown."""

    ambiguity: Ambiguity
    maps: AttentionMaps
    leaning: Leaning
    heads: tuple[HeadId, HeadId]


def looking(ambiguity: Ambiguity, maps: AttentionMaps, leaning: Leaning, heads: Sequence[HeadId | None]) -> Looking:
    """Return what the tab draws; heads that are not chosen (None) are those that lean furthest."""
    first, second = (given or own for given, own in zip(heads, leaning.furthest, strict=True))
    return Looking(ambiguity, maps, leaning, (first, second))


def top_blocks(this: Looking, known: KindCalibration | None) -> list[Block]:
    """Return what the tab begins with: a verdict, or ways on where no head separates and there is no contrast."""
    if this.leaning.separates or this.ambiguity.contrast is not None:
        one_way = [said("sub", ONE_WAY)] if this.leaning.here.one_way else []
        return [_verdict(this.leaning), Said("sub", _furthest(this.leaning)), *one_way]
    return _nothing(this.leaning, known)


def _verdict(leaning: Leaning) -> Said:
    if not leaning.separates:
        return said("verdict", NOTHING_FURTHER)
    lean = leaning.here.lean
    sides = [
        (head, letter) for head, letter, out in zip(leaning.furthest, "AB", leaning.stands_out, strict=True) if out
    ]
    if len(sides) == 2:
        return said(
            "verdict",
            "{a} leans to A by {da} and {b} to B by {db}, further than the same words shuffled.",
            a=sides[0][0], da=signed(lean[sides[0][0]]), b=sides[1][0], db=signed(lean[sides[1][0]]),
        )  # fmt: skip
    if sides:
        head, letter = sides[0]
        return said(
            "verdict",
            "{head} leans to {letter} by {lean}, further than the same words shuffled.",
            head=head, letter=letter, lean=signed(lean[head]),
        )  # fmt: skip
    return said(
        "verdict",
        "{found} of {count} heads lean here as they do in no shuffle; about {expected} would by chance.",
        found=few(leaning.n_outside),
        count=str(lean.size),
        expected=str(round(leaning.summary.expected_outside)),
    )


def _furthest(leaning: Leaning) -> Spans:
    """Return who leans furthest to each side, and in how many shuffles some head leans as far."""
    lean, count = leaning.here.lean, len(leaning.shuffles)
    parts, slots = [], {}
    for head, letter, reached in zip(leaning.furthest, "AB", leaning.reached, strict=True):
        if (lean[head] > 0) != (letter == "A") or lean[head] == 0:
            parts.append(f"No head leans to {letter}.")
            continue
        parts.append(
            f"Furthest to {letter}: {{{letter}}}, {signed(lean[head])}; in {reached} of {count} shuffles some head "
            "leans as far."
        )
        slots[letter] = head
    return say(" ".join(parts), **slots)


def _nothing(leaning: Leaning, known: KindCalibration | None) -> list[Block]:
    """Return what was asked, what was answered, and three ways on."""
    count = leaning.here.lean.size
    rows = [
        Question("Further than shuffled words?", "No", _furthest(leaning)),
        Question("Outside their own shuffles?", "No", say(outside_sentence(leaning))),
    ]
    if leaning.twin is not None:
        twin = (
            f"Its furthest head leans {leaning.twin_reach:.2f}; {few_of(leaning.beyond_twin)} of {count} go beyond. "
            "Training makes heads lean; that alone says little about this sentence."
        )
        rows.append(Question("Further than the scrambled twin?", "Yes" if leaning.beyond_twin else "No", say(twin)))
    if known is not None:
        rows.append(_forced(known))
    return [
        said("result", "No head separates these readings here."),
        said(
            "sub",
            f"That is a result, not a fault. All {count} heads were measured, and none leans further than heads do "
            "on the same words in another order.",
        ),
        Questions(tuple(rows)),
        heading("Three ways on from here"),
        Ways(WAYS_ON),
    ]


def _forced(known: KindCalibration) -> Question:
    """Return what the best head does on the forced pairs of the kind, in this order and shuffled."""
    ask, told, best = "When the words force it?", known.telling, ranked(known.telling.auc)[0]
    if told.auc.max() <= told.auc_threshold:
        by_chance = (
            "Over {n} pairs of this kind {head} comes furthest, no further than the best of {count} heads does by "
            "chance."
        )
        return Question(ask, "No", say(by_chance, n=str(known.n_pairs), head=best, count=str(told.auc.size)))
    by_words = told.beyond_words_low[best] <= 0
    spans = say(
        "Over {n} pairs of this kind {head} tells the forced versions apart in {pair}; with the words shuffled in "
        "{shuffled}. " + ("It goes by which words stand there." if by_words else "The order of the words adds to it."),
        n=str(known.n_pairs),
        head=best,
        pair=percent(told.pair[best]),
        shuffled=percent(told.shuffled_pair[best]),
    )
    return Question(ask, "Yes, by the words" if by_words else "Yes", spans)


WAYS_ON = (
    Way(
        "Change one word",
        say("Put in a word that leaves one reading, and see which heads move: the button stands under the sentence."),
    ),
    Way(
        "A sentence where something moves",
        say("In “A dog ate the food because it was hungry” one word is carried to *it* by a few heads."),
        Button(DOG, "Open the hungry dog"),
    ),
    Way(
        "Other words for the readings",
        say("A lean belongs to its two links. Another pivot or another partner has other leans: click a word above."),
    ),
)


def two_heads_blocks(this: Looking) -> list[Block]:
    """Return both heads side by side: arcs, one measured sentence each, and their heatmaps."""
    return [Columns((_one_head(this, 0), _one_head(this, 1)))]


def _one_head(this: Looking, place: int) -> list[Block]:
    head, found, leaning = this.heads[place], this.ambiguity, this.leaning
    assert found.pivot is not None
    merged = this.maps.merged()
    aside = set_aside(merged, keep={found.pivot, *found.a, *found.b})
    at = {position: number for number, position in enumerate(aside.kept)}

    def positions(numbers: Sequence[int]) -> tuple[int, ...]:
        return tuple(at[word_position(merged, number)] for number in numbers)

    pivot, first, second = (found.words[number] for number in (found.pivot, found.a[0], found.b[0]))
    exchanged = say(
        "{p} and {wa} exchange {sa} of attention, {p} and {wb} {sb}: a lean of {lean}.",
        p=word(pivot),
        wa=word(first),
        sa=("a", percent(leaning.here.a[head])),
        wb=word(second),
        sb=("b", percent(leaning.here.b[head])),
        lean=signed(leaning.here.lean[head]),
    )
    marks: dict[str, Any] = {
        "label": f"{head}: {as_text(exchanged)}",
        "pivot": positions([found.pivot])[0],
        "a": positions(found.a),
        "b": positions(found.b),
        "cue": None if found.cue is None else at.get(word_position(merged, found.cue)),
        "weights": aside.maps[head],
    }
    mean, spread = leaning.summary.mean[head], leaning.summary.spread[head]
    steady = " It hardly changes: this head goes by the words alone." if spread < STEADY else ""
    empty = np.flatnonzero(aside.empty[head]).tolist()
    words = tuple(token.text for token in aside.maps.tokens)
    heatmap: Block = said("cap", f"A heatmap needs {HEAT_WORDS} words or fewer; this sentence has more.")
    if len(words) <= HEAT_WORDS:
        heatmap = MiniHeatmap(words=words, mass=aside.mass[head], causal=aside.maps.causal, **marks)
    return [
        HeadLine("AB"[place], str(head), f"{percent(float(sink_share(merged)[head]))} set aside"),
        MiniSentence(empty=empty, pieces=sentence_pieces(aside.maps), **marks),
        Said("text", exchanged),
        said(
            "cap",
            f"This head on the same words shuffled: {signed(float(mean))} ± "
            f"{spread:.{3 if spread < 0.01 else 2}f}.{steady}",
        ),
        heatmap,
    ]
