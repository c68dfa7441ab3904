"""The tab "Where they look" as blocks: the two heads that lean furthest, the lean map with its controls, the strips.

Pure: numbers come from `mha.analysis.leaning`, sentences are computed from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.analysis.leaning import Leaning
from mha.analysis.places import word_position
from mha.analysis.sinks import set_aside, sink_share
from mha.intervention.calibrated import KindCalibration
from mha.maps import AttentionMaps, HeadId
from mha.ui.readings_blocks import Block, columns, heading, numbers, said, word
from mha.ui.readings_choice import Ambiguity
from mha.ui.readings_words import few, outside_sentence, percent, signed

HEAT_WORDS = 48  # longer sentences have arcs, but no heatmap beside them
NOTHING_FURTHER = "No head leans further here than on the same words shuffled."
ONE_WAY = (
    "This model sees only what came before: of two words only the later one can look, so each link has one direction "
    "and half the strength."
)
STEADY = 0.02  # a spread over shuffles under which a head goes by the words alone


@dataclass(frozen=True, eq=False)
class Looking:
    """What the tab draws: the ambiguity, its maps (as recorded), the leans with their controls, the two heads shown."""

    ambiguity: Ambiguity
    maps: AttentionMaps
    leaning: Leaning
    heads: tuple[HeadId, HeadId]

    @property
    def n_heads(self) -> int:
        """How many heads the model has."""
        return self.leaning.here.a.size


def looking(ambiguity: Ambiguity, maps: AttentionMaps, leaning: Leaning, heads: Sequence[HeadId | None]) -> Looking:
    """Return what the tab draws; heads that are not chosen (None) are those that lean furthest."""
    shown = tuple(given or own for given, own in zip(heads, leaning.furthest, strict=True))
    return Looking(ambiguity, maps, leaning, (shown[0], shown[1]))


def verdict_blocks(this: Looking) -> list[Block]:
    """Return the sentence with which the tab begins."""
    leaning, here = this.leaning, this.leaning.here
    first, second = leaning.furthest
    count = len(leaning.shuffles)
    numbers_said = said(
        "sub",
        "Furthest to A: {a}, {da}; in {ca} of {n} shuffles some head leans as far. "
        "Furthest to B: {b}, {db}; in {cb} of {n}.",
        a=first,
        da=signed(here.lean[first]),
        ca=str(leaning.reached[0]),
        n=str(count),
        b=second,
        db=signed(here.lean[second]),
        cb=str(leaning.reached[1]),
    )
    one_way = [said("sub", ONE_WAY)] if here.one_way else []
    if not leaning.separates:
        return [
            said("verdict", NOTHING_FURTHER),
            numbers_said,
            *one_way,
        ]
    return [_stands_out(leaning), numbers_said, *one_way]


def _stands_out(leaning: Leaning) -> Block:
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


def nothing_blocks(this: Looking, known: KindCalibration | None = None) -> list[Block]:
    """Return the screen for a sentence without contrast that no head separates: what was asked, and three ways on."""
    leaning, lean = this.leaning, this.leaning.here.lean
    first, second = leaning.furthest
    count = str(len(leaning.shuffles))
    rows = [
        said(
            "", "Furthest to A is {a} at {da}: some head reaches that in {ca} of {n} shuffles. Furthest to B is {b} at "
            "{db}: {cb} of {n}.",
            a=first, da=signed(lean[first]), ca=str(leaning.reached[0]), n=count,
            b=second, db=signed(lean[second]), cb=str(leaning.reached[1]),
        ) | {"ask": "Further than shuffled words?", "answer": "No"},
        said("", outside_sentence(leaning.n_outside, lean.size, leaning.summary.expected_outside))
        | {"ask": "Outside their own shuffles?", "answer": "No"},
    ]  # fmt: skip
    if leaning.twin is not None:
        beyond = leaning.beyond_twin or 0
        rows.append(
            said(
                "",
                f"Its furthest head leans {leaning.twin_reach:.2f}; {few(beyond).lower()} of {lean.size} go beyond. "
                "Training makes heads lean; that alone says little about this sentence.",
            )
            | {"ask": "Further than the scrambled twin?", "answer": "Yes" if beyond else "No"}
        )
    if known is not None:
        rows.append(_forced(known))
    return [
        said("result", "No head separates these readings here."),
        said(
            "sub",
            f"That is a result, not a fault. All {lean.size} heads were measured, and none leans further than heads do "
            "on the same words in another order.",
        ),
        {"kind": "questions", "rows": rows},
        heading("Three ways on from here"),
        {"kind": "ways", "ways": _ways()},
    ]


def _forced(known: KindCalibration) -> Block:
    """Return what the best head does on the forced pairs of the kind, in this order and shuffled."""
    told = known.telling
    layer, head = np.unravel_index(np.argmax(told.auc), told.auc.shape)
    by_words = told.beyond_words_low[layer, head] <= 0
    return said(
        "",
        "Over {n} pairs of this kind {head} tells the forced versions apart in {pair}; with the words shuffled in "
        "{shuffled}. " + ("It goes by which words stand there." if by_words else "The order of the words adds to it."),
        n=str(known.n_pairs),
        head=HeadId(int(layer), int(head)),
        pair=percent(told.pair[layer, head]),
        shuffled=percent(told.shuffled_pair[layer, head]),
    ) | {"ask": "When the words force it?", "answer": "Yes, by the words" if by_words else "Yes"}


def _ways() -> list[Block]:
    change = "Put in a word that leaves one reading, and see which heads move: the button stands under the sentence."
    moves = "In “A dog ate the food because it was hungry” one word is carried to {it} by a few heads."
    other = "A lean belongs to its two links. Another pivot or another partner has other leans: click a word above."
    return [
        said("", change) | {"title": "Change one word"},
        said("", moves, it=word("it"))
        | {"title": "A sentence where something moves", "button": {"act": "dog", "text": "Open the hungry dog"}},
        said("", other) | {"title": "Other words for the readings"},
    ]


def two_heads_blocks(this: Looking) -> list[Block]:
    """Return both heads side by side: arcs, one measured sentence each, and their heatmaps."""
    return [columns(_one_head(this, 0), _one_head(this, 1))]


def _one_head(this: Looking, place: int) -> list[Block]:
    head, ambiguity, leaning = this.heads[place], this.ambiguity, this.leaning
    merged = this.maps.merged()
    said_words = {word_number for reading in ambiguity.readings for link in reading.links for word_number in link}
    aside = set_aside(merged, keep={number for number in said_words if isinstance(number, int)})
    at = {position: place_ for place_, position in enumerate(aside.kept)}

    def positions(of: Sequence[int]) -> list[int]:
        return [at[word_position(merged, number)] for number in of]

    assert ambiguity.pivot is not None
    pivot = positions([ambiguity.pivot])[0]
    a, b = positions(ambiguity.a), positions(ambiguity.b)
    cue = positions([ambiguity.cue])[0] if ambiguity.cue is not None else None
    weights = aside.maps[head]
    empty = np.flatnonzero(aside.empty[head]).tolist()
    mean, spread = leaning.summary.mean[head], leaning.summary.spread[head]
    steady = " It hardly changes: this head goes by the words alone." if spread < STEADY else ""
    pivot_word, word_a, word_b = (ambiguity.words[n] for n in (ambiguity.pivot, ambiguity.a[0], ambiguity.b[0]))
    label = f"head {head}: {pivot_word} and {word_a}, {pivot_word} and {word_b}"
    marks = {"pivot": pivot, "a": a, "b": b, "cue": cue, "label": label}
    blocks: list[Block] = [
        {
            "kind": "head_line",
            "letter": "AB"[place],
            "name": str(head),
            "badge": f"{percent(float(sink_share(merged)[head]))} set aside",
        },
        {
            "kind": "mini_sentence",
            **marks,
            "empty": empty,
            "weights": numbers(weights),
            "pieces": _pieces(merged, at),
        },
        said(
            "text",
            "{p} and {wa} exchange {sa} of attention, {p} and {wb} {sb}: a lean of {lean}.",
            p=word(pivot_word),
            wa=word(word_a),
            sa=["a", percent(leaning.here.a[head])],
            wb=word(word_b),
            sb=["b", percent(leaning.here.b[head])],
            lean=signed(leaning.here.lean[head]),
        ),
        said(
            "cap",
            f"This head on the same words shuffled: {signed(float(mean))} ± "
            f"{spread:.{3 if spread < 0.01 else 2}f}.{steady}",
        ),
    ]
    if aside.maps.n_keys <= HEAT_WORDS:
        blocks.append(
            {
                "kind": "mini_heatmap",
                **marks,
                "words": [token.text for token in aside.maps.tokens],
                "weights": numbers(weights),
                "mass": numbers(aside.mass[head]),
            }
        )
    else:
        blocks.append(said("cap", f"A heatmap needs {HEAT_WORDS} words or fewer; this sentence has more."))
    return blocks


def _pieces(merged: AttentionMaps, at: dict[int, int]) -> list[dict]:
    """Return the pieces of the text with their place on the axis that is drawn; special tokens are left out."""
    found, end = [], None
    for position, token in enumerate(merged.tokens):
        if token.special:
            continue
        space = end is not None and token.start > end
        found.append({"text": token.text, "space": space, "at": at.get(position)})
        end = token.end
    return found
