"""Two readings: the question, what is chosen next, guesses, and the text whose words can be clicked.

Sentences are Markdown, with words of the text escaped; reasons of refusals are plain text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mha.analysis.ambiguity_kinds import ATTACHMENT, preposition_number
from mha.analysis.proposals import only_english
from mha.analysis.proposals.grammar import agreement
from mha.analysis.readings import FIRST_WORD, first_word, word_position
from mha.examples import ARITHMETIC, OPENS_TWO_READINGS, examples
from mha.formats import counted, listed, markdown, numbered
from mha.maps import AttentionMaps
from mha.pairs import KINDS, OTHER
from mha.views.readings_words import DISMISSED, REFERRING, ROLES, AmbiguousText
from mha.words import split, words

NOT_AMBIGUOUS: dict[str, Any] = {
    "readings_pivot": None, "readings_a": [], "readings_b": [], "readings_cue": None, "readings_kind": None,
    "readings_by": DISMISSED,
}  # fmt: skip
TYPES = (*KINDS, OTHER)
OPENING = {"text": OPENS_TWO_READINGS, "readings_by": None}
GUESS = "Where do heads look, and what changes? Make a guess before you see the results."
ELSEWHERE = "If no word is ambiguous, there are no readings to compare. Other pages show this text:"
LABELS = ("the hungry dog", "he or she", "the telescope", "who was late")  # of the examples in front
FEWEST_WORDS = 3


@dataclass(frozen=True)
class Refusal:
    """Why a tab has no result: a ``finding`` in Markdown and its ``reason`` in plain text; ``values`` are a way out."""

    finding: str
    reason: str = ""
    way_out: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)


def example_values() -> dict[str, dict[str, Any]]:
    """Return the texts of the examples with two readings by their labels, those that pass their control first."""
    ambiguous = {row.label: {"text": row.sentence} for row in examples() if row.kind != ARITHMETIC}
    return {label: ambiguous[label] for label in LABELS if label in ambiguous}


def replacement(found: AmbiguousText) -> str:
    """Return the word that replaces one word of the text in the changed version, "" without one."""
    return words(found.changed_version)[found.replaced_word] if len(found.changed_words) == 1 else ""


def replace_label(found: AmbiguousText) -> str:
    """Return the label of the field for that word; without emphasis, which a screen reader would spell out."""
    return f"Replace {found.name(found.replaced_word).strip('*')} by"


def refusal_of(maps: AttentionMaps, found: AmbiguousText) -> Refusal | None:
    """Return why no attention to a word of the readings counts: it is the first word of a causal model.

    Raises:
        InputError: the model does not read a word of the readings.
    """
    merged = maps.merged()
    positions = [word_position(merged, number) for number in (found.number, *found.a, *found.b)]
    word = first_word(merged, positions)
    if not word:
        return None
    in_front = f"Yesterday {found.text}"
    labels = {name: [f"{number + 1} {words(found.text)[number]}" for number in side]
              for name, side in (("readings_a", found.a), ("readings_b", found.b))}  # fmt: skip
    pivot = f"{found.number + 1} {words(found.text)[found.number]}"
    chosen = {"text": in_front, "readings_pivot": pivot, **labels, "readings_cue": None, "readings_contrast": ""}
    reason = FIRST_WORD.format(model=maps.model, word=f"“{word}”")
    return Refusal(f"No attention to *{markdown(word)}* is counted: it is the first word.", reason,
                   "Put “Yesterday” in front", chosen)  # fmt: skip


def question(found: AmbiguousText) -> str:
    """Return the question between both readings, which the page never answers from the model."""
    low, name = words(found.text)[found.number].casefold(), found.ambiguous_name
    preposition = preposition_number(words(found.text), found.number)
    verb = "refer to" if low in REFERRING else "go with"
    if low not in REFERRING and preposition is not None and found.compared_kind == ATTACHMENT:
        name = f"*{markdown(' '.join(words(found.text)[preposition : found.number + 1]))}*"
    first, second = found.candidate_names
    asked = f"{':gray-badge[suggested] ' if found.is_suggested else ''}Does {name} {verb} {first} or {second}?"
    return f"{asked} {grammar_text(found)}".strip()


def grammar_text(found: AmbiguousText) -> str:
    """Return the reading that English grammar settles, "" if it settles none: it comes from no model."""
    if len(found.a) != 1 or len(found.b) != 1:
        return ""
    agrees = agreement(found.text, found.number, (found.a[0], found.b[0]))
    return "" if agrees is None else f"{found.name(agrees.number)} fits only {found.candidate_name('AB'[agrees.fits])}."


def prompt(found: AmbiguousText, by: str | None) -> str:
    """Return what to click next while a reading is incomplete, or why a text has no two readings."""
    count = len(words(found.text))
    if count < FEWEST_WORDS:
        needs = "Two readings need at least three words: an ambiguous word and two candidates."
        return f"{needs} This text has {counted(count)}."
    if found.missing == "readings_pivot":
        start = "Marked as not ambiguous. " if by == DISMISSED else ""
        refers = dict.fromkeys(word for word in words(found.text) if word.casefold() in REFERRING)
        often = listed([f"*{markdown(word)}*" for word in refers][:3])
        return f"{start}Which word is ambiguous? Click it.{f' Often it is {often}.' if often else ''}"
    is_referring = words(found.text)[found.number].casefold() in REFERRING
    verb = "refer to" if is_referring else "go with"
    if found.missing == "readings_a":
        return f"Which word could {found.ambiguous_name} {verb}? Click candidate A."
    return f"Which other word than {found.candidate_name('A')} could {found.ambiguous_name} {verb}? Click candidate B."


def ways_out(text: str) -> str:
    """Return what the page says of a text without readings: that suggestions are English, and where else to look."""
    return f"{only_english(text)} {ELSEWHERE}".strip()


def guesses(found: AmbiguousText) -> dict[str, list[str]]:
    """Return two questions to guess at, with their answers: where heads look, and what changes."""
    called = numbered(words(found.text))
    looks = dict.fromkeys(called[number] for number in (*found.a[:1], *found.b[:1]))
    asked = {"Where do most heads look from this word?": [*map(markdown, looks), "it depends on the head"]}
    if found.changed_version:
        first, second = found.changed_names
        some = ["no single head", "one head", "several heads"]
        asked[f"If {first} becomes {second}, which heads carry the change?"] = some
    return asked


# ---- component data


def sentence_data(found: AmbiguousText) -> dict[str, Any]:
    """Return the text with the roles of its words, each of which can be clicked."""
    roles = dict.fromkeys(found.a, "candidate-a") | dict.fromkeys(found.b, "candidate-b")
    if found.deciding_word is not None:
        roles.setdefault(found.deciding_word, "deciding")
    if found.ambiguous_word is not None:
        roles[found.ambiguous_word] = f"{roles.get(found.ambiguous_word, '')} ambiguous".strip()
    runs = split(found.text)
    spaces = [bool(number) and runs[number - 1].end < run.start for number, run in enumerate(runs)]
    return {
        "tokens": [
            {"text": run.text, "space": space, "state": roles.get(-1 if run.word is None else run.word, "")}
            for run, space in zip(runs, spaces, strict=True)
        ],
        "gap": "none", "candidates": [], "title": "", "hint": "",
        "select": {
            "numbers": [run.word for run in runs],
            "selected": [run.word is not None and run.word == found.ambiguous_word for run in runs],
            "label": ROLES.get(found.missing, ROLES["readings_pivot"]),
        },
    }  # fmt: skip
