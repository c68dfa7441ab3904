"""The tab "Where heads look": who gives a candidate its attention, which shows no reading. Pure.

Numbers come from the maps and from `mha.analysis.leaning`, sentences are computed from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

import numpy as np

from mha.analysis.opening import opening
from mha.analysis.readings import given_to
from mha.analysis.usual import Habit
from mha.formats import counted, percent
from mha.maps import AttentionMaps, HeadId, ranked
from mha.screens.blocks import Block, Said, Span, say, word
from mha.screens.pieces import Piece, text_pieces
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.leans import places
from mha.screens.readings.recorded import PlacedPicture
from mha.screens.shown import in_words


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


PHRASES = {  # the sentences of the tab
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
    "drawn": "Strongest {two} for each candidate. Shares of all attention from {p}.",
}
ONE_WAY = (  # of a causal model
    "Only the later of two words can look at the other in this model, so each lean has one direction and half the size."
)
SHARES = ((1 / 5, "a fifth"), (1 / 3, "a third"), (1 / 2, "half"))  # under which nothing is given, in words
PLACES = {"back": "the previous word", "ahead": "the next word", "itself": "the word itself"}


Given = Mapping[str, np.ndarray]  # what every head gives "a" and "b" of the pivot's attention, float64 [layer, head]


def given(found: Ambiguity, maps: AttentionMaps) -> Given:
    """Return what every head gives the partners of both readings from the pivot; of several partners the sum."""
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
    looks = given(found, maps)
    about = list(say(PHRASES["about"]))
    cue = found.cue if decides is None else decides
    if cue is not None and maps.causal and cue > found.at:
        about += say(PHRASES["cue"], cue=word(found.called[cue]), p=found.pivot_said)
    arrows = places(maps, habit)
    for one in dict.fromkeys((*half(looks["a"]), *half(looks["b"]))):
        if role := arrows[one.layer][one.head]:
            about += say(f" {{head}} usually looks at {PLACES[role]}, whatever the sentence.", head=one)
    about += _back(found, maps)
    return [
        Said("verdict", _headline(found, maps, looks)),
        Said("sub", tuple(about)),
        _picture(found, maps, looks, habit, decides),
    ]


def _headline(found: Ambiguity, maps: AttentionMaps, looks: Given) -> tuple[Span, ...]:
    names = {side: word(found.partner(side)) for side in "ab"}
    if _comes_later(found, maps, (*found.a, *found.b)):
        return say(PHRASES["hidden"], p=found.pivot_said, **names)
    hidden = [side for side in "ab" if _comes_later(found, maps, found.a if side == "a" else found.b)]
    if hidden:  # one side: a count of heads that a mask forbids would be no finding
        second = hidden[0]
        first = "b" if second == "a" else "a"
        count = len(half(looks[first]))
        start = PHRASES["start"] + "." if count else PHRASES["alone"]
        return say(
            start + PHRASES["side"],
            p=found.pivot_said, count=counted(count), heads="heads" if count > 1 else "head",
            give="give" if count > 1 else "gives", their="their" if count > 1 else "its", first=names[first],
            second=names[second], bound=_less_than(float(looks[first].max())),
        )  # fmt: skip
    counts = {side: len(half(looks[side])) for side in "ab"}
    if not any(counts.values()):
        bound = _less_than(float(max(looks["a"].max(), looks["b"].max())))
        return say(PHRASES["nothing"], p=found.pivot_said, bound=bound, **names)
    first, second = ("a", "b") if counts["a"] >= counts["b"] else ("b", "a")
    count, more = counts[first], counts[second]
    return say(
        PHRASES["start"] + PHRASES["as much" if more else "none"],
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
    listed = ", ".join(
        f"{one['name']} gives {found.partner(one['side'])} {percent(one['share'])}"
        + (f", usually {percent(one['usual'])}" if "usual" in one else "")
        for one in drawn
    )
    label = f"from {found.called[found.at]}: {listed or 'nothing'}"
    cue = found.cue if decides is None else decides
    return Looks(text_pieces(found.text), drawn, pivot=found.at, a=found.a, b=found.b, cue=cue, label=label)


def drawn_said(found: Ambiguity, maps: AttentionMaps) -> tuple[Span, ...]:
    """Return what the picture draws."""
    n = len(maps.heads)
    two = f"two of {n} heads" if n > 1 else "share of the one head"
    several = " A candidate of several words has the sum of their shares." if found.averaged else ""
    return say(PHRASES["drawn"] + several, two=two, p=found.pivot_said)
