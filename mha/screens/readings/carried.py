"""The tab "What carries the change": what its state says, and what each head carries where shares are told. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mha.examples import example_for
from mha.formats import percent, whole_percent
from mha.intervention.calibrated import KindCalibration
from mha.intervention.outcomes import Patch
from mha.link.readings import ReadingsWords
from mha.maps import HeadId
from mha.screens.blocks import Block, Button, Buttons, Way, Ways, head, heading, joined, said, say, word
from mha.screens.places import More
from mha.screens.readings.ambiguity import Ambiguity, resolved
from mha.screens.readings.blocks.carrying import CarriedBar, CarriedBars, CarriedMap
from mha.screens.readings.blocks.shapes import CARRIED_LEGEND, Legend
from mha.screens.readings.effect import Both, effect_blocks
from mha.screens.readings.path import path_blocks, path_method, path_over_pairs, whole_percent_to
from mha.screens.readings.recorded import HOW
from mha.screens.readings.score_line import score_caption, score_line, score_method, second_words
from mha.screens.readings.slopes import version_blocks
from mha.screens.readings.states import MovedScore, State, state_of, verdict
from mha.screens.readings.two_versions import SharedOut, path_of
from mha.words import words

OWN = "own"  # what the button sends back that takes the example's contrast
FORCES = {"typed means A": "B", "other means A": "A"}  # what each button says of the reading that the other one forces
OVER_PAIRS = "over pairs"  # what the button sends back that shows, or hides, what is told over pairs
SHOW, HIDE = "Show test pairs", "Hide test pairs"
DOG = "dog"  # what the button sends back that opens the example
TITLE = "What single heads carry"


def carry_blocks(
    found: Ambiguity,
    moved: MovedScore,
    this: SharedOut | None,
    known: KindCalibration | None,
    over_pairs: bool = False,
    effect: Both | str | None = None,
) -> list[Block]:
    """Return the tab of a sentence with another version; ``this`` where the state shares something out.

    ``effect`` is what the looks of its story bring, or why that is not told, as `effect.brought` has it.
    """
    state = state_of(moved)
    slots = second_words(found, moved)
    top: list[Block] = [
        *verdict(moved),
        *_asked(moved, state),
        *([_how_far(moved)] if state is State.ABOVE else []),
        *([slots] if slots else []),
        score_line(moved),
        *score_caption(moved),
    ]
    how: list[Block] = list(score_method(moved))
    if this is not None:
        path, contributions = path_blocks(this), effect_blocks(this, effect)
        how += [*path_method(this.path), *_method(this)]
        return [*top, *path, *contributions, *_shares(this), More(HOW, how)]
    if known is None or not state.stands_before_a_floor:
        return [*top, More(HOW, how)]
    ask = HIDE if over_pairs else SHOW
    below = state is State.BELOW
    ways: list[Block] = [_ways_on(found, moved, known, ask)] if below else _over_pairs_link(state, known, ask)
    if over_pairs:
        how += path_method(path_of(known))
    return [*top, *ways, *(path_over_pairs(known) if over_pairs else []), More(HOW, how)]


def _asked(moved: MovedScore, state: State) -> list[Block]:
    """Return the two buttons by which the reader says which word means what."""
    if state is not State.NO_SIDE:
        return []
    return [Buttons(tuple(Button(act, moved.words[place]) for place, act in enumerate(FORCES)))]


def _how_far(moved: MovedScore) -> Block:
    assert moved.floor is not None
    return said(
        "sub",
        f"Score: how much closer {{p}} is to {{a}} than to {{b}}. It changes by {abs(moved.move):.2f}; control swaps "
        f"change it by {moved.floor.sizes[-1]:.2f} at most.",
        p=word(moved.pivot), a=word(moved.names[0]), b=word(moved.names[1]),
    )  # fmt: skip


def _over_pairs_link(state: State, known: KindCalibration, ask: str) -> list[Block]:
    """Return the way to what holds over pairs, where nothing is told of this sentence."""
    button = Buttons((Button(OVER_PAIRS, ask),))
    none = "For this sentence no head is named."
    holds = f"{none} Across test pairs there is a path." if known.paths else none
    return [said("finding", holds if state is State.DISAGREE else none), button]


def _ways_on(found: Ambiguity, moved: MovedScore, known: KindCalibration, ask: str) -> Ways:
    """Return three ways on from a score that hardly moved; the order of four words is one of them where it holds."""
    ways = []
    if moved.four is not None and moved.four.right and moved.rates is not None:
        first, second = moved.seconds
        assert first is not None
        assert second is not None
        ways.append(
            Way(
                "The order fits",
                say(
                    "{a} and {a2} score above {b} and {b2}. Among "
                    f"{moved.rates.n} test pairs this order appears in {percent(moved.rates.right[0])}, "
                    f"the reverse in {percent(moved.rates.wrong[0]) if moved.rates.n_wrong else 'none'}.",
                    a=word(moved.words[0]), a2=word(first[0]), b=word(moved.words[1]), b2=word(second[0]),
                ),
            )
        )  # fmt: skip
    one = f"One sentence shows too little. {known.n_pairs} test pairs show more."
    ways.append(Way("Test pairs", say(one), Button(OVER_PAIRS, ask)))
    dog = example_for(found.text)
    other = None if dog is not None and dog.label == "the hungry dog" else Button(DOG, "Show an example")
    ways.append(Way("Another word", say("Try a word that fits one reading more clearly."), other))
    return Ways(tuple(ways))


def _shares(this: SharedOut) -> list[Block]:
    """Return what each head carries: bars beside the control limit of one head; the map and leans are closed."""
    title, leans = heading(TITLE), More("Leans in both versions", version_blocks(this))
    if this.patch is None:
        return [title, *_unequal(this), leans]
    return [title, *_bars(this, this.patch), More("Every head as a map", _map(this, this.patch)), leans]


def _unequal(this: SharedOut) -> list[Block]:
    """Return why nothing can be shared out between versions of unequal length in tokens."""
    use = _own_word(this.ambiguity)
    return [
        said("note", "{why}", why=("strong", this.why_not)),
        said("cap", "Activation patching needs versions with the same number of tokens. The score works without."),
        *([Buttons((Button(OWN, f"Use “{use}” instead"),))] if use else []),
    ]


def _own_word(found: Ambiguity) -> str:
    """Return the word that the example's own contrast has in the place of the cue; none for other texts."""
    own = resolved(found.text, ReadingsWords()).contrast if example_for(found.text) else None
    if own is None or (found.contrast and own.text == found.contrast.text):
        return ""
    return words(own.text)[own.changed[0]]


def _bars(this: SharedOut, patch: Patch) -> list[Block]:
    floor, whole = this.moved.floor, abs(patch.separation)
    assert floor is not None
    large = patch.large(floor)
    into, back = patch.into_text * whole, patch.into_contrast * whole  # [layer, head]
    acting = np.isfinite(patch.carried)
    left = acting & ~patch.direct
    for one in large:
        left[one] = False
    bars = [
        CarriedBar(
            str(one),
            float(patch.carried[one] * whole),
            float(into[one]),
            float(back[one]),
            one in this.beyond,
            percent(patch.carried[one]),
            _ways(patch, one, one in this.beyond),
        )
        for one in large
    ]
    rest, direct = patch.carried[left] * whole, patch.carried[acting & patch.direct] * whole
    layer = int(np.argwhere(patch.direct)[0][0]) if patch.direct.any() else 0
    names = [f"{one} {percent(patch.carried[one])}" for one in this.beyond] or ["no head"]
    picture = CarriedBars(
        bars,
        whole,
        0.0 if np.isnan(floor.head_bar) else floor.head_bar,
        np.sort(rest),
        f"{len(rest)} {'other ' if bars else ''}heads: within the control range",
        np.sort(direct),
        f"layer {layer}: the score is taken here" if len(direct) else "",
        label=f"what heads carry of the score change: {', '.join(names)} beyond the control limit of one head",
    )
    return [*_headline(this, patch, bool(bars)), picture]


def _ways(patch: Patch, one: HeadId, beyond: bool) -> str:
    into, back = whole_percent(patch.into_text[one]), whole_percent(patch.into_contrast[one])
    both = f"{_minus(into)} and {_minus(back)}"
    return both if beyond else f"{_minus(into)} one way, {_minus(back)} the other"


def _minus(whole: int) -> str:
    return f"−{abs(whole)}" if whole < 0 else str(whole)


def _headline(this: SharedOut, patch: Patch, bars: bool) -> list[Block]:
    if not this.named and this.beyond:
        return [said("finding", "No head is named. {rates}", rates=_rates(this))]
    if not this.named:
        drawn = " No head is named where both directions differ more than twofold." if bars else ""
        return [said("finding", f"No single head exceeds the control swaps in both directions.{drawn}")]
    listed: list[tuple[str, ...]] = []
    for place, one in enumerate(this.named):
        if place:
            listed.append(("plain", " and " if place == len(this.named) - 1 else ", "))
        listed += [head(one), ("plain", f"{' carries' if place == 0 else ''} {percent(patch.carried[one])}")]
        if place == 0:
            listed.append(("plain", " of the score change"))
    return [
        said(
            "finding",
            "Alone, {listed}. In 90 of 100 control swaps, no single head moves the score that far. {rates}",
            listed=listed,
            rates=_rates(this),
        )
    ]


def _rates(this: SharedOut) -> str:
    """Return how often a head passes where the reading is kept, and where it is forced."""
    of = this.naming
    if of is None:
        return "How often a control swap puts a head beyond its limit is not measured for this model yet."
    if not of.n_swaps:
        return "No control swap passes the control limit, so how often one puts a head beyond its own is not known."
    pairs = f" and {of.pairs} of {of.n_pairs} test pairs." if of.n_pairs else ". No test pair is among them."
    return (
        f"Among changes beyond the control limit, a head passes its own limit in {of.swaps} of {of.n_swaps} "
        f"control swaps{pairs}"
    )


def _method(this: SharedOut) -> list[Block]:
    """Return how single heads are measured."""
    if this.patch is None:
        return []
    typed, other = (word(one) for one in this.moved.words)
    return [
        said(
            "cap",
            "Activation patching: one head’s output is copied from the other version and the score measured again, in "
            "both directions (Vig et al. 2020; Zhang & Nanda 2023; Heimersheim & Nanda 2024). Bar: mean; "
            "ticks: {other} → {typed} above, {typed} → {other} below. If they differ more than twofold, the head is "
            "not named. Shares can be negative or "
            "exceed 100 %, and do not add up. Counts are of texts with as many tokens in both versions; heads are "
            "named only where test pairs pass more often than control swaps (Fisher’s exact test, one-sided, p < .05).",
            typed=typed,
            other=other,
        )
    ]


def _map(this: SharedOut, patch: Patch) -> list[Block]:
    """Return the same as a map, with what three other heads carry; cells within the floor of one head are empty."""
    floor = this.moved.floor
    assert floor is not None
    within = 0.0 if np.isnan(floor.head_bar) else floor.head_bar / abs(patch.separation)
    named = ", ".join(f"{one} {percent(patch.carried[one])}" for one in this.beyond) or "none beyond the control limit"
    picture = CarriedMap(
        patch.carried,
        [
            None
            if np.isnan(draws).all()
            else {"low": float(draws.min()), "high": float(draws.max()), "mean": float(draws.mean())}
            for draws in patch.control[: patch.at]
        ],
        this.named,
        label=f"share of the score change that each head carries: {named}",
        direct=patch.at - 1,
        absent="later layers: cannot affect the score",
        floor=round(within, 4),
    )
    return [picture, Legend(CARRIED_LEGEND), _map_caption(patch, this.named, within)]


def _map_caption(patch: Patch, named: Sequence[HeadId], within: float) -> Block:
    drawn = patch.control[np.isfinite(patch.control).all(axis=1)]
    three = ""
    if drawn.size:
        three = (
            " Control: three other heads of a layer together, "
            f"{whole_percent_to(float(drawn.min()), float(drawn.max()))}; drawn {drawn.shape[1]} times from the rest."
        )
    frames = " Framed: {named}." if named else ""
    return said(
        "cap",
        f"Empty: within the control limit (±{percent(within)}).{three}{frames}",
        named=joined([head(one) for one in named]),
    )
