"""The tab "Where heads look": who gives a candidate its attention, which shows no reading. Pure.

Its maps are shares of attention, or contributions (`AttentionMaps.measure`); leans are of attention. Numbers
come from the maps and from `mha.analysis.leaning`, sentences are computed from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import numpy as np

from mha.analysis.opening import opening
from mha.analysis.readings import Leans, given_to, word_position
from mha.analysis.sinks import set_aside, sink_share
from mha.analysis.usual import Habit
from mha.formats import counted, percent, signed
from mha.maps import ATTENTION, BROUGHT, AttentionMaps, HeadId, ranked
from mha.screens.blocks import Block, Columns, NumberRow, NumberRows, Said, Span, as_text, said, say, word
from mha.screens.pieces import Piece, sentence_pieces, text_pieces
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.leans import places
from mha.screens.readings.recorded import PlacedPicture
from mha.screens.shown import in_words


class MiniSentence(PlacedPicture, kind="mini_sentence"):
    """One head's arcs around the pivot; ``weights`` [query, key], ``empty`` the rows with nothing left.

    Its line above has the ``letter`` of its place, its ``name``, and in a ``badge`` what was set aside.
    """

    letter: str
    name: str
    badge: str
    empty: Sequence[int]
    weights: NumberRows
    pieces: Sequence[Piece]


class MiniHeatmap(PlacedPicture, kind="mini_heatmap"):
    """One head's weights [query, key] in words, with the mass that was set aside [query]."""

    words: tuple[str, ...]
    weights: NumberRows
    mass: NumberRow
    causal: bool


class PartnerLook(TypedDict):
    """A head's attention from the ambiguous word to a candidate: how much, to each of its words, on side "a" or "b".

    ``usual`` is what the head gives at this distance on average, where that is measured.
    """

    name: str
    share: float
    parts: Sequence[float]
    side: str
    usual: NotRequired[float]


class Looks(PlacedPicture, kind="looks"):
    """The strongest attention from the ambiguous word to each candidate, drawn on the sentence; ``cue`` decides."""

    pieces: Sequence[Piece]
    looks: Sequence[PartnerLook]


PHRASES = {  # the sentences that differ by what shares are of
    ATTENTION: {
        # no head can give either candidate anything, as the mask has it
        "hidden": "This model reads left to right, so no head looks from {p} to {a} or {b}, which come later.",
        # no head gives either candidate enough to be told; how many give the first more than half, and the second
        "side": " {second} comes later, so no head can look at it from {p}: this model reads left to right.",
        "cue": " {cue} comes after {p}, so this model has not read it there: no connection from {p} can depend on it.",
        "nothing": "Looking from {p}, no head gives {bound} of its attention to {a} or to {b}.",
        "alone": "Looking from {p}, no head gives {bound} of its attention to {first}.",
        "start": "Looking from {p}, {count} {heads} {give} more than half of {their} attention to {first}",
        "as much": ", and {more} to {second}.",
        "none": ". No head gives {bound} to {second}.",
        "about": "This shows where heads look, not what the model understands.",
        "label": "from {pivot}",  # the picture's text alternative, before the list
        "listed": "{head} gives {partner} {share}",
        "drawn": "Strongest {two} for each candidate. Shares of all attention from {p}.",
    },
    BROUGHT: {
        "hidden": "This model reads left to right, so {p} receives nothing from {a} or {b}, which come later.",
        "side": " {second} comes later, so {p} receives nothing from it: this model reads left to right.",
        "cue": " {cue} comes after {p}, so this model has not read it there.",
        "nothing": "In no head does {a} or {b} supply {bound} of what {p} receives.",
        "alone": "In no head does {first} supply {bound} of what {p} receives.",
        "start": "In {count} {heads}, {first} supplies more than half of what {p} receives",
        "as much": ", and in {more}, {second} does.",
        "none": ". In no head does {second} supply {bound}.",
        "about": "This shows how much arrives, not what the model understands.",
        "label": "to {pivot}",
        "listed": "in {head} {partner} supplies {share}",
        "drawn": "Largest {two} for each candidate. Shares of all that {p} receives: "
        "‖weight · value · W_O‖, attention sinks included (Kobayashi et al. 2020). "
        "Leans still use attention.",
    },
}
HEAT_WORDS = 48  # longer sentences have arcs, but no heatmap beside them
ONE_WAY = (  # of a causal model
    "Only the later of two words can look at the other in this model, so each lean has one direction and half the size."
)
SHARES = ((1 / 5, "a fifth"), (1 / 3, "a third"), (1 / 2, "half"))  # under which nothing is given, in words
PLACES = {"back": "the previous word", "ahead": "the next word", "itself": "the word itself"}


Given = Mapping[str, np.ndarray]  # what every head gives "a" and "b" of the pivot's attention, float64 [layer, head]


def given(found: Ambiguity, maps: AttentionMaps) -> Given:
    """Return what every head gives the partners of both readings from the pivot; of several partners the sum.

    By the measure of the maps shares of all its attention, or of all that it brings the pivot.
    """
    merged = in_words(maps)
    return {side: given_to(merged, found.at, partners) for side, partners in (("a", found.a), ("b", found.b))}


def strongest_heads(found: Ambiguity, maps: AttentionMaps) -> dict[HeadId, tuple[int, str]]:
    """Return for each candidate the head that looks at it most from the ambiguous word: its position, and its side."""
    words = [token.word for token in maps.tokens]
    ranks = {side: ranked(shares)[0] for side, shares in given(found, maps).items()}
    return {head: (words.index((found.a if side == "a" else found.b)[0]), side) for side, head in ranks.items()}


def parts_given(found: Ambiguity, maps: AttentionMaps, side: str, head: HeadId) -> list[float]:
    """Return what a head gives each word of a candidate from the pivot; together they are what it is `given`."""
    merged, partners = in_words(maps), found.a if side == "a" else found.b
    return [float(given_to(merged, found.at, (partner,))[head]) for partner in partners]


def half(shares: np.ndarray) -> list[HeadId]:
    """Return the heads that give more than half, the strongest first."""
    return [one for one in ranked(shares) if shares[one] > 0.5]


def top_blocks(
    found: Ambiguity, maps: AttentionMaps, habit: Habit | None = None, decides: int | None = None
) -> list[Block]:
    """Return what the tab begins with: who looks where, on the sentence; ``decides`` is the word that settles it."""
    looks, measure = given(found, maps), maps.measure
    about = list(say(PHRASES[measure]["about"]))
    cue = found.cue if decides is None else decides
    if cue is not None and maps.causal and cue > found.at:
        about += say(PHRASES[measure]["cue"], cue=word(found.called[cue]), p=found.pivot_said)
    if measure == ATTENTION:  # which of the heads that are told follow a place whatever the word, and what goes back
        arrows = places(maps, habit)
        for one in dict.fromkeys((*half(looks["a"]), *half(looks["b"]))):
            if role := arrows[one.layer][one.head]:
                about += say(f" {{head}} usually looks at {PLACES[role]}, whatever the sentence.", head=one)
        about += _back(found, maps)
    usual = habit if measure == ATTENTION else None
    return [
        Said("verdict", _headline(found, maps, looks)),
        Said("sub", tuple(about)),
        _picture(found, maps, looks, usual, decides),
    ]


def _headline(found: Ambiguity, maps: AttentionMaps, looks: Given) -> tuple[Span, ...]:
    phrases, names = PHRASES[maps.measure], {side: word(found.partner(side)) for side in "ab"}
    if _comes_later(found, maps, (*found.a, *found.b)):
        return say(phrases["hidden"], p=found.pivot_said, **names)
    hidden = [side for side in "ab" if _comes_later(found, maps, found.a if side == "a" else found.b)]
    if hidden:  # one side: a count of heads that a mask forbids would be no finding
        second = hidden[0]
        first = "b" if second == "a" else "a"
        count = len(half(looks[first]))
        start = phrases["start"] + "." if count else phrases["alone"]
        return say(
            start + phrases["side"],
            p=found.pivot_said, count=counted(count), heads="heads" if count > 1 else "head",
            give="give" if count > 1 else "gives", their="their" if count > 1 else "its", first=names[first],
            second=names[second], bound=_less_than(float(looks[first].max())),
        )  # fmt: skip
    counts = {side: len(half(looks[side])) for side in "ab"}
    if not any(counts.values()):
        bound = _less_than(float(max(looks["a"].max(), looks["b"].max())))
        return say(phrases["nothing"], p=found.pivot_said, bound=bound, **names)
    first, second = ("a", "b") if counts["a"] >= counts["b"] else ("b", "a")
    count, more = counts[first], counts[second]
    return say(
        phrases["start"] + phrases["as much" if more else "none"],
        p=found.pivot_said,
        count=counted(count),
        heads="heads" if count > 1 else "head",
        give="give" if count > 1 else "gives",
        their="their" if count > 1 else "its",
        more=counted(more),
        bound=_less_than(float(looks[second].max())),
        first=names[first],
        second=names[second],
    )


def _comes_later(found: Ambiguity, maps: AttentionMaps, partners: Sequence[int]) -> bool:
    """Return whether a mask hides all of some words from the pivot."""
    return maps.causal and found.at < min(partners)


def _less_than(most: float) -> str:
    """Return the smallest share in words that nothing reaches; what gives no more than half gives none of these more.

    >>> _less_than(0.27), _less_than(0.05), _less_than(0.5)
    ('a third', 'a fifth', 'more than half')
    """
    return next((name for share, name in SHARES if most < share), "more than half")


def _back(found: Ambiguity, maps: AttentionMaps) -> tuple[Span, ...]:
    """Return the looks at the ambiguous word with which Heads opens: here all are told that go from it."""
    opens = opening(maps, found.readings)
    if opens is None or not opens.sides:
        return ()
    axis = maps.merged().tokens
    parts: list[Span] = []
    for head, (query, key), weight in zip(opens.heads, opens.looks, opens.weights, strict=True):
        if key == opens.word:
            begins, its = (", and {here} gives", "it") if parts else (" The other way, {here} gives", "{there}")
            here = word(found.called[axis[query].word or 0])
            parts += say(f"{begins} {its} {percent(weight)} in {{head}}", here=here, there=found.pivot_said, head=head)
    return (*parts, *say(".")) if parts else ()


def _picture(found: Ambiguity, maps: AttentionMaps, looks: Given, habit: Habit | None, decides: int | None) -> Looks:
    drawn: list[PartnerLook] = []
    for side, partners in (("a", found.a), ("b", found.b)):
        for one in () if _comes_later(found, maps, partners) else ranked(looks[side])[:2]:
            share, parts = float(looks[side][one]), parts_given(found, maps, side, one)
            look: PartnerLook = {"name": str(one), "share": share, "parts": parts, "side": side}
            if habit is not None:
                look["usual"] = float(sum(habit.at(partner - found.at)[one] for partner in partners))
            drawn.append(look)
    phrases = PHRASES[maps.measure]
    listed = ", ".join(
        phrases["listed"].format(head=one["name"], partner=found.partner(one["side"]), share=percent(one["share"]))
        + (f", usually {percent(one['usual'])}" if "usual" in one else "")
        for one in drawn
    )
    label = f"{phrases['label'].format(pivot=found.called[found.at])}: {listed or 'nothing'}"
    cue = found.cue if decides is None else decides
    return Looks(text_pieces(found.text), drawn, pivot=found.at, a=found.a, b=found.b, cue=cue, label=label)


def drawn_said(found: Ambiguity, maps: AttentionMaps) -> tuple[Span, ...]:
    """Return what the picture draws."""
    n = len(maps.heads)
    two = f"two of {n} heads" if n > 1 else "share of the one head"
    several = " A candidate of several words has the sum of their shares." if found.averaged else ""
    return say(PHRASES[maps.measure]["drawn"] + several, two=two, p=found.pivot_said)


def two_heads_blocks(found: Ambiguity, maps: AttentionMaps, here: Leans, heads: tuple[HeadId, HeadId]) -> list[Block]:
    """Return two heads side by side: arcs, one measured sentence each, and their heatmaps.

    ``here`` are the leans of attention, also where ``maps`` are shares of what heads bring.
    """
    return [
        Columns(tuple(_one_head(found, maps, here, head, letter) for head, letter in zip(heads, "AB", strict=True)))
    ]


def _one_head(found: Ambiguity, maps: AttentionMaps, here: Leans, head: HeadId, letter: str) -> list[Block]:
    merged = in_words(maps)
    aside = set_aside(merged, keep={found.at, *found.a, *found.b})
    at = {position: number for number, position in enumerate(aside.kept)}

    def positions(numbers: Sequence[int]) -> tuple[int, ...]:
        return tuple(at[word_position(merged, number)] for number in numbers)

    exchanged = say(
        "{p} shares {sa} of attention with {wa} and {sb} with {wb}, a lean of {lean}.",
        p=found.pivot_said,
        wa=_averaged(found, "a"),
        sa=("a", percent(here.a[head])),
        wb=_averaged(found, "b"),
        sb=("b", percent(here.b[head])),
        lean=signed(here.lean[head]),
    )
    if maps.measure == BROUGHT:  # what it brings the pivot from both partners, before special tokens are set aside
        looks = given(found, maps)
        brings = say(
            "In this head {wa} supplies {sa} of what {p} receives, and {wb} {sb}. ",
            p=found.pivot_said,
            wa=word(found.partner("a")),
            sa=("a", percent(looks["a"][head])),
            wb=word(found.partner("b")),
            sb=("b", percent(looks["b"][head])),
        )
        exchanged = (*brings, *exchanged)
    marks: dict[str, Any] = {
        "label": f"{head}: {as_text(exchanged)}",
        "pivot": positions([found.at])[0],
        "a": positions(found.a),
        "b": positions(found.b),
        "cue": None if found.cue is None else at.get(word_position(merged, found.cue)),
        "weights": aside.maps[head],
    }
    empty = np.flatnonzero(aside.empty[head]).tolist()
    words = tuple(token.text for token in aside.maps.tokens)
    heatmap: Block = said("cap", f"A heatmap needs {HEAT_WORDS} words or fewer; this sentence has more.")
    if len(words) <= HEAT_WORDS:
        heatmap = MiniHeatmap(words=words, mass=aside.mass[head], causal=aside.maps.causal, **marks)
    badge, pieces = f"{percent(sink_share(merged)[head])} excluded", sentence_pieces(aside.maps)
    return [
        MiniSentence(letter=letter, name=str(head), badge=badge, empty=empty, pieces=pieces, **marks),
        Said("text", exchanged),
        heatmap,
    ]


def _averaged(found: Ambiguity, side: str) -> tuple[Span, ...]:
    """Return what a candidate is called where its strength is told, which of several words is the mean."""
    several = len(found.a if side == "a" else found.b) > 1
    return (word(found.partner(side)), *([("plain", " on average")] if several else []))
