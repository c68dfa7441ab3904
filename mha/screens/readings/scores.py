"""The scores a reader may ask a model for, one row each: their words in the link, and what stands in the two boxes.

What a box holds until something is typed comes from the readings, where they say something that can be used.
"""

from __future__ import annotations

from dataclasses import dataclass

from mha.engine import experiments
from mha.engine.experiments import LINK, Score
from mha.engine.question import Ask
from mha.screens.blocks import Said, said, word
from mha.screens.readings.ambiguity import Ambiguity, joined_name

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
            "Goes on, reading {letter}",
            "a causal model, which predicts the next word (GPT-2 and its kin)",
            "Score: how much likelier the text goes on with {a} than with {b}",
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
            "Written for it, reading {letter}",
            "an encoder–decoder, which writes another text (T5 and its kin)",
            "Score: how much likelier the model writes {a} for this text than {b}",
        ),
    )
}


def suggested(row: ScoreRow, found: Ambiguity) -> tuple[str, str]:
    """Return what both boxes stand for while they are empty; empty themselves where the readings say nothing usable."""
    if row.name == "fills":
        if found.kind not in BY_PARTNER:
            return "", ""
        return found.words[found.a[0]], found.words[found.b[0]]
    own = [
        "" if name == joined_name(found, partners) else name
        for name, partners in zip(found.names, (found.a, found.b), strict=True)
    ]
    return own[0], own[1]


def asked_score(row: ScoreRow, typed: tuple[str, str], found: Ambiguity, at: int) -> Score:
    """Return the score that is asked for: what was typed, else what the readings suggest."""
    if row.name == LINK:
        return Score(at=at)
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


def is_offered(row: ScoreRow, model: str, ask: Ask) -> bool:
    """Return whether a model can be asked for a score; for all but the link margin, the engine looks at the model."""
    return row.name == LINK or row.name in ask(experiments.scores_of.of(model))


def not_offered(row: ScoreRow, model: str) -> str:
    """Return why a model cannot be asked for this score."""
    return f"{model} cannot use this score ({row.label} needs {row.takes}). Showing closeness instead."


def told_block(row: ScoreRow, score: Score, found: Ambiguity) -> Said:
    """Return what the number of a score of two texts says."""
    assert found.pivot is not None
    return said(
        "sub",
        row.told + ": the difference of their log-probabilities, in nats. Above 0 towards A.",
        a=word(score.a),
        b=word(score.b),
        pivot=word(found.called[found.pivot]),
    )
