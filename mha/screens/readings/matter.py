"""The tab "Does it matter?", first part: the score, and whether it may be believed.

A verdict stands only where the gate of the sentence's kind allows one; both hit rates are printed beside it. `scored`
asks the engine; everything else is computed from what it answered.
"""

from __future__ import annotations

from dataclasses import dataclass

from mha.analysis.calibration import Gate
from mha.engine import experiments
from mha.engine.experiments import LINK, Score
from mha.engine.question import Ask
from mha.errors import AttentionUnavailable
from mha.formats import percent, signed
from mha.intervention.calibrated import KindCalibration
from mha.screens.blocks import AnsweredQuestion, Block, Columns, Questions, Said, Span, heading, said, say, word
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.blocks.scoring import PairDots
from mha.screens.readings.recorded import RecordedReadings
from mha.screens.readings.scores import ScoreRow, told_block
from mha.screens.readings.states import MovedScore, State, state_of
from mha.screens.readings.two_versions import calibration_of, moved
from mha.words import words

WORDS_ONLY = "It goes by which words stand there, not by how they are put together."
ALONE = (
    "One score alone tells no reading. With another version there is a movement to read: “Change one word” stands "
    "under the sentence."
)


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
    def can_be_tried(self) -> bool:
        """Whether only the forced pairs are missing for a verdict."""
        return self.gate is None and self.score.name == LINK and self.ambiguity.compared_with is not None

    @property
    def why_no_gate(self) -> str:
        """Why there is no gate."""
        if self.ambiguity.compared_with is None:
            return "of this kind no forced pairs are known"
        if self.score.name != LINK:
            return f"{self.row.label} were not tried on the forced pairs"
        return "this model has not been measured on the forced pairs yet"


def check_silencing(case: RecordedReadings) -> None:
    """Raise AttentionUnavailable where a model's heads cannot be silenced."""
    if not experiments.has_twin(case.row.name):
        raise AttentionUnavailable(
            f"The heads of {case.row.title} cannot be silenced here. Choose MiniLM to see whether they matter."
        )


def scored(case: RecordedReadings, row: ScoreRow, score: Score, ask: Ask) -> Scored:
    """Return the score of both versions, and what the forced pairs say about it."""
    found, model = case.ambiguity, case.row.name
    margins = [ask(experiments.scores.of(text, found.readings, model=model, score=score))[0] for text in case.versions]
    known = calibration_of(case)
    usual = score.name == LINK and score.at == max(1, case.row.n_layers - 1)  # where the floor was measured
    move = moved(case, ask) if usual else None
    return Scored(found, margins[0], margins[1] if len(margins) > 1 else None, row, score, known, move)


def score_blocks(this: Scored) -> list[Block]:
    """Return the sentence with which the tab begins, what the score is, and whether it may be believed.

    Whether the difference is told from changing any word is the verdict of the tab "What carries it"; here it is one
    line under the tab's own.
    """
    explain = _link_margin(this) if this.score.name == LINK else told_block(this.row, this.score, this.ambiguity)
    gate, top = this.gate, _believed(this)
    if this.other is None:
        top = [said("verdict", f"The score is {signed(this.margin)}."), said("sub", ALONE)]
    else:
        top.append(_here(this, this.other))
    return [*top, explain, *([] if gate is None else _gate_blocks(this, gate))]


def _believed(this: Scored) -> list[Block]:
    """Return whether the score may be believed for this kind, as the forced pairs tell it."""
    gate = this.gate
    if gate is None:
        return [said("verdict", "Whether this score can be believed here is not known: {why}.", why=this.why_no_gate)]
    times = f"{gate.n_right:g} of {gate.n_pairs} forced pairs"
    if not gate.tells:
        return [
            said("verdict", f"This score is not to be believed here: it moves the right way in {times}, which a coin "
                            "toss may do too.")
        ]  # fmt: skip
    if not gate.from_order:
        return [
            said("verdict", f"Between forced versions the score moves the right way in {times}, not shown to be more "
                            f"often than with their words shuffled ({percent(gate.shuffled)}). {WORDS_ONLY}")
        ]  # fmt: skip
    return [said("verdict", f"Between forced versions the score moves the right way in {times}.")]


HERE = {  # how far the score moves here, by what may be said of it
    State.BELOW: ", no more than when a word is changed that keeps the reading",
    State.WRONG_WAY: ", the other way",
    **dict.fromkeys(
        (State.DISAGREE, State.BARELY, State.ABOVE, State.ONE_WORD), ", further than {further} that keep the reading"
    ),
}


def _here(this: Scored, other: float) -> Said:
    """Return how far the score moves in this sentence, and both numbers."""
    how = "" if this.moved is None else HERE.get(state_of(this.moved), "")
    if "{further}" in how:
        assert this.moved is not None
        how = how.format(further=this.moved.further)
    by = f"{abs(this.margin - other):.2f}{how}"
    unknown = " How far it moves when the reading stays is not measured for this score." if this.moved is None else ""
    return said(
        "sub",
        f"Here it moves by {by}: {{m}} with {{before}}, {{o}} with {{after}}.{unknown}",
        **_versions(this, other),
    )


def _versions(this: Scored, other: float) -> dict[str, Span | str]:
    """Return the first word that differs and the score, in both versions, as slots of a sentence."""
    contrast = this.ambiguity.contrast
    assert contrast is not None
    number = contrast.changed[0]
    before, after = word(this.ambiguity.words[number]), word(words(contrast.text)[number])
    return {"before": before, "after": after, "m": signed(this.margin), "o": signed(other)}


def _link_margin(this: Scored) -> Said:
    found = this.ambiguity
    assert found.pivot is not None
    more = ""
    if this.gate is None and found.compared_with is None:
        more = " Choose a kind above if it is one of the four and fits the pivot."
    return said(
        "sub",
        "Score: how much closer {p} ends up to {a} than to {b} (link margin, after layer {layer})." + more,
        p=word(found.called[found.pivot]),
        a=word(found.called[found.a[0]]),
        b=word(found.called[found.b[0]]),
        layer=str(this.at - 1),
    )


def _gate_blocks(this: Scored, gate: Gate) -> list[Block]:
    """Return the two questions with their answers, and the forced pairs as dots behind this sentence."""
    assert this.known is not None
    (low, high), (beyond, upper), scores = gate.interval, gate.beyond_words, this.known.scores
    tells = AnsweredQuestion(
        "Does the score tell forced versions apart?",
        "Yes" if gate.tells else "No",
        say(
            f"{gate.n_right:g} of {gate.n_pairs} pairs, {percent(gate.rate)}; interval {percent(low)} to "
            f"{percent(high)}, {'above' if gate.tells else 'not above'} a coin toss."
        ),
    )
    by_order = AnsweredQuestion(
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
        label="the score's difference in every forced pair, and in this sentence",
    )
    title = heading("May it be believed? Two questions", style="first")
    return [Columns(([title, Questions((tells, by_order), "tight")], [dots]))]


def _mine(this: Scored) -> float | None:
    """Return the difference of this sentence, version that forces A minus version that forces B; None if not known."""
    contrast = this.ambiguity.contrast
    if this.other is None or contrast is None or contrast.forces is None:
        return None
    return (-1 if contrast.forces == "A" else 1) * (this.margin - this.other)


def _points(share: float) -> str:
    return signed(100 * share, 1 if abs(share) < 0.005 else 0)
