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
from mha.formats import few, percent, signed
from mha.maps import AttentionMaps, HeadId
from mha.screens.blocks import Block, columns, numbers, said, word
from mha.screens.readings.ambiguity import Ambiguity

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
    numbers_said = furthest_words(leaning)
    one_way = [said("sub", ONE_WAY)] if here.one_way else []
    if not leaning.separates:
        return [
            said("verdict", NOTHING_FURTHER),
            numbers_said,
            *one_way,
        ]
    return [_stands_out(leaning), numbers_said, *one_way]


def furthest_words(leaning: Leaning) -> Block:
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
    return said("sub", " ".join(parts), **slots)


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
                "causal": aside.maps.causal,
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
