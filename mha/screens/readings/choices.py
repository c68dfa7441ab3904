"""What the reader chose on the page of two readings: pivot, partners, cue, contrast, kind; checked, with sentences.

Pure: no streamlit. A word is chosen by its label, its number and itself ("6 it"): that is what select boxes show and
what stands in the link, so that a link whose text was edited tells which choice no longer fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mha.analysis.proposals import propose
from mha.errors import InputError
from mha.examples import Example, example_for
from mha.formats import listed
from mha.link.kinds import NONE, quoted
from mha.link.readings import ALL_KINDS, SUGGESTED, ReadingsWords
from mha.pairs import KINDS, OTHER
from mha.screens.readings.ambiguity import ROLES, Ambiguity, Contrast, guessed
from mha.words import accept, split, with_word, words


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
            second = next((one for one in _exemplary(example, place) if one.casefold() not in taken), "")
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


def _exemplary(example: Example, place: int) -> tuple[str, ...]:
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
