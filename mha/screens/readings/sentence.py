"""The ambiguity on top of the page: the sentence with both readings, and the field for the changed version.

A word that is clicked takes the role that is missing, or a menu asks which it should have. No word comes from a model.
"""

from __future__ import annotations

from typing import Any

from mha.analysis.proposals.grammar import WordAgreement, agreement
from mha.formats import counted
from mha.link.acts import ASKED_ANEW, ChangeWord, Say
from mha.link.kinds import NONE
from mha.link.readings import MOST_NAME, ReadingsWords
from mha.link.sent import SentText
from mha.screens.blocks import Span, as_text, chip, say, word
from mha.screens.pieces import text_pieces
from mha.screens.places import ComponentPicture
from mha.screens.readings.ambiguity import (
    ATTACHMENT,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    ROLES,
    Ambiguity,
    fits,
    preposition_of,
)
from mha.screens.readings.recorded import RecordedReadings
from mha.words import split

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
        "key": [] if found.missing else _key(found),
        "contrast": contrast,
    }


def suggestion(found: Ambiguity, badge: bool = True) -> tuple[Span, ...]:
    """Return what the readings are about, as a question that the page never answers; with a badge if suggested."""
    pivot = found.pivot_said
    a, b = ((chip(side.upper()), ("plain", "\u00a0"), (f"word_{side}", found.partner(side))) for side in ("a", "b"))
    if found.words[found.at].casefold() in REFERRING:
        asks = "Does {pivot} refer to {a} or {b}?"
    else:
        start = preposition_of(found.words, found.at)
        if start is not None and fits(ATTACHMENT, found.words, found.at, (*found.a, *found.b)):
            pivot = word(" ".join(found.words[start : found.at + 1]))
        asks = "Does {pivot} go with {a} or {b}?"
    first: tuple[Span, ...] = (("suggested", "suggested"), ("plain", " ")) if badge else ()
    return (*first, *say(asks, pivot=pivot, a=a, b=b))


def way_out(found: Ambiguity) -> tuple[Span, ...]:
    """Return what stands under the prompt for a reader who does not find the word that is asked for."""
    if len(found.words) < LEAST:
        return say(ELSEWHERE)
    if found.pivot is None:
        return say(f"If no word is ambiguous, there are no readings to compare. {ELSEWHERE}")
    return say("Not {pivot}?", pivot=found.pivot_said)


def _prompt(found: Ambiguity) -> tuple[Span, ...]:
    """Return what the reader is asked to click next, as it fits the ambiguous word.

    What that word often is stands there only where the sentence has such a word.
    """
    if len(found.words) < LEAST:
        return say(TOO_FEW.format(n=counted(len(found.words))))
    if found.pivot is not None:
        pivot = found.words[found.pivot].casefold()
        asks = ASKS["pronoun" if pivot in PRONOUNS else "relative" if pivot in RELATIVES else "other"]
        return say(asks[found.missing == "b"], pivot=found.pivot_said)
    referring = dict.fromkeys(one for one in found.words if one.casefold() in REFERRING)
    slots = {f"w{number}": word(one) for number, one in enumerate(referring)}
    often = [f"{{{slot}}}" for slot in slots]
    after = next((one for one in found.words[2:-1] if one.casefold() in ("with", "in", "on", "from", "near")), None)
    if after is not None:
        often.append("the noun after {after}")
        slots["after"] = word(after)
    told = f" Often it is {' or '.join(often)}." if often else ""
    return say(f"Which word is ambiguous? Click it.{told}", **slots)


def _key(found: Ambiguity) -> list[tuple[str, tuple[Span, ...]]]:
    """Return both readings in words, where brackets have no room."""
    key = []
    for letter, name, partners in zip("AB", found.names, (found.a, found.b), strict=True):
        partner = word(", ".join(found.called[number] for number in partners))
        joined = say("{pivot} goes with {partner}", pivot=found.pivot_said, partner=partner)
        key.append((letter, joined if name == as_text(joined) else (("plain", f"{name}: "), *joined)))
    return key


_CARRIERS = (
    "am is are was were be been being has have had do does did will would can could may might must shall should not "
    "and or but because so if when while as than that which who whom whose it he she they him her them i you we us me "
    "too very there here"
)
CARRIERS = frozenset(_CARRIERS.split())  # words that decide little by themselves


def agreed(found: Ambiguity) -> WordAgreement | None:
    """Return what grammar settles between the candidates of both readings, where each has one."""
    if found.missing or found.pivot is None or len(found.a) != 1 or len(found.b) != 1:
        return None
    return agreement(found.text, found.pivot, (found.a[0], found.b[0]))


def likeliest(found: Ambiguity) -> int:
    """Return the word that is the likeliest to decide: the chosen one, else one that says something behind the pivot.

    Behind a relative it is the first such word, behind all else the last before the next mark.
    """
    if found.cue is not None:
        return found.cue

    def may_decide(number: int) -> bool:
        return (
            number not in (*found.a, *found.b)
            and found.words[number].casefold() not in CARRIERS | PREPOSITIONS | DETERMINERS
        )

    behind: list[int] = []
    for piece in split(found.text):
        if piece.word is None:
            if behind:
                break
        elif piece.word > found.at and may_decide(piece.word):
            behind.append(piece.word)
    if behind:
        return behind[0] if found.words[found.at].casefold() in RELATIVES else behind[-1]
    if may_decide(found.at):
        return found.at
    return next(filter(may_decide, reversed(range(len(found.words)))), len(found.words) - 1)


def contrast_picture(case: RecordedReadings) -> ComponentPicture:
    """Return the changed version, and the field that replaces one word of the sentence."""
    found = case.ambiguity
    number, value = likeliest(found), ""
    if found.contrast is not None:
        number, _, value = found.change
    change = ChangeWord(found.text, number, SentText("text", MOST_NAME))
    changes = change, *ASKED_ANEW, Say(ReadingsWords.of("by").name, None)
    on = {"contrast": changes, "drop": (Say("readings_contrast", NONE), *ASKED_ANEW)}
    replaced = {"text": found.words[number], "value": value}
    spec = {"part": "contrast", **sentence_spec(found, case.view.large), "replaced": replaced}
    return ComponentPicture("sentence", spec, "contrast", on)
