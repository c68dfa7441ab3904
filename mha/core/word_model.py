"""A whole tiny model around one layer: words in, attention out, and readers that answer from one word's vector."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from mha.brief import with_arrays
from mha.core.attention import softmax
from mha.core.multihead import MultiHead
from mha.core.tracing import Trace, trace
from mha.errors import InputError, ShapeError
from mha.formats import listed

MOST_NAMED, LONGEST_NAMED = 5, 30  # unknown words in a message, and letters of each
_LAYER = ("w_query", "w_key", "w_value", "w_output")
_AROUND = ("embeddings", "positions", "readers", "reader_biases")


@with_arrays
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
            raise InputError(f"The trained toy knows {len(number)} words; {listed(unknown_words)} {verdict}.")
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
