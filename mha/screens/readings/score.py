"""The tab "Does it matter?", first part: the score in both versions.

`scored` asks the engine; everything else is computed from what it answered.
"""

from __future__ import annotations

from dataclasses import dataclass

from mha.engine import experiments
from mha.engine.experiments import LINK, Score
from mha.engine.question import Ask
from mha.formats import signed
from mha.screens.blocks import (
    Block,
    Said,
    said,
    word,
)
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.choices import joined_name
from mha.screens.readings.recorded import RecordedReadings, moved
from mha.screens.readings.score_change import MovedScore, change_blocks, change_said, link_margin_said

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
    moved: MovedScore | None = None

    @property
    def at(self) -> int:
        """The block output that the link margin is read at."""
        assert self.score.at is not None
        return self.score.at


def scored(case: RecordedReadings, row: ScoreRow, score: Score, ask: Ask) -> Scored:
    """Return the score of both versions."""
    found, model = case.ambiguity, case.row.name
    margins = [ask(experiments.scores.of(text, found.readings, model=model, score=score))[0] for text in case.versions]
    usual = score.name == LINK and score.at == max(1, case.row.n_layers - 1)  # where the floor was measured
    move = moved(case, ask) if usual and found.contrast is not None else None
    return Scored(found, margins[0], margins[1] if len(margins) > 1 else None, row, score, move)


def score_blocks(this: Scored) -> list[Block]:
    """Return the score, its change between the versions, and the control limit where it was measured."""
    blocks: list[Block] = [said("verdict", f"The score is {signed(this.margin)}."), said("sub", ALONE)]
    if this.moved is not None:
        blocks = list(change_blocks(this.moved)[:2])
    elif this.other is not None:
        _, *both = this.ambiguity.change
        blocks = [change_said((both[0], both[1]), (this.margin, this.other))]
        blocks.append(said("sub", "Control swaps are not measured for this score."))
    if this.score.name != LINK:
        blocks.append(told_block(this.row, this.score, this.ambiguity))
    return blocks


def method_blocks(this: Scored) -> list[Block]:
    """Return how the score is measured; nothing of a score of two texts."""
    found = this.ambiguity
    if this.score.name != LINK:
        return []
    partners = found.partner("a"), found.partner("b")
    return [Said("cap", link_margin_said(found.called[found.at], partners, this.at - 1, found.averaged))]
