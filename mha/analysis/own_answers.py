"""A model's own answer to two readings: which candidate it predicts after "The word it refers to the".

The form is one of several that were tried; how often it orders test pairs rightly is measured for SmolLM2
(``python -m studies.own_answers``), and shown with each answer. No form works for attachments.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from mha import assets
from mha.analysis.ambiguity_kinds import HE_SHE, PRONOUN, RELATIVE
from mha.assets import ASSETS

FILE = ASSETS / "own_answers.json"
KINDS = (PRONOUN, HE_SHE, RELATIVE)
END_MARKS = (".", "!", "?")


@dataclass(frozen=True)
class AnswerRate:
    """In how many of ``n`` test pairs the answer is nearer to A in version A than in version B."""

    n: int
    n_ordered: int


def answer_prompt(text: str, word: str, mask: str = "") -> str:
    """Return the text whose next word, or whose ``mask``, is the answer.

    >>> answer_prompt("The dog ate because it was hungry", "it")
    'The dog ate because it was hungry. The word it refers to the'
    """
    start = text.strip()
    start = start if start.endswith(END_MARKS) else f"{start}."
    return f"{start} The word {word} refers to the{f' {mask}.' if mask else ''}"


def answer_rate(model: str, revision: str, kind: str) -> AnswerRate | None:
    """Return the rate of a kind for a model, or None if it was not measured with these weights."""
    stored = assets.optional(FILE, json.loads) or {}
    if (stored.get("model"), stored.get("revision")) != (model, revision) or kind not in stored["kinds"]:
        return None
    return AnswerRate(**stored["kinds"][kind])
