"""The tab "Does it matter?" as blocks, first part: the score, and whether it may be believed. Pure.

A verdict stands only where the gate of the sentence's kind allows one; both hit rates are printed beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

from mha.analysis.calibration import Gate
from mha.engine.scores import LINK, Score
from mha.formats import percent, signed
from mha.intervention.calibrated import KindCalibration
from mha.pairs import KINDS
from mha.screens.blocks import Block, Span, columns, heading, numbers, said, word
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.scores import ScoreRow, told_blocks
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
    def why_no_gate(self) -> str:
        """Why there is no gate."""
        if self.ambiguity.kind not in KINDS:
            return "of this kind no forced pairs are known"
        if self.score.name != LINK:
            return f"{self.row.label} were not tried on the forced pairs"
        return "this model has not been measured on the forced pairs yet"

    @property
    def cue_words(self) -> tuple[Span, Span]:
        """The first word that differs, in both versions."""
        contrast = self.ambiguity.contrast
        assert contrast is not None
        number = contrast.changed[0]
        return word(self.ambiguity.words[number]), word(words(contrast.text)[number])


def score_blocks(this: Scored) -> list[Block]:
    """Return the sentence with which the tab begins, and what the score is."""
    found = this.ambiguity
    assert found.pivot is not None
    if this.score.name != LINK:
        explain = told_blocks(this.row, this.score, found)
        return [said("verdict", f"No verdict: {this.why_no_gate}."), _numbers(this), explain]
    explain = said(
        "sub",
        "Score: how much closer {p} ends up to {a} than to {b} (link margin, after layer {layer})." + _hits(this),
        p=word(found.words[found.pivot]),
        a=word(found.words[found.a[0]]),
        b=word(found.words[found.b[0]]),
        layer=str(this.at - 1),
    )
    gate = this.gate
    if gate is None:
        return [said("verdict", f"No verdict: {this.why_no_gate}."), _numbers(this), explain]
    if not gate.tells:
        return [said("verdict", NO_VERDICT), _numbers(this), explain]
    tail = "" if gate.from_order else WORDS_ONLY
    if this.other is None:
        side = "A" if this.margin > 0 else "B"
        return [
            said("verdict", f"The score goes to {side} ({signed(this.margin)})" + tail + "."),
            said("sub", "One score alone says little: with a contrast sentence there is a difference to read."),
            explain,
        ]
    return [said("verdict", _both(this) + tail + ".", **_versions(this)), explain]


def _both(this: Scored) -> str:
    assert this.other is not None
    first, second = ("A" if score > 0 else "B" for score in (this.margin, this.other))
    if first != second:
        return f"The score goes to {first} with {{before}} ({{m}}) and to {second} with {{after}} ({{o}})"
    return f"The score goes to {first} with both words: {{before}} ({{m}}), {{after}} ({{o}})"


def _versions(this: Scored) -> dict[str, Span | str]:
    assert this.other is not None
    before, after = this.cue_words
    return {"before": before, "after": after, "m": signed(this.margin), "o": signed(this.other)}


def _numbers(this: Scored) -> Block:
    if this.other is None:
        return said("sub", f"The number itself: {signed(this.margin)}.")
    return said("sub", "The numbers themselves: {m} with {before}, {o} with {after}.", **_versions(this))


def _hits(this: Scored) -> str:
    gate = this.gate
    if gate is None:
        return " Choose a kind above if it is one of the four." if this.ambiguity.kind not in KINDS else ""
    right = f" It points the right way in {gate.n_right:g} of {gate.n_pairs} forced pairs"
    if gate.from_order:
        return right + "."
    return right + f", and no less often with their words shuffled ({percent(gate.shuffled)})."


def gate_blocks(this: Scored) -> list[Block]:
    """Return the two questions with their answers, and the forced pairs as dots behind this sentence."""
    gate, known = this.gate, this.known
    if gate is None or known is None:
        return []
    low, high = gate.interval
    beyond, upper = gate.beyond_words
    difference = gate.rate - gate.shuffled
    rows = [
        said(
            "",
            f"{gate.n_right:g} of {gate.n_pairs} pairs, {percent(gate.rate)}; interval {percent(low)} to "
            f"{percent(high)}, " + ("above a coin toss." if gate.tells else "not above a coin toss."),
        )
        | {"ask": "Does the score tell forced versions apart?", "answer": "Yes" if gate.tells else "No"},
        said(
            "",
            f"{_points(difference)} points; interval {_points(beyond)} to {_points(upper)}. "
            + ("The order of the words adds to it." if gate.from_order else "The order of the words adds nothing."),
        )
        | {"ask": "Better than the same words shuffled?", "answer": "Yes" if gate.from_order else "No"},
    ]
    dots: Block = {
        "kind": "pair_dots",
        "pairs": numbers(known.scores.a[this.at] - known.scores.b[this.at]),
        "shuffled": numbers(known.scores.shuffled[this.at]),
        "mine": None if this.other is None else _mine(this),
        "titles": [
            [f"{gate.n_pairs} forced pairs", f"{gate.n_right:g} the right way, filled"],
            ["words shuffled", f"{percent(gate.shuffled)} the right way"],
        ],
        "label": "the score's difference in every forced pair, and in this sentence",
    }
    questions = [
        heading("May it be believed? Two questions", style="first"),
        {"kind": "questions", "style": "tight", "rows": rows},
    ]
    return [columns(questions, [dots], shares=(1, 1))]


def _mine(this: Scored) -> float:
    """Return the difference of this sentence, version that forces A minus version that forces B where that is known."""
    assert this.other is not None
    assert this.ambiguity.contrast is not None
    sign = -1 if this.ambiguity.contrast.forces == "A" else 1
    return round(sign * (this.margin - this.other), 4)


def _points(share: float) -> str:
    return signed(100 * share, 1 if abs(share) < 0.005 else 0)
