"""Kinds of ambiguity, which decide the test pairs of a score, and a model's own answer to two readings."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from mha import assets
from mha.assets import ASSETS
from mha.pairs import OTHER

ATTACHMENT, PRONOUN, HE_SHE, RELATIVE = "attachment", "pronoun", "he/she", "relative clause"
PRONOUNS = ("it", "he", "she", "they")
HE_OR_SHE = ("he", "she")
RELATIVES = ("who", "which", "that")
_PREPOSITIONS = (
    "about above across after against along among around at before behind below beneath beside between by down during "
    "for from in inside into near of off on onto over past through to toward towards under until up upon via with "
    "within without"
)
_DETERMINERS = "a an the this that these those my your his her its our their some any no each every"
PREPOSITIONS, DETERMINERS = frozenset(_PREPOSITIONS.split()), frozenset(_DETERMINERS.split())
PHRASE = 4  # an ambiguous word is at most so many words after its preposition: with the very long telescope


def preposition_number(words: Sequence[str], number: int) -> int | None:
    """Return the number of the preposition of the phrase that a word ends, or None.

    >>> preposition_number("I saw the man with the telescope".split(), 6)
    4
    """
    low = [word.casefold() for word in words]
    for place in range(number - 1, max(-1, number - 1 - PHRASE), -1):
        if low[place] in PREPOSITIONS:
            between = low[place + 1 : number]
            return place if len(between) < 2 or between[0] in DETERMINERS else None
        if low[place] in DETERMINERS and place < number - 1 and low[place + 1] in DETERMINERS:
            return None
    return None


def fits_kind(
    kind: str, words: Sequence[str], number: int, candidates: Sequence[int], changed: Sequence[str] = ()
) -> bool:
    """Return whether an ambiguous word could occur in the test pairs of a kind; any could in those of "other".

    ``candidates`` are those of both readings, ``changed`` the words of the changed version.
    """
    low = words[number].casefold()
    if kind == PRONOUN:
        return low in PRONOUNS
    if kind == RELATIVE:
        return low in RELATIVES
    if kind == HE_SHE:
        return low in HE_OR_SHE and (not changed or {low, changed[number].casefold()} == set(HE_OR_SHE))
    if kind == ATTACHMENT:
        preposition = preposition_number(words, number)
        return preposition is not None and all(candidate < preposition for candidate in candidates)
    return True


def guess_kind(words: Sequence[str], number: int, candidates: Sequence[int], changed: Sequence[str] = ()) -> str:
    """Return the first kind that an ambiguous word fits, or "other".

    *He* and *she* are of kind he/she only if the changed version exchanges them.
    """
    kinds = (*([HE_SHE] if changed else []), PRONOUN, RELATIVE, ATTACHMENT)
    return next((kind for kind in kinds if fits_kind(kind, words, number, candidates, changed)), OTHER)


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
