"""The task of the tiny transformers, settings of a run, and its curves."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from math import factorial

import numpy as np

from mha.errors import InputError
from mha.memo import array_dataclass

PEOPLE = (
    *("man", "woman", "boy", "girl", "king", "queen", "farmer", "sailor", "teacher", "doctor"),
    *("astronomer", "painter", "baker", "soldier", "singer", "judge", "guard", "thief", "poet", "pilot"),
    *("robot", "ghost", "giant", "pirate", "dancer", "hunter", "nurse", "clerk", "monk", "prince"),
)
ANIMALS = ("dog", "cat", "horse", "bird", "fox", "bear", "wolf", "mouse", "duck", "goat")
NOUNS = PEOPLE + ANIMALS
ADJECTIVES = ("tall", "small", "old", "young")
ADVERBS = ("often", "quickly")
VERBS = ("saw", "met", "liked", "followed")
THINGS = ("telescope", "camera", "lamp")
PREDICATES = ("hungry", "tired", "happy")
GLUE = ("the", "with", "because", "it", "was", ".")
THIRD = ("near",)  # only with three readings

HELD_OUT = 0.25  # share of the ordered pairs of nouns that training never shows
PAD = -1


@array_dataclass
class Sentences:
    """Sentences as numbers of words: ``tokens`` int [sentence, token], padded with the number of no word.

    ``visible`` is bool [sentence, token], False on padding; ``pivot`` int [sentence] and ``nouns`` int
    [sentence, reading] are positions, ``answers`` int [sentence, reading] the numbers of the nouns to be named.
    """

    tokens: np.ndarray
    visible: np.ndarray
    pivot: np.ndarray
    nouns: np.ndarray
    answers: np.ndarray

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, rows: slice) -> Sentences:
        return Sentences(*(getattr(self, field.name)[rows] for field in fields(self)))


@dataclass(frozen=True)
class Grammar:
    """The language with two or three readings, and the pairs of nouns that ``seed`` holds out."""

    n_readings: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        if self.n_readings not in (2, 3):
            raise InputError(f"The grammar has two or three readings; you asked for {self.n_readings}.")

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Every word, nouns first: a word's number is its place here, and a noun's answer is its number."""
        return NOUNS + ADJECTIVES + ADVERBS + VERBS + THINGS + PREDICATES + GLUE + THIRD * (self.n_readings == 3)

    def pairs(self, held_out: bool) -> np.ndarray:
        """Return the ordered pairs of different nouns that training shows, or those it never does, int [pair, 2]."""
        first, second = np.divmod(np.arange(len(NOUNS) ** 2), len(NOUNS))
        ordered_pairs = np.stack([first, second], axis=1)[first != second]
        ordered_pairs = np.random.default_rng([self.seed, 1]).permutation(ordered_pairs)
        cut = round(HELD_OUT * len(ordered_pairs))
        return ordered_pairs[:cut] if held_out else ordered_pairs[cut:]

    def sentences(self, count: int, generator: np.random.Generator, held_out: bool = False) -> Sentences:
        """Return so many random sentences whose first two nouns are of the chosen pairs."""
        number = {word: place for place, word in enumerate(self.vocabulary)}
        pairs = self.pairs(held_out)
        nouns = pairs[generator.integers(len(pairs), size=count)]  # [sentence, 2]
        if self.n_readings == 3:
            animals = len(PEOPLE) + generator.integers(len(ANIMALS), size=count)
            nouns = np.column_stack([nouns, animals])  # [sentence, 3]

        def one_of(words: tuple[str, ...], always: bool = True) -> np.ndarray:
            sample = np.array([number[word] for word in words])[generator.integers(len(words), size=count)]
            return sample if always else np.where(generator.random(count) < 0.5, sample, PAD)  # [sentence]

        def word(text: str) -> np.ndarray:
            return np.full(count, number[text])

        nothing = np.full(count, PAD)
        slots = [word("the"), one_of(ADJECTIVES, always=False), nouns[:, 0], one_of(ADVERBS, always=False)]
        slots += [one_of(VERBS), word("the"), one_of(ADJECTIVES, always=False), nouns[:, 1]]
        at_nouns = [2, 7]
        if self.n_readings == 3:
            slots += [word("near"), word("the"), nouns[:, 2]]
            at_nouns.append(10)
        tool = generator.random(count) < 0.5
        with_thing = (word("with"), word("the"), one_of(THINGS), word("."), nothing)
        because = (word("because"), word("it"), word("was"), one_of(PREDICATES), word("."))
        at_pivot = len(slots) + np.where(tool, 2, 1)  # [sentence]
        slots += [np.where(tool, thing, reason) for thing, reason in zip(with_thing, because, strict=True)]
        return _packed(np.stack(slots, axis=1), at_pivot, np.array(at_nouns), nouns)

    def words(self, sentences: Sentences, index: int) -> tuple[str, ...]:
        """Return one sentence as words, without padding."""
        tokens = sentences.tokens[index][sentences.visible[index]]
        return tuple(self.vocabulary[token] for token in tokens)

    def example(self) -> Sentences:
        """Return one sentence to look at, of the first held-out pair: the tall … saw the … with the telescope."""
        return _example(self)


@functools.lru_cache(maxsize=64)  # a page asks for it a hundred times, and it shuffles every pair
def _example(grammar: Grammar) -> Sentences:
    first, second = grammar.pairs(held_out=True)[0]
    nouns = np.array([[first, second, len(PEOPLE)][: grammar.n_readings]])
    text = f"the tall {NOUNS[first]} saw the {NOUNS[second]} "
    text += f"near the {ANIMALS[0]} " * (grammar.n_readings == 3) + "with the telescope ."
    tokens = np.array([[grammar.vocabulary.index(word) for word in text.split()]])
    at_nouns = np.array([[2, 5, 8][: grammar.n_readings]])
    return Sentences(tokens, np.ones_like(tokens, dtype=bool), np.array([tokens.shape[1] - 2]), at_nouns, nouns)


def _packed(slots: np.ndarray, at_pivot: np.ndarray, at_nouns: np.ndarray, nouns: np.ndarray) -> Sentences:
    """Return the sentences [sentence, slot] without their gaps: words move left, padding gathers on the right."""
    empty = slots == PAD
    order = np.argsort(empty, axis=1, kind="stable")
    place = np.argsort(order, axis=1)  # where each slot went, [sentence, slot]
    tokens = np.take_along_axis(slots, order, axis=1)
    visible = tokens != PAD
    rows = np.arange(len(slots))
    return Sentences(np.where(visible, tokens, 0), visible, place[rows, at_pivot], place[:, at_nouns], nouns)


STARTS = {
    "usual": "Xavier: random numbers of a size that keeps the signal's size",
    "small": "the usual numbers, a tenth as large",
    "large": "the usual numbers, three times as large",
    "orthogonal": "orthogonal matrices: the heads' subspaces share nothing",
    "identical": "every head starts with the same numbers",
    "identical+noise": "the same numbers, plus noise of a thousandth",
    "identical, own output": "the same Q, K and V, but each head its own rows of the output matrix",
}
READS = {
    "everything": "each head reads the whole embedding",
    "slices": "each head reads its own part of the numbers",
    "random": "each head reads a random part of the numbers; parts can overlap",
}
PRESSURES = {
    "none": "nothing but the task",
    "positions": "heads are rewarded for looking at different words",
}


@dataclass(frozen=True)
class Settings:
    """One run. ``d_head`` None means d_model / n_heads; ``n_reads`` None means d_head numbers a head.

    ``pressure`` is a disagreement regulariser of Li et al. 2018, weighted by ``strength``; ``mlp_readers`` gives
    each reader a hidden layer.

    Raises:
        InputError: a choice does not exist or does not fit; the message lists the valid choices.
    """

    n_heads: int = 2
    d_head: int | None = None
    n_layers: int = 1
    n_readings: int = 2
    start: str = "usual"
    reads: str = "everything"
    n_reads: int | None = None
    pressure: str = "none"
    strength: float = 1.0
    mlp_readers: bool = False
    seed: int = 0
    n_steps: int = 1200
    batch: int = 128
    learning_rate: float = 3e-3
    d_model: int = 32

    def __post_init__(self) -> None:
        for name, table in (("start", STARTS), ("reads", READS), ("pressure", PRESSURES)):
            if getattr(self, name) not in table:
                raise InputError(f"`{name}` is one of {', '.join(table)}; this is {getattr(self, name)!r}.")
        for name, low, high in (("n_heads", 1, 32), ("n_layers", 1, 2), ("n_readings", 2, 3), ("n_steps", 1, 10_000)):
            if not low <= getattr(self, name) <= high:
                raise InputError(f"{name} is {low} to {high}; this is {getattr(self, name)}.")
        if self.d_head is None and self.d_model % self.n_heads:
            raise InputError(
                f"{self.n_heads} heads do not divide {self.d_model}; say how wide a head is with d_head, "
                f"for example {-(-self.d_model // self.n_heads)}."
            )
        if self.reads == "slices" and self.n_heads * self.numbers_read > self.d_model:
            raise InputError(f"{self.n_heads} slices of {self.numbers_read} do not fit into {self.d_model} numbers.")
        if not 1 <= self.numbers_read <= self.d_model:
            raise InputError(f"A head reads 1 to {self.d_model} of {self.d_model} numbers; not {self.numbers_read}.")

    @property
    def guess(self) -> float:
        """The joint accuracy of a guesser with the right nouns in random order: 1/2, or 1/6."""
        return 1 / factorial(self.n_readings)

    @property
    def width(self) -> int:
        """How many numbers a query has."""
        return self.d_model // self.n_heads if self.d_head is None else self.d_head

    @property
    def numbers_read(self) -> int:
        """How many numbers of the embedding each head reads."""
        if self.reads == "everything":
            return self.d_model
        return self.width if self.n_reads is None else self.n_reads


ONE, TWO, FOUR = Settings(n_heads=1), Settings(n_heads=2), Settings(n_heads=4)
EXPERIMENTS: dict[str, tuple[Settings, Settings]] = {  # recorded: left and right
    "one or two heads": (ONE, TWO),
    "identical start": (replace(FOUR, start="identical"), replace(FOUR, start="identical+noise")),
    "kept apart": (FOUR, replace(FOUR, pressure="positions")),
    "overlapping parts": (FOUR, Settings(n_heads=3, d_head=11, reads="random", n_reads=16)),
}


@array_dataclass
class Snapshot:
    """The learner's accuracies and attention after ``step`` steps.

    ``joint`` is the share of unseen sentences with every reading right, ``joint_seen`` of training pairs; ``readings``
    [reading] each reading's share (unseen). ``looks`` [head, noun] is the mean weight from the pivot to each noun,
    ``ablated`` [head, reading] each reading's share with one head ablated (last layer). ``diversity`` is the divergence
    of the heads in bits; ``weights`` [layer, head, query, key] are those of the grammar's example.
    """

    step: int
    joint: float
    joint_seen: float
    readings: np.ndarray
    looks: np.ndarray
    ablated: np.ndarray
    diversity: float
    weights: np.ndarray


IDLE = 0.01  # a head is idle if no reading loses more than this with the head ablated
HOLDS = 0.9  # a head holds a noun when it gives this much of its attention to it
TOGETHER = 0.1  # bits: heads that differ less in where they look still look alike


@array_dataclass
class Curves:
    """One run at ``step`` [moment]; every other array has that axis first.

    ``joint`` and ``joint_seen`` [moment], ``readings`` [moment, reading], ``looks`` [moment, head, noun], ``ablated``
    [moment, head, reading], ``weights`` [moment, layer, head, query, key] on the grammar's example; for a single head
    ``diverse_weights`` [moment] is NaN. Meanings as in `mha.training.settings.Snapshot`.
    """

    settings: Settings
    step: np.ndarray
    joint: np.ndarray
    joint_seen: np.ndarray
    readings: np.ndarray
    looks: np.ndarray
    ablated: np.ndarray
    diverse_weights: np.ndarray
    weights: np.ndarray

    @classmethod
    def from_snapshots(cls, settings: Settings, snapshots: Sequence[Snapshot]) -> Curves:
        """Return the curves of a run's snapshots, at least one."""
        plain = ("step", "joint", "joint_seen", "readings", "looks", "ablated", "weights")
        arrays = {name: np.array([getattr(snapshot, name) for snapshot in snapshots]) for name in plain}
        arrays["diverse_weights"] = np.array([snapshot.diversity for snapshot in snapshots])
        return cls(settings, **arrays)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return every array by its name in a file of runs."""
        return {FILE_NAMES.get(name, name): getattr(self, name) for name in ARRAYS}

    def __len__(self) -> int:
        return len(self.step)

    @property
    def words(self) -> tuple[str, ...]:
        """The example sentence that ``weights`` are of."""
        grammar = self._grammar
        return grammar.words(grammar.example(), 0)

    @property
    def pivot(self) -> int:
        """The place of the pivot in ``words``."""
        return int(self._grammar.example().pivot[0])

    @property
    def nouns(self) -> tuple[int, ...]:
        """The places in ``words`` of the nouns that the readings name."""
        return tuple(self._grammar.example().nouns[0].tolist())

    @property
    def _grammar(self) -> Grammar:
        return Grammar(self.settings.n_readings, self.settings.seed)

    def moment(self, share: float) -> int:
        """Return the moment nearest to a share, 0 to 1, of the whole training; the last one there is at most."""
        return int(np.abs(self.step - share * self.settings.n_steps).argmin())

    def holds(self, moment: int = -1) -> tuple[int | None, ...]:
        """Return for each head the noun that gets nearly all it gives from the pivot, or None."""
        best = self.looks[moment].argmax(axis=-1)
        return tuple(
            int(noun) if row[noun] >= HOLDS else None for noun, row in zip(best, self.looks[moment], strict=True)
        )

    def idle(self, moment: int = -1) -> tuple[int, ...]:
        """Return the heads whose ablation, one at a time, harms no reading."""
        lost = self.readings[moment] - self.ablated[moment]  # [head, reading]
        return tuple(np.flatnonzero((lost <= IDLE).all(axis=-1)).tolist())

    def parted(self) -> int | None:
        """Return the first step from which on the heads never look alike again, or None."""
        alike = np.flatnonzero(~(self.diverse_weights >= TOGETHER))  # NaN counts as alike
        first = int(alike[-1]) + 1 if len(alike) else 0
        return int(self.step[first]) if first < len(self) else None


ARRAYS = tuple(entry.name for entry in fields(Curves) if entry.name != "settings")
FILE_NAMES = {"ablated": "silenced"}  # names of arrays in files of runs, if they are other ones
