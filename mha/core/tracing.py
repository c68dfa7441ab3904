"""One call of a multi-head layer with every intermediate array kept, in the order in which they come about.

`STEPS` is the recipe, one row a step; `trace` fills it in. A page or a notebook walks it:

    for step in trace(heads, embeddings):
        print(step.name, step.shape, step.axes)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mha.core.attention import default_scale, hide, softmax
from mha.core.multihead import MultiHead, check_input, merge, separate
from mha.errors import InputError, ShapeError
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
