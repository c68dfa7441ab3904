"""The word of Questions. Guesses and what is revealed stand nowhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mha.link.kinds import Choice
from mha.link.word import Words, word

NAMES = (  # of the questions in `assets/questions.json`, in their order
    "many heads",
    "self-attention",
    "Q K V",
    "scaling",
    "formula",
    "output matrix",
    "real models",
    "redundancy",
    "measures",
    "one head",
    "ambiguity",
)


@dataclass(frozen=True)
class QuestionsWords(Words):
    """Which question is open."""

    PREFIX: ClassVar[str] = "questions_"
    open: str = word(Choice(NAMES, "pills"), NAMES[0], "Eleven questions", "the open question")
