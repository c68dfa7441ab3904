"""Sentences about runs, computed from their curves: spans for the component, plain text for captions. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mha.figures.training import LETTERS
from mha.formats import accuracy
from mha.training.curves import Curves
from mha.training.settings import Settings

Span = tuple[str, str]
NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four"}
BOTH = {2: "both", 3: "all three"}
LOOKS_AT_NOUNS = 0.8  # of its attention: a head blends the nouns when they get this much, none twice another's part
CARRIED, SPARED = 0.5, 0.05  # lost with a head: so much of one answer, and so little of the others

MAY_BE_SAID = (
    "Within one attention layer, one head finds the two candidates but cannot keep apart which belongs to which "
    "reading on new word pairs; two heads of the same total size can."
)
MAY_NOT_BE_SAID = (
    "“Impossible for any one-head model”: it memorises the training pairs, and two layers of one head manage.",
    "“As many heads as readings are needed”: two heads come far on three readings.",
    "“A head of a large model is a meaning”: here looking is doing, since the readers have nothing but what heads "
    "bring to the pivot. In a pretrained model nothing says so.",
)


def title_of(settings: Settings) -> str:
    """Return what a run is called: its heads, and whatever is not as usual.

    >>> title_of(Settings(n_heads=2)), title_of(Settings(n_heads=4, start="identical"))
    ('Two heads', 'Four heads, start: identical')
    """
    heads = f"{NUMBERS.get(settings.n_heads, settings.n_heads)} head{'s' if settings.n_heads > 1 else ''}"
    heads += f" of {settings.d_head}" if settings.d_head else ""
    name = heads if settings.n_layers == 1 else f"{NUMBERS[settings.n_layers]} layers of {heads}"
    parts = [name[0].upper() + name[1:]]
    if settings.start != "usual":
        parts.append(f"start: {settings.start}")
    if settings.reads != "everything":
        parts.append(f"each reads {settings.numbers_read} of {settings.d_model}, {settings.reads}")
    if settings.pressure != "none":
        parts.append(f"{settings.pressure} kept apart, λ {settings.strength:g}")
    return ", ".join(parts)


def finding(runs: Sequence[Curves], moments: Sequence[int]) -> list[list[Span]]:
    """Return one sentence a run: what its heads do with the nouns, and how often every reading is right."""
    pairs = zip(runs, moments, strict=True)
    return [_sentence(curves, moment, number == 0) for number, (curves, moment) in enumerate(pairs)]


def _sentence(curves: Curves, moment: int, first: bool) -> list[Span]:
    settings = curves.settings
    name = title_of(settings)
    does = _does(curves, moment)
    joint = accuracy(float(curves.joint[moment]))
    when = "" if int(curves.step[moment]) == settings.n_steps else f" after {curves.step[moment]:,} steps"
    right = f"{BOTH[settings.n_readings]} named right in {joint} of new sentences{when}."
    if not first:
        return [("plain", f"{name}{does}: {right}")]
    lower = name[0].lower() + name[1:]
    return [("plain", "From "), ("word", curves.words[curves.pivot]), ("plain", f", {lower}{does}: {right}")]


def _does(curves: Curves, moment: int) -> str:
    """Return the verb for what a run's heads (of its last layer) do with the nouns, or nothing."""
    held, n_nouns = curves.holds(moment), len(curves.nouns)
    looks = curves.looks[moment]
    if len(held) == n_nouns and set(held) == set(range(n_nouns)):
        return " take one noun each"
    blends = looks[0].sum() >= LOOKS_AT_NOUNS and looks[0].min() >= looks[0].max() / 2
    if len(held) == 1 and held[0] is None and blends:
        return f" blends the {NUMBERS[n_nouns]} nouns"
    return ""


def switched_off(curves: Curves, moment: int = -1) -> str:
    """Return what switching heads off does to this run: who carries what, who is idle."""
    n_heads, n_readings = curves.silenced.shape[1:]
    if n_heads == 1:
        falls = [
            f"{LETTERS[r]} goes from {accuracy(curves.readings[moment, r])} "
            f"to {accuracy(curves.silenced[moment, 0, r])}"
            for r in range(n_readings)
        ]
        last = " of the last layer" if curves.settings.n_layers > 1 else ""
        return f"With the head{last} off, {', '.join(falls)}."
    loss = curves.readings[moment] - curves.silenced[moment]  # [head, reading]
    alone = [(int(row.argmax()), np.delete(row, row.argmax())) for row in loss]
    if loss.max(axis=1).min() > CARRIED and max(others.max() for _, others in alone) <= SPARED:
        falls = [
            f"with head {head} off, {LETTERS[reading]} falls from {accuracy(curves.readings[moment, reading])} "
            f"to {accuracy(curves.silenced[moment, head, reading])}"
            for head, (reading, _) in enumerate(alone)
        ]
        most = max(float(others.max()) for _, others in alone)
        rest = f"{accuracy(most)} at most" if most >= 0.005 else "nothing"
        return f"Each head carries one answer: {'; '.join(falls)}. The other answers lose {rest}."
    idle = curves.idle(moment)
    if idle:
        names = ", ".join(map(str, idle))
        one = len(idle) == 1
        return (
            f"{len(idle)} of {n_heads} heads {'is' if one else 'are'} idle ({'head' if one else 'heads'} {names}): "
            f"{'switching it off' if one else 'switching any one of them off'} costs no reading more than 1 %."
        )
    return "No head is idle, and no head has one answer to itself: each one that goes takes a part along."


def diversity(curves: Curves) -> str:
    """Return how the heads of a run came apart, or that they did not."""
    if curves.looks.shape[1] == 1:
        return "One head has nobody to differ from."
    start, end, parted = curves.diverse_weights[0], curves.diverse_weights[-1], curves.parted()
    if curves.diverse_weights.max() < 0.005:
        return (
            f"The heads look alike from the first step to the last ({end:.2f} bits): equal heads get equal gradients, "
            "and stay equal."
        )
    if parted is None:
        return f"The heads start {start:.2f} bits apart and end {end:.2f} apart; they never clearly part."
    return f"The heads start {start:.2f} bits apart, have parted by step {parted:,}, and end {end:.2f} apart."
