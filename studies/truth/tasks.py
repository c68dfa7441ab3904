"""Five small languages in which the words that decide the answer are known by construction."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mha.memo import array_dataclass
from mha.training.settings import NOUNS, Grammar

NOTHING = -1  # a place at which no answer is asked for
N_WORDS = 24  # words of a list of the copier and the reverser
N_COPIED, N_AGAIN = 8, 4  # words of the copier's list, and of the piece of it that comes again
N_REVERSED = 6
N_BRACKETS, DEEPEST = 12, 4


@array_dataclass
class TaskTexts:
    """TaskTexts of one task as numbers of words.

    ``tokens`` int [text, token] and ``visible`` bool of that shape, False on padding; ``targets`` int [text, token] the
    answers that are learned, NOTHING elsewhere. ``asked`` int [text] is the place whose answer is measured and
    ``answers`` int [text] that answer; ``sources`` bool [text, token] are the words that decide it. ``changed`` is the
    same text with one deciding word exchanged, so that ``others`` int [text] would be right.
    """

    tokens: np.ndarray
    visible: np.ndarray
    targets: np.ndarray
    asked: np.ndarray
    answers: np.ndarray
    sources: np.ndarray
    changed: np.ndarray
    others: np.ndarray

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True)
class KnownTask:
    """One language: its ``name``, the question to the model (``asked``), the deciding words, and the sampler of texts.

    ``causal`` models see only the words before; ``n_words`` is the size of the vocabulary, ``n_tokens`` the longest
    text.
    """

    name: str
    asked: str
    causal: bool
    n_words: int
    n_tokens: int
    texts: Callable[[int, np.random.Generator], TaskTexts]


def _copied(count: int, generator: np.random.Generator) -> TaskTexts:
    """Eight different words, then four of them in a row again: a word has the same successor as before."""
    drawn_words = _different(count, N_COPIED + 1, generator)
    words, spare = drawn_words[:, :N_COPIED], drawn_words[:, N_COPIED]
    begin = generator.integers(N_COPIED - N_AGAIN + 1, size=count)  # [text]
    places = begin[:, None] + np.arange(N_AGAIN)  # [text, word]
    tokens = np.concatenate([words, np.take_along_axis(words, places, axis=1)], axis=1)
    targets = np.full_like(tokens, NOTHING)
    targets[:, N_COPIED:-1] = tokens[:, N_COPIED + 1 :]
    step = generator.integers(N_AGAIN - 1, size=count)
    source = begin + step + 1  # the word that followed
    return _complete(tokens, targets, N_COPIED + step, source, spare, spare)


def _reversed(count: int, generator: np.random.Generator) -> TaskTexts:
    """Six words, a sign, and the words backwards."""
    drawn_words = _different(count, N_REVERSED + 1, generator)
    words, spare = drawn_words[:, :N_REVERSED], drawn_words[:, N_REVERSED]
    sign = np.full((count, 1), N_WORDS)
    tokens = np.concatenate([words, sign, words[:, :0:-1]], axis=1)
    targets = np.full_like(tokens, NOTHING)
    targets[:, N_REVERSED:] = words[:, ::-1]
    step = generator.integers(N_REVERSED, size=count)
    return _complete(tokens, targets, N_REVERSED + step, N_REVERSED - 1 - step, spare, spare)


def _two_nouns(count: int, generator: np.random.Generator) -> TaskTexts:
    """A sentence of *Watch heads learn* and a sign that asks for its first or its second noun."""
    sentences = GRAMMAR.sentences(count, generator)
    which = generator.integers(2, size=count)  # [text]
    rows, length = np.arange(count), sentences.visible.sum(axis=1)
    tokens = np.concatenate([sentences.tokens, np.zeros((count, 1), dtype=sentences.tokens.dtype)], axis=1)
    visible = np.concatenate([sentences.visible, np.zeros((count, 1), dtype=bool)], axis=1)
    tokens[rows, length], visible[rows, length] = len(GRAMMAR.vocabulary) + which, True
    answers, source = sentences.answers[rows, which], sentences.nouns[rows, which]
    targets = np.full_like(tokens, NOTHING)
    targets[rows, length] = answers
    spare = (answers + generator.integers(1, len(NOUNS), size=count)) % len(NOUNS)
    return _complete(tokens, targets, length, source, spare, spare, visible)


def _agreement(count: int, generator: np.random.Generator) -> TaskTexts:
    """[near the NOUN ,] the NOUN of the NOUN near the NOUN: is or are, as the subject has it; numbers are by chance."""
    near, the, of_word, comma, is_, are = range(2 * AGREE_NOUNS, 2 * AGREE_NOUNS + 6)
    nouns = generator.integers(AGREE_NOUNS, size=(count, 4))
    plural = generator.integers(2, size=(count, 4))
    forms = nouns + AGREE_NOUNS * plural  # [text, noun]
    word = {name: np.full(count, number) for name, number in zip("ntoc", (near, the, of_word, comma), strict=True)}
    opening = [word["n"], word["t"], forms[:, 0], word["c"]]
    clause = [word["t"], forms[:, 1], word["o"], word["t"], forms[:, 2], word["n"], word["t"], forms[:, 3]]
    is_fronted = generator.random(count) < 0.5
    slots = np.stack([*opening, *clause], axis=1)
    tokens = np.where(is_fronted[:, None], slots, np.concatenate([slots[:, 4:], slots[:, :4]], axis=1))
    length = np.where(is_fronted, 12, 8)
    visible = np.arange(12) < length[:, None]
    tokens = np.where(visible, tokens, 0)
    rows, positions = np.arange(count), length - 1
    source = np.where(is_fronted, 5, 1)
    answers, wrong = np.where(plural[:, 1], are, is_), np.where(plural[:, 1], is_, are)
    targets = np.full_like(tokens, NOTHING)
    targets[rows, positions] = answers
    of_other_number = (forms[:, 1] + AGREE_NOUNS) % (2 * AGREE_NOUNS)
    return _complete(tokens, targets, positions, source, of_other_number, wrong, visible)


def _depth(count: int, generator: np.random.Generator) -> TaskTexts:
    """Brackets that open and close, and pauses: how many are open at a sign? Every bracket before it decides.

    Changed is the last bracket that stays open: a pause takes its place. Where none is open, the last pause opens one.
    """
    opens, closes, pause, sign, none = range(5)
    tokens = np.full((count, N_BRACKETS), pause)
    depths = np.zeros((count, N_BRACKETS), dtype=np.int64)
    depth = np.zeros(count, dtype=np.int64)
    for place in range(N_BRACKETS - 1):
        chance = generator.random(count)
        up, down = (chance < 0.4) & (depth < DEEPEST), (chance > 0.6) & (depth > 0)
        tokens[up, place], tokens[down, place] = opens, closes
        depth += up.astype(np.int64) - down
        depths[:, place] = depth
    depths[:, -1] = depth  # the last place is a pause, so that there is one
    lowest = np.minimum.accumulate(depths[:, ::-1], axis=1)[:, ::-1]  # [text, token], from there on
    stays = (tokens == opens) & (depths == lowest)
    last = np.where(stays, np.arange(N_BRACKETS), -1).max(axis=1) % N_BRACKETS  # where none stays open, the last place
    tokens = np.concatenate([tokens, np.full((count, 1), sign)], axis=1)
    targets = np.full_like(tokens, NOTHING)
    targets[:, -1] = none + depth
    sources = (tokens == opens) | (tokens == closes)
    wrong = none + np.where(depth > 0, depth - 1, 1)
    exchanged = np.where(depth > 0, pause, opens)
    return _complete(tokens, targets, np.full(count, N_BRACKETS), last, exchanged, wrong, sources=sources)


def _different(count: int, n_words: int, generator: np.random.Generator) -> np.ndarray:
    """Return lists of different words, int [text, word]."""
    return generator.random((count, N_WORDS)).argsort(axis=1)[:, :n_words]


def _complete(
    tokens: np.ndarray,
    targets: np.ndarray,
    positions: np.ndarray,
    source: np.ndarray,
    exchanged: np.ndarray,
    wrong: np.ndarray,
    visible: np.ndarray | None = None,
    sources: np.ndarray | None = None,
) -> TaskTexts:
    """Return texts with the answer that follows from their words; ``exchanged`` replaces the word at ``source`` [text].

    That alone decides, unless ``sources`` has more.
    """
    rows = np.arange(len(tokens))
    changed = tokens.copy()
    changed[rows, source] = exchanged
    if sources is None:
        sources = np.arange(tokens.shape[1]) == source[:, None]
    visible = np.ones(tokens.shape, dtype=bool) if visible is None else visible
    return TaskTexts(tokens, visible, targets, positions, targets[rows, positions], sources, changed, wrong)


GRAMMAR = Grammar()
AGREE_NOUNS = 12
TASKS: dict[str, KnownTask] = {
    row.name: row
    for row in (
        KnownTask("copier", "which word followed this one before?", True, N_WORDS, N_COPIED + N_AGAIN, _copied),
        KnownTask("reverser", "which word comes next, read backwards?", True, N_WORDS + 1, 2 * N_REVERSED, _reversed),
        KnownTask(
            "two nouns", "which noun is the first, or the second?", False, len(GRAMMAR.vocabulary) + 2, 15, _two_nouns
        ),
        KnownTask("agreement", "is or are, as the subject has it?", True, 2 * AGREE_NOUNS + 6, 12, _agreement),
        KnownTask("brackets", "how many brackets are open?", True, 4 + DEEPEST + 1, N_BRACKETS + 1, _depth),
    )
}
