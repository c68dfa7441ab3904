"""The ambiguity on top of the page: the sentence with both readings, and the contrast line under it.

A word that is clicked takes the role that is missing, or a menu asks which it should have.
"""

from __future__ import annotations

from typing import Any

from mha.screens.blocks import Span, say, word
from mha.screens.pieces import text_pieces
from mha.screens.readings.ambiguity import ROLES, Ambiguity
from mha.screens.readings.kinds import ATTACHMENT, PRONOUNS, RELATIVES, fits, preposition_of

FIRST = (
    "Which word can be taken in two ways? Click it: it is the pivot. Often it is *it*, *who*, or the noun after *with*."
)
LEAST = 3  # words: a pivot and a partner for each reading
TOO_FEW = "Two readings need three words: one that can be taken in two ways, and two that it may go with. Here {there}."
ELSEWHERE = "Where its heads look, and what another word does to them, can be seen all the same:"
ASKS = {  # what is asked for A and B, by what the pivot is
    "pronoun": (
        "Now click the word that {pivot} may stand for: reading A.",
        "And the other word that it may stand for: B.",
    ),
    "relative": (
        "Now click the word that {pivot} may say something of: reading A.",
        "And the other word that it may say something of: B.",
    ),
    "other": (
        "Now click the word that {pivot} goes with in reading A.",
        "And the word that {pivot} goes with in reading B.",
    ),
}


def sentence_spec(found: Ambiguity, large: bool = False) -> dict[str, Any]:
    """Return what both components draw: pieces with their roles, names, what a click does next, and the contrast."""
    numbers = {"pivot": (found.pivot,), "a": found.a, "b": found.b, "cue": (found.cue,)}
    pivot = word("" if found.pivot is None else found.called[found.pivot])
    contrast = None
    if found.contrast is not None:
        changed = found.contrast.changed
        pieces = [{**piece, "changed": piece["at"] in changed} for piece in text_pieces(found.contrast.text)]
        contrast = {"pieces": pieces, "forces": found.contrast.forces}
    return {
        "large": large,
        "roles": ROLES,
        "pieces": [
            {**piece, "roles": [role for role in ROLES if piece["at"] is not None and piece["at"] in numbers[role]]}
            for piece in text_pieces(found.text)
        ],
        "names": dict(zip("ab", found.names, strict=True)),
        "next": found.missing,
        "prompt": say(_prompt(found), pivot=pivot) if found.missing else None,
        "key": [] if found.missing else _key(found, pivot),
        "contrast": contrast,
    }


def suggestion(found: Ambiguity) -> tuple[Span, ...]:
    """Return the question that a suggestion asks; the page never answers it."""
    assert found.pivot is not None
    pivot, first, second = (word(one) for one in (found.called[found.pivot], found.partner("a"), found.partner("b")))
    start = preposition_of(found.words, found.pivot)
    if found.words[found.pivot].casefold() in (*PRONOUNS, *RELATIVES):
        asks = "Suggested: does {pivot} refer to {first} or {second}?"
    elif fits(ATTACHMENT, found.words, found.pivot, (*found.a, *found.b)):
        pivot = word(" ".join(found.words[start : found.pivot + 1]))
        asks = "Suggested: does {pivot} go with {first} or {second}?"
    elif found.pivot < min(*found.a, *found.b):
        asks = "Suggested: does {pivot} describe {first} only, or {second} too?"
    else:
        asks = "Suggested: does {pivot} go with {first} or {second}?"
    return say(asks, pivot=pivot, first=first, second=second)


def way_out(found: Ambiguity) -> tuple[Span, ...]:
    """Return what stands under the prompt for a reader who does not find the word that is asked for."""
    if len(found.words) < LEAST:
        return say(ELSEWHERE)
    if found.pivot is None:
        return say(f"If no word of it can, there are no two readings to compare. {ELSEWHERE}")
    return say("If {pivot} was not meant:", pivot=word(found.called[found.pivot]))


def _prompt(found: Ambiguity) -> str:
    """Return what the reader is asked to click next, as it fits the pivot."""
    if len(found.words) < LEAST:
        return TOO_FEW.format(there="is one" if len(found.words) == 1 else "are two")
    if found.pivot is None:
        return FIRST
    pivot = found.words[found.pivot].casefold()
    asks = ASKS["pronoun" if pivot in PRONOUNS else "relative" if pivot in RELATIVES else "other"]
    return asks[found.missing == "b"]


def _key(found: Ambiguity, pivot: Span) -> list[tuple[str, tuple[Span, ...]]]:
    """Return both readings in words, where brackets have no room."""
    key = []
    for letter, name, partners in zip("AB", found.names, (found.a, found.b), strict=True):
        partner = word(", ".join(found.called[number] for number in partners))
        joined = say("{pivot} goes with {partner}", pivot=pivot, partner=partner)
        own = name == "".join(span[1] for span in joined)
        key.append((letter, joined if own else (("plain", f"{name}: "), *joined)))
    return key
