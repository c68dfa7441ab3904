"""The ambiguity on top of the page: the sentence with both readings, and the contrast line under it; two components.

`sentence_spec` is pure. A word that is clicked takes the role that is missing, or a menu asks which it should have.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import streamlit as st

from mha.ui.modules import joined_modules, stylesheet
from mha.ui.readings_blocks import readings_tokens, say, word
from mha.ui.readings_choice import ROLES, Ambiguity
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
        "tokens": readings_tokens(),
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


def sentence(spec: dict[str, Any], key: str, on_role: Callable[[str, int], None]) -> None:
    """Draw the sentence; a click hands a role and a word number to ``on_role``."""
    count = sum(piece["at"] is not None for piece in spec["pieces"])

    def role() -> None:
        value = st.session_state[key].get("role")
        if isinstance(value, dict) and value.get("role") in ROLES and _is_number(value.get("word"), count):
            on_role(value["role"], value["word"])

    _sentence()(key=key, data=spec, on_role_change=role)


def contrast(
    spec: dict[str, Any], key: str, on_change: Callable[[int, str], None], on_drop: Callable[[], None]
) -> None:
    """Draw the contrast line; an edit hands a word number and the other word to ``on_change``."""
    count = sum(piece["at"] is not None for piece in spec["pieces"])

    def changed() -> None:
        value = st.session_state[key].get("contrast")
        if isinstance(value, dict) and isinstance(value.get("text"), str) and _is_number(value.get("word"), count):
            on_change(value["word"], value["text"][:60])

    _contrast_line()(key=key, data=spec, on_contrast_change=changed, on_drop_change=lambda: on_drop())


def _is_number(value: Any, count: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count


@functools.cache
def _sentence() -> Callable[..., Any]:
    return st.components.v2.component(
        "parallax_ambiguity", css=stylesheet("common.css", "readings.css"), js=joined_modules("readings_ambiguity.js")
    )


@functools.cache
def _contrast_line() -> Callable[..., Any]:
    return st.components.v2.component(
        "parallax_contrast", css=stylesheet("common.css", "readings.css"), js=joined_modules("readings_contrast.js")
    )
