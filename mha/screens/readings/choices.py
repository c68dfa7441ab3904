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
from mha.formats import listed, many
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
    theirs, labels = _of_example(text, example), word_labels(text)
    notes: list[str] = []
    gone: list[tuple[str, str]] = []  # roles and labels that are not in this text

    def chosen(role: str, given: Sequence[str], own: tuple[int, ...]) -> tuple[int, ...]:
        gone.extend((role, label) for label in given if label not in labels)
        return tuple(dict.fromkeys(labels.index(label) for label in given if label in labels)) if given else own

    def one(role: str, given: str | None, own: int | None) -> int | None:
        return next(iter(chosen(role, [given] if given else (), () if own is None else (own,))), None)

    pivot = one("pivot", choices.pivot, theirs.pivot)
    a, b = chosen("a", choices.a, theirs.a), chosen("b", choices.b, theirs.b)
    cue = None if choices.cue == NONE else one("cue", choices.cue, theirs.cue)
    if gone:
        notes.append(_gone_said(gone))
    found = _without_clashes(Ambiguity(text, pivot, a, b, cue), notes)
    contrast = contrast_of(text, choices.contrast, choices.forces, example, notes)
    if contrast and found.cue is None and len(contrast.changed) == 1 and choices.cue != NONE:
        found = replace(found, cue=contrast.changed[0])
    names = tuple(
        typed.strip() or (name if (found.pivot, partners) == (theirs.pivot, own) else joined_name(found, partners))
        for typed, partners, own, name in (
            (choices.name_a, found.a, theirs.a, theirs.names[0]),
            (choices.name_b, found.b, theirs.b, theirs.names[1]),
        )
    )
    guess = choices.kind not in ALL_KINDS and example is None and not found.missing
    seconds = seconds_of(text, contrast, (choices.word_a, choices.word_b), example, notes)
    found = replace(found, contrast=contrast, names=(names[0], names[1]), seconds=seconds, notes=tuple(notes))
    if guess:
        kind = guessed(found.words, found.at, (*found.a, *found.b), found.other_words)
    else:
        kind = str(choices.kind) if choices.kind in ALL_KINDS else theirs.kind
    return replace(found, kind=kind, guessed=guess)


def _of_example(text: str, example: Example | None) -> Ambiguity:
    """Return the ambiguity of an example as it is written; of any other text one without words."""
    if example is None:
        return Ambiguity(text)
    first, second = example.readings
    a, b = (tuple(int(partner) for _, partner in one.links) for one in (first, second))
    kind = example.kind if example.kind in KINDS else OTHER
    return Ambiguity(text, int(first.links[0][0]), a, b, example.cue, kind=kind, names=(first.name, second.name))


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


def _gone_said(gone: Sequence[tuple[str, str]]) -> str:
    """Return that words are no longer where they were chosen, each with its role."""
    subject = listed([f"the {ROLES[role]} {quoted(label)}" for role, label in gone])
    are, them = ("is", "it") if len(gone) == 1 else ("are", "them")
    return f"{subject[0].upper()}{subject[1:]} {are} no longer at that place. Please choose {them} again."


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


def joined_name(found: Ambiguity, partners: Sequence[int]) -> str:
    """Return what a reading is called that nobody has named; "" while a word is missing."""
    if found.pivot is None or not partners:
        return ""
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

    (pivot,) = kept("pivot", [] if before.pivot is None else [before.pivot]) or (None,)
    a, b = kept("a", before.a), kept("b", before.b)
    (cue,) = kept("cue", [] if before.cue is None else [before.cue]) or (None,)
    found = ReadingsWords(pivot, a, b, cue)
    if before.contrast and len(before.contrast.changed) == 1:
        number, _, other = before.change
        if before.label(number) in labels:
            other = with_word(text, number, other)
            first, second = (one or NONE for one in before.seconds)
            forces = before.contrast.forces
            found = replace(found, contrast=other, forces=forces, word_a=first, word_b=second)
    if pivot:
        found = replace(found, kind=choices.kind)
    return found, (_gone_said(lost),) if lost else ()


def contrast_of(
    text: str, typed: str, forces: str | None, example: Example | None, notes: list[str]
) -> Contrast | None:
    """Return the other version: what was typed, else the example's; None with a note where it cannot be used.

    What it forces is as the reader says, else as the example says of its own words.
    """
    if typed == NONE:
        return None
    if not typed.strip():
        if example is None or example.contrast is None:
            return None
        last = split(text)[-1]  # theirs has the final punctuation of the text that was typed
        theirs = example.contrast.rstrip(".") + (last.text if last.word is None else "")
        return Contrast(theirs, differing(text, theirs), forces or example.forces)
    try:
        accepted = accept(typed).text
    except InputError as error:
        notes.append(f"The changed version cannot be used. {error}")
        return None
    here, there = words(text), words(accepted)
    if len(here) != len(there):
        notes.append(
            f"The changed version has {many(len(there), 'word')} and the original {len(here)}. Both need the same "
            "number of words."
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
    if example is not None and changed == (example.cue,) and not forces:  # words that force what its contrast forces
        own = *example.others, example.seconds[0 if example.forces == "A" else 1]
        forces = example.forces if there[changed[0]] in own else None
    return Contrast(accepted, changed, forces)


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
            others = example.others if example.forces == "AB"[place] else ()
            theirs = (one for one in (example.seconds[place], *others) if one and one.casefold() not in taken)
            second = next(theirs, "")
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


def is_one_word(text: str, number: int, second: str) -> bool:
    """Return whether a text keeps all its other words with this one in the place of one of them."""
    other = with_word(text, number, second)
    return len(words(other)) == len(words(text)) and differing(text, other) in ((), (number,))


def differing(text: str, other: str) -> tuple[int, ...]:
    """Return the numbers of the words in which two texts of as many words differ."""
    pairs = zip(words(text), words(other), strict=True)
    return tuple(number for number, (one, two) in enumerate(pairs) if one != two)
