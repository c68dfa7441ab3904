"""The other version of a sentence, and second words for its place: as typed or as the example has them, checked."""

from __future__ import annotations

from dataclasses import dataclass

from mha.errors import InputError
from mha.examples import Example
from mha.link.kinds import NONE, quoted
from mha.words import accept, split, with_word, words


@dataclass(frozen=True)
class Contrast:
    """The other version of the sentence: ``changed`` are the numbers of the words that differ, at least one.

    ``forces`` is "A" or "B", the reading that it forces, None where nobody has said it.
    """

    text: str
    changed: tuple[int, ...]
    forces: str | None = None


def contrast_of(
    text: str, typed: str, forces: str | None, example: Example | None, notes: list[str]
) -> Contrast | None:
    """Return the other version: what was typed, else the example's; None with a note where it cannot be used.

    What it forces is as the reader says, else as the example says of its own words.
    """
    if typed == NONE:
        return None
    theirs = None if example is None or example.contrast is None else _ending_as(example.contrast, text)
    if not typed.strip():
        if theirs is None or example is None:
            return None
        return Contrast(theirs, differing(text, theirs), forces or example.forces)
    try:
        accepted = accept(typed).text
    except InputError as error:
        notes.append(f"The changed version cannot be used. {error}")
        return None
    here, there = words(text), words(accepted)
    if len(here) != len(there):
        notes.append(
            f"The changed version has {len(there)} words and the original {len(here)}. Both need the same number of "
            "words."
        )
        return None
    changed = differing(text, accepted)
    if not changed:
        notes.append("Both versions are the same. Change one word.")
        return None
    if len(changed) > 1:
        notes.append(
            f"{len(changed)} words differ, so a change cannot be traced to one of them. Attention and leans are shown; "
            "shares of the change are not."
        )
    own = example is not None and changed == (example.cue,) and there[changed[0]] in _as_forcing(example)
    return Contrast(accepted, changed, forces or (example.forces if example and own else None))


def _as_forcing(example: Example) -> tuple[str, ...]:
    """Return the words of an example that force what its contrast forces, its second word among them."""
    return (*example.others, example.seconds[0 if example.forces == "A" else 1])


def seconds_of(
    text: str, contrast: Contrast | None, typed: tuple[str, str], example: Example | None, notes: list[str]
) -> tuple[str, str]:
    """Return a second word for A and one for B, "" where there is none: as typed, else the example's.

    A word that is one of the four already, or that is no single word, is left out with a note.
    """
    if contrast is None or len(contrast.changed) != 1:
        return "", ""
    number = contrast.changed[0]
    taken = [words(one)[number].casefold() for one in (text, contrast.text)]
    own = example is not None and number == example.cue and contrast.forces == example.forces
    found = []
    for place, given in enumerate(typed):
        second = "" if given == NONE else given.strip()
        if not given.strip() and own and example is not None:
            second = next((one for one in _of_example(example, place) if one.casefold() not in taken), "")
        elif second.casefold() in taken:
            notes.append(f"{quoted(second)} is already in use. Give another word.")
            second = ""
        if second and not is_one_word(text, number, second):
            notes.append(f"{quoted(second)} is not one word. Please type one word.")
            second = ""
        if second:
            taken.append(second.casefold())
        found.append(second)
    return found[0], found[1]


def _of_example(example: Example, place: int) -> tuple[str, ...]:
    """Return words of an example that force A (place 0) or B (1), its second word first."""
    others = example.others if example.forces == "AB"[place] else ()
    return tuple(one for one in (example.seconds[place], *others) if one)


def is_one_word(text: str, number: int, second: str) -> bool:
    """Return whether a text keeps all its other words with this one in the place of one of them."""
    said, other = words(text), words(with_word(text, number, second))
    return len(other) == len(said) and differing(text, with_word(text, number, second)) in ((), (number,))


def differing(text: str, other: str) -> tuple[int, ...]:
    """Return the numbers of the words in which two texts of as many words differ."""
    pairs = zip(words(text), words(other), strict=True)
    return tuple(number for number, (one, two) in enumerate(pairs) if one != two)


def _ending_as(sentence: str, text: str) -> str:
    """Return an example's sentence with the final punctuation of the text that was typed."""
    last = split(text)[-1]
    return sentence.rstrip(".") + (last.text if last.word is None else "")
