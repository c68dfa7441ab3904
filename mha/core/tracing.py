"""One call of a multi-head layer with every intermediate array kept, in the order in which they come about.

`STEPS` is the recipe, one row a step; `trace` fills it in. A page or a notebook walks it:

    for step in trace(heads, embeddings):
        print(step.name, step.shape, step.axes)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from mha.core.attention import default_scale, hide, softmax
from mha.core.multihead import MultiHead, check_input, merge, separate
from mha.errors import InputError, ShapeError
from mha.formats import join_list
from mha.memo import array_dataclass

# name, axes, formula (per head h where there is a head axis; LaTeX)
STEPS = (
    ("embeddings", ("token", "d_model"), r"E"),
    ("positions", ("token", "d_model"), r"P"),
    ("input", ("token", "d_model"), r"X = E + P"),
    ("query", ("head", "token", "d_head"), r"Q_h = X W^Q_h"),
    ("key", ("head", "token", "d_head"), r"K_h = X W^K_h"),
    ("value", ("head", "token", "d_head"), r"V_h = X W^V_h"),
    ("scores", ("head", "query", "key"), r"S_h = Q_h K_h^\top"),
    ("scaled", ("head", "query", "key"), r"S_h / \sqrt{d_\text{head}}"),
    ("masked", ("head", "query", "key"), r"S_h / \sqrt{d_\text{head}} + M"),
    ("weights", ("head", "query", "key"), r"A_h = \operatorname{softmax}\left(S_h / \sqrt{d_\text{head}} + M\right)"),
    ("heads", ("head", "token", "d_head"), r"Z_h = A_h V_h"),
    ("concatenation", ("token", "n_heads · d_head"), r"Z = [\,Z_0 \mid Z_1 \mid \dots\,]"),
    ("contributions", ("head", "token", "d_model"), r"Z_h W^O_h"),
    ("output", ("token", "d_model"), r"Z W^O = \sum_h Z_h W^O_h"),
)


@array_dataclass
class TracedStep:
    """One array of the walk, with the names of its axes and the formula that made it (LaTeX)."""

    name: str
    array: np.ndarray
    axes: tuple[str, ...]
    formula: str

    @property
    def shape(self) -> tuple[int, ...]:
        """How long each axis is."""
        return self.array.shape


@array_dataclass
class Trace:
    """Every array of one call, in order; iterate over it, or ask for a step's array by name: ``trace["scores"]``."""

    steps: tuple[TracedStep, ...]

    def __iter__(self) -> Iterator[TracedStep]:
        return iter(self.steps)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.step(name).array

    def step(self, name: str) -> TracedStep:
        """Return the step of that name; raise InputError, listing the names, if the name is unknown."""
        for step in self.steps:
            if step.name == name:
                return step
        raise InputError(f"A step is one of {', '.join(step.name for step in self.steps)}; there is no {name!r}.")


def trace(
    heads: MultiHead,
    embeddings: np.ndarray,
    positions: np.ndarray | None = None,
    mask: np.ndarray | None = None,
    scale: float | None = None,
    temperature: float = 1.0,
) -> Trace:
    """Return every intermediate array of ``heads(embeddings + positions, mask, scale)``.

    ``embeddings`` and ``positions`` are [token, d_model], no positions meaning zeros; ``mask`` is True where a query
    may look; ``scale`` multiplies the scores, 1/√d_head unless given (1 switches it off); ``temperature`` divides
    them once more inside the softmax.

    Raises:
        ShapeError: an array does not fit the heads.
    """
    embeddings = check_input(heads, embeddings)
    positions = np.zeros_like(embeddings) if positions is None else check_input(heads, positions)
    if positions.shape != embeddings.shape:
        raise ShapeError(f"There are {len(embeddings)} words but {len(positions)} positions; each word needs one.")
    x = embeddings + positions  # [token, d_model]
    query = separate(x @ heads.w_query, heads.n_heads)  # [head, token, d_head]
    key = separate(x @ heads.w_key, heads.n_heads)  # [head, token, d_head]
    value = separate(x @ heads.w_value, heads.n_heads)  # [head, token, d_head]
    scores = query @ key.swapaxes(1, 2)  # [head, query, key]
    scaled = scores * (default_scale(heads.d_head) if scale is None else scale)  # [head, query, key]
    masked = hide(scaled, mask)  # [head, query, key], −inf where a query may not look
    weights = softmax(masked, temperature)  # [head, query, key], rows sum to 1
    gathered = weights @ value  # [head, token, d_head]
    concatenation = merge(gathered)  # [token, n_heads · d_head]
    w_output = heads.w_output.reshape(heads.n_heads, heads.d_head, heads.d_model)  # [head, d_head, d_model]
    contributions = gathered @ w_output  # [head, token, d_model]
    output = concatenation @ heads.w_output  # [token, d_model], the sum of the contributions
    arrays = (
        *(embeddings, positions, x, query, key, value),
        *(scores, scaled, masked, weights),
        *(gathered, concatenation, contributions, output),
    )
    return Trace(
        tuple(TracedStep(name, a, axes, formula) for (name, axes, formula), a in zip(STEPS, arrays, strict=True))
    )


def shuffle(
    heads: MultiHead, embeddings: np.ndarray, order: Sequence[int], positions: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return a layer's output of the words in another order, and its first output in that order; both [token, d_model].

    They are equal under *equivariance*: the outputs are shuffled exactly as the words were. ``positions`` stay where
    they are.

    Raises:
        InputError: the order does not name every word once.
    """
    embeddings = check_input(heads, embeddings)
    if sorted(order) != list(range(len(embeddings))):
        raise InputError(f"An order names each of {len(embeddings)} words once; this one is {tuple(order)}.")
    rows = list(order)
    return trace(heads, embeddings[rows], positions)["output"], trace(heads, embeddings, positions)["output"][rows]


def average_weights(heads: MultiHead, steps: Trace) -> tuple[np.ndarray, np.ndarray]:
    """Return a traced layer whose heads share one weighting.

    The result is the mean weighting over heads, [query, key], and the layer's output with it, [token, d_model].
    """
    weights = steps["weights"].mean(axis=0)  # [query, key]
    return weights, merge(weights @ steps["value"]) @ heads.w_output


MOST_NAMED, LONGEST_NAMED = 5, 30  # unknown words in a message, and letters of each
_LAYER = ("w_query", "w_key", "w_value", "w_output")
_AROUND = ("embeddings", "positions", "readers", "reader_biases")


@array_dataclass
class WordModel:
    """A vocabulary, one layer, and a reader for each reading.

    ``embeddings`` is [word, d_model], ``positions`` [token, d_model]. ``readers`` [reading, d_model, answer] and
    ``reader_biases`` [reading, answer] score the first words of the vocabulary, from a word's vector plus what its
    heads add to it.

    Raises:
        ShapeError: the numbers of words do not fit the embeddings.
    """

    vocabulary: tuple[str, ...]
    embeddings: np.ndarray
    positions: np.ndarray
    heads: MultiHead
    readers: np.ndarray
    reader_biases: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "vocabulary", tuple(self.vocabulary))
        for name in _AROUND:
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.float64))
        if self.embeddings.shape != (len(self.vocabulary), self.heads.d_model):
            raise ShapeError(
                f"{len(self.vocabulary)} words need as many embeddings; there are {self.embeddings.shape}."
            )

    @property
    def answers(self) -> tuple[str, ...]:
        """The words that a reader can name."""
        return self.vocabulary[: self.reader_biases.shape[1]]

    def embed(self, words: Sequence[str]) -> np.ndarray:
        """Return the embeddings of words (in any case), without positions, float64 [token, d_model].

        Raises:
            InputError: a word is not in the vocabulary, or there are more words than positions.
        """
        number = {word: place for place, word in enumerate(self.vocabulary)}
        unknown = list(dict.fromkeys(word for word in words if word.casefold() not in number))
        if unknown:
            unknown_words = [f"“{word[:LONGEST_NAMED]}”" for word in unknown[:MOST_NAMED]]
            if len(unknown) > MOST_NAMED:
                unknown_words[-1] = f"{len(unknown) - MOST_NAMED + 1} more"
            verdict = "is not one of them" if len(unknown) == 1 else "are not among them"
            raise InputError(f"The trained toy knows {len(number)} words; {join_list(unknown_words)} {verdict}.")
        if len(words) > len(self.positions):
            raise InputError(f"The trained toy reads {len(self.positions)} words at most; these are {len(words)}.")
        return self.embeddings[[number[word.casefold()] for word in words]].reshape(len(words), self.heads.d_model)

    def trace(self, words: Sequence[str]) -> Trace:
        """Return every array of the layer on these words; errors as in `embed`."""
        return trace(self.heads, self.embed(words), self.positions[: len(words)])

    def name(self, words: Sequence[str], pivot: int, ablated: Collection[int] = ()) -> np.ndarray:
        """Return how likely each answer is to each reader at the pivot, float64 [reading, answer]; rows sum to 1.

        ``pivot`` is a position in ``words``; heads in ``ablated`` contribute nothing.
        """
        if not 0 <= pivot < len(words):
            raise InputError(f"A pivot is one of the words 0 to {len(words) - 1}; there is no word {pivot}.")
        steps = self.trace(words)
        active_heads = [head for head in range(self.heads.n_heads) if head not in ablated]
        vector = steps["input"][pivot] + steps["contributions"][active_heads, pivot].sum(axis=0)  # [d_model]
        return softmax(vector @ self.readers + self.reader_biases)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return every number by name, the layer's under the names of `MultiHead`."""
        layer = {name: getattr(self.heads, name) for name in _LAYER}
        return layer | {name: getattr(self, name) for name in _AROUND}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], vocabulary: Sequence[str], n_heads: int) -> WordModel:
        """Return the model that `arrays` described; heads read the whole embedding.

        Raises:
            ShapeError: an array is missing.
        """
        missing = [name for name in (*_LAYER, *_AROUND) if name not in arrays]
        if missing:
            raise ShapeError(f"The numbers of the trained toy lack {', '.join(missing)}.")
        query, key, value, output = (arrays[name] for name in _LAYER)
        heads = MultiHead(query, key, value, output, n_heads)
        embeddings, positions, readers, reader_biases = (arrays[name] for name in _AROUND)
        return cls(tuple(vocabulary), embeddings, positions, heads, readers, reader_biases)
