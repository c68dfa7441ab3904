"""Two readings: the words of both, their question, the next word to choose, and the text whose words can be clicked.

The link names a word of the text by its label, number and word ("6 it"), so that a label that no longer fits is seen.
Sentences are Markdown, with words of the text escaped; notes and reasons of refusals are plain text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mha.analysis.proposals import (
    ATTACHMENT,
    DETERMINERS,
    HE_SHE,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    guess_kind,
    only_english,
    preposition_number,
    propose,
)
from mha.analysis.readings import FIRST_WORD, first_word, word_position
from mha.errors import InputError
from mha.examples import ARITHMETIC, Example, example_for, examples
from mha.formats import in_words, join_list, markdown, number_repeats
from mha.maps import AttentionMaps, Reading
from mha.pairs import OTHER
from mha.words import accept, split, with_word, words

SUGGESTED, DISMISSED, OPEN = "suggested", "not ambiguous", "to choose"  # values of readings_by
ROLES = {  # by the parameter
    "readings_pivot": "ambiguous word", "readings_a": "candidate A", "readings_b": "candidate B",
    "readings_cue": "deciding word",
}  # fmt: skip
CHOICES: dict[str, Any] = {  # the parameters that choose words, while none is chosen
    "readings_pivot": None, "readings_a": [], "readings_b": [], "readings_cue": None, "readings_by": None,
    "readings_contrast": "", "readings_seconds": "",
}  # fmt: skip
NONE = "none"  # the value of a parameter that removes what the example has
REFERRING = frozenset(("him", "her", "them", "its", "his", *PRONOUNS, *RELATIVES))
_CARRIERS = (
    "am is are was were be been being has have had do does did will would can could may might must shall should not "
    "and or but because so if when while as than that which who whom whose it he she they him her them i you we us me "
    "too very there here"
)
CARRIERS = frozenset(_CARRIERS.split()) | PREPOSITIONS | DETERMINERS  # words that decide little
ELSEWHERE = "If no word is ambiguous, there are no readings to compare. Other pages show this text:"
LABELS = ("the hungry dog", "he or she", "the telescope", "who was late")  # of the examples in front
FEWEST_WORDS = 3


@dataclass(frozen=True)
class AmbiguousText:
    """Two readings of a text as far as they are chosen; words are numbers, as in `mha.words.words`.

    ``a`` and ``b`` are the candidates of both readings. ``changed_version`` has another word in some place. ``kind`` is
    the type of the ambiguity. The changed version of an example leaves the reading ``forces`` ("A" or "B", "" if
    unknown). ``second_words`` are a further word for A and one for B in that place, "" for none. ``notes`` are choices
    of the link that do not fit.
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
        pairs = zip(words(self.text), words(self.changed_version), strict=False)
        return tuple(number for number, (first, second) in enumerate(pairs) if first != second)

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


@dataclass(frozen=True)
class Refusal:
    """Why a tab has no result: a ``finding`` in Markdown and its ``reason`` in plain text; ``values`` are a way out."""

    finding: str
    reason: str = ""
    way_out: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)


# ---- the words of the link


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
    labels = word_labels(text)
    for proposal in propose(text)[:1]:
        first, second = proposal.partners
        return {"readings_pivot": labels[proposal.pivot], "readings_a": [labels[first]],
                "readings_b": [labels[second]], "readings_by": SUGGESTED}  # fmt: skip
    return {}


def click_choices(ambiguous: AmbiguousText, number: int) -> dict[str, Any]:
    """Return the parameters after a click on a word: it fills the role that is missing, else it is the ambiguous word.

    A complete choice starts again, without its changed version.
    """
    label, name = word_labels(ambiguous.text)[number], ambiguous.missing
    if name in ("readings_a", "readings_b"):
        return {name: [label], "readings_by": None if name == "readings_b" else OPEN}
    return {"readings_pivot": label, "readings_a": [], "readings_b": [], "readings_by": OPEN}


def choices_of_text(text: str, choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters for an edited text: the chosen words if all are still in place, else none."""
    labels = {label for name in ROLES for label in _labels(choices[name])} - {NONE}
    is_same = bool(labels) and labels <= set(word_labels(text))
    return {**choices, "readings_contrast": "", "readings_seconds": ""} if is_same else CHOICES


def resolve(text: str, choices: Mapping[str, Any]) -> AmbiguousText:
    """Return both readings of a text: what the link chooses, the rest from its example if it is one."""
    example, labels = _example(text), word_labels(text)
    chooser = choices["readings_by"]
    usual = _of_example(text, example) if example and chooser is None else AmbiguousText(text)
    numbers = {
        name: tuple(dict.fromkeys(labels.index(label) for label in _labels(choices[name]) if label in labels))
        for name in ROLES
    }
    a, b = numbers["readings_a"] or usual.a, numbers["readings_b"] or usual.b
    word = next(iter(numbers["readings_pivot"]), usual.ambiguous_word)
    notes: tuple[str, ...] = ()
    if word in (*a, *b) or set(a) & set(b):
        notes = ("The ambiguous word and both candidates are three different words. Choose again.",)
        a = tuple(number for number in a if number != word)
        b = tuple(number for number in b if number not in (word, *a))
    if (word, a, b) != (usual.ambiguous_word, usual.a, usual.b):  # the changed version is of other readings
        example, usual = None, AmbiguousText(text)
    ambiguous = AmbiguousText(text, word, a, b, is_suggested=chooser == SUGGESTED, notes=notes)
    if ambiguous.missing:
        return ambiguous
    changed, note = _changed_version(text, choices["readings_contrast"] or (example and example.contrast) or NONE)
    kind = guess_kind(words(text), ambiguous.number, (*a, *b), words(changed))
    ambiguous = replace(ambiguous, changed_version=changed, kind=kind, notes=(*notes, *note))
    deciding = (*numbers["readings_cue"], usual.deciding_word, *ambiguous.changed_words)
    ambiguous = replace(ambiguous, deciding_word=next((number for number in deciding if number is not None), None))
    if example and changed and changed == _changed_version(text, example.contrast or NONE)[0]:
        ambiguous = replace(ambiguous, forces=example.forces or "", second_words=example.seconds)
    seconds = words(choices["readings_seconds"])
    if len(ambiguous.changed_words) == 1 and len(seconds) == 2:
        ambiguous = replace(ambiguous, second_words=(seconds[0], seconds[1]))
    return ambiguous


def _labels(value: Any) -> Sequence[str]:
    return value if isinstance(value, list) else [value] if value else []


def _example(text: str) -> Example | None:
    example = example_for(text)
    return example if example and example.readings else None


def _of_example(text: str, example: Example) -> AmbiguousText:
    first, second = example.readings
    a, b = (tuple(int(candidate) for _, candidate in reading.links) for reading in (first, second))
    return AmbiguousText(text, int(first.links[0][0]), a, b, example.cue)


def _changed_version(text: str, typed: str) -> tuple[str, tuple[str, ...]]:
    """Return a changed version with the marks of the text, so that words alone differ; "" with a note if unusable."""
    if typed == NONE:
        return "", ()
    try:
        changed, typed_words = text, words(accept(typed).text)
    except InputError as error:
        return "", (f"The changed version cannot be used. {error}",)
    for number, word in enumerate(typed_words if len(typed_words) == len(words(text)) else ()):
        changed = with_word(changed, number, word)
    if changed == text:
        return "", ("The changed version needs as many words as the text, one of them another word.",)
    return changed, ()


def likeliest_word(ambiguous: AmbiguousText) -> int:
    """Return the word that is likeliest to decide between the readings: the last content word behind the ambiguous
    word, the first behind a relative, else the last content word.
    """
    names = [word.casefold() for word in words(ambiguous.text)]
    candidates = (*ambiguous.a, *ambiguous.b)
    content = [number for number, name in enumerate(names) if number not in candidates and name not in CARRIERS]
    later = [number for number in content if number > ambiguous.number]
    if later and names[ambiguous.number] in RELATIVES:
        return later[0]
    return (later or content or [len(names) - 1])[-1]


# ---- sentences


def example_values() -> dict[str, dict[str, Any]]:
    """Return the texts of the examples with two readings by their labels, those that pass their control first."""
    ambiguous = {row.label: {"text": row.sentence} for row in examples() if row.kind != ARITHMETIC}
    return {label: ambiguous[label] for label in LABELS if label in ambiguous}


def replacement(ambiguous: AmbiguousText) -> str:
    """Return the word that replaces one word of the text in the changed version, "" without one."""
    return words(ambiguous.changed_version)[ambiguous.replaced_word] if len(ambiguous.changed_words) == 1 else ""


def first_word_refusal(maps: AttentionMaps, ambiguous: AmbiguousText) -> Refusal | None:
    """Return why no attention to a word of the readings counts: it is the first word of a causal model.

    Raises:
        InputError: the model does not read a word of the readings.
    """
    word_maps = maps.merged()
    positions = [word_position(word_maps, number) for number in (ambiguous.number, *ambiguous.a, *ambiguous.b)]
    word = first_word(word_maps, positions)
    if not word:
        return None
    finding = f"No attention to *{markdown(word)}* is counted: it is the first word."
    reason = FIRST_WORD.format(model=maps.model, word=f"“{word}”")
    return Refusal(finding, reason, "Put “Yesterday” in front", CHOICES | {"text": f"Yesterday {ambiguous.text}"})


def question(ambiguous: AmbiguousText) -> str:
    """Return the question between both readings, which the page never answers from the model."""
    names, name = words(ambiguous.text), ambiguous.name(ambiguous.number)
    preposition = preposition_number(names, ambiguous.number)
    if preposition is not None and ambiguous.verb == "go with":
        name = f"*{markdown(' '.join(names[preposition : ambiguous.number + 1]))}*"
    first, second = ambiguous.candidate_names
    return f"Does {name} {ambiguous.verb} {first} or {second}?"


def prompt(ambiguous: AmbiguousText) -> str:
    """Return what to click next while a reading is incomplete, or why a text has no two readings."""
    count = len(words(ambiguous.text))
    if count < FEWEST_WORDS:
        needs = "Two readings need at least three words: an ambiguous word and two candidates."
        return f"{needs} This text has {in_words(count)}."
    if ambiguous.missing == "readings_pivot":
        refers = dict.fromkeys(word for word in words(ambiguous.text) if word.casefold() in REFERRING)
        often = " or ".join([f"*{markdown(word)}*" for word in refers][:3])
        return f"Which word is ambiguous? Click it.{f' Words such as {often} often are.' if often else ''}"
    name = ambiguous.name(ambiguous.number)
    if ambiguous.missing == "readings_a":
        return f"Which word could {name} {ambiguous.verb}? Click candidate A."
    return f"Which other word than {ambiguous.name(*ambiguous.a)} could {name} {ambiguous.verb}? Click candidate B."


def ways_out(text: str) -> str:
    """Return what the page says of a text without readings: that suggestions are English, and where else to look."""
    return f"{only_english(text)} {ELSEWHERE}".strip()


def guess_question(ambiguous: AmbiguousText) -> tuple[str, list[tuple[str, str]]]:
    """Return the question of *guess first*, and the candidates as guesses, labels and values."""
    ending = "Make a guess before you see the results."
    if ambiguous.missing:
        return f"Where will the heads look? {ending}", []
    names = number_repeats(words(ambiguous.text))
    guesses = [names[number] for number in (ambiguous.a[0], ambiguous.b[0])]
    return f"Where will the heads look from {ambiguous.name(ambiguous.number)}? {ending}", [(n, n) for n in guesses]


# ---- component data


def sentence_data(ambiguous: AmbiguousText) -> dict[str, Any]:
    """Return the text with the roles of its words, each of which can be clicked."""
    roles = dict.fromkeys(ambiguous.a, "candidate-a") | dict.fromkeys(ambiguous.b, "candidate-b")
    if ambiguous.deciding_word is not None:
        roles.setdefault(ambiguous.deciding_word, "deciding")
    if ambiguous.ambiguous_word is not None:
        roles[ambiguous.ambiguous_word] = f"{roles.get(ambiguous.ambiguous_word, '')} ambiguous".strip()
    runs = split(ambiguous.text)
    spaces = [bool(number) and runs[number - 1].end < run.start for number, run in enumerate(runs)]
    return {
        "tokens": [
            {"text": run.text, "space": space, "state": roles.get(-1 if run.word is None else run.word, "")}
            for run, space in zip(runs, spaces, strict=True)
        ],
        "gap": "none", "candidates": [], "title": "", "hint": "",
        "select": {
            "numbers": [run.word for run in runs],
            "selected": [run.word is not None and run.word == ambiguous.ambiguous_word for run in runs],
            "label": ROLES.get(ambiguous.missing, ROLES["readings_pivot"]),
        },
    }  # fmt: skip
