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
from mha.formats import in_words, markdown, number_repeats
from mha.maps import AttentionMaps
from mha.models.files.rows import ModelRow
from mha.views.readings_words import DISMISSED, REFERRING, ROLES, AmbiguousText, word_labels
from mha.words import split, words

NOT_AMBIGUOUS: dict[str, Any] = {
    "readings_pivot": None, "readings_a": [], "readings_b": [], "readings_cue": None, "readings_by": DISMISSED,
}  # fmt: skip
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


def layers_refusal(model: ModelRow) -> Refusal | None:
    """Return why no head can be ablated or patched: the model has no layers that read what a head adds."""
    if model.kind == "transformer":
        return None
    finding = f"{model.short} has no layers in which a change of a head could be measured."
    return Refusal(finding, "Choose another model.", "Use MiniLM", {"model": "minilm"})


def first_word_refusal(maps: AttentionMaps, found: AmbiguousText) -> Refusal | None:
    """Return why no attention to a word of the readings counts: it is the first word of a causal model.

    Raises:
        InputError: the model does not read a word of the readings.
    """
    merged = maps.merged()
    word = first_word(merged, [word_position(merged, number) for number in (found.number, *found.a, *found.b)])
    if not word:
        return None
    in_front = f"Yesterday {found.text}"
    labels = word_labels(in_front)[1:]  # by the number of the word in the present text
    chosen = {
        "text": in_front, "readings_pivot": labels[found.number], "readings_cue": None, "readings_contrast": "",
        "readings_a": [labels[number] for number in found.a], "readings_b": [labels[number] for number in found.b],
    }  # fmt: skip
    finding = f"No attention to *{markdown(word)}* is counted: it is the first word."
    return Refusal(finding, FIRST_WORD.format(model=maps.model, word=f"“{word}”"), "Put “Yesterday” in front", chosen)


def question(found: AmbiguousText) -> str:
    """Return the question between both readings, which the page never answers from the model."""
    names, name = words(found.text), found.name(found.number)
    preposition = preposition_number(names, found.number)
    if preposition is not None and found.kind == ATTACHMENT:
        name = f"*{markdown(' '.join(names[preposition : found.number + 1]))}*"
    first, second = found.candidate_names
    badge = ":gray-badge[suggested] " if found.is_suggested else ""
    return f"{badge}Does {name} {found.verb} {first} or {second}? {grammar_text(found)}".strip()


def grammar_text(found: AmbiguousText) -> str:
    """Return the reading that English grammar settles, "" if it settles none: it comes from no model."""
    if len(found.a) != 1 or len(found.b) != 1:
        return ""
    agrees = agreement(found.text, found.number, (found.a[0], found.b[0]))
    return "" if agrees is None else f"{found.name(agrees.number)} fits only {found.candidate_names[agrees.fits]}."


def prompt(found: AmbiguousText, by: str | None) -> str:
    """Return what to click next while a reading is incomplete, or why a text has no two readings."""
    count = len(words(found.text))
    if count < FEWEST_WORDS:
        needs = "Two readings need at least three words: an ambiguous word and two candidates."
        return f"{needs} This text has {in_words(count)}."
    if found.missing == "readings_pivot":
        start = "Marked as not ambiguous. " if by == DISMISSED else ""
        refers = dict.fromkeys(word for word in words(found.text) if word.casefold() in REFERRING)
        often = " or ".join([f"*{markdown(word)}*" for word in refers][:3])
        return f"{start}Which word is ambiguous? Click it.{f' Often it is {often}.' if often else ''}"
    if found.missing == "readings_a":
        return f"Which word could {found.name(found.number)} {found.verb}? Click candidate A."
    other = f"Which other word than {found.name(*found.a)} could {found.name(found.number)} {found.verb}?"
    return f"{other} Click candidate B."


def ways_out(text: str) -> str:
    """Return what the page says of a text without readings: that suggestions are English, and where else to look."""
    return f"{only_english(text)} {ELSEWHERE}".strip()


def guesses(found: AmbiguousText) -> dict[str, list[str]]:
    """Return two questions to guess at, with their answers: where heads look, and what changes."""
    called = number_repeats(words(found.text))
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
