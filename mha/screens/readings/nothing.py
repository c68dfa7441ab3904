"""The screen for a sentence that no head separates: what was asked, what was answered, and three ways on. Pure."""

from __future__ import annotations

import numpy as np

from mha.formats import few_of, percent
from mha.intervention.calibrated import KindCalibration
from mha.maps import HeadId
from mha.screens.blocks import Block, heading, said, word
from mha.screens.readings.counts import outside_sentence
from mha.screens.readings.look import Looking, furthest_words


def nothing_blocks(this: Looking, known: KindCalibration | None = None) -> list[Block]:
    """Return the screen for a sentence without contrast that no head separates: what was asked, and three ways on."""
    leaning, lean = this.leaning, this.leaning.here.lean
    rows = [
        furthest_words(leaning) | {"ask": "Further than shuffled words?", "answer": "No"},
        said("", outside_sentence(leaning.n_outside, lean.size, leaning.summary.expected_outside))
        | {"ask": "Outside their own shuffles?", "answer": "No"},
    ]
    if leaning.twin is not None:
        beyond = leaning.beyond_twin or 0
        rows.append(
            said(
                "",
                f"Its furthest head leans {leaning.twin_reach:.2f}; {few_of(beyond)} of {lean.size} go beyond. "
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
    if told.auc.max() <= told.auc_threshold:
        return said(
            "",
            "Over {n} pairs of this kind {head} comes furthest, no further than the best of {count} heads does by "
            "chance.",
            n=str(known.n_pairs),
            head=HeadId(int(layer), int(head)),
            count=str(told.auc.size),
        ) | {"ask": "When the words force it?", "answer": "No"}
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
