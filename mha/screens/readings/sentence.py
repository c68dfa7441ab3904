"""The ambiguity on top of the page: the sentence with both readings, and the contrast line under it.

A word that is clicked takes the role that is missing, or a menu asks which it should have.
"""

from __future__ import annotations

from typing import Any

from mha.formats import few
from mha.screens.blocks import Span, say, word
from mha.screens.pieces import text_pieces
from mha.screens.readings.ambiguity import ROLES, Ambiguity
from mha.screens.readings.kinds import ATTACHMENT, PRONOUNS, RELATIVES, fits, preposition_of

LEAST = 3  # words: an ambiguous one and two candidates
TOO_FEW = "Two readings need at least three words: an ambiguous word and two candidates. This text has {n}."
ELSEWHERE = "You can still explore this sentence here:"
REFERRING = frozenset(("it", "he", "she", "they", "him", "her", "them", "its", "his", *RELATIVES))
ASKS = {  # what is asked for A and B, by what the ambiguous word is
    "pronoun": (
        "Which word could {pivot} refer to? Click candidate A.",
        "Which other word could it refer to? Click candidate B.",
    ),
    "relative": (
        "Which word could {pivot} describe? Click candidate A.",
        "Which other word could it describe? Click candidate B.",
    ),
    "other": (
        "Which word does {pivot} go with in reading A? Click it.",
        "And in reading B? Click that word.",
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
        "prompt": _prompt(found) if found.missing else None,
        "key": [] if found.missing else _key(found, pivot),
        "contrast": contrast,
    }


def suggestion(found: Ambiguity, badge: bool = True) -> tuple[Span, ...]:
    """Return what the readings are about, as a question that the page never answers; with a badge if suggested."""
    assert found.pivot is not None
    a = ("chip", "A"), ("plain", "\u00a0"), ("word_a", found.partner("a"))
    b = ("chip", "B"), ("plain", "\u00a0"), ("word_b", found.partner("b"))
    pivot = word(found.called[found.pivot])
    if found.words[found.pivot].casefold() in REFERRING:
        asks = "Does {pivot} refer to {a} or {b}?"
    elif describes(found):
        asks = "Does {pivot} describe {a} only, or {b} too?"
    else:
        start = preposition_of(found.words, found.pivot)
        if start is not None and fits(ATTACHMENT, found.words, found.pivot, (*found.a, *found.b)):
            pivot = word(" ".join(found.words[start : found.pivot + 1]))
        asks = "Does {pivot} go with {a} or {b}?"
    first: tuple[Span, ...] = (("suggested", "suggested"), ("plain", " ")) if badge else ()
    return (*first, *say(asks, pivot=pivot, a=a, b=b))


def describes(found: Ambiguity) -> bool:
    """Return whether the ambiguous word stands before two candidates that *and* or *or* joins: old men and women."""
    assert found.pivot is not None
    first, last = min(*found.a, *found.b), max(*found.a, *found.b)
    joined = any(one.casefold() in ("and", "or") for one in found.words[first:last])
    return found.pivot < first < last and joined


def way_out(found: Ambiguity) -> tuple[Span, ...]:
    """Return what stands under the prompt for a reader who does not find the word that is asked for."""
    if len(found.words) < LEAST:
        return say(ELSEWHERE)
    if found.pivot is None:
        return say(f"If no word is ambiguous, there are no readings to compare. {ELSEWHERE}")
    return say("Not {pivot}?", pivot=word(found.called[found.pivot]))


def _prompt(found: Ambiguity) -> tuple[Span, ...]:
    """Return what the reader is asked to click next, as it fits the ambiguous word."""
    if len(found.words) < LEAST:
        return say(TOO_FEW.format(n=few(len(found.words)).lower()))
    if found.pivot is None:
        return _first(found)
    pivot = found.words[found.pivot].casefold()
    asks = ASKS["pronoun" if pivot in PRONOUNS else "relative" if pivot in RELATIVES else "other"]
    return say(asks[found.missing == "b"], pivot=word(found.called[found.pivot]))


def _first(found: Ambiguity) -> tuple[Span, ...]:
    """Return the question for the ambiguous word; what it often is, only where the sentence has such a word."""
    low = [one.casefold() for one in found.words]
    referring = dict.fromkeys(one for one, small in zip(found.words, low, strict=True) if small in REFERRING)
    before = [
        one
        for number, one in enumerate(found.words[:-1])
        if low[number] in ("with", "in", "on", "from", "near") and number > 1
    ]
    often = [word(one) for one in referring]
    asks = "Which word is ambiguous? Click it."
    after = word(before[0]) if before else ("plain", "")
    told = [asks]
    if often or before:
        told.append(
            f"Often it is {' or '.join(['{often}'] * bool(often) + ['the noun after {after}'] * bool(before))}."
        )
    return say(" ".join(told), often=_either(often), after=after)


def _either(parts: list[Span]) -> list[Span]:
    """Return words with "or" between them."""
    found: list[Span] = []
    for part in parts:
        found += [("plain", " or "), part] if found else [part]
    return found


def _key(found: Ambiguity, pivot: Span) -> list[tuple[str, tuple[Span, ...]]]:
    """Return both readings in words, where brackets have no room."""
    key = []
    for letter, name, partners in zip("AB", found.names, (found.a, found.b), strict=True):
        partner = word(", ".join(found.called[number] for number in partners))
        joined = say("{pivot} goes with {partner}", pivot=pivot, partner=partner)
        own = name == "".join(span[1] for span in joined)
        key.append((letter, joined if own else (("plain", f"{name}: "), *joined)))
    return key
