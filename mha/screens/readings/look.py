"""The tab "Where they look": who gives a partner its attention; which reading is meant cannot be told from it. Pure.

Its maps are shares of attention, or of what the heads bring (`AttentionMaps.measure`); leans are of attention. Numbers
come from the maps and from `mha.analysis.leaning`, sentences are computed from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.analysis.habit import Habit
from mha.analysis.leaning import Leaning
from mha.analysis.places import given_to, word_position
from mha.analysis.readings import Leans
from mha.analysis.sinks import set_aside, sink_share
from mha.brief import brief
from mha.examples import example_for
from mha.formats import few, percent, signed
from mha.maps import ATTENTION, BROUGHT, AttentionMaps, HeadId
from mha.screens.blocks import Block, Button, Columns, Said, Span, Way, Ways, as_text, said, say, word
from mha.screens.pieces import sentence_pieces, text_pieces
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.blocks.looking import HeadLine, Looks, MiniHeatmap, MiniSentence, PartnerLook
from mha.screens.readings.leans import in_other_orders, places
from mha.screens.readings.phrases import PHRASES
from mha.screens.readings.recorded import ranked
from mha.screens.shown import in_words
from mha.words import right_to_left

HEAT_WORDS = 48  # longer sentences have arcs, but no heatmap beside them
ONE_WAY = (
    "This model sees only what came before: of two words only the later one can look, so each link has one direction "
    "and half the strength."
)
DOG = "dog"  # what the button sends back that opens the example
SHARES = ((1 / 5, "a fifth"), (1 / 3, "a third"), (1 / 2, "half"))  # under which nothing is given, in words
PLACES = {"back": "one word back, whatever it is", "ahead": "one word ahead, whatever it is", "itself": "itself"}
LISTED = 4  # heads by name in the line under the headline


@dataclass(frozen=True, eq=False)
class GivenShares:
    """What every head gives A and B of the pivot's attention, each float64 [layer, head]: shares of all of it.

    By ``measure`` shares of all that it brings the pivot instead.
    """

    a: np.ndarray
    b: np.ndarray
    measure: str = ATTENTION

    __repr__ = brief

    def of(self, side: str) -> np.ndarray:
        """Return the shares of one side, "a" or "b"."""
        return self.a if side == "a" else self.b

    def half(self, side: str) -> tuple[HeadId, ...]:
        """Return the heads that give a side more than half, the strongest first."""
        shares = self.of(side)
        return tuple(one for one in ranked(shares) if shares[one] > 0.5)


def given(found: Ambiguity, maps: AttentionMaps) -> GivenShares:
    """Return what every head gives the partners of both readings from the pivot; of several partners the sum."""
    merged = in_words(maps)
    assert found.pivot is not None
    a, b = (given_to(merged, found.pivot, partners) for partners in (found.a, found.b))
    return GivenShares(a, b, maps.measure)


def top_blocks(found: Ambiguity, maps: AttentionMaps, habit: Habit | None = None) -> list[Block]:
    """Return what the tab begins with: who looks where, on the sentence."""
    looks = given(found, maps)
    blocks: list[Block] = [
        Said("verdict", _headline(found, looks)),
        Said("sub", _who(found, looks, places(maps, habit) if maps.measure == ATTENTION else None)),
    ]
    if maps.causal:
        blocks.append(said("sub", ONE_WAY))
    return [*blocks, _picture(found, looks), _caption(found, looks)]


def _headline(found: Ambiguity, looks: GivenShares) -> tuple[Span, ...]:
    pivot, names, phrases = _pivot(found), {side: word(found.partner(side)) for side in "ab"}, PHRASES[looks.measure]
    slots = {"p": "{p}", "a": "{a}", "b": "{b}"}
    counts = {side: len(looks.half(side)) for side in "ab"}
    if not any(counts.values()):
        bound = _less_than(float(max(looks.a.max(), looks.b.max())))
        return say(phrases.nothing.format(bound=bound, **slots), p=pivot, **names)
    first, second = ("a", "b") if counts["a"] >= counts["b"] else ("b", "a")
    count, more = counts[first], counts[second]
    told = (phrases.start + (phrases.as_much if more else phrases.none)).format(
        count=few(count).lower(),
        heads="heads" if count > 1 else "head",
        give="give" if count > 1 else "gives",
        their="their" if count > 1 else "its",
        more=few(more).lower(),
        gives="give" if more > 1 else "gives",
        bound=_less_than(float(looks.of(second).max())),
        first=slots[first],
        second=slots[second],
        **slots,
    )
    return say(told, p=pivot, **names)


def _less_than(most: float) -> str:
    """Return the smallest share in words that nothing reaches; what gives no more than half gives none of these more.

    >>> _less_than(0.27), _less_than(0.05), _less_than(0.5)
    ('a third', 'a fifth', 'more than half')
    """
    return next((name for share, name in SHARES if most < share), "more than half")


def _who(found: Ambiguity, looks: GivenShares, arrows: Sequence[Sequence[str]] | None) -> tuple[Span, ...]:
    """Return the heads behind the headline with their shares, and what cannot be told from looking.

    Heads that look at a place, whatever stands there, are named as such, where looks are told.
    """

    def named(one: HeadId) -> str:
        role = arrows[one.layer][one.head] if arrows else ""
        return f" {percent(shares[one])}{f' ({PLACES[role]})' if role else ''}"

    parts: list[Span] = []
    for place, side in enumerate("ab"):
        shares, half = looks.of(side), looks.half(side)[:LISTED]
        if place:
            parts.append(("plain", "; "))
        if half:
            parts += say(f"{{w}}{found.place(side)}: ", w=word(found.partner(side)))
            for number, one in enumerate(half):
                if number:
                    parts.append(("plain", " and " if number == len(half) - 1 else ", "))
                parts += say("{head}" + named(one), head=one)
        else:
            most = ranked(shares, 1)[0]
            at_most = f"{percent(shares[most])}, "
            parts += say(f"{{w}}{found.place(side)}: at most {at_most}{{head}}", w=word(found.partner(side)), head=most)
    about = PHRASES[looks.measure].about
    return (*parts, ("plain", f". {about}; which reading is meant cannot be told from it."))


def shuffles_said(leaning: Leaning) -> Said:
    """Return how far the furthest lean is beside the same words in other orders."""
    reach, count = leaning.summary.reach, len(leaning.shuffles)
    return said(
        "sub",
        f"{{head}} leans furthest of all heads here, by {abs(leaning.here.lean[leaning.furthest_of_all]):.2f}. "
        f"{in_other_orders(reach, count)}",
        head=leaning.furthest_of_all,
    )


def _pivot(found: Ambiguity) -> Span:
    assert found.pivot is not None
    return word(found.called[found.pivot])


def _picture(found: Ambiguity, looks: GivenShares) -> Looks:
    assert found.pivot is not None
    drawn: list[PartnerLook] = []
    for side, partners in (("a", found.a), ("b", found.b)):
        for one in ranked(looks.of(side), 2):
            drawn.append({"name": str(one), "share": float(looks.of(side)[one]), "at": partners[0], "side": side})
    pivot = found.called[found.pivot]
    phrases = PHRASES[looks.measure]
    listed = ", ".join(
        phrases.listed.format(head=one["name"], partner=found.partner(one["side"]), share=percent(one["share"]))
        for one in drawn
    )
    label = f"{phrases.label.format(pivot=pivot)}: {listed}"
    return Looks(text_pieces(found.text), drawn, pivot=found.pivot, a=found.a, b=found.b, label=label)


def _caption(found: Ambiguity, looks: GivenShares) -> Said:
    return said(
        "cap",
        PHRASES[looks.measure].caption.format(n=looks.a.size, p="{p}", a="{a}", b="{b}"),
        p=_pivot(found), a=word(found.partner("a")), b=word(found.partner("b")),
    )  # fmt: skip


def nothing_blocks(found: Ambiguity, maps: AttentionMaps, scored: bool) -> list[Block]:
    """Return ways on where no head gives either partner a fifth: there is little to see here, and why.

    ``scored`` says whether the model has a score that moves, which a toy has not.
    """
    looks = given(found, maps)
    if max(looks.a.max(), looks.b.max()) >= SHARES[0][0]:
        return []
    dog = example_for(found.text)
    ways = [
        *([CHANGE_ONE] if scored else []),
        *([ELSEWHERE] if scored and not (dog and dog.label == "the hungry dog") else []),
        OTHER_WORDS,
    ]
    return [
        said(
            "note",
            f"There is little to see from this word: {PHRASES[looks.measure].elsewhere}. That is a result, not a "
            "fault.",
        ),
        Ways(tuple(ways)),
    ]


CHANGE_ONE = Way(
    "Change one word",
    say("Put in a word that leaves one reading, and see how far the score moves: the button stands above."),
)
ELSEWHERE = Way(
    "A sentence where something moves",
    say("In MiniLM a few heads carry one word of “A dog ate the food because it was hungry” to *it*."),
    Button(DOG, "Open the hungry dog"),
)
OTHER_WORDS = Way(
    "Other words for the readings",
    say("Another pivot or another partner has other looks: click a word above."),
)


def two_heads_blocks(found: Ambiguity, maps: AttentionMaps, here: Leans, heads: tuple[HeadId, HeadId]) -> list[Block]:
    """Return two heads side by side: arcs, one measured sentence each, and their heatmaps.

    ``here`` are the leans of attention, also where ``maps`` are shares of what heads bring.
    """
    return [
        Columns(tuple(_one_head(found, maps, here, head, letter) for head, letter in zip(heads, "AB", strict=True)))
    ]


def _brought(found: Ambiguity, maps: AttentionMaps, head: HeadId) -> tuple[Span, ...]:
    """Return what one head brings the pivot from both partners, before special tokens are set aside."""
    looks = given(found, maps)
    return say(
        "Of all that this head brings to {p}, {sa} comes from {wa} and {sb} from {wb}. ",
        p=_pivot(found),
        wa=word(found.partner("a")),
        sa=("a", percent(float(looks.a[head]))),
        wb=word(found.partner("b")),
        sb=("b", percent(float(looks.b[head]))),
    )


def _one_head(found: Ambiguity, maps: AttentionMaps, here: Leans, head: HeadId, letter: str) -> list[Block]:
    assert found.pivot is not None
    merged = in_words(maps)
    aside = set_aside(merged, keep={found.pivot, *found.a, *found.b})
    at = {position: number for number, position in enumerate(aside.kept)}

    def positions(numbers: Sequence[int]) -> tuple[int, ...]:
        return tuple(at[word_position(merged, number)] for number in numbers)

    pivot, first, second = (found.called[number] for number in (found.pivot, found.a[0], found.b[0]))
    exchanged = say(
        "{p} and {wa} exchange {sa} of attention, {p} and {wb} {sb}: a lean of {lean}.",
        p=word(pivot),
        wa=word(first),
        sa=("a", percent(float(here.a[head]))),
        wb=word(second),
        sb=("b", percent(float(here.b[head]))),
        lean=signed(here.lean[head]),
    )
    if maps.measure == BROUGHT:
        exchanged = (*_brought(found, maps, head), *exchanged)
    marks: dict[str, Any] = {
        "label": f"{head}: {as_text(exchanged)}",
        "pivot": positions([found.pivot])[0],
        "a": positions(found.a),
        "b": positions(found.b),
        "cue": None if found.cue is None else at.get(word_position(merged, found.cue)),
        "weights": aside.maps[head],
    }
    empty = np.flatnonzero(aside.empty[head]).tolist()
    words = tuple(token.text for token in aside.maps.tokens)
    heatmap: Block = said("cap", f"A heatmap needs {HEAT_WORDS} words or fewer; this sentence has more.")
    if len(words) <= HEAT_WORDS:
        rtl = right_to_left(found.text) or None
        heatmap = MiniHeatmap(words=words, mass=aside.mass[head], causal=aside.maps.causal, rtl=rtl, **marks)
    return [
        HeadLine(letter, str(head), f"{percent(float(sink_share(merged)[head]))} set aside"),
        MiniSentence(empty=empty, pieces=sentence_pieces(aside.maps), **marks),
        Said("text", exchanged),
        heatmap,
    ]
