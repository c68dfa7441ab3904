"""Several heads on one input: each asks its own question, then one matrix mixes their answers.

    MultiHead(X) = Concat(head_1, …, head_h) W^O,   head_i = Attention(X W_i^Q, X W_i^K, X W_i^V)

Source: Vaswani et al. 2017, section 3.2.2. Their h is our n_heads, their d_k and d_v are our d_head. One matrix
contains the W_i of all heads side by side, so that one product projects for all of them. A single head is n_heads = 1.
`PRESETS` are the layers of Step by step.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.core.attention import scaled_dot_product_attention
from mha.errors import InputError, ShapeError
from mha.memo import array_dataclass

# The numbers that a head reads, and its width.
SPLITS = {
    "full": "every head projects the whole embedding to d_model numbers of its own",
    "slices": "every head projects the whole embedding to d_model / n_heads numbers",
    "overlap": "every head reads its own random, possibly overlapping part of the embedding",
}


def head_width(split: str, d_model: int, n_heads: int) -> int:
    """Return d_head: d_model for "full", d_model / n_heads for "slices", the same rounded up for "overlap".

    Raises:
        InputError: the split is unknown, or d_model cannot be cut into that many equal slices.
    """
    if split not in SPLITS:
        raise InputError(f"A split is one of {', '.join(SPLITS)}; this is {split!r}.")
    if n_heads < 1 or d_model < 1:
        raise InputError(f"A layer has at least one head and one number a word; you asked for {n_heads} and {d_model}.")
    if split == "slices" and d_model % n_heads:
        *first_counts, last = (str(count) for count in range(1, d_model + 1) if d_model % count == 0)
        fitting = f"{', '.join(first_counts)} or {last}" if first_counts else last
        raise InputError(
            f"{d_model} numbers cannot be cut into {n_heads} equal slices; choose {fitting} heads, or another split."
        )
    return d_model if split == "full" else -(-d_model // n_heads)


def random_reads(d_model: int, n_heads: int, n_reads: int, generator: np.random.Generator) -> np.ndarray:
    """Return which ``n_reads`` numbers of the embedding each head reads, drawn head by head, bool [head, d_model]."""
    if not 1 <= n_reads <= d_model:
        raise InputError(f"A head reads 1 to {d_model} of {d_model} numbers; you asked for {n_reads}.")
    reads = np.zeros((n_heads, d_model), dtype=bool)
    for row in reads:
        row[generator.choice(d_model, n_reads, replace=False)] = True
    return reads


PROJECTIONS = ("w_query", "w_key", "w_value")


@array_dataclass
class MultiHead:
    """The numbers of one multi-head layer, without biases; call it to attend.

    ``w_query``, ``w_key``, ``w_value`` are [d_model, n_heads · d_head], the heads side by side; ``w_output`` is
    [n_heads · d_head, d_model], the heads one above the other. ``reads`` is bool [head, d_model], True where a head
    reads that number of the embedding, or None if every head reads all numbers. Unread rows are 0.

    Raises:
        ShapeError: the matrices do not fit each other, or a head has weights for numbers it does not read.
    """

    w_query: np.ndarray
    w_key: np.ndarray
    w_value: np.ndarray
    w_output: np.ndarray
    n_heads: int
    split: str = "slices"
    reads: np.ndarray | None = None

    def __post_init__(self) -> None:
        for name in (*PROJECTIONS, "w_output"):
            matrix = np.array(getattr(self, name), dtype=np.float64)
            matrix.setflags(write=False)
            object.__setattr__(self, name, matrix)
        if self.reads is not None:
            object.__setattr__(self, "reads", np.array(self.reads, dtype=bool))
        _check(self)

    @property
    def d_model(self) -> int:
        """How many numbers a word has."""
        return self.w_output.shape[1]

    @property
    def d_head(self) -> int:
        """How many numbers a query, a key or a value has."""
        return self.w_output.shape[0] // self.n_heads

    def __call__(
        self, x: np.ndarray, mask: np.ndarray | None = None, scale: float | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the output [token, d_model] and the weights [head, query, key]; see `attend`."""
        return attend(self, x, mask, scale)

    def of_head(self, name: str, head: int) -> np.ndarray:
        """Return one head's own part of a matrix: its columns of a projection, its rows of ``w_output``."""
        columns = slice(head * self.d_head, (head + 1) * self.d_head)
        return getattr(self, name)[columns] if name == "w_output" else getattr(self, name)[:, columns]

    @classmethod
    def from_heads(
        cls,
        w_query: Sequence[np.ndarray],
        w_key: Sequence[np.ndarray],
        w_value: Sequence[np.ndarray],
        w_output: np.ndarray,
        split: str = "slices",
    ) -> MultiHead:
        """Return a layer from one [d_model, d_head] matrix a head, set side by side."""
        query, key, value = (np.concatenate(list(matrices), axis=1) for matrices in (w_query, w_key, w_value))
        return cls(query, key, value, w_output, n_heads=len(w_query), split=split)

    @classmethod
    def random(
        cls,
        d_model: int,
        n_heads: int,
        split: str = "slices",
        seed: int = 0,
        d_head: int | None = None,
        n_reads: int | None = None,
        decimals: int | None = None,
    ) -> MultiHead:
        """Return seeded random heads: normal numbers of variance 1 / (numbers read), rounded if ``decimals`` is given.

        Widths follow from the split unless given (`head_width`). With "overlap" each head draws ``n_reads`` numbers
        of the embedding to read, d_model // 2 + 1 unless given, so that any two heads share some.

        >>> MultiHead.random(d_model=4, n_heads=2, split="full").w_output.shape
        (8, 4)
        """
        d_head = head_width(split, d_model, n_heads) if d_head is None else d_head
        generator = np.random.default_rng(seed)
        reads = None
        if split == "overlap":
            reads = random_reads(d_model, n_heads, d_model // 2 + 1 if n_reads is None else n_reads, generator)
        width = n_heads * d_head
        n_read = d_model if reads is None else int(reads[0].sum())
        projections = generator.standard_normal((3, d_model, width)) / np.sqrt(n_read)
        w_output = generator.standard_normal((width, d_model)) / np.sqrt(width)
        if reads is not None:
            projections *= np.repeat(reads, d_head, axis=0).T  # [d_model, n_heads · d_head]
        if decimals is not None:
            projections, w_output = (np.round(matrix, decimals) + 0.0 for matrix in (projections, w_output))  # no −0.0
        w_query, w_key, w_value = projections
        return cls(w_query, w_key, w_value, w_output, n_heads=n_heads, split=split, reads=reads)


def attend(
    heads: MultiHead, x: np.ndarray, mask: np.ndarray | None = None, scale: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the output [token, d_model] and the weights [head, query, key], all heads at once.

    ``x`` is [token, d_model]; ``mask`` (True = may look) and ``scale`` as in `scaled_dot_product_attention`.
    """
    x = check_input(heads, x)
    query = separate(x @ heads.w_query, heads.n_heads)  # [head, token, d_head]
    key = separate(x @ heads.w_key, heads.n_heads)  # [head, token, d_head]
    value = separate(x @ heads.w_value, heads.n_heads)  # [head, token, d_head]
    gathered, weights = scaled_dot_product_attention(query, key, value, mask, scale)  # [head, token, d_head]
    return merge(gathered) @ heads.w_output, weights  # [token, d_model]


def attend_by_loop(
    heads: MultiHead, x: np.ndarray, mask: np.ndarray | None = None, scale: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Compute `attend` one head after the other: slower, and easier to follow.

    Each head reads only its own part of the embedding, and the output is the sum of the heads' contributions.
    """
    x = check_input(heads, x)
    output = np.zeros_like(x)  # [token, d_model]
    weights = []
    for head in range(heads.n_heads):
        read = slice(None) if heads.reads is None else heads.reads[head]
        query, key, value = (x[:, read] @ heads.of_head(name, head)[read] for name in PROJECTIONS)  # [token, d_head]
        gathered, looks = scaled_dot_product_attention(query, key, value, mask, scale)  # [token, d_head]
        output += gathered @ heads.of_head("w_output", head)  # [token, d_model]
        weights.append(looks)  # [query, key]
    return output, np.stack(weights)


def separate(projected: np.ndarray, n_heads: int) -> np.ndarray:
    """Return [head, token, d_head] from [token, n_heads · d_head]: no number changes, only how they are counted."""
    n_tokens, width = projected.shape
    return projected.reshape(n_tokens, n_heads, width // n_heads).swapaxes(0, 1)


def merge(gathered: np.ndarray) -> np.ndarray:
    """Return the heads side by side, [token, n_heads · d_head], from [head, token, d_head]."""
    n_heads, n_tokens, d_head = gathered.shape
    return gathered.swapaxes(0, 1).reshape(n_tokens, n_heads * d_head)


def check_input(heads: MultiHead, x: np.ndarray) -> np.ndarray:
    """Return the input as float64; raise ShapeError unless it is [token, d_model]."""
    x = np.asarray(x, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] != heads.d_model:
        raise ShapeError(
            f"These heads read words of {heads.d_model} numbers, [token, {heads.d_model}]; you gave {x.shape}."
        )
    return x


def _check(heads: MultiHead) -> None:
    if heads.split not in SPLITS:
        raise InputError(f"A split is one of {', '.join(SPLITS)}; this is {heads.split!r}.")
    if heads.w_output.ndim != 2:
        raise ShapeError(f"w_output has two axes, [n_heads · d_head, d_model]; yours is {heads.w_output.shape}.")
    width, d_model = heads.w_output.shape
    if heads.n_heads < 1 or width % heads.n_heads:
        raise ShapeError(f"w_output has {width} rows, which {heads.n_heads} heads cannot share evenly.")
    for name in PROJECTIONS:
        if getattr(heads, name).shape != (d_model, width):
            raise ShapeError(
                f"{name} must be ({d_model}, {width}) beside this w_output; it is {getattr(heads, name).shape}."
            )
    if heads.split == "full" and heads.d_head != d_model:
        raise ShapeError(f"Full heads are as wide as a word, {d_model} numbers; these are {heads.d_head} wide.")
    if (heads.split == "overlap") != (heads.reads is not None):
        raise ShapeError("`reads` says which numbers each head reads: give it with the split 'overlap', and only then.")
    if heads.reads is None:
        return
    if heads.reads.shape != (heads.n_heads, d_model):
        raise ShapeError(f"`reads` must be [head, d_model] = ({heads.n_heads}, {d_model}); it is {heads.reads.shape}.")
    unread = ~np.repeat(heads.reads, heads.d_head, axis=0).T  # [d_model, n_heads · d_head]
    if any(getattr(heads, name)[unread].any() for name in PROJECTIONS):
        raise ShapeError("A head has weights for numbers of the embedding that it does not read; they must be 0.")


def sinusoidal_positions(n_tokens: int, d_model: int) -> np.ndarray:
    """Return the sinusoidal position added to each token's embedding, float64 [token, d_model].

    PE[t, 2i] = sin(t / 10000^(2i / d_model)),  PE[t, 2i + 1] = cos(of the same). Vaswani et al. 2017, section 3.5.
    Without it a layer is *equivariant*: shuffle the words, and the outputs are shuffled the same way.
    """
    token = np.arange(n_tokens)[:, None]  # [token, 1]
    column = np.arange(d_model)[None, :]  # [1, d_model]
    angle = token / 10_000 ** (column // 2 * 2 / d_model)  # [token, d_model]
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))


def word_vectors(words: Sequence[str], d_model: int, seed: int = 0, decimals: int | None = None) -> np.ndarray:
    """Return a random row for each word, float64 [word, d_model]: the same word always gets the same row.

    The generator is seeded by the word itself (case ignored) and ``seed``. The shape is real, the meaning is not.
    """
    rows = [_row(word.casefold(), d_model, seed) for word in words]
    vectors = np.array(rows).reshape(len(words), d_model)
    return vectors if decimals is None else np.round(vectors, decimals) + 0.0  # no −0.0


@functools.lru_cache(maxsize=256)
def _row(word: str, d_model: int, seed: int) -> np.ndarray:
    return np.random.default_rng(_number(word, seed)).standard_normal(d_model)


def _number(word: str, seed: int) -> int:
    text = f"{seed} {word}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")


@dataclass(frozen=True)
class Preset:
    """A layer by its sizes and its seed: the same preset always gives the same numbers.

    Small layers are rounded to one decimal, so that every step can be done by hand.
    """

    title: str
    text: str
    d_model: int
    n_heads: int
    split: str
    seed: int
    decimals: int | None = 1

    def heads(self) -> MultiHead:
        """Return the layer."""
        return MultiHead.random(self.d_model, self.n_heads, self.split, self.seed, decimals=self.decimals)

    def embeddings(self, words: tuple[str, ...] | None = None) -> np.ndarray:
        """Return a row for each word, of the preset's own text unless others are given, float64 [word, d_model]."""
        return word_vectors(
            tuple(self.text.split()) if words is None else words, self.d_model, self.seed, self.decimals
        )


PRESETS = {
    "money_bank": Preset("Money Bank: two full heads", "money bank", d_model=4, n_heads=2, split="full", seed=131),
    "slices": Preset("Money Bank: two slices", "money bank", d_model=4, n_heads=2, split="slices", seed=131),
    "overlap": Preset(
        "Money Bank: two overlapping parts", "money bank", d_model=4, n_heads=2, split="overlap", seed=131
    ),
    "one_head": Preset("All is well: one head", "All is well", d_model=4, n_heads=1, split="slices", seed=17),
    "two_heads": Preset("All is well: two heads", "All is well", d_model=4, n_heads=2, split="slices", seed=17),
    "eight_heads": Preset("All is well: eight heads", "All is well", d_model=32, n_heads=8, split="slices", seed=0),
}
