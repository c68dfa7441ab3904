"""Two sentences compared: the change of every head, and its control limit from control words in the same position.

torch loads with the functions that run a model.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mha.analysis.changes import MOST_SWAPS, N_SWAPS, Alignment, ChangeLimit, Changes, align, change_limit, changes
from mha.analysis.proposals.lexicon import bundled
from mha.analysis.proposals.tagging import tagged
from mha.errors import InputError
from mha.formats import labels
from mha.maps import AttentionMaps, HeadId, Recording, Token
from mha.memo import array_dataclass
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel, transformer_of
from mha.models.watch.attending import record_text
from mha.pairs import corpus
from mha.words import split, with_word, words

if TYPE_CHECKING:
    from mha.intervention.ablation import Heads

BEFORE = 2  # words that a swap must follow, as the replaced word does; one where too few follow both
OPEN = ("N", "M", "V", "J", "R")  # classes of words with neutral replacements


@dataclass(frozen=True)
class Neutral:
    """Words for one place of a text, nearest first; ``follow`` are the words that each of them follows somewhere."""

    words: tuple[str, ...] = ()
    follow: tuple[str, ...] = ()


def candidates(text: str, number: int, sentences: Sequence[str], n_before: int = BEFORE) -> Neutral:
    """Return the words that follow, in some sentence, the ``n_before`` words before word ``number``; itself left out.

    >>> candidates("I saw it", 2, ["We saw him", "I saw her"])
    Neutral(words=('her',), follow=('I', 'saw'))

    Raises:
        InputError: the text has no such word.
    """
    text_words = words(text)
    if not 0 <= number < len(text_words):
        raise InputError(f"The text has {len(text_words)} words, counted from 0; there is no word {number}.")
    if not 0 < n_before <= number:
        return Neutral()
    follow = text_words[number - n_before : number]
    context = [word.casefold() for word in follow]
    folded = ([word.casefold() for word in words(sentence)] for sentence in sentences)
    followers = (
        line[place + n_before]
        for line in folded
        for place in range(len(line) - n_before)
        if line[place : place + n_before] == context
    )
    folded_words = [word.casefold() for word in text_words]
    return Neutral(
        tuple(word for word in dict.fromkeys(followers) if word.isalpha() and word not in folded_words), follow
    )


def of_class(text: str, number: int) -> Callable[[str], bool]:
    """Return a predicate: does a word have the part of speech and the form of the word at this position?

    This has to be its usual part of speech; number counts for nouns and tense for verbs. No word replaces a word of a
    closed class neutrally: *she* for *he* decides. Without the lexicon every word fits.

    >>> fits = of_class("The dog slept.", 2)
    >>> fits("barked"), fits("hides"), fits("and")
    (True, False, False)
    """
    lexicon = bundled()
    if lexicon is None:
        return lambda word: True

    def form(sentence: str) -> tuple[str, bool | str]:
        token = next(token for token in tagged(sentence, lexicon) if token.number == number)
        entry = token.entry
        weights = {"N": entry.noun, "V": entry.verb, "J": entry.adjective, "R": entry.adverb}
        mostly = sentence is text or weights.get(token.tag, 0) == max(weights.values())
        return token.tag if mostly else "", entry.plural if token.tag == "N" else entry.form if token.tag == "V" else ""

    own_form = form(text)
    return lambda word: own_form[0] in OPEN and form(with_word(text, number, word)) == own_form


def nearest(vector: np.ndarray, vectors: np.ndarray) -> list[int]:
    """Return the rows of ``vectors`` [row, d] by their cosine to a vector [d], nearest first."""
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(vector)
    cosines = np.divide(vectors @ vector, lengths, out=np.full(len(vectors), -1.0), where=lengths > 0)
    return [int(row) for row in np.argsort(-cosines, kind="stable")]


Connection = tuple[HeadId, int, int]  # a head, and the pairs of its query and its key
Record = Callable[[str], Recording]
ControlWords = Callable[[str, int, str], Neutral]  # for a text, the number of a word in it, and a word to leave out


@array_dataclass
class Comparison:
    """Two sentences and the change of every head between them.

    ``alignment`` pairs their words. ``changes`` is None if no words are paired; ``changes.mean`` is float64 [layer,
    head], in bits: 0 for no change, 1 for no overlap. ``limit`` has the control limits ``limit.values``, float64
    [layer, head], and the heads ``limit.named_heads``; it is None unless exactly one word changed and three
    ``controls`` are usable. ``ablated`` heads are ablated in all runs. Attention sinks, measured ones included, count
    as one key with all words that have no match. With ``has_same_tokens`` the model reads both texts alike.
    """

    texts: tuple[str, str]
    alignment: Alignment
    changes: Changes | None
    limit: ChangeLimit | None = None
    controls: Neutral = Neutral()
    ablated: tuple[HeadId, ...] = ()
    notes: tuple[str, ...] = ()
    model: str = ""
    revision: str = ""
    has_same_tokens: bool = False

    @property
    def labels(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The words of both sentences, numbered if one occurs more than once."""
        first, second = (tuple(labels([Token(word) for word in words(text)])) for text in self.texts)
        return first, second

    @property
    def changed_word(self) -> int | None:
        """The number of the one word of the first sentence that is another one in the second, or None."""
        has_more = self.alignment.only_first or self.alignment.only_second or self.has_changed_mark
        return self.alignment.changed[0][0] if len(self.alignment.changed) == 1 and not has_more else None

    @property
    def has_changed_mark(self) -> bool:
        """Whether the punctuation of the sentences differs, in itself or in its places between the words."""
        first, second = ([run.word is None and run.text for run in split(text)] for text in self.texts)
        return first != second

    @property
    def is_identical(self) -> bool:
        """Whether both sentences are one text to the model, in which no head can change."""
        first, second = (" ".join(text.split()) for text in self.texts)
        return self.has_same_tokens or (
            first == second and (self.changes is None or not np.nan_to_num(self.changes.mean).any())
        )

    @property
    def is_measured(self) -> bool:
        """Whether some word stayed whose attention can change."""
        return not self.refusal

    @property
    def refusal(self) -> str:
        """Why no change is measured, as a sentence, or "" if one is."""
        if self.is_identical:
            is_same_text = self.texts[0].split() == self.texts[1].split()
            sameness = "identical" if is_same_text else f"the same tokens for {self.model or 'this model'}"
            return f"Both sentences are {sameness}, so nothing changes."
        if self.changes is None:
            return "The two sentences have no words in common, so there is nothing to compare."
        if self.changes.counted.any():
            return ""
        if not any(self.alignment.same):
            return "Every word changed, so there is nothing to compare."
        return (
            "Each word that stayed sees only itself or attention sinks in this model, so there is no change to measure."
        )

    @property
    def largest_connection(self) -> Connection | None:
        """The connection that changes most in the heads beyond twice their control limit, or None if there is no such
        head.

        A connection is a head, the pair of its query and the pair of its key.
        """
        if self.changes is None or self.limit is None or not self.limit.twice.any():
            return None
        difference = np.abs(self.changes.second - self.changes.first)  # [layer, head, pair, pair + 1]
        connections = [(head, *self.changes.strongest(head)) for head in self.limit.ranked]
        return max(connections, key=lambda connection: difference[(*connection[0], *connection[1:])])


def compared(
    text: str,
    changed_text: str,
    record: Record,
    control_words: ControlWords,
    ablated: Collection[HeadId] = (),
    controls: Collection[str] = (),
) -> Comparison:
    """Return the change of every head between two sentences, and what control words change in the same position.

    ``record`` runs a text without the ``ablated`` heads. ``controls`` are given control words; without any,
    ``control_words`` chooses some.

    Raises:
        NotComparable: the model is causal, and no word that stayed comes after the change.
        InputError: a text has no word; or what ``record`` raises.
    """
    recordings = record(text), record(changed_text)
    first, second = (recording.maps.merged() for recording in recordings)
    pair = words(first.text), words(second.text)
    alignment = align(*pair)
    result = Comparison(
        texts=(first.text, second.text),
        alignment=alignment,
        changes=changes(first, second, alignment) if alignment.pairs else None,
        has_same_tokens=len({tuple(token.raw or token.text for token in each.maps.tokens) for each in recordings}) == 1,
        ablated=tuple(ablated),
        notes=tuple(dict.fromkeys(note for recording in recordings for note in recording.notes)),
        model=first.model,
        revision=first.revision,
    )
    position = result.changed_word
    if position is None or result.changes is None or not result.is_measured:
        return result
    typed = tuple(
        dict.fromkeys(
            " ".join(word.split()) for word in ([controls] if isinstance(controls, str) else controls) if words(word)
        )
    )[:MOST_SWAPS]
    neutral = Neutral(typed) if typed else control_words(first.text, position, pair[1][alignment.changed[0][1]])
    maps = {word: _with_control(first.text, position, word, record) for word in neutral.words}
    usable = {word: change for word, change in maps.items() if change is not None}
    limit = None
    if len(usable) >= N_SWAPS:
        numbers = range(len(pair[0]))
        same = Alignment(tuple((n, n) for n in numbers), tuple(n != position for n in numbers), (), ())
        limit = change_limit(result.changes, [changes(first, change, same) for change in usable.values()])
    return replace(result, limit=limit, controls=replace(neutral, words=tuple(usable)))


def _with_control(text: str, position: int, word: str, record: Record) -> AttentionMaps | None:
    """Return the maps of a text with a control word in one position; None if it is not one word there, or unknown."""
    control_text = with_word(text, position, word)
    if len(words(control_text)) != len(words(text)):
        return None
    try:
        return record(control_text).maps.merged()
    except InputError:
        return None


def compare(
    text: str,
    changed_text: str,
    model: str | LoadedModel = DEFAULT,
    ablated: Heads = (),
    controls: Collection[str] = (),
) -> Comparison:
    """Return the change of every head between two sentences, with a control limit from control words.

    Words are paired by their longest common subsequence. The change of a head is the Jensen–Shannon divergence of a
    word's attention in both sentences, in bits, averaged over the words that stayed. If exactly one word changed, up to
    eight control words replace it: the largest change under them is the limit of each head. ``controls`` are your own,
    at least three; by default words of its part of speech are chosen that follow the same words in the sample
    sentences. Both sentences and all controls run without the ``ablated`` heads (mean ablation). Limits: one pair of
    sentences does not make a pattern, and a change of attention shows neither its cause nor its effect.

    >>> comparison = compare("The old man sat on the bench.", "The young man sat on the bench.")
    >>> comparison.changes.mean.shape, bool(comparison.limit.named_heads.any())
    ((6, 12), False)

    Raises:
        NotComparable: the model is causal, and no word that stayed comes after the change.
        InputError: no word in a text, or no such head.
        AttentionUnavailable, UnknownModel, ModelUnavailable: as `mha.attend` and `mha.ablate`.
    """
    from mha.intervention.ablation import ablate, are_given
    from mha.intervention.subject import subject

    heads = subject(model).chosen(ablated) if are_given(ablated) else ()

    def record(text: str) -> Recording:
        return ablate(text, heads, model=model) if heads else record_text(text, model)

    def find_neutral(text: str, number: int, but: str) -> Neutral:
        return neutral_words(text, number, model, but)

    return compared(text, changed_text, record, find_neutral, heads, controls)


def neutral_words(text: str, number: int, model: str | LoadedModel = DEFAULT, but: str = "") -> Neutral:
    """Return neutral words of one token for one position of a text, the nearest to its word first.

    They have its part of speech and form and are not ``but``. There are at most `MOST_SWAPS`, and none for a toy.

    Raises:
        InputError: the text lacks this word.
    """
    from mha.models.watch.tokens import rows_of_words

    loaded, fits, best = transformer_of(model), of_class(text, number), Neutral()
    if loaded is None:
        return best
    for n_before in range(min(BEFORE, number), 0, -1):
        neutral = candidates(text, number, corpus(), n_before)
        vector, *vectors = (
            rows_of_words(loaded.tokenizer, loaded.model, w) for w in (words(text)[number], *neutral.words)
        )
        single = [place for place, rows in enumerate(vectors) if len(rows) == 1]
        if not single or not len(vector):
            continue
        order = nearest(vector.mean(axis=0), np.concatenate([vectors[place] for place in single]))
        near = (neutral.words[single[row]] for row in order if neutral.words[single[row]] != but.casefold())
        selection = tuple(itertools.islice(filter(fits, near), MOST_SWAPS))
        if len(selection) > len(best.words):
            best = Neutral(selection, neutral.follow)
        if len(selection) == MOST_SWAPS:
            break
    return best
