"""The tab "Does it matter?", first part: the score, and whether it can be trusted.

A verdict stands only where the gate of the sentence's kind allows one; both hit rates are printed beside it. `scored`
asks the engine; everything else is computed from what it answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mha.analysis.calibration import Gate
from mha.engine import experiments
from mha.engine.experiments import LINK, Score
from mha.engine.question import Ask
from mha.formats import percent, signed
from mha.intervention.calibrated import KindCalibration
from mha.screens.blocks import (
    AnsweredQuestion,
    Block,
    Columns,
    LabelledPicture,
    NumberRow,
    Questions,
    Said,
    heading,
    said,
    say,
    word,
)
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.choices import joined_name
from mha.screens.readings.recorded import PAIRS_SAID, RecordedReadings, calibration_of, moved
from mha.screens.readings.states import MovedScore, State, link_margin_said


class PairDots(LabelledPicture, kind="pair_dots"):
    """The score's difference in every forced pair, with words shuffled, and in this sentence."""

    pairs: NumberRow
    shuffled: NumberRow
    mine: float | None
    titles: Sequence[Sequence[str]]


BY_PARTNER = ("pronoun", "he/she")  # kinds whose pivot stands for its partner, which can fill its place


@dataclass(frozen=True)
class ScoreRow:
    """One score: its name for `mha.engine.experiments.Score`, its word in the link, and its sentences.

    ``box`` is the label of the two boxes, ``takes`` the kind of model that can be asked, ``told`` what the number says.
    """

    name: str
    label: str
    box: str = ""
    takes: str = ""
    told: str = ""


SCORE_ROWS = {
    row.label: row
    for row in (
        ScoreRow(LINK, "link margin"),
        ScoreRow(
            "continuations",
            "continuations",
            "Continuation, reading {letter}",
            "a causal model, which predicts the next word (GPT-2 and its kin)",
            "Score: how much likelier the text is to go on with {a} than with {b}",
        ),
        ScoreRow(
            "fills",
            "fills",
            "In place of the ambiguous word, reading {letter}",
            "a masked model, which predicts words that are hidden from it (BERT and its kin)",
            "Score: how much likelier {a} is in the place of {pivot} than {b}",
        ),
        ScoreRow(
            "targets",
            "targets",
            "Target, reading {letter}",
            "an encoder–decoder, which writes another text (T5 and its kin)",
            "Score: how much likelier the model is to write {a} for this text than {b}",
        ),
    )
}


def suggested(row: ScoreRow, found: Ambiguity) -> tuple[str, str]:
    """Return what both boxes stand for while they are empty; empty themselves where the readings say nothing usable."""
    if row.name == "fills":
        return (found.words[found.a[0]], found.words[found.b[0]]) if found.kind in BY_PARTNER else ("", "")
    a, b = (
        "" if name == joined_name(found, partners) else name
        for name, partners in zip(found.names, (found.a, found.b), strict=True)
    )
    return a, b


def asked_score(row: ScoreRow, typed: tuple[str, str], found: Ambiguity) -> Score:
    """Return the score of two texts that is asked for: what was typed, else what the readings suggest."""
    a, b = (own.strip() or theirs for own, theirs in zip(typed, suggested(row, found), strict=True))
    return Score(row.name, a, b)


def missing_text(row: ScoreRow, score: Score) -> str:
    """Return what to do where a box is empty or both are the same; "" where the score can be asked for."""
    if row.name == LINK:
        return ""
    for letter, text in zip("AB", (score.a, score.b), strict=True):
        if not text:
            return f"Fill in “{row.box.format(letter=letter)}” to get a score."
    return "" if score.a != score.b else "Both texts are the same. Change one."


def not_offered(row: ScoreRow, model: str) -> str:
    """Return why a model cannot be asked for this score."""
    return f"{model} cannot use this score ({row.label} needs {row.takes}). Showing closeness instead."


def told_block(row: ScoreRow, score: Score, found: Ambiguity) -> Said:
    """Return what the number of a score of two texts says."""
    told = row.told + " (difference of log-probabilities, in nats). Above 0 towards A."
    return said("sub", told, a=word(score.a), b=word(score.b), pivot=found.pivot_said)


ALONE = "A single score has no meaning on its own. Change one word to see how it moves."


@dataclass(frozen=True, eq=False)
class Scored:
    """The score of a sentence, and of its contrast (None without one).

    ``moved`` is how the score moves between them where it is read as the floor was measured, None elsewhere.
    """

    ambiguity: Ambiguity
    margin: float
    other: float | None
    row: ScoreRow
    score: Score
    known: KindCalibration | None
    moved: MovedScore | None = None

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
        if self.ambiguity.compared_with is None:
            return "there are no test pairs of this type"
        if self.score.name != LINK:
            return "this score was not tested on the pairs"
        return "this model has not been tested on the pairs yet"


def scored(case: RecordedReadings, row: ScoreRow, score: Score, ask: Ask) -> Scored:
    """Return the score of both versions, and what the forced pairs say about it."""
    found, model = case.ambiguity, case.row.name
    margins = [ask(experiments.scores.of(text, found.readings, model=model, score=score))[0] for text in case.versions]
    known = calibration_of(case)
    usual = score.name == LINK and score.at == max(1, case.row.n_layers - 1)  # where the floor was measured
    move = moved(case, ask) if usual and found.contrast is not None else None
    return Scored(found, margins[0], margins[1] if len(margins) > 1 else None, row, score, known, move)


def score_blocks(this: Scored) -> list[Block]:
    """Return the sentence with which the tab begins, what the score is, and whether it can be trusted.

    Whether the change is beyond control swaps is the verdict of the tab "What carries the change"; here it is one
    line under the tab's own.
    """
    blocks: list[Block] = [said("verdict", f"The score is {signed(this.margin)}."), said("sub", ALONE)]
    if this.other is not None:
        blocks = [_believed(this), _here(this, this.other)]
    if this.score.name != LINK:
        blocks.append(told_block(this.row, this.score, this.ambiguity))
    if this.gate is not None:
        blocks.append(_checks(this, this.gate))
    return blocks


def method_blocks(this: Scored) -> list[Block]:
    """Return how the score and its checks are measured."""
    found, gate, blocks = this.ambiguity, this.gate, list[Block]()
    if this.score.name == LINK:
        unknown = gate is None and found.compared_with is None
        more = " Choose a type of ambiguity under *Edit readings* if one of the four fits." if unknown else ""
        partners = found.partner("a"), found.partner("b")
        blocks.append(
            Said("cap", link_margin_said(found.called[found.at], partners, this.at - 1, found.averaged + more))
        )
    if gate is not None:
        (low, high), (beyond, upper) = gate.interval, gate.beyond_words
        intervals = (
            f"95\u00a0% intervals: {percent(low)} to {percent(high)} of the test pairs; {_points(beyond)} to "
            f"{_points(upper)} points against the same words shuffled. An interval that touches guessing, or zero, "
            f"shows nothing either way. {PAIRS_SAID}"
        )
        blocks.append(said("cap", intervals))
    return blocks


def _believed(this: Scored) -> Said:
    """Return whether the score may be trusted for this kind, as the test pairs tell it."""
    gate = this.gate
    if gate is None:
        return said("verdict", "It is unknown whether this score can be trusted here: {why}.", why=this.why_no_gate)
    times = f"in the expected direction in {gate.n_right:g} of {gate.n_pairs} test pairs"
    told = f"The score moves {times}"
    if not gate.tells:
        told = f"Do not trust this score here: it moves {times}, not clearly more often than a coin toss"
    elif not gate.from_order:
        told += f", not clearly more often than with shuffled words ({percent(gate.shuffled)})"
    return said("verdict", f"{told}.")


HERE = {  # what is said of the change here, by what may be said of it
    State.BELOW: " That is within the control limit.",
    State.BARELY: " That is not clearly beyond the control limit.",
    State.WRONG_WAY: " That is the unexpected direction.",
    **dict.fromkeys((State.DISAGREE, State.ABOVE, State.ONE_WORD), " That is more than {further} control swaps."),
}


def _here(this: Scored, other: float) -> Said:
    """Return how far the score changes in this sentence, and both numbers."""
    how = " Control swaps are not measured for this score."
    if this.moved is not None:
        how = HERE.get(this.moved.state, "")
    _, before, after = this.ambiguity.change
    return said(
        "sub",
        f"Here it changes by {abs(this.margin - other):.2f}, from {{m}} with {{before}} to {{o}} with {{after}}.{how}",
        before=word(before),
        after=word(after),
        m=signed(this.margin),
        o=signed(other),
        further=this.moved.further if this.moved and "{further}" in how else "",
    )


def _checks(this: Scored, gate: Gate) -> Columns:
    """Return the two checks with their answers, and the test pairs as dots behind this sentence."""
    assert this.known is not None
    scores, contrast, mine = this.known.scores, this.ambiguity.contrast, None
    if this.other is not None and contrast is not None and contrast.forces is not None:
        mine = (-1 if contrast.forces == "A" else 1) * (this.margin - this.other)
    tells = AnsweredQuestion(
        "Does it separate the versions?",
        "Yes" if gate.tells else "Not shown",
        say(f"{gate.n_right:g} of {gate.n_pairs} test pairs ({percent(gate.rate)}); guessing gives 50\u00a0%."),
    )
    by_order = AnsweredQuestion(
        "Does word order count?",
        "Yes" if gate.from_order else "Not shown",
        say(f"{_points(gate.rate - gate.shuffled)} points against shuffled words."),
    )
    dots = PairDots(
        scores.a[this.at] - scores.b[this.at],
        scores.shuffled[this.at],
        mine,  # version that forces A minus version that forces B
        [
            [f"{gate.n_pairs} test pairs:", f"{gate.n_right:g} as expected (filled)"],
            ["shuffled words:", f"{percent(gate.shuffled)} as expected"],
        ],
        label="the score's difference in every test pair, and in this sentence",
    )
    title = heading("Can you trust this score?", style="first")
    return Columns(([title, Questions((tells, by_order))], [dots]))


def _points(share: float) -> str:
    return signed(100 * share, 1 if abs(share) < 0.005 else 0)
