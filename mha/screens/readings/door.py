"""Which word would decide it: the one question of a sentence without a changed version, and its fields.

Where grammar gives the version it is offered ready; a word of an example is, too. No word comes from a model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mha.analysis.proposals.grammar import WordAgreement, agreement
from mha.engine import experiments
from mha.engine.question import Ask
from mha.examples import example_for
from mha.formats import few
from mha.link.acts import ChangeWord, Say, SayContrast
from mha.link.kinds import NONE
from mha.link.readings import MOST_NAME, ReadingsWords
from mha.link.sent import SentName, SentNumber, SentText
from mha.screens.blocks import Span, say, word
from mha.screens.places import ComponentPicture
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.kinds import DETERMINERS, PREPOSITIONS, PRONOUNS, RELATIVES
from mha.screens.readings.sentence import describes, sentence_spec
from mha.words import split, words

_CARRIERS = (
    "am is are was were be been being has have had do does did will would can could may might must shall should not "
    "and or but because so if when while as than that which who whom whose it he she they him her them i you we us me "
    "too very there here"
)
CARRIERS = frozenset(_CARRIERS.split())  # words that decide little by themselves
BY_LETTER = ("A", "B")


@dataclass(frozen=True)
class ContrastDoor:
    """What is asked: ``number`` is the word whose field is open, ``side`` the candidate that is to be left, "a" or "b".

    ``offered`` are versions that are ready, (side, number, word); ``tokens`` is how many tokens each word is to the
    model, None where it takes whole words. ``agrees`` is what grammar settles, None where it settles nothing.
    """

    ambiguity: Ambiguity
    number: int
    side: str
    offered: tuple[tuple[str, int, str], ...] = ()
    tokens: tuple[int, ...] | None = None
    changed: dict[int, str] = field(default_factory=dict)  # how long each word of the changed version is, in words
    agrees: WordAgreement | None = None

    @property
    def decided(self) -> bool:
        """Whether grammar leaves one candidate in the sentence as it stands."""
        return self.agrees is not None and self.agrees.fits is not None


def agreed(found: Ambiguity) -> WordAgreement | None:
    """Return what grammar settles between the candidates of both readings, where each has one."""
    if found.missing or found.pivot is None or len(found.a) != 1 or len(found.b) != 1:
        return None
    return agreement(found.text, found.pivot, (found.a[0], found.b[0]))


def door(found: Ambiguity, model: str, ask: Ask) -> ContrastDoor:
    """Return what is asked of a sentence; the model's tokens are counted."""
    agrees, example = agreed(found), example_for(found.text)
    number, side = likeliest(found), "b"
    offered: list[tuple[str, int, str]] = []
    if agrees is not None and agrees.leaves is not None:
        number, side = agrees.number, "ab"[agrees.leaves]
        offered.append((side, agrees.number, agrees.other))
    elif agrees is not None and agrees.fits is not None:
        side = "ab"[1 - agrees.fits]
    if example is not None and example.cue is not None and example.forces and not offered:
        number, side = example.cue, example.forces.lower()
        offered += [(side, number, other) for other in example.others]
    if found.contrast is not None:
        number, side = found.contrast.changed[0], (found.contrast.forces or "B").lower()
    if not experiments.has_twin(model):
        return ContrastDoor(found, number, side, tuple(offered), agrees=agrees)
    tokens = ask(experiments.token_counts.of(found.words, model))
    changed: dict[int, str] = {}
    if found.contrast is not None:
        others = tuple(words(found.contrast.text)[at] for at in found.contrast.changed)
        counts = ask(experiments.token_counts.of(others, model))
        changed = {at: _long(count) for at, count in zip(found.contrast.changed, counts, strict=True)}
    return ContrastDoor(found, number, side, tuple(offered), tokens, changed, agrees)


def likeliest(found: Ambiguity) -> int:
    """Return the word that is the likeliest to decide: the chosen one, else one that says something behind the pivot.

    Behind a relative it is the first such word, behind all else the last before the next mark.
    """
    assert found.pivot is not None
    if found.cue is not None:
        return found.cue
    taken = {*found.a, *found.b}
    behind: list[int] = []
    for piece in split(found.text):
        if piece.word is None:
            if behind:
                break
        elif piece.word > found.pivot and piece.word not in taken and _says_something(piece.text):
            behind.append(piece.word)
    if behind:
        return behind[0] if found.words[found.pivot].casefold() in RELATIVES else behind[-1]
    if _says_something(found.words[found.pivot]):
        return found.pivot
    others = [number for number, one in enumerate(found.words) if number not in taken and _says_something(one)]
    return others[-1] if others else len(found.words) - 1


def _says_something(text: str) -> bool:
    return text.casefold() not in CARRIERS | PREPOSITIONS | DETERMINERS


def asks(found: Ambiguity, side: str) -> tuple[Span, ...]:
    """Return the question, as it fits the ambiguous word: what can be meant, described, or gone with."""
    assert found.pivot is not None
    candidate = word(found.partner(side))
    pivot = found.words[found.pivot]
    if describes(found):
        told = "only {candidate}" if side == "a" else "{candidate} too"
        named = word(found.called[found.pivot])
        return say(f"Change one word so that {{pivot}} describes {told}.", pivot=named, candidate=candidate)
    if pivot.casefold() in (*PRONOUNS, *RELATIVES):
        return say("Change one word so that only {candidate} can be meant.", candidate=candidate)
    return say("Change one word so that only {candidate} fits.", candidate=candidate)


def contrast_picture(this: ContrastDoor, large: bool) -> ComponentPicture:
    """Return the changed version with its buttons, or the question with its field in the sentence itself."""
    found = this.ambiguity
    number = SentNumber("word", len(found.words))
    change = ChangeWord(found.text, number, SentText("text", MOST_NAME, cut=True))
    forces = Say(ReadingsWords.of("forces").name, SentName("forces", BY_LETTER))
    by = Say(ReadingsWords.of("by").name, None)
    on = {"contrast": (change, forces, by), "drop": (SayContrast(NONE),)}
    spec = {"part": "contrast", **sentence_spec(found, large), "door": _as_sent(this)}
    if spec["contrast"] is not None:
        spec["contrast"]["long"] = this.changed
    return ComponentPicture("sentence", spec, "contrast", on)


def _as_sent(this: ContrastDoor) -> dict[str, Any]:
    found = this.ambiguity
    sides = (this.side,) if this.decided else ("a", "b")
    return {
        "slot": this.number,
        "side": this.side,
        "sides": sides,
        "asks": {side: asks(found, side) for side in sides},
        "only": {side: say("Only {candidate} instead", candidate=word(found.partner(side))) for side in sides},
        "offered": [
            {"side": side, "word": number, "before": found.words[number], "text": text}
            for side, number, text in this.offered
        ],
        "long": [] if this.tokens is None else [_long(count) for count in this.tokens],
        "best": [] if this.tokens is None else [_best(found.words[at], n) for at, n in enumerate(this.tokens)],
    }


def _long(count: int) -> str:
    return f"{count} token{'' if count == 1 else 's'}"


def _best(text: str, count: int) -> str:
    """Return how long the other word should be, and why; it is read where the length is pointed at."""
    length = f"{few(count).lower()} token{'' if count == 1 else 's'}"
    return f"Best: a word of {length}, like “{text}”. With another length, shares of the change cannot be measured."
