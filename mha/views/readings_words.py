"""The words of two readings: what the link chooses of a text, and what the shape of the text suggests.

The link names a word of the text by its label, number and word ("6 it"), so that a label that no longer fits is seen.
Names of words are Markdown, escaped; notes are plain text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mha.analysis.ambiguity_kinds import (
    ATTACHMENT,
    DETERMINERS,
    HE_SHE,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    guess_kind,
)
from mha.analysis.proposals import propose
from mha.errors import InputError
from mha.examples import Example, example_for
from mha.formats import join_list, markdown, number_repeats
from mha.maps import Reading
from mha.pairs import OTHER
from mha.words import accept, split, with_word, words

SUGGESTED, DISMISSED, OPEN = "suggested", "not ambiguous", "to choose"  # values of readings_by
ROLES = {  # by the parameter
    "readings_pivot": "ambiguous word", "readings_a": "candidate A", "readings_b": "candidate B",
    "readings_cue": "deciding word",
}  # fmt: skip
OF_WORDS = (*ROLES, "readings_by")  # parameters that another text resets
OF_CHANGE = ("readings_contrast", "readings_forces", "readings_word_a", "readings_word_b")
NONE = "none"  # the value of a parameter that removes what the example has
REFERRING = frozenset(("him", "her", "them", "its", "his", *PRONOUNS, *RELATIVES))
_CARRIERS = (
    "am is are was were be been being has have had do does did will would can could may might must shall should not "
    "and or but because so if when while as than that which who whom whose it he she they him her them i you we us me "
    "too very there here"
)
CARRIERS = frozenset(_CARRIERS.split()) | PREPOSITIONS | DETERMINERS  # words that decide little


@dataclass(frozen=True)
class AmbiguousText:
    """Two readings of a text as far as they are chosen; words are numbers, as in `mha.words.words`.

    ``a`` and ``b`` are the candidates of both readings. ``changed_version`` has another word in some place and leaves
    the reading ``forces`` ("A" or "B", "" if unknown). ``kind`` is the type of the ambiguity. ``second_words`` are a
    further word for A and one for B in that place, "" if there is none. ``notes`` are what of the link does not fit.
    """

    text: str
    ambiguous_word: int | None = None
    a: tuple[int, ...] = ()
    b: tuple[int, ...] = ()
    deciding_word: int | None = None
    changed_version: str = ""
    forces: str = ""
    kind: str = OTHER
    second_words: tuple[str, str] = ("", "")
    is_suggested: bool = False
    notes: tuple[str, ...] = ()

    @property
    def missing(self) -> str:
        """The parameter of the word that is chosen next, "" if both readings are complete."""
        is_chosen = (self.ambiguous_word is not None, bool(self.a), bool(self.b))
        return next((name for name, is_set in zip(ROLES, is_chosen, strict=False) if not is_set), "")

    @property
    def number(self) -> int:
        """The number of the ambiguous word, which is chosen."""
        assert self.ambiguous_word is not None
        return self.ambiguous_word

    @property
    def sides(self) -> dict[str, tuple[int, ...]]:
        """The candidates by reading."""
        return {"A": self.a, "B": self.b}

    @property
    def readings(self) -> tuple[Reading, Reading]:
        """Both readings, which are complete."""
        first, second = (Reading(name, tuple((self.number, c) for c in side)) for name, side in self.sides.items())
        return first, second

    @property
    def verb(self) -> str:
        """What the ambiguous word does with a candidate."""
        return "refer to" if words(self.text)[self.number].casefold() in REFERRING else "go with"

    def name(self, *numbers: int) -> str:
        """Return words as sentences name them, each numbered if it occurs more than once."""
        names = number_repeats(words(self.text))
        return " and ".join(f"*{markdown(names[number])}*" for number in numbers)

    @property
    def candidate_names(self) -> tuple[str, str]:
        """The candidates of both readings as sentences name them."""
        return self.name(*self.a), self.name(*self.b)

    @property
    def changed_words(self) -> tuple[int, ...]:
        """The numbers of the words that the changed version replaces."""
        return differing(self.text, self.changed_version) if self.changed_version else ()

    @property
    def changed_names(self) -> tuple[str, str]:
        """The words that the changed version replaces, and their replacements, as sentences name them."""
        versions = words(self.text), words(self.changed_version)
        first, second = ([f"*{markdown(names[number])}*" for number in self.changed_words] for names in versions)
        return join_list(first), join_list(second)

    @property
    def replaced_word(self) -> int:
        """The number of the word that the page offers to replace: the changed one, else the likeliest to decide."""
        if len(self.changed_words) == 1:
            return self.changed_words[0]
        return likeliest_word(self) if self.deciding_word is None else self.deciding_word

    @property
    def second_texts(self) -> tuple[str, str]:
        """The text with the second word for A and with that for B in the place of the changed one, "" for none."""
        first, second = (with_word(self.text, self.replaced_word, word) if word else "" for word in self.second_words)
        return first, second

    @property
    def changes_in_place(self) -> bool:
        """Whether the changed version replaces one word, in the place where control swaps of the kind do.

        That is the ambiguous word of an attachment and of he or she, else a later word that is no candidate.
        """
        if len(self.changed_words) != 1:
            return False
        (number,) = self.changed_words
        if self.kind in (ATTACHMENT, HE_SHE):
            return number == self.number
        return number > self.number and number not in (*self.a, *self.b)


def word_labels(text: str) -> list[str]:
    """Return the label of every word of a text.

    >>> word_labels("It rained.")
    ['0 It', '1 rained']
    """
    return [f"{number} {word}" for number, word in enumerate(words(text))]


def suggested_choices(text: str, choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters for what the shape of a text suggests; none if the link chooses words, or for an example.

    They belong into the link, so that it opens with the same words whatever is suggested one day.
    """
    if any(choices[name] for name in ("readings_pivot", "readings_a", "readings_b", "readings_by")) or _example(text):
        return {}
    proposals, labels = propose(text), word_labels(text)
    if not proposals:
        return {}
    first, second = proposals[0].partners
    ambiguous_word = labels[proposals[0].pivot]
    return {"readings_pivot": ambiguous_word, "readings_a": [labels[first]], "readings_b": [labels[second]],
            "readings_by": SUGGESTED}  # fmt: skip


def click_choices(ambiguous: AmbiguousText, number: int) -> dict[str, Any]:
    """Return the parameters after a click on a word: it fills the role that is missing, else it is the ambiguous word.

    A complete choice starts again, without its changed version.
    """
    label, name = word_labels(ambiguous.text)[number], ambiguous.missing
    if name in ("readings_a", "readings_b"):
        return {name: [label], "readings_by": None if name == "readings_b" else OPEN}
    return {"readings_pivot": label, "readings_a": [], "readings_b": [], "readings_by": OPEN}


def choices_of_text(text: str, old_text: str, choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters for an edited text that keep what is still in place; none if it is another sentence.

    The changed version of ``old_text`` becomes one of the new text, with the same word replaced.
    """
    labels = word_labels(text)
    chosen_labels = [label for name in ROLES for label in _labels(choices[name]) if label != NONE]
    is_kept = (
        bool(chosen_labels) and choices["readings_by"] != SUGGESTED and all(label in labels for label in chosen_labels)
    )
    new_choices = {name: choices[name] for name in OF_WORDS} if is_kept else {}
    old = resolve(old_text, choices) if words(old_text) else AmbiguousText(old_text)
    if len(old.changed_words) == 1 and _example(text) is None:
        number = old.changed_words[0]
        if word_labels(old_text)[number] in labels:
            replacement = words(old.changed_version)[number]
            new_choices |= {name: choices[name] for name in OF_CHANGE}
            new_choices["readings_contrast"] = with_word(text, number, replacement)
    return new_choices


def replace_choices(ambiguous: AmbiguousText, word: str) -> dict[str, Any]:
    """Return the parameters for a word in the place of the one that the page offers to replace; "" removes it.

    What the changed version leaves, and second words, are those of another change.
    """
    changed = with_word(ambiguous.text, ambiguous.replaced_word, word) if word.strip() else NONE
    return {"readings_contrast": changed, "readings_forces": None, "readings_word_a": "", "readings_word_b": ""}


def resolve(text: str, choices: Mapping[str, Any]) -> AmbiguousText:
    """Return both readings of a text: what the link chooses, the rest from its example if it is one."""
    example, notes, labels = _example(text), list[str](), word_labels(text)
    chooser = choices["readings_by"]
    usual = _of_example(text, example) if example and chooser is None else AmbiguousText(text)
    numbers = {
        name: tuple(dict.fromkeys(labels.index(label) for label in _labels(choices[name]) if label in labels))
        for name in ROLES
    }
    a, b = numbers["readings_a"] or usual.a, numbers["readings_b"] or usual.b
    word = next(iter(numbers["readings_pivot"]), usual.ambiguous_word)
    if word in (*a, *b) or set(a) & set(b):
        notes.append("The ambiguous word and both candidates are three different words. Choose again.")
        a = tuple(number for number in a if number != word)
        b = tuple(number for number in b if number not in (word, *a))
    ambiguous = AmbiguousText(text, word, a, b, is_suggested=chooser == SUGGESTED)
    if (word, a, b) != (usual.ambiguous_word, usual.a, usual.b):  # the changed version is of other readings
        example, usual = None, AmbiguousText(text)
    if not ambiguous.missing:
        changed = _changed_version(text, choices["readings_contrast"], example, notes)
        kind = guess_kind(words(text), ambiguous.number, (*a, *b), words(changed) if changed else ())
        ambiguous = replace(ambiguous, changed_version=changed, kind=kind)
        deciding = (*numbers["readings_cue"], usual.deciding_word, *ambiguous.changed_words)
        ambiguous = replace(
            ambiguous,
            deciding_word=next((number for number in deciding if number is not None), None),
            forces=choices["readings_forces"] or _forced(ambiguous, example),
        )
        typed = choices["readings_word_a"], choices["readings_word_b"]
        ambiguous = replace(ambiguous, second_words=_second_words(ambiguous, typed, example, notes))
    return replace(ambiguous, notes=tuple(notes))


def _labels(value: Any) -> Sequence[str]:
    return value if isinstance(value, list) else [value] if value else []


def _example(text: str) -> Example | None:
    example = example_for(text)
    return example if example and example.readings else None


def _of_example(text: str, example: Example) -> AmbiguousText:
    first, second = example.readings
    a, b = (tuple(int(candidate) for _, candidate in reading.links) for reading in (first, second))
    return AmbiguousText(text, int(first.links[0][0]), a, b, example.cue)


def _changed_version(text: str, typed: str, example: Example | None, notes: list[str]) -> str:
    """Return the changed version: the typed one, else that of the example; "" with a note if it cannot be used.

    It has the marks of the text, so that words alone differ.
    """
    typed = typed.strip() or (example and example.contrast) or NONE
    if typed == NONE:
        return ""
    try:
        changed, typed_words = text, words(accept(typed).text)
    except InputError as error:
        notes.append(f"The changed version cannot be used. {error}")
        return ""
    for number, word in enumerate(typed_words if len(typed_words) == len(words(text)) else ()):
        changed = with_word(changed, number, word)
    if changed == text:
        notes.append("The changed version needs as many words as the text, one of them another word.")
    return "" if changed == text else changed


def _forced(ambiguous: AmbiguousText, example: Example | None) -> str:
    """Return the reading that the changed version leaves by the example, "" if that is unknown."""
    if example is None or ambiguous.changed_words != (example.cue,):
        return ""
    possible = *example.others, example.seconds[0 if example.forces == "A" else 1]
    return str(example.forces) if words(ambiguous.changed_version)[ambiguous.changed_words[0]] in possible else ""


def _second_words(
    ambiguous: AmbiguousText, typed: tuple[str, str], example: Example | None, notes: list[str]
) -> tuple[str, str]:
    """Return a second word for A and one for B: as typed, else those of the example; "" for one that cannot be used."""
    if len(ambiguous.changed_words) != 1:
        return "", ""
    used_words = {
        words(text)[ambiguous.replaced_word].casefold() for text in (ambiguous.text, ambiguous.changed_version)
    }
    usual = (
        example.seconds
        if example and ambiguous.forces and _forced(ambiguous, example) == ambiguous.forces
        else ("", "")
    )
    second: list[str] = []
    for entry, default in zip(typed, usual, strict=True):
        word = "" if entry == NONE else " ".join(entry.split()) or default
        is_usable = not word or (words(word) == (word,) and word.casefold() not in used_words)
        if entry and not is_usable:
            notes.append(f"“{word}” cannot be used: type one word that is not in use.")
        second.append(word if is_usable else "")
        used_words.add(second[-1].casefold())
    return second[0], second[1]


def differing(text: str, changed_text: str) -> tuple[int, ...]:
    """Return the numbers of the words in which two texts of as many words differ."""
    pairs = zip(words(text), words(changed_text), strict=True)
    return tuple(number for number, (first, second) in enumerate(pairs) if first != second)


def likeliest_word(ambiguous: AmbiguousText) -> int:
    """Return the word that is likeliest to decide between the readings: the last content word of the clause behind the
    ambiguous word, the first behind a relative, else the ambiguous word or another content word.
    """

    def is_content(number: int) -> bool:
        return number not in (*ambiguous.a, *ambiguous.b) and words(ambiguous.text)[number].casefold() not in CARRIERS

    clause: list[int] = []
    for run in split(ambiguous.text):
        if run.word is None and clause:
            break
        if run.word is not None and run.word > ambiguous.number and is_content(run.word):
            clause.append(run.word)
    if clause:
        return clause[0 if words(ambiguous.text)[ambiguous.number].casefold() in RELATIVES else -1]
    numbers = [ambiguous.number, *reversed(range(len(words(ambiguous.text))))]
    return next(filter(is_content, numbers), len(words(ambiguous.text)) - 1)
