"""The tab "Does it matter?", third part: the direct effect of each head on a next word, by W_O and the unembedding.

It is told of decoders that are asked for continuations, at the first place where both go on with different words.
`why_not` and `gives` ask the engine; everything else is computed from what it answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.engine import experiments
from mha.engine.question import Ask
from mha.formats import counted, signed
from mha.intervention.outcomes import Direct
from mha.link.readings import SILENCED_LABELS
from mha.maps import ranked
from mha.screens.blocks import Block, Columns, LabelledPicture, Said, said, say, word
from mha.screens.readings.effects import EffectMap, times
from mha.screens.readings.recorded import RecordedReadings
from mha.screens.readings.score import Scored


@dataclass(frozen=True)
class DirectBar:
    """What one head gives by itself, and what goes with it when it is silenced, where that is known.

    ``role`` is "head", "rest" for what is no head's or no named one's, and "total" for the sum of all.
    """

    name: str
    gives: float
    role: str = "head"
    silenced: float | None = None


class DirectBars(LabelledPicture, kind="direct_bars"):
    """What the heads that give most add to one next word over another, what all others add, and the sum."""

    rows: Sequence[DirectBar]


TITLE = "Direct effects on the next word"
ASKED_OF = "continuations"  # the score whose first words it is told of
INSTEAD = {  # what models predict that have another score
    "fills": "{name} fills gaps instead.",
    "targets": "Only the encoder of {name} is shown here; its results reach words through the decoder.",
}
NO_WORDS = "{name} does not."
SHOWN = 6  # heads with a bar of their own
SAME = 0.005  # two numbers that are written alike


@dataclass(frozen=True)
class Parting:
    """Where two continuations part: what both begin with, behind the text, and the first word of each from there."""

    text: str
    shared: str
    words: tuple[str, str]


def parting(text: str, a: str, b: str) -> Parting | None:
    """Return where two continuations go on with different words; None where one only goes further than the other.

    >>> parting("It was late.", "the dog slept", "the cat sat").words
    ('dog', 'cat')
    """
    first, second = a.split(), b.split()
    shared = 0
    while shared < min(len(first), len(second)) and first[shared] == second[shared]:
        shared += 1
    if shared == min(len(first), len(second)):
        return None
    both = " ".join(first[:shared])
    return Parting(f"{text} {both}".strip(), both, (first[shared], second[shared]))


def why_not(case: RecordedReadings, this: Scored, ask: Ask) -> Said | None:
    """Return why direct effects are not told here; None where the model can be asked for them."""
    name, score = case.row.short, this.score
    if score.name == ASKED_OF:
        if parting(case.ambiguity.text, score.a, score.b):
            return None
        why = "Both continuations never differ in their next word, so there is nothing to compare."
        return said("sub", why)
    offered = ask(experiments.scores_of.of(case.row.name))
    if ASKED_OF in offered:
        told = "Choose {label} as the score above: direct effects compare two next words of {name}."
        return said("sub", told, label=("strong", ASKED_OF), name=name)
    does = next((INSTEAD[one] for one in offered if one in INSTEAD), NO_WORDS)
    return said("sub", f"Direct effects need a model that predicts the next word. {does}", name=name)


def gives(case: RecordedReadings, this: Scored, ask: Ask) -> Direct:
    """Return what each head gives to the word of reading A over that of B; errors as `mha.direct`."""
    found = parting(case.ambiguity.text, this.score.a, this.score.b)
    assert found is not None
    return ask(experiments.directed.of(found.text, *found.words, case.row.name))


def gives_blocks(
    case: RecordedReadings, this: Scored, found: Direct, effect: np.ndarray | None = None, kind: str = ""
) -> list[Block]:
    """Return the heads that give most, beside what silencing them does, and all heads as a map.

    ``effect`` [layer, head] is how far silencing each head (``kind``) moves the score, NaN where it is not measured.
    """
    place = parting(case.ambiguity.text, this.score.a, this.score.b)
    assert place is not None
    whole = abs(this.margin - found.total) < SAME  # else the score takes in more tokens than these two
    rows = _rows(found, effect if whole else None)
    bars = DirectBars(
        rows,
        label=f"towards {place.words[0]} above 0, towards {place.words[1]} below: "
        + ", ".join(f"{row.name} {signed(row.gives)}" for row in rows),
    )
    ring = ""
    if any(row.silenced is not None for row in rows):
        ring = f" Ring: effect of ablating that head ({SILENCED_LABELS.get(kind, kind)}), later layers included."
    legend = said("cap", f"Bar: direct effect, to the right towards A, to the left towards B.{ring}")
    every = "The sum is the score above."
    if not whole:
        every = f"The score above, {signed(this.margin)}, adds up every token of both; ablation is not drawn."
    furthest = ", ".join(f"{one} {signed(found.heads[one])}" for one in ranked(np.abs(found.heads))[:3])
    label = f"what each head adds directly to the next word, A less B; furthest from 0: {furthest}"
    size = times(found.heads)
    drawn = EffectMap(size, found.heads, len(found.heads), None, "", label=label)
    told = said(
        "cap",
        f"Every head{'' if size == 1 else ' × 1,000'}, amber towards A, teal towards B. Direct effect (Elhage et al. "
        "2021): what the head adds, through W_O, the last norm at its scale here, and the unembedding, in logits; what "
        f"it gives to later layers counts as theirs. {every}",
    )
    return [_finding(found, place), _sum(found, place), Columns(([bars, legend], [drawn, told]))]


def _rows(found: Direct, effect: np.ndarray | None) -> list[DirectBar]:
    named = sorted(ranked(np.abs(found.heads))[:SHOWN])
    lost = {} if effect is None else {one: -float(effect[one]) for one in named if np.isfinite(effect[one])}
    rows = [DirectBar(str(one), float(found.heads[one]), "head", lost.get(one)) for one in named]
    others = found.heads.size - len(named)
    if others:
        left = float(found.heads.sum() - sum(found.heads[one] for one in named))
        rows.append(DirectBar(f"{counted(others)} other{'s' if others > 1 else ''}", left, "rest"))
    return [*rows, DirectBar("all else", float(found.rest), "rest"), DirectBar("in all", float(found.total), "total")]


def _finding(found: Direct, place: Parting) -> Said:
    most = ranked(np.abs(found.heads))[0]
    by = float(found.heads[most])
    if abs(by) < SAME:
        return said("finding", "No head has a direct effect of 0.01 or more.")
    return said(
        "finding",
        "{head} has the largest direct effect: {by} towards {to}.",
        head=most,
        by=signed(by),
        to=word(place.words[0] if by > 0 else place.words[1]),
    )


def _sum(found: Direct, place: Parting) -> Said:
    """Return what the parts sum to, and of which two words they are told."""
    total, heads = float(found.total), float(found.heads.sum())
    lead = (
        "The model prefers neither word by 0.01 logits or more"
        if abs(total) < SAME
        else "The model prefers {to} by {total} logits"
    )
    after = " after {shared}" if place.shared else ""
    pieces = [(own, piece) for own, piece in zip(place.words, found.words, strict=True) if own != piece]
    of = "".join(f" Of {{w{at}}} its first piece counts, {{p{at}}}." for at in range(len(pieces)))
    slots = {f"w{at}": word(own) for at, (own, _) in enumerate(pieces)}
    slots |= {f"p{at}": word(piece) for at, (_, piece) in enumerate(pieces)}
    every = "heads add" if found.heads.size > 1 else "the one head adds"
    return Said(
        "sub",
        say(
            f"{lead}: {every} {signed(heads)} and everything else (embeddings, MLPs, biases) "
            f"{signed(float(found.rest))}. Two single next words are compared, {{a}} and {{b}}{after}.{of}",
            a=word(place.words[0]),
            b=word(place.words[1]),
            to=word(place.words[0] if total > 0 else place.words[1]),
            total=f"{abs(total):.2f}",
            shared=word(place.shared),
            **slots,
        ),
    )
