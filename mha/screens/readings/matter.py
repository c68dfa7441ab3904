"""The tab "Does it matter?", first part: the score, and whether it may be believed.

A verdict stands only where the gate of the sentence's kind allows one; both hit rates are printed beside it. `scored`
asks the engine; everything else is computed from what it answered.
"""

from __future__ import annotations

from dataclasses import dataclass

from mha.analysis.calibration import Gate
from mha.engine import experiments
from mha.engine.experiments import LINK, Score
from mha.errors import AttentionUnavailable
from mha.formats import percent, signed
from mha.intervention.calibrated import KindCalibration
from mha.pairs import KINDS
from mha.screens.blocks import Block, Columns, Question, Questions, Said, Span, heading, said, say, word
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.case import Case
from mha.screens.readings.drawn import PairDots
from mha.screens.readings.scores import ScoreRow, told_block
from mha.words import words

NO_VERDICT = "This model’s score cannot tell these readings apart; no verdict."
WORDS_ONLY = ", from which words stand there, not from how they are put together"


@dataclass(frozen=True, eq=False)
class Scored:
    """The score of a sentence, and of its contrast (None without one)."""

    ambiguity: Ambiguity
    margin: float
    other: float | None
    row: ScoreRow
    score: Score
    known: KindCalibration | None

    @property
    def at(self) -> int:
        """The block output that the link margin is read at."""
        assert self.score.at is not None
        return self.score.at

    @property
    def gate(self) -> Gate | None:
        """Whether the score may give a verdict on this kind; None where it was not tried on forced pairs."""
        return None if self.known is None or self.score.name != LINK else self.known.scores.gates[self.at]

    @property
    def can_be_tried(self) -> bool:
        """Whether only the forced pairs are missing for a verdict."""
        return self.gate is None and self.score.name == LINK

    @property
    def why_no_gate(self) -> str:
        """Why there is no gate."""
        if self.ambiguity.kind not in KINDS:
            return "of this kind no forced pairs are known"
        if self.score.name != LINK:
            return f"{self.row.label} were not tried on the forced pairs"
        return "this model has not been measured on the forced pairs yet"


def check_silencing(case: Case) -> None:
    """Raise AttentionUnavailable where a model's heads cannot be silenced."""
    if not experiments.has_twin(case.row.name):
        raise AttentionUnavailable(
            f"The heads of {case.row.title} cannot be silenced here. Choose MiniLM to see whether they matter."
        )


def scored(case: Case, row: ScoreRow, score: Score) -> Scored:
    """Return the score of both versions, and what the forced pairs say about it."""
    found, model = case.ambiguity, case.row.name
    margins = [experiments.scores(text, found.readings, model=model, score=score)[0] for text in case.versions]
    known = experiments.calibration_of_kind(found.kind, model)
    return Scored(found, margins[0], margins[1] if len(margins) > 1 else None, row, score, known)


def score_blocks(this: Scored) -> list[Block]:
    """Return the sentence with which the tab begins, what the score is, and whether it may be believed."""
    explain = _link_margin(this) if this.score.name == LINK else told_block(this.row, this.score, this.ambiguity)
    gate = this.gate
    if gate is None:
        return [said("verdict", f"No verdict: {this.why_no_gate}."), _numbers(this), explain]
    if not gate.tells:
        return [said("verdict", NO_VERDICT), _numbers(this), explain, *_gate_blocks(this, gate)]
    tail = "." if gate.from_order else WORDS_ONLY + "."
    if this.other is None:
        alone = "One score alone says little: with a contrast sentence there is a difference to read."
        top = [said("verdict", f"The score goes to {_side(this.margin)} ({signed(this.margin)})" + tail)]
        return [*top, said("sub", alone), explain, *_gate_blocks(this, gate)]
    first, second = _side(this.margin), _side(this.other)
    both = f"The score goes to {first} with {{before}} ({{m}}) and to {second} with {{after}} ({{o}})"
    if first == second:
        both = f"The score goes to {first} with both words: {{before}} ({{m}}), {{after}} ({{o}})"
    return [said("verdict", both + tail, **_versions(this, this.other)), explain, *_gate_blocks(this, gate)]


def _side(score: float) -> str:
    return "A" if score > 0 else "B"


def _versions(this: Scored, other: float) -> dict[str, Span | str]:
    """Return the first word that differs and the score, in both versions, as slots of a sentence."""
    contrast = this.ambiguity.contrast
    assert contrast is not None
    number = contrast.changed[0]
    before, after = word(this.ambiguity.words[number]), word(words(contrast.text)[number])
    return {"before": before, "after": after, "m": signed(this.margin), "o": signed(other)}


def _numbers(this: Scored) -> Said:
    if this.other is None:
        return said("sub", f"The number itself: {signed(this.margin)}.")
    return said("sub", "The numbers themselves: {m} with {before}, {o} with {after}.", **_versions(this, this.other))


def _link_margin(this: Scored) -> Said:
    found, gate = this.ambiguity, this.gate
    assert found.pivot is not None
    hits = ""
    if gate is not None:
        hits = f" It points the right way in {gate.n_right:g} of {gate.n_pairs} forced pairs"
        hits += "." if gate.from_order else f", and no less often with their words shuffled ({percent(gate.shuffled)})."
    elif found.kind not in KINDS:
        hits = " Choose a kind above if it is one of the four."
    return said(
        "sub",
        "Score: how much closer {p} ends up to {a} than to {b} (link margin, after layer {layer})." + hits,
        p=word(found.words[found.pivot]),
        a=word(found.words[found.a[0]]),
        b=word(found.words[found.b[0]]),
        layer=str(this.at - 1),
    )


def _gate_blocks(this: Scored, gate: Gate) -> list[Block]:
    """Return the two questions with their answers, and the forced pairs as dots behind this sentence."""
    assert this.known is not None
    (low, high), (beyond, upper), scores = gate.interval, gate.beyond_words, this.known.scores
    tells = Question(
        "Does the score tell forced versions apart?",
        "Yes" if gate.tells else "No",
        say(
            f"{gate.n_right:g} of {gate.n_pairs} pairs, {percent(gate.rate)}; interval {percent(low)} to "
            f"{percent(high)}, {'above' if gate.tells else 'not above'} a coin toss."
        ),
    )
    by_order = Question(
        "Better than the same words shuffled?",
        "Yes" if gate.from_order else "No",
        say(
            f"{_points(gate.rate - gate.shuffled)} points; interval {_points(beyond)} to {_points(upper)}. "
            f"The order of the words adds {'to it' if gate.from_order else 'nothing'}."
        ),
    )
    dots = PairDots(
        scores.a[this.at] - scores.b[this.at],
        scores.shuffled[this.at],
        _mine(this),
        [
            [f"{gate.n_pairs} forced pairs", f"{gate.n_right:g} the right way, filled"],
            ["words shuffled", f"{percent(gate.shuffled)} the right way"],
        ],
        "the score's difference in every forced pair, and in this sentence",
    )
    title = heading("May it be believed? Two questions", style="first")
    return [Columns(([title, Questions((tells, by_order), "tight")], [dots]))]


def _mine(this: Scored) -> float | None:
    """Return the difference of this sentence, version that forces A minus version that forces B where that is known."""
    contrast = this.ambiguity.contrast
    if this.other is None or contrast is None:
        return None
    return (-1 if contrast.forces == "A" else 1) * (this.margin - this.other)


def _points(share: float) -> str:
    return signed(100 * share, 1 if abs(share) < 0.005 else 0)
