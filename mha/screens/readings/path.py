"""Path patching: what some heads move in a later one, across test pairs and in this sentence. Pure.

Across pairs the path is told with all its controls; for one sentence it is drawn thin, with its own. The word *cause*
is not used: a path says what moves along when outputs are exchanged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypedDict

import numpy as np

from mha.engine.experiments import all_brought
from mha.engine.question import Ask
from mha.errors import MHAError
from mha.formats import counted, listed, percent, whole_percent
from mha.intervention.calibrated import Followed
from mha.intervention.outcomes import DRAWN_SETS, Path
from mha.screens.blocks import Block, LabelledPicture, NumberRow, Span, Spans, said, say, word
from mha.screens.pieces import Piece, text_pieces
from mha.screens.places import More, PageTable
from mha.screens.readings.look import parts_given
from mha.screens.readings.recorded import Estimate, PlacedPicture, SharedOut


class PathStrip(LabelledPicture, kind="path_strip"):
    """The tested arrow: what of a receiver's turn follows some senders, over pairs, and in this sentence.

    ``share`` has its interval, and so has ``kept``, over swaps that keep the reading; ``control`` has the share of
    every other set of senders. ``own`` is the share in this sentence and between what its other senders lie, None where
    it was not tested; ``own_says`` why, or what these are. What is ``direct`` goes past all that is in between.
    """

    first: Spans
    looks: Sequence[str]
    second: Spans
    turns: Sequence[Spans]
    share: Estimate
    direct: float
    control: NumberRow
    kept: Estimate | None
    kept_says: str
    others: str
    own: Estimate | None
    own_direct: float
    own_says: str


class Sender(TypedDict):
    """A head that looks from the pivot at the cue, and how far."""

    name: str
    share: float


class Version(PlacedPicture):
    """One version of the sentence in the story: its looks in two steps, and what is said of them.

    ``turn`` is what the receiver gives each word of a candidate, by side.
    """

    title: str
    pieces: Sequence[Piece]
    names: dict[str, str]
    looks: Sequence[Sender]
    turn: dict[str, list[float]]
    mean: float
    first: Spans
    mean_first: Spans
    second: Spans
    mean_second: Spans


class Story(Block, kind="story", arrays=True):
    """The two-step story, as typed and with the other word."""

    versions: tuple[Version, Version]


PIVOT = ("plain", "the ambiguous word")
NO_PATH = "For this type of ambiguity, no path was found across the test pairs."


def path_blocks(path: Followed | None, this: SharedOut | None = None) -> list[Block]:
    """Return the path of a kind over its test pairs; with ``this`` in a sentence, too, and that with both its steps."""
    if path is None:
        return [said("finding", NO_PATH)]
    if this is None:
        return [*_headline(path, PIVOT, False), _strip(path, None)]
    here = this.own is not None and _looks_at_the_change(this, path)
    tested = said("cap", "This sentence could not be tested. {why}", why=this.why_not_own)
    story = tested if this.own is None else Story((_version(this, path, 0), _version(this, path, 1)))
    return [*_headline(path, this.ambiguity.pivot_said, here), _strip(path, this), story]


def _headline(path: Followed, pivot: Span, here: bool) -> list[Block]:
    """Return the sentence of the path; of this sentence only where its senders do look at the changed word."""
    several, others = len(path.senders) > 1, _others(path)
    if here:
        layers = sorted({head.layer for head in path.senders})
        where = f"layer{'s' if len(layers) > 1 else ''} {listed([str(layer) for layer in layers])}"
        who = f"{counted(len(path.senders), 'head').capitalize()} in {where}"
    else:
        who = f"Across {path.n_pairs} test pairs, {counted(len(path.senders), 'head')}"
    control = (
        f" {others[0].upper()}{others[1:]}: {percent(float(path.control.max()))} at most." if len(path.control) else ""
    )
    copied = "these heads’ outputs" if several else "its output"
    kept, stays = path.kept, list[Block]()
    if kept is not None:  # no share of test pairs shows that the path does the same where the reading stays
        told = f"In {kept.n_swaps} control swaps, which keep the reading, this path is not shown."
        if kept.share[1] > 0:
            size = "a smaller shift" if kept.shift < kept.of_pairs else "a shift"
            told = (
                f"The path is not specific to readings: in {kept.n_swaps} control swaps, which keep the reading, it "
                f"reproduces {percent(kept.share[0])} of {size} ({kept.shift:.2f}; test pairs {kept.of_pairs:.2f})."
            )
        stays.append(said("sub", told))
    return [
        said(
            "headline",
            "{who} {look} from {p} at the changed word. {move} {receiver}’s attention.",
            who=who,
            look="look" if several else "looks",
            move="Their outputs move" if several else "Its output moves",
            p=pivot,
            receiver=path.receiver,
        ),
        said(
            "sub",
            f"Path patching on {path.n_pairs} test pairs: copying {copied} from the other version reproduces "
            f"{percent(path.share[0])} of {{receiver}}’s shift.{control}",
            receiver=path.receiver,
        ),
        *stays,
    ]


def _others(path: Followed | Path) -> str:
    """Return which other senders a path stands before: any, where all were tried, or those that were drawn."""
    several, count = len(path.senders) > 1, counted(len(path.senders))
    if len(path.control) == DRAWN_SETS:
        return f"{DRAWN_SETS} drawn sets of {count} others" if several else f"{DRAWN_SETS} other heads drawn"
    return f"any other {count}" if several else "any other head"


def _looks_at_the_change(this: SharedOut, path: Followed) -> bool:
    """Return whether every sender looks from the pivot to the changed word more than to a partner, in some version."""
    looks = np.fmax(*this.looks)  # [to, layer, head]
    return all(looks[0][one] > max(looks[1][one], looks[2][one]) for one in path.senders)  # NaN is not


def _strip(path: Followed, this: SharedOut | None) -> PathStrip:
    """Return the tested arrow over pairs; with ``this`` in a sentence, too."""
    senders, several = path.senders, len(path.senders) > 1
    most = percent(float(path.control.max()) if len(path.control) else math.nan)
    others = _others(path)
    share, low, high = path.share
    looks, turns = list(map(str, senders)), list[Spans]()
    own, own_direct, own_says = None, math.nan, ""
    second = say("{head} shifts to the other candidate", head=path.receiver)
    if this is not None:
        before, after = (looks[0] for looks in this.looks)
        ordered = sorted(senders, key=lambda one: -before[one])
        looks = [f"{one} {whole_percent(before[one])} → {percent(after[one])}" for one in ordered]
        second, turns = _turn(path, this)
        own, own_direct, own_says = _own(this)
    these = "these heads" if several else "this head"
    first = f"{these.capitalize()} look{'' if several else 's'} from {{p}} at the changed word"
    if this is not None and not _looks_at_the_change(this, path):
        first = f"Attention from {{p}} to the changed word, in {these}"
    return PathStrip(
        first=say(first, p=this.ambiguity.pivot_said if this else PIVOT),
        looks=looks,
        second=second,
        turns=turns,
        share=path.share,
        direct=path.direct[0],
        control=np.sort(path.control),
        kept=path.kept.share if path.kept else None,
        kept_says="" if path.kept is None else f"{path.kept.n_swaps} control swaps, reading kept",
        others=f"{others}: {most} at most" if len(path.control) else "no others to compare with",
        own=own,
        own_direct=own_direct,
        own_says=own_says,
        label=f"{', '.join(map(str, senders))} reproduce {percent(share)} of the shift of {path.receiver}, 95 % "
        f"interval {percent(low)} to {percent(high)}; {others}: {most} at most",
    )


def _turn(path: Followed, this: SharedOut) -> tuple[Spans, list[Spans]]:
    """Return what the receiver does, and how far: it turns where it prefers one partner before and the other after."""
    before, after = (looks[1:, *path.receiver] for looks in this.looks)
    names = this.moved.names
    turns = [
        say(f"{{w}} {whole_percent(before[place])} → {percent(after[place])}", w=word(name))
        for place, name in enumerate(names)
    ]
    if (before[0] > before[1]) == (after[0] > after[1]):
        return say("{head} changes its lean", head=path.receiver), turns
    here, there = names if before[0] > before[1] else names[::-1]
    return say("{head} shifts from {a} to {b}", head=path.receiver, a=word(here), b=word(there)), turns


def _own(this: SharedOut) -> tuple[Estimate | None, float, str]:
    """Return the path followed in this sentence, between others, what of it is direct, and what is said of it."""
    if this.own is None:
        return None, math.nan, "this sentence: not tested"
    own, control = this.own, this.own.control / this.own.difference
    if not len(control):
        return (own.share, math.nan, math.nan), own.share_directly, "this sentence"
    low, high = float(control.min()), float(control.max())
    says = f"this sentence ({_others(own)}: {whole_percent_to(low, high)})"
    return (own.share, low, high), own.share_directly, says


def whole_percent_to(low: float, high: float) -> str:
    """Return a range of shares: "−2 to 7 %"."""
    return f"{percent(low).removesuffix(chr(0xA0) + '%')} to {percent(high)}"


def path_method(path: Followed | None) -> list[Block]:
    """Return how a path is measured; nothing where there is none."""
    if path is None:
        return []
    several, (_, low, high), control = len(path.senders) > 1, path.share, path.control
    more = ""
    if not np.isnan(path.direct[0]):
        more = " Direct path: every head and feed-forward layer in between is kept unchanged."
    if len(control):
        more += (
            f" Control: {len(control)} other sets of as many heads of the same layers "
            f"({whole_percent_to(float(control.min()), float(control.max()))})."
        )
    return [
        said(
            "cap",
            f"Path patching: share of {{receiver}}’s change of lean that is reproduced, averaged over {path.n_pairs} "
            f"test pairs (95\u00a0% interval {whole_percent_to(low, high)}; Wang et al. 2023; Goldowsky-Dill et al. "
            "2023)."
            f"{more} The {'heads were' if several else 'head was'} chosen on the test pairs, not on this sentence, so "
            f"{'they' if several else 'it'} may be missing from the list. Shares on the sentence are of all attention "
            "from the ambiguous word; average head: the mean of all.",
            receiver=path.receiver,
        )
    ]


def _version(this: SharedOut, path: Followed, place: int) -> Version:
    found, (cue, to_a, to_b) = this.ambiguity, this.looks[place]
    changed, turner = this.moved.words[place], path.receiver
    names = dict(zip("ab", this.moved.names, strict=True))
    label = ", ".join(f"{one} gives {changed} {percent(cue[one])}" for one in path.senders)
    mean = f"{{a}} {percent(to_a.mean())}, {{b}} {percent(to_b.mean())}"
    partners = {"a": word(names["a"]), "b": word(names["b"])}
    return Version(
        label=f"{'changed' if place else 'original'}: {label}; {turner} gives {names['a']} "
        f"{percent(to_a[turner])} and {names['b']} {percent(to_b[turner])}",
        title="changed" if place else "original",
        pieces=text_pieces(this.contrast if place else found.text),
        pivot=found.at,
        a=found.a,
        b=found.b,
        cue=found.change[0],
        names=names,
        looks=[
            {"name": str(one), "share": float(cue[one])}
            for one in sorted(path.senders, key=lambda one: -this.looks[0][0][one])
        ],
        turn={side: parts_given(found, this.maps[place], side, turner) for side in "ab"},
        mean=float(cue.mean()),
        first=say("from {p} to {cue}", p=found.pivot_said, cue=word(changed)),
        mean_first=say(f"average head: {percent(cue.mean())} to {{cue}}", cue=word(changed)),
        second=say("{head} from {p}", head=turner, p=found.pivot_said),
        mean_second=say(f"{{head}}; average head: {mean}", head=turner, **partners),
    )


CONTRIBUTED = ("Head", "Version", "Word", "Attention to the word", "Contribution from the word")


def contributed_blocks(this: SharedOut, model: str, ask: Ask) -> list[Block]:
    """Return, closed, what the senders and the receiver look at beside what arrives from there, in both versions.

    A sentence where that cannot be told of a model, nothing where there is no story whose looks it would be about.
    """
    path, pivot = this.path, this.ambiguity.pivot_said
    if path is None or this.own is None:
        return []
    try:
        first, second = (ask(all_brought.of(text, model)).as_maps() for text in (this.ambiguity.text, this.contrast))
    except MHAError as error:
        return [said("sub", "No contributions available: {why}", why=str(error))]
    looks, brings = this.looks, this.from_pivot((first, second))  # [version][to, layer, head]
    asked = [(path.receiver, to, (name, name)) for to, name in enumerate(this.moved.names, start=1)]
    if not np.isnan(looks[0][0]).any():  # as where the ambiguous word itself is changed
        asked = [(one, 0, this.moved.words) for one in sorted(path.senders, key=lambda one: -looks[0][0][one])] + asked
    rows, apart = [], dict[str, None]()
    for one, to, names in asked:
        turns = [np.sign(both[1][to][one] - both[0][to][one]) for both in (looks, brings)]
        if turns[0] != turns[1]:
            apart[str(one)] = None
        for place, version in enumerate(("original", "changed")):
            shares = (percent(float(both[place][to][one])) for both in (looks, brings))
            rows.append((str(one), version, names[place], *shares))
    lead = "What {p} receives changes in the same direction as its attention."
    if apart:
        lead = f"Attention and contribution change in different directions in {listed(list(apart))}."
    columns = dict(zip(CONTRIBUTED, map(list, zip(*rows, strict=True)), strict=True))
    table = PageTable(columns, "attention and contribution, a row each head and version", "parallax-contributions")
    how = (
        "Contribution: ‖weight · value · W_O‖ as a share of all that {p} receives in that head (Kobayashi et al. "
        "2020). It measures size, not direction."
    )
    return [More("Contributions along the path", (said("text", lead, p=pivot), table, said("cap", how, p=pivot)))]
