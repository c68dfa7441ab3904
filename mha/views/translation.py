"""Translation: an English sentence, its Portuguese, and what two heads of the translator have to do with a word.

Sentences are Markdown; all words of texts in them are escaped. Only `E0H7` and `E2H1`, which were fixed before, are in
findings; other heads have their effect with its rank among control sentences.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mha.analysis.ablation_control import AblationControl, ablation_control
from mha.brief import with_arrays
from mha.errors import InputError
from mha.examples import TRANSLATION_EXAMPLES
from mha.export.tables import Table
from mha.formats import counted, listed, markdown, number
from mha.intervention.outcomes import Prediction, WordSweep
from mha.maps import CrossHead, EncoderHead, HeadId, stack_head
from mha.models.files.catalog import hindrance
from mha.models.files.rows import ModelRow
from mha.models.files.translator import COMMAND, NAME
from mha.views.head_grid import head_grid, signed_states
from mha.views.models import sourced_table
from mha.views.next_word_sentences import naming_text
from mha.views.shares import nats, share, short_share

if TYPE_CHECKING:  # it loads with the first model
    from mha.intervention.next_words import Translation

__all__ = ["COMMAND", "NAME", "hindrance"]

EXAMPLES = {label: {"text": text} for label, text in TRANSLATION_EXAMPLES.items()}
HEADS = (EncoderHead(0, 7), EncoderHead(2, 1))
CROSS = CrossHead(1, 2)
LAYERS = ("E0", "E1", "E2", "E3", "E4", "E5", "C0", "C1")
NOUNS = ("teacher", "singer", "secretary", "doctor")  # they say nothing of a gender
ARTICLES = {"A": "O", "O": "A", "a": "o", "o": "a"}  # and those of the other gender
PRONOUN = re.compile(r"\b(she|he)\b", re.IGNORECASE)
OTHER = {"she": "he", "he": "she", "She": "He", "He": "She", "SHE": "HE", "HE": "SHE"}
MARKS = ".,;:!?"
LOOKS = 0.5  # of the attention of a word: from here on a head is said to look
SMALLEST_ARC = 0.06  # a smaller share of attention has no arc
SMALLEST_NATS = 0.05  # a smaller change has no number
WRONG = {  # by example: what is wrong
    "the doctor · model is wrong": "*she* is the doctor, and the translator writes *O médico*, a man",
    "the cat · model is wrong": "*it* is the cat, and *cansada* agrees with *a água*, the water",
}
DEFAULT = "The masculine default is the model’s, not the language’s."
UNCHECKED = "No Portuguese speaker checked the words."


@with_arrays
class TranslationCase:
    """What the page shows: translations with all heads, without `HEADS`, without the visitor's ``heads``, and of the
    other version (*he* for *she*), None without one; and what is known of the written word at ``step``.

    ``control`` is None if the changes of that word have none, for the reason ``no_control``.
    """

    model: ModelRow
    full: Translation
    both: Translation
    shown: Translation
    other: Translation | None
    heads: tuple[HeadId, ...]
    step: int
    sweep: WordSweep | None = None
    prediction: Prediction | None = None
    control: AblationControl | None = None
    no_control: str = ""

    @property
    def change(self) -> np.ndarray:
        """The change of ln(P(word) / P(alternative)) without each head, encoder first, float64 [layer, head]."""
        assert self.sweep is not None
        return np.concatenate([self.sweep.change_of(0, 1), self.sweep.change_of(0, 1, cross=True)])

    @property
    def words(self) -> tuple[str, str]:
        """The written word, or its first token, and its alternative, in Markdown."""
        assert self.sweep is not None
        first, second = (f"*{markdown(name.strip('␣'))}*" for name in self.sweep.words)
        return first, second

    @property
    def begun(self) -> str:
        """The translation before the written word."""
        return self.full.text[: self.full.tokens[self.step].start].strip()

    @property
    def is_begun_alike(self) -> bool:
        """Whether the shown translation is the same before the written word."""
        return self.shown.ids[: self.step] == self.full.ids[: self.step] and self.step < len(self.shown.tokens)


def other_version(text: str) -> str:
    """Return the text with *he* for its only *she*, or the reverse; "" if it has none, or more than one.

    >>> other_version("She slept."), other_version("It slept."), other_version("He said he slept.")
    ('He slept.', '', '')
    """
    found = PRONOUN.findall(text)
    return PRONOUN.sub(OTHER.get(found[0], ""), text) if len(found) == 1 and found[0] in OTHER else ""


def parse_heads(names: list[str]) -> tuple[HeadId, ...]:
    """Return heads by their names, in the order in which they run."""
    return tuple(sorted(map(stack_head, names), key=lambda head: head.run_order))


def case_of(
    model: ModelRow, full: Translation, both: Translation, shown: Translation, other: Translation | None,
    written: int | None,
) -> TranslationCase:  # fmt: skip
    """Return the case of translations, for a written word by its number, or for the word picked for this text.

    That is the first article that differs in the other version, or without `HEADS`; else the first article, else the
    first word.
    """
    starts = {token.word: step for step, token in reversed(list(enumerate(full.tokens))) if token.word is not None}
    articles = [step for word, step in starts.items() if full.words[word] in ARTICLES]
    different = [first_difference(full, each) for each in (other, both) if each is not None]
    picked = next((step for step in different if step in articles), min(articles, default=0))
    step = picked if written is None else starts.get(written, picked)
    return TranslationCase(model, full, both, shown, other, shown.heads, step)


def first_difference(first: Translation, second: Translation) -> int | None:
    """Return the first step at which two translations differ, or None."""
    return next((step for step, (a, b) in enumerate(zip(first.ids, second.ids, strict=False)) if a != b), None)


def question(case: TranslationCase) -> tuple[str, tuple[str | int, ...], tuple[HeadId, ...]]:
    """Return what is asked about the written word: the translation before it, the word with its alternative, heads.

    The alternative of an article is that of the other gender. Another word has what the translator writes there in the
    other version or without heads, else (no second word) the likeliest other one.
    """
    token, rivals = case.full.tokens[case.step], [case.shown, case.both, case.other]
    ids = [each.ids[case.step] for each in rivals if each and first_difference(case.full, each) == case.step]
    is_article = token.word is not None and case.full.words[token.word] in ARTICLES
    alternative: list[str | int] = [ARTICLES[token.text]] if is_article else [*ids[:1]]
    return case.begun, (case.full.ids[case.step], *alternative), case.heads or HEADS


def with_changes(case: TranslationCase, sweep: WordSweep, prediction: Prediction) -> TranslationCase:
    """Return the case with the changes of the written word, and their control if there is one."""
    control, reason = None, "The control is of the first written article alone."
    if case.step == 0 and {sweep.texts[number].strip() for number in sweep.ids} == {"A", "O"}:
        try:
            control = ablation_control(NAME, sweep.revision, len(case.full.attention.key_tokens or ()))
            reason = ""
        except InputError as error:
            reason = markdown(str(error))
    return replace(case, sweep=sweep, prediction=prediction, control=control, no_control=reason)


# ---- attention between words


def link(case: TranslationCase) -> tuple[int, int, np.ndarray] | None:
    """Return the token that looks at the only *she* or *he* most in both `HEADS`, that pronoun, and the attention of
    every encoder head between them, float [layer, head]; None without such a pronoun.
    """
    maps = case.full.generation.recording.attention("encoder")
    pronouns = [n for n, token in enumerate(maps.tokens) if PRONOUN.fullmatch(token.text)]
    if case.other is None or len(pronouns) != 1:
        return None
    (key,) = pronouns
    shares = sum(maps.weights[head][:, key] for head in HEADS) * [
        not token.special and token.word is not None and n != key for n, token in enumerate(maps.tokens)
    ]
    query = int(np.argmax(shares))
    return query, key, maps.weights[:, :, query, key]


def piece_at(text: str, start: int) -> int:
    """Return the number of the piece between white space that has this character.

    >>> piece_at("A cat sat.", 6)
    2
    """
    return len(text[: start + 1].split()) - 1


def different_pieces(before: str, after: str) -> list[tuple[slice, slice]]:
    """Return the pieces of two texts that differ, in runs."""
    matcher = difflib.SequenceMatcher(None, before.split(), after.split(), autojunk=False)
    return [(slice(i, j), slice(k, n)) for name, i, j, k, n in matcher.get_opcodes() if name != "equal"]


def _phrases(before: str, after: str) -> tuple[str, str]:
    """Return the first run of words that differ in two texts, in Markdown; the whole texts if one has no such words."""
    first, second = different_pieces(before, after)[0]
    runs = [" ".join(text.split()[run]).rstrip(".") for text, run in ((before, first), (after, second))]
    old, new = (f"*{markdown(text)}*" for text in (runs if all(runs) else (before, after)))
    return old, new


# ---- sentences


def finding(case: TranslationCase) -> str:
    """Return the main sentence: what ablated heads change, what is wrong with an example, else what both heads do."""
    full = case.full.text
    if case.heads:
        names = listed([f"`{head}`" for head in case.heads])
        return f"Without {names} {_writes(full, case.shown.text)}."
    wrong = next((WRONG.get(label) for label, text in TRANSLATION_EXAMPLES.items() if text == case.full.source), None)
    if wrong:
        return f"The model is wrong: {wrong}."
    found, names = link(case), listed([f"`{head}`" for head in HEADS])
    if found is None or min(float(found[2][head]) for head in HEADS) < LOOKS:
        return f"Without {names} {_writes(full, case.both.text)}."
    noun, pronoun = _source_words(case, found)
    n_looking = int((found[2] >= LOOKS).sum())
    heads = f"{counted(n_looking).capitalize()} of {found[2].size} heads" if n_looking == len(HEADS) else names
    looks = f"{heads} look from *{markdown(noun)}* to *{markdown(pronoun)}*; without them "
    if (
        noun not in NOUNS
        or pronoun != "she"
        or f"the {noun} " not in case.full.source.lower()
        or case.both.text == full
    ):
        return f"{looks}{_writes(full, case.both.text)}."
    _, new = _phrases(full, case.both.text)
    return f"English does not say whether *the {noun}* is a woman. {looks}the translator writes {new}."


def _source_words(case: TranslationCase, found: tuple[int, int, np.ndarray]) -> tuple[str, str]:
    tokens = case.full.generation.recording.attention("encoder").tokens
    pieces = case.full.source.split()
    first, second = (pieces[piece_at(case.full.source, tokens[n].start)].strip(MARKS) for n in found[:2])
    return first, second


def _writes(before: str, after: str) -> str:
    if before == after:
        return "the translation stays the same"
    old, new = _phrases(before, after)
    return f"the translator writes {new} in place of {old}"


def explanation(case: TranslationCase) -> list[str]:
    """Return the lines below the finding: attention, both heads alone, the largest change with its control, limits."""
    found, lines = link(case), []
    if found is not None and min(float(found[2][head]) for head in HEADS) < LOOKS:
        noun, pronoun = _source_words(case, found)
        first, second = (share(float(found[2][head])) for head in HEADS)
        looks = f"`{HEADS[0]}` gives {first} and `{HEADS[1]}` {second} of its attention to *{markdown(pronoun)}*"
        lines.append(f"From *{markdown(noun)}*, {looks}.")
    limits = f"{DEFAULT} {UNCHECKED}" if case.other and {"O", "o"} & {*case.both.words} else UNCHECKED
    return [*lines, alone_text(case), f"{largest_text(case)} {limits}"]


def alone_text(case: TranslationCase) -> str:
    """Return which of both heads changes the written word if it is ablated alone."""
    assert case.sweep is not None
    stays = {head: bool(case.sweep.likeliest[head] == case.sweep.ids[0]) for head in HEADS}
    first, second = sorted(HEADS, key=stays.__getitem__)
    changes = (
        f"neither `{first}` nor `{second}` changes {case.words[0]} to another word",
        f"`{first}` changes {case.words[0]} to another word, `{second}` does not",
        f"both `{first}` and `{second}` change {case.words[0]} to another word",
    )
    return f"Ablated alone, {changes[2 - sum(stays.values())]}."


def largest_text(case: TranslationCase) -> str:
    """Return the head with the largest change of all, with its rank among control sentences, and those mainly here."""
    change = case.change
    largest = _head(int(np.abs(change).argmax()))
    size = float(np.abs(change).max())
    if size < SMALLEST_NATS:
        return f"None of {change.size} heads changes {case.words[0]} against {case.words[1]} by 0.05 nats."
    sentence = (
        f"Largest of {change.size} changes: `{largest}`, {nats(float(change.flat[np.abs(change).argmax()]))} nats"
    )
    if case.control is None:
        return f"{sentence}. {case.no_control}"
    count, total = case.control.n_texts_changed(size), len(case.control.texts)
    names = listed([f"`{head}`" for head in mainly_here(case)])
    here = f" Past the control limit and more than twice as large as in any of these: {names or 'none'}."
    return f"{sentence}; some head’s is as large in {count} of {total} control sentences.{here}"


def mainly_here(case: TranslationCase) -> tuple[HeadId, ...]:
    """Return the heads whose change is mainly in this sentence; none without a control."""
    if case.control is None:
        return ()
    return tuple(_head(int(index)) for index in np.flatnonzero(case.control.mainly_here(case.change)))


def _head(index: int) -> HeadId:
    return stack_head(f"{LAYERS[index // 8]}H{index % 8}")


def other_text(case: TranslationCase) -> str:
    """Return the other version with its translation, different words in bold; "" without one."""
    if case.other is None:
        return ""
    lines = []
    for before, after in ((case.full.source, case.other.source), (case.full.text, case.other.text)):
        changed = {n for _, run in different_pieces(before, after) for n in range(run.start, run.stop)}
        words = [markdown(word) for word in after.split()]
        lines.append(" ".join(f"**{word}**" if n in changed else word for n, word in enumerate(words)))
    return f"The other version: {lines[0]}  \n{lines[1]}"


def grid_caption(case: TranslationCase) -> str:
    """Return what a number of the grid is."""
    assert case.sweep is not None
    first, second = case.words
    lead = float(case.sweep.log_probability[0] - case.sweep.log_probability[1])
    of = f"change of ln(P({first}) / P({second})), {number(lead)} with all heads, in nats"
    return f"Number: {of}. E: encoder, C: cross-attention. Click a head to ablate it."


def method(case: TranslationCase) -> str:
    """Return how the numbers are measured, for the disclosure at the end of the page."""
    lines = [
        "**Translation**: the likeliest token each time, without the corrections of the package’s own engine.",
        "**Ablation**: the mean over 40 sample sentences and their translations replaces the output of a head. Heads "
        "that are ablated together are ablated in every pass.",
        "**Arcs** above: attention, in `E0H7` and `E2H1`, to the only *she* or *he*, from the word that gives it most. "
        f"A head *looks* if it gives at least {share(LOOKS)}. Between the lines: the cross-attention of `C1H2` that "
        "writes the selected word.",
        "**Change**: the first token of the selected word against the article of the other gender, or against what the "
        "translator writes in the other version or without heads, or against the likeliest other token.",
        "`E0H7` and `E2H1` were fixed before, on sentences of this kind; that about the teacher is one of these. What "
        "they do in one sentence is no rate.",
    ]
    if case.control is not None:
        lines.append(
            f"**Control**: {len(case.control.texts)} sentences about things, by one author; there the same ablations "
            f"change the first article. {naming_text(case.control)}, so the frame of a cell is no proof."
        )
    return "\n".join(f"- {line}" for line in lines)


# ---- component data


def sentence_data(case: TranslationCase) -> dict[str, Any]:
    """Return both texts, the arcs from a word to the pronoun, and the one from the written word to its source."""
    source, shown, links = case.full.source, case.shown.text, []
    under: list[int | None] = [None, None]
    found = link(case)
    if found is not None:
        tokens = case.full.generation.recording.attention("encoder").tokens
        query, key = (piece_at(source, tokens[n].start) for n in found[:2])
        under[0] = query
        links = [
            {"from": [0, query], "to": [0, key], "weight": round(float(found[2][head]), 4), "name": str(head),
             "off": head in case.heads}
            for head in HEADS if found[2][head] >= SMALLEST_ARC
        ]  # fmt: skip
    if case.is_begun_alike:
        row = case.shown.attention.weights[CROSS][case.step]
        keys = case.shown.attention.key_tokens or ()
        piece = piece_at(shown, case.shown.tokens[case.step].start)
        under[1], key = piece, int(row.argmax())
        if not keys[key].special:
            links.append(
                {"from": [1, piece], "to": [0, piece_at(source, keys[key].start)], "weight": round(float(row[key]), 4),
                 "name": str(CROSS), "off": CROSS in case.heads}
            )  # fmt: skip
    runs = different_pieces(case.full.text, shown)
    changed = [n for _, run in runs for n in range(run.start, run.stop)]
    return {
        "lines": [source.split(), shown.split()], "links": links, "under": under, "changed": changed,
        "titles": ["English", "Portuguese"], "label": _spoken(source, shown, links),
    }  # fmt: skip


def text_data(text: str) -> dict[str, Any]:
    """Return the English text alone."""
    data: dict[str, Any] = {"lines": [text.split()], "links": [], "under": [None], "changed": [], "titles": ["English"]}
    return data | {"label": f"English: {text}"}


def _spoken(source: str, shown: str, links: list[dict[str, Any]]) -> str:
    lines = [[word.strip(MARKS) for word in text.split()] for text in (source, shown)]
    parts = []
    for each in links:
        (side, start), (_, end) = each["from"], each["to"]
        gives = "is ablated" if each["off"] else f"gives {share(each['weight'])} to {lines[0][end]}"
        parts.append(f"From {lines[side][start]}, {each['name']} {gives}.")
    return " ".join([f"English: {source}", f"Portuguese: {shown}", *parts])


def words_picture(case: TranslationCase) -> dict[str, Any]:
    """Return the written word and its alternative as bars, before and after the ablation."""
    assert case.sweep is not None
    assert case.prediction is not None
    begun = f"After “{case.begun}”" if case.begun else "First written"
    bars = []
    for index, name in enumerate(case.sweep.words):
        before = float(case.sweep.probability[index])
        after = (
            float(case.prediction.ablated_probabilities[index])
            if case.heads and case.prediction.ablated_probabilities is not None
            else None
        )
        text = short_share(before) if after is None else f"{short_share(before)} → {short_share(after)}"
        bars.append(
            {"name": name.strip("␣"), "word": "", "before": before, "after": after, "text": text, "on": index == 0,
             "label": f"{name}: {text}"}
        )  # fmt: skip
    return {"title": begun, "hint": "probability", "candidates": bars}


def grid_data(case: TranslationCase) -> dict[str, Any]:
    """Return the change of the written word against its alternative without each head, as one cell a head."""
    change, (first, second) = case.change, (word.strip("*") for word in case.words)
    return head_grid(
        change, signed_states(change, SMALLEST_NATS),
        {"less": f"{first} loses to {second}", "more": f"{first} gains on {second}", "within": "less than 0.05 nats"},
        nats, unit="nats", special=mainly_here(case),
        special_text="past the control limit and more than twice its change in any control sentence",
        ablated=case.heads, layer_names=LAYERS, label=f"Change of {first} against {second} without each head, in nats",
    )  # fmt: skip


def table(case: TranslationCase, link: str = "") -> Table:
    """Return the change of the written word without each head: one row a head."""
    assert case.sweep is not None
    columns: dict[str, Any] = {"head": [str(_head(index)) for index in range(case.change.size)]}
    columns |= {"change_nats": case.change.ravel()}
    measure = f"change of ln(P({case.sweep.words[0]}) / P({case.sweep.words[1]})) with one head ablated, in nats"
    return sourced_table(columns, (case.full.source,), case.model, measure, link)
