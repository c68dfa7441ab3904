"""The ambiguity on top of the page: the sentence with both readings, and the contrast line under it.

A word that is clicked takes the role that is missing, or a menu asks which it should have.
"""

from __future__ import annotations

from typing import Any

from mha.screens.blocks import say, word
from mha.screens.readings.ambiguity import ROLES, Ambiguity
from mha.words import split

PROMPTS = {
    "pivot": "Which word can be taken in two ways? Click it: it is the pivot.",
    "a": "Now click the word that {pivot} goes with in reading A.",
    "b": "And the word that {pivot} goes with in reading B.",
}


def sentence_spec(ambiguity: Ambiguity, large: bool = False) -> dict[str, Any]:
    """Return what both components draw: pieces with their roles, names, what a click does next, and the contrast."""
    pivot = None if ambiguity.pivot is None else ambiguity.words[ambiguity.pivot]
    return {
        "large": large,
        "roles": ROLES,
        "pieces": _pieces(ambiguity),
        "names": dict(zip("ab", ambiguity.names, strict=True)),
        "next": ambiguity.missing,
        "prompt": say(PROMPTS[ambiguity.missing], pivot=word(pivot or "")) if ambiguity.missing else None,
        "key": [] if ambiguity.missing else _key(ambiguity),
        "contrast": _contrast(ambiguity),
    }


def _pieces(ambiguity: Ambiguity) -> list[dict[str, Any]]:
    found, end = [], None
    for piece in split(ambiguity.text):
        roles = [] if piece.word is None else [role for role, words in _roles(ambiguity) if piece.word in words]
        space = end is not None and piece.start > end
        found.append({"text": piece.text, "space": space, "at": piece.word, "roles": roles})
        end = piece.end
    return found


def _roles(ambiguity: Ambiguity) -> tuple[tuple[str, tuple[int | None, ...]], ...]:
    return ("pivot", (ambiguity.pivot,)), ("a", ambiguity.a), ("b", ambiguity.b), ("cue", (ambiguity.cue,))


def _key(ambiguity: Ambiguity) -> list[list]:
    assert ambiguity.pivot is not None
    pivot = word(ambiguity.words[ambiguity.pivot])
    found = []
    for letter, name, partners in zip("AB", ambiguity.names, (ambiguity.a, ambiguity.b), strict=True):
        partner = word(", ".join(ambiguity.words[number] for number in partners))
        joined = say("{pivot} goes with {partner}", pivot=pivot, partner=partner)
        own = name == "".join(span[1] for span in joined)
        found.append([letter, joined if own else [["plain", f"{name}: "], *joined]])
    return found


def _contrast(ambiguity: Ambiguity) -> dict[str, Any] | None:
    if ambiguity.contrast is None:
        return None
    found, end = [], None
    for piece in split(ambiguity.contrast.text):
        space = end is not None and piece.start > end
        found.append({"text": piece.text, "space": space, "changed": piece.word in ambiguity.contrast.changed})
        end = piece.end
    return {"pieces": found, "forces": ambiguity.contrast.forces}
