"""Two readings of a text as far as they are chosen: pivot, partners, cue, contrast, and the kind of ambiguity. Pure.

A kind says which forced pairs a difference is held against, so it is no free choice: a pivot that could not stand in
those pairs is compared with nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field

from mha.errors import InputError
from mha.formats import numbered
from mha.maps import Reading
from mha.pairs import OTHER
from mha.screens.blocks import Span, word
from mha.words import words

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
PHRASE = 4  # a pivot stands at most so many words after its preposition: with the very long telescope
NEEDS = {  # what a kind's pivot is, for the sentence that says why a chosen kind does not fit
    ATTACHMENT: "a noun after a preposition that follows both candidates",
    PRONOUN: "“it”, “he”, “she” or “they”",
    HE_SHE: "“he” or “she” (changed into the other)",
    RELATIVE: "“who”, “which” or “that”",
}


def preposition_of(said: Sequence[str], pivot: int) -> int | None:
    """Return the number of the preposition that a pivot belongs to, or None where there is none.

    >>> preposition_of("I saw the man with the telescope".split(), 6)
    4
    """
    for number in range(pivot - 1, max(-1, pivot - 1 - PHRASE), -1):
        if said[number].casefold() in PREPOSITIONS:
            between = [one.casefold() for one in said[number + 1 : pivot]]
            return number if not between or len(between) == 1 or between[0] in DETERMINERS else None
        if said[number].casefold() in DETERMINERS and number < pivot - 1 and said[number + 1].casefold() in DETERMINERS:
            return None
    return None


def fits(kind: str, said: Sequence[str], pivot: int, partners: Sequence[int], other: Sequence[str] = ()) -> bool:
    """Return whether a pivot could stand in the forced pairs of a kind; ``other`` are the words of the other version.

    The kind "other" has no pairs, so that everything fits it.
    """
    own = said[pivot].casefold()
    if kind == PRONOUN:
        return own in PRONOUNS
    if kind == RELATIVE:
        return own in RELATIVES
    if kind == HE_SHE:
        return own in HE_OR_SHE and (not other or {own, other[pivot].casefold()} == set(HE_OR_SHE))
    if kind == ATTACHMENT:
        place = preposition_of(said, pivot)
        return place is not None and all(partner < place for partner in partners)
    return True


def guessed(said: Sequence[str], pivot: int, partners: Sequence[int], other: Sequence[str] = ()) -> str:
    """Return the kind that a pivot suggests: the first that fits, or "other".

    He and she are of kind he/she only where the other version exchanges them.
    """
    kinds = (*([HE_SHE] if other else []), PRONOUN, RELATIVE, ATTACHMENT)
    return next((kind for kind in kinds if fits(kind, said, pivot, partners, other)), OTHER)


@dataclass(frozen=True)
class Contrast:
    """The other version of the sentence: ``changed`` are the numbers of the words that differ, at least one.

    ``forces`` is "A" or "B", the reading that it forces, None where nobody has said it.
    """

    text: str
    changed: tuple[int, ...]
    forces: str | None = None


ROLES = {"pivot": "ambiguous word", "a": "candidate A", "b": "candidate B", "cue": "deciding word"}


@dataclass(frozen=True)
class Ambiguity:
    """Two readings of a text as far as they are chosen; word numbers are those of `mha.words.words`.

    ``seconds`` are a second word for A and one for B in the place of the one that is changed, "" where none is given;
    ``guessed`` says that nobody has chosen the kind.
    """

    text: str
    pivot: int | None = None
    a: tuple[int, ...] = ()
    b: tuple[int, ...] = ()
    cue: int | None = None
    contrast: Contrast | None = None
    kind: str = OTHER
    names: tuple[str, str] = ("", "")
    seconds: tuple[str, str] = ("", "")
    guessed: bool = False
    notes: tuple[str, ...] = field(default=(), compare=False)

    @functools.cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the text, by number."""
        return words(self.text)

    @property
    def other_words(self) -> tuple[str, ...]:
        """The words of the other version, by number; none without one."""
        return words(self.contrast.text) if self.contrast else ()

    @property
    def change(self) -> tuple[int, str, str]:
        """The number of the first word that differs in the other version, and the word in both; there must be one."""
        assert self.contrast is not None
        number = self.contrast.changed[0]
        return number, self.words[number], self.other_words[number]

    @functools.cached_property
    def called(self) -> tuple[str, ...]:
        """What to call each word in a sentence: numbered where it occurs more than once, as on the axes of maps."""
        return numbered(self.words)

    @property
    def at(self) -> int:
        """The number of the ambiguous word, which must be chosen."""
        assert self.pivot is not None
        return self.pivot

    @property
    def pivot_said(self) -> Span:
        """The ambiguous word as a span, which must be chosen."""
        return word(self.called[self.at])

    @property
    def missing(self) -> str | None:
        """The role that must be chosen next: "pivot", "a" or "b"; None when both readings are complete."""
        return "pivot" if self.pivot is None else "a" if not self.a else "b" if not self.b else None

    @property
    def readings(self) -> tuple[Reading, Reading]:
        """Both readings; raise InputError while a word is missing."""
        if self.pivot is None or self.missing:
            raise InputError(f"Choose the {ROLES[self.missing or 'pivot']} first.")
        first, second = (
            Reading(name, tuple((self.pivot, partner) for partner in partners), self.cue)
            for name, partners in zip(self.names, (self.a, self.b), strict=True)
        )
        return first, second

    @property
    def compared_with(self) -> str | None:
        """The kind whose forced pairs a difference is held against; None where the pivot does not fit the kind."""
        if self.kind == OTHER or self.pivot is None:
            return None
        suits = fits(self.kind, self.words, self.pivot, (*self.a, *self.b), self.other_words)
        return self.kind if suits else None

    @property
    def changed_in_place(self) -> bool:
        """Whether the other version changes the word that control swaps of the kind change; there must be one.

        That is the ambiguous word of an attachment and of he or she, else a word behind it that is no candidate.
        """
        number = self.change[0]
        if self.kind in (ATTACHMENT, HE_SHE):
            return number == self.at
        return number > self.at and number not in (*self.a, *self.b)

    def partner(self, side: str) -> str:
        """Return what the partners of reading "a" or "b" are called."""
        return " and ".join(self.called[number] for number in (self.a if side == "a" else self.b))

    @property
    def averaged(self) -> str:
        """What is said of leans and of the score where a candidate has several words; "" where none has."""
        return " A candidate of several words counts by their average." if max(len(self.a), len(self.b)) > 1 else ""

    def label(self, number: int) -> str:
        """Return the label of a word."""
        return f"{number} {self.words[number]}"
