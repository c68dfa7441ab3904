"""Two readings: the question, what is chosen next, guesses, and the text whose words can be clicked.

Sentences are Markdown, with words of the text escaped; reasons of refusals are plain text.
"""

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


def replacement(ambiguous: AmbiguousText) -> str:
    """Return the word that replaces one word of the text in the changed version, "" without one."""
    return words(ambiguous.changed_version)[ambiguous.replaced_word] if len(ambiguous.changed_words) == 1 else ""


def replace_label(ambiguous: AmbiguousText) -> str:
    """Return the label of the field for that word; without emphasis, which a screen reader would spell out."""
    return f"Replace {ambiguous.name(ambiguous.replaced_word).strip('*')} by"


def layers_refusal(model: ModelRow) -> Refusal | None:
    """Return why no head can be ablated or patched: the model has no layers that read what a head adds."""
    if model.kind == "transformer":
        return None
    finding = f"{model.short} has no layers in which a change of a head could be measured."
    return Refusal(finding, "Choose another model.", "Use MiniLM", {"model": "minilm"})


def first_word_refusal(maps: AttentionMaps, ambiguous: AmbiguousText) -> Refusal | None:
    """Return why no attention to a word of the readings counts: it is the first word of a causal model.

    Raises:
        InputError: the model does not read a word of the readings.
    """
    word_maps = maps.merged()
    word = first_word(
        word_maps, [word_position(word_maps, number) for number in (ambiguous.number, *ambiguous.a, *ambiguous.b)]
    )
    if not word:
        return None
    longer_text = f"Yesterday {ambiguous.text}"
    labels = word_labels(longer_text)[1:]  # by the number of the word in the present text
    values = {
        "text": longer_text, "readings_pivot": labels[ambiguous.number], "readings_cue": None, "readings_contrast": "",
        "readings_a": [labels[number] for number in ambiguous.a],
        "readings_b": [labels[number] for number in ambiguous.b],
    }  # fmt: skip
    finding = f"No attention to *{markdown(word)}* is counted: it is the first word."
    return Refusal(finding, FIRST_WORD.format(model=maps.model, word=f"“{word}”"), "Put “Yesterday” in front", values)


def question(ambiguous: AmbiguousText) -> str:
    """Return the question between both readings, which the page never answers from the model."""
    names, name = words(ambiguous.text), ambiguous.name(ambiguous.number)
    preposition = preposition_number(names, ambiguous.number)
    if preposition is not None and ambiguous.kind == ATTACHMENT:
        name = f"*{markdown(' '.join(names[preposition : ambiguous.number + 1]))}*"
    first, second = ambiguous.candidate_names
    badge = ":gray-badge[suggested] " if ambiguous.is_suggested else ""
    return f"{badge}Does {name} {ambiguous.verb} {first} or {second}? {grammar_text(ambiguous)}".strip()


def grammar_text(ambiguous: AmbiguousText) -> str:
    """Return the reading that English grammar settles, "" if it settles none: it comes from no model."""
    if len(ambiguous.a) != 1 or len(ambiguous.b) != 1:
        return ""
    agrees = agreement(ambiguous.text, ambiguous.number, (ambiguous.a[0], ambiguous.b[0]))
    return (
        "" if agrees is None else f"{ambiguous.name(agrees.number)} fits only {ambiguous.candidate_names[agrees.fits]}."
    )


def prompt(ambiguous: AmbiguousText, by: str | None) -> str:
    """Return what to click next while a reading is incomplete, or why a text has no two readings."""
    count = len(words(ambiguous.text))
    if count < FEWEST_WORDS:
        needs = "Two readings need at least three words: an ambiguous word and two candidates."
        return f"{needs} This text has {in_words(count)}."
    if ambiguous.missing == "readings_pivot":
        start = "Marked as not ambiguous. " if by == DISMISSED else ""
        refers = dict.fromkeys(word for word in words(ambiguous.text) if word.casefold() in REFERRING)
        often = " or ".join([f"*{markdown(word)}*" for word in refers][:3])
        return f"{start}Which word is ambiguous? Click it.{f' Often it is {often}.' if often else ''}"
    if ambiguous.missing == "readings_a":
        return f"Which word could {ambiguous.name(ambiguous.number)} {ambiguous.verb}? Click candidate A."
    first, name = ambiguous.name(*ambiguous.a), ambiguous.name(ambiguous.number)
    return f"Which other word than {first} could {name} {ambiguous.verb}? Click candidate B."


def ways_out(text: str) -> str:
    """Return what the page says of a text without readings: that suggestions are English, and where else to look."""
    return f"{only_english(text)} {ELSEWHERE}".strip()


def guesses(ambiguous: AmbiguousText) -> dict[str, list[str]]:
    """Return two questions to guess at, with their answers: where heads look, and what changes."""
    names = number_repeats(words(ambiguous.text))
    candidates = dict.fromkeys(names[number] for number in (*ambiguous.a[:1], *ambiguous.b[:1]))
    answers = {"Where do most heads look from this word?": [*map(markdown, candidates), "it depends on the head"]}
    if ambiguous.changed_version:
        first, second = ambiguous.changed_names
        counts = ["no single head", "one head", "several heads"]
        answers[f"If {first} becomes {second}, which heads carry the change?"] = counts
    return answers


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
