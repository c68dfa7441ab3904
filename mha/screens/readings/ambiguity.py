"""What the reader chose on the page of two readings: pivot, partners, cue, contrast, kind; checked, with sentences.

Pure: no streamlit. A word is chosen by its label, its number and itself ("6 it"): that is what select boxes show and
what stands in the link, so that a link whose text was edited tells which choice no longer fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mha.errors import InputError
from mha.examples import Example, example_for
from mha.link.kinds import NONE, quoted
from mha.link.readings import ALL_KINDS, Choices
from mha.maps import Reading
from mha.pairs import KINDS, OTHER
from mha.words import accept, split, words

ROLES = {"pivot": "pivot", "a": "partner in reading A", "b": "partner in reading B", "cue": "cue"}


@dataclass(frozen=True)
class Contrast:
    """The other version of the sentence: ``changed`` are the numbers of the words that differ, at least one.

    ``forces`` is "A" or "B" where that is known.
    """

    text: str
    changed: tuple[int, ...]
    forces: str | None = None


@dataclass(frozen=True)
class Ambiguity:
    """Two readings of a text as far as they are chosen; word numbers are those of `mha.words.words`."""

    text: str
    pivot: int | None = None
    a: tuple[int, ...] = ()
    b: tuple[int, ...] = ()
    cue: int | None = None
    contrast: Contrast | None = None
    kind: str = OTHER
    names: tuple[str, str] = ("", "")
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the text, by number."""
        return words(self.text)

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

    def label(self, number: int) -> str:
        """Return the label of a word."""
        return f"{number} {self.words[number]}"


def word_labels(text: str) -> list[str]:
    """Return the label of every word of a text.

    >>> word_labels("It rained.")
    ['0 It', '1 rained']
    """
    return [f"{number} {word}" for number, word in enumerate(words(text))]


def resolved(text: str, choices: Choices) -> Ambiguity:
    """Return the ambiguity of a text: what was chosen, the rest from its example if it is one; with sentences."""
    example = example_for(text)
    example = example if example and example.readings else None
    labels = word_labels(text)
    notes: list[str] = []

    def number(role: str, label: str) -> int | None:
        if label in labels:
            return labels.index(label)
        notes.append(f"The {ROLES[role]} {quoted(label)} is not in this text at that place. Choose it again.")
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
    kind = choices.kind if choices.kind in ALL_KINDS else example.kind if example and example.kind in KINDS else OTHER
    found = Ambiguity(text, pivot, partners[0], partners[1], cue, None, kind)
    found = _without_clashes(found, notes)
    contrast = _contrast(text, choices.contrast, example, notes)
    if contrast and found.cue is None and len(contrast.changed) == 1 and choices.cue != NONE:
        found = replace(found, cue=contrast.changed[0])
    names = _names(found, choices, example)
    return replace(found, contrast=contrast, names=names, notes=tuple(notes))


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
            word = quoted(found.words[found.pivot])
            notes.append(f"In reading {letter} the pivot {word} is joined with itself. Choose another partner.")
        kept.append(tuple(partner for partner in partners if partner != found.pivot))
    if kept[0] and set(kept[0]) == set(kept[1]):
        word = quoted(found.words[kept[0][0]])
        notes.append(f"Both readings join the same words: the partner is {word} twice. Choose another one for B.")
        kept[1] = ()
    return replace(found, a=kept[0], b=kept[1])


def _contrast(text: str, typed: str, example: Example | None, notes: list[str]) -> Contrast | None:
    if typed == NONE:
        return None
    theirs = None if example is None or example.contrast is None else _ending_as(example.contrast, text)
    if not typed.strip():
        if theirs is None or example is None:
            return None
        return Contrast(theirs, _changed(text, theirs), example.forces)
    try:
        accepted = accept(typed).text
    except InputError as error:
        notes.append(f"The contrast sentence cannot be used. {error}")
        return None
    here, there = words(text), words(accepted)
    if len(here) != len(there):
        notes.append(
            f"The contrast has {len(there)} words, the sentence {len(here)}: readings are followed by place, so both "
            f"need the same number of words."
        )
        return None
    changed = _changed(text, accepted)
    if not changed:
        notes.append("Both versions are the same. Change one word.")
        return None
    if len(changed) > 1:
        notes.append(
            f"{len(changed)} words differ between the versions. What moves may come from any of them; looks, leans "
            f"and patching work, the story is not told."
        )
    same = example is not None and theirs is not None and words(theirs) == there
    return Contrast(accepted, changed, example.forces if same and example else None)


def _changed(text: str, other: str) -> tuple[int, ...]:
    pairs = zip(words(text), words(other), strict=True)
    return tuple(number for number, (one, two) in enumerate(pairs) if one != two)


def _ending_as(sentence: str, text: str) -> str:
    """Return an example's sentence with the final punctuation of the text that was typed."""
    last = split(text)[-1]
    return sentence.rstrip(".") + (last.text if last.word is None else "")


def _names(found: Ambiguity, choices: Choices, example: Example | None) -> tuple[str, str]:
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
    return f"{found.words[found.pivot]} goes with {' and '.join(found.words[partner] for partner in partners)}"


def carried_over(before: Ambiguity, choices: Choices, text: str) -> tuple[Choices, tuple[str, ...]]:
    """Return the choices for an edited text: kept by position where the word is the same, else cleared with a sentence.

    An example brings its own choices, so that nothing is kept for it.
    """
    if example_for(text) is not None:
        return Choices(), ()
    labels, lost = word_labels(text), []

    def kept(role: str, numbers: Sequence[int]) -> tuple[str, ...]:
        old = [before.label(number) for number in numbers]
        for label in old:
            if label not in labels:
                lost.append(f"The {ROLES[role]} {quoted(label)} is gone with the edit; choose it again.")
        return tuple(label for label in old if label in labels)

    pivot = kept("pivot", [] if before.pivot is None else [before.pivot])
    a, b = kept("a", before.a), kept("b", before.b)
    cue = kept("cue", [] if before.cue is None else [before.cue])
    contrast = ""
    if before.contrast and len(before.contrast.changed) == 1:
        number = before.contrast.changed[0]
        if before.label(number) in labels:
            contrast = with_word(text, number, words(before.contrast.text)[number])
    return (
        Choices(pivot[0] if pivot else None, a, b, cue[0] if cue else None, contrast, choices.kind),
        tuple(lost),
    )


def with_word(text: str, number: int, other: str) -> str:
    """Return the text with one word replaced; raise InputError if there is no such word or nothing to put there."""
    said = words(text)
    if not 0 <= number < len(said):
        raise InputError(f"There is no word {number} in this text; it has words 0 to {len(said) - 1}.")
    other = " ".join(other.split())
    if not other:
        raise InputError("A word is needed in the place of the one that is changed.")
    piece = next(piece for piece in split(text) if piece.word == number)
    return text[: piece.start] + other + text[piece.end :]
