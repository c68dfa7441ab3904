"""What the reader chose on the page of two readings: pivot, partners, cue, contrast, kind; checked, with sentences.

Pure: no streamlit. A word is chosen by its label, its number and itself ("6 it"): that is what select boxes show and
what stands in the link, so that a link whose text was edited tells which choice no longer fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mha.analysis.proposals import propose
from mha.errors import InputError
from mha.examples import Example, example_for
from mha.formats import listed, numbered
from mha.link.kinds import NONE, quoted
from mha.link.readings import ALL_KINDS, SUGGESTED, ReadingsWords
from mha.maps import Reading
from mha.pairs import KINDS, OTHER
from mha.screens.readings.contrasts import Contrast, contrast_of, seconds_of
from mha.screens.readings.kinds import fits, guessed
from mha.words import with_word, words

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

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the text, by number."""
        return words(self.text)

    @property
    def called(self) -> tuple[str, ...]:
        """What to call each word in a sentence: numbered where it occurs more than once, as on the axes of maps."""
        return numbered(self.words)

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
        other = words(self.contrast.text) if self.contrast else ()
        return self.kind if fits(self.kind, self.words, self.pivot, (*self.a, *self.b), other) else None

    def partner(self, side: str) -> str:
        """Return what the partners of reading "a" or "b" are called."""
        return " and ".join(self.called[number] for number in (self.a if side == "a" else self.b))

    def label(self, number: int) -> str:
        """Return the label of a word."""
        return f"{number} {self.words[number]}"


def word_labels(text: str) -> list[str]:
    """Return the label of every word of a text.

    >>> word_labels("It rained.")
    ['0 It', '1 rained']
    """
    return [f"{number} {word}" for number, word in enumerate(words(text))]


def resolved(text: str, choices: ReadingsWords) -> Ambiguity:
    """Return the ambiguity of a text: what was chosen, the rest from its example if it is one; with sentences."""
    example = example_for(text)
    example = example if example and example.readings else None
    labels = word_labels(text)
    notes: list[str] = []
    gone: list[tuple[str, str]] = []  # roles and labels that are not in this text

    def number(role: str, label: str) -> int | None:
        if label in labels:
            return labels.index(label)
        gone.append((role, label))
        return None

    def chosen(role: str, given: Sequence[str]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(found for label in given if (found := number(role, label)) is not None))

    pivots = chosen("pivot", [choices.pivot] if choices.pivot else [])
    pivot = pivots[0] if pivots else _of_example(example, 0, 0) if not choices.pivot else None
    partners = []
    for place, (role, given) in enumerate((("a", choices.a), ("b", choices.b))):
        own = chosen(role, given)
        partners.append(own if given else _partners(example, place))
    cue = _cue(choices.cue, example, number)
    if gone:
        again = "it" if len(gone) == 1 else "them"
        notes.append(f"{_listed(gone)} no longer at that place. Please choose {again} again.")
    found = _without_clashes(Ambiguity(text, pivot, partners[0], partners[1], cue), notes)
    contrast = contrast_of(text, choices.contrast, choices.forces, example, notes)
    if contrast and found.cue is None and len(contrast.changed) == 1 and choices.cue != NONE:
        found = replace(found, cue=contrast.changed[0])
    kind, is_guess = _kind(found, choices.kind, example, contrast)
    seconds = seconds_of(text, contrast, (choices.word_a, choices.word_b), example, notes)
    names = _names(found, choices, example)
    return replace(
        found, kind=kind, guessed=is_guess, contrast=contrast, names=names, seconds=seconds, notes=tuple(notes)
    )


def suggested_words(text: str) -> dict[str, Any]:
    """Return the words of the link for the readings that the shape of a text suggests; none where nothing does.

    An example has readings of its own.
    """
    example = example_for(text)
    suggested = () if example and example.readings else propose(text)
    if not suggested:
        return {}
    labels = word_labels(text)
    a, b = (tuple(labels[int(partner)] for _, partner in one.links) for one in suggested[0].readings)
    return {"pivot": labels[suggested[0].pivot], "a": a, "b": b, "by": SUGGESTED}


def _listed(gone: Sequence[tuple[str, str]]) -> str:
    """Return roles and labels as the subject of a sentence, with its verb."""
    every = [f"the {ROLES[role]} {quoted(label)}" for role, label in gone]
    subject = listed(every)
    return f"{subject[0].upper()}{subject[1:]} {'is' if len(every) == 1 else 'are'}"


def _kind(found: Ambiguity, chosen: str | None, example: Example | None, contrast: Contrast | None) -> tuple[str, bool]:
    """Return the kind, and whether it is a guess: as chosen, as the example has it, else what the pivot suggests."""
    if chosen in ALL_KINDS:
        return str(chosen), False
    if example:
        return (example.kind if example.kind in KINDS else OTHER), False
    if found.pivot is None or found.missing:
        return OTHER, False
    other = words(contrast.text) if contrast else ()
    return guessed(found.words, found.pivot, (*found.a, *found.b), other), True


def _of_example(example: Example | None, reading: int, side: int) -> int | None:
    return None if example is None else int(example.readings[reading].links[0][side])


def _partners(example: Example | None, reading: int) -> tuple[int, ...]:
    return () if example is None else tuple(int(partner) for _, partner in example.readings[reading].links)


def _cue(given: str | None, example, number) -> int | None:
    if given == NONE:
        return None
    if given:
        return number("cue", given)
    return example.cue if example else None


def _without_clashes(found: Ambiguity, notes: list[str]) -> Ambiguity:
    """Return the ambiguity without partners that cannot be: the pivot itself, or those of the other reading."""
    kept = []
    for letter, partners in (("A", found.a), ("B", found.b)):
        if found.pivot is not None and found.pivot in partners:
            notes.append(
                f"In reading {letter} the ambiguous word and its candidate are the same. Choose another candidate."
            )
        kept.append(tuple(partner for partner in partners if partner != found.pivot))
    if kept[0] and set(kept[0]) == set(kept[1]):
        word = quoted(found.words[kept[0][0]])
        notes.append(f"Both readings use {word}. Choose another candidate for B.")
        kept[1] = ()
    return replace(found, a=kept[0], b=kept[1])


def _names(found: Ambiguity, choices: ReadingsWords, example: Example | None) -> tuple[str, str]:
    names = []
    for place, (typed, partners) in enumerate(((choices.name_a, found.a), (choices.name_b, found.b))):
        theirs = example.readings[place] if example else None
        if typed.strip():
            names.append(typed.strip())
        elif theirs and (found.pivot, partners) == (_of_example(example, place, 0), _partners(example, place)):
            names.append(theirs.name)
        elif found.pivot is not None and partners:
            names.append(joined_name(found, partners))
        else:
            names.append("")
    return names[0], names[1]


def joined_name(found: Ambiguity, partners: Sequence[int]) -> str:
    """Return what a reading is called that nobody has named."""
    assert found.pivot is not None
    return f"{found.called[found.pivot]} goes with {' and '.join(found.called[partner] for partner in partners)}"


def carried_over(before: Ambiguity, choices: ReadingsWords, text: str) -> tuple[ReadingsWords, tuple[str, ...]]:
    """Return the choices for an edited text: kept by position where the word is the same, else cleared with a sentence.

    An example brings its own choices, so that nothing is kept for it.
    """
    if example_for(text) is not None:
        return ReadingsWords(), ()
    labels = word_labels(text)
    lost: list[tuple[str, str]] = []

    def kept(role: str, numbers: Sequence[int]) -> tuple[str, ...]:
        old = [before.label(number) for number in numbers]
        lost.extend((role, label) for label in old if label not in labels)
        return tuple(label for label in old if label in labels)

    pivot = kept("pivot", [] if before.pivot is None else [before.pivot])
    a, b = kept("a", before.a), kept("b", before.b)
    cue = kept("cue", [] if before.cue is None else [before.cue])
    found = ReadingsWords(pivot[0] if pivot else None, a, b, cue[0] if cue else None)
    if before.contrast and len(before.contrast.changed) == 1:
        number = before.contrast.changed[0]
        if before.label(number) in labels:
            other = with_word(text, number, words(before.contrast.text)[number])
            first, second = (one or NONE for one in before.seconds)
            forces = before.contrast.forces
            found = replace(found, contrast=other, forces=forces, word_a=first, word_b=second)
    if pivot:
        found = replace(found, kind=choices.kind)
    if not lost:
        return found, ()
    again = "it" if len(lost) == 1 else "them"
    return found, (f"{_listed(lost)} no longer at that place. Please choose {again} again.",)
