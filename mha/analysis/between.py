"""Divergence of heads, and how many different heads there are in effect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mha.analysis.statistics import Statistic
from mha.errors import ShapeError
from mha.maps import AttentionMaps


def jensen_shannon(maps: AttentionMaps) -> np.ndarray:
    """Return the divergence of every two heads, in bits, [0, 1], as float64 [head, head] in the order of `maps.heads`.

    Mean over queries of JS(p, q) = H((p + q) / 2) − (H(p) + H(q)) / 2, p and q the two heads' rows; symmetric, 0 on the
    diagonal. Rows with one visible key are equal in all heads and are left out, unless all rows are of this kind.
    Absent mass counts as one more key. Its square root is a distance. Source: Clark et al. 2019, section 6.
    """
    absent = maps.absent_mass[..., None]  # [layer, head, query, 1]
    free = maps.visible.sum(axis=-1) > 1  # [query]
    rows = np.concatenate([maps.weights, absent], axis=-1).astype(np.float64)  # [layer, head, query, key + 1]
    rows = rows[:, :, free] if free.any() else rows
    rows = rows.reshape(-1, *rows.shape[2:])  # [head, query, key + 1]
    entropies = entropy(rows)  # [head, query]
    divergence = np.zeros((len(rows), len(rows)))
    for head in range(len(rows) - 1):
        mixed = entropy((rows[head] + rows[head + 1 :]) / 2)  # [later head, query]
        mean_entropies = (entropies[head] + entropies[head + 1 :]) / 2
        divergence[head, head + 1 :] = (mixed - mean_entropies).mean(axis=-1)
    return np.clip(divergence + divergence.T, 0, 1)


def effective_heads(divergence: np.ndarray) -> float:
    """Return how many different heads there are in effect: 1 when all look alike, n when no two share a look.

    exp of the entropy of the normalised eigenvalues of 1 − ``divergence`` ([head, head], in bits); that matrix has no
    negative ones (the Jensen–Shannon kernel). Source: Friedman & Dieng 2023 (the Vendi score). Some of the heads:
    ``effective_heads(divergence[:12, :12])``.

    >>> round(effective_heads(np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0]])), 3)
    1.89

    Raises:
        ShapeError: the divergences are not a square of at least one head.
    """
    similarity = 1 - np.asarray(divergence, dtype=np.float64)
    if similarity.ndim != 2 or similarity.shape[0] != similarity.shape[1] or not similarity.size:
        raise ShapeError(f"Divergences are [head, head], a row and a column a head; these are {similarity.shape}.")
    shares = np.clip(np.linalg.eigvalsh(similarity), 0, None) / np.trace(similarity)
    shares = shares[shares > 0]
    return float(np.exp(-(shares * np.log(shares)).sum()))


def equally_apart(divergence: np.ndarray) -> tuple[float, float]:
    """Return the mean divergence of two heads, and the effective number were every two that far apart: a bound.

    What lies below it is the redundancy beyond the mean. ``divergence`` is [head, head] in bits.

    >>> mean, bound = equally_apart(np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0]]))
    >>> round(mean, 3), round(bound, 2)
    (0.667, 2.7)

    Raises:
        ShapeError: the divergences are not a square of at least one head.
    """
    distances = np.array(divergence, dtype=np.float64)
    is_off_diagonal = np.arange(len(distances))[:, None] != np.arange(len(distances))
    mean = float(distances[is_off_diagonal].mean()) if is_off_diagonal.any() else 0.0
    return mean, effective_heads(np.where(is_off_diagonal, mean, 0.0))


def divergence(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the Jensen–Shannon divergence of rows in bits, [..., key] to [...], in [0, 1].

    >>> float(divergence(np.array([1.0, 0.0]), np.array([0.0, 1.0])))
    1.0
    """
    mixed = entropy((first + second) / 2)
    return np.clip(mixed - (entropy(first) + entropy(second)) / 2, 0, 1)


def entropy(rows: np.ndarray) -> np.ndarray:
    """Return the entropy of each row in bits, [..., key] to [...]; 0 · log 0 counts as 0."""
    return -(rows * np.log2(rows, out=np.zeros_like(rows), where=rows > 0)).sum(axis=-1)


# Measures between heads; `mha.analysis.statistics.STATISTICS` has those of one head. A title is also a line of the
# glossary.
BETWEEN: tuple[Statistic, ...] = (
    Statistic(
        "divergence", "divergence", "bits", "0 to 1", "Clark et al. 2019",
        "mean over q of H((p + q) / 2) − (H(p) + H(q)) / 2", jensen_shannon,
    ),
    Statistic(
        "effective_number_of_heads", "effective number of heads", "heads", "1 to n", "",
        "exp of −Σ λ ln λ, λ the shares of the eigenvalues of 1 − divergence", effective_heads,
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Different:
    """How many different heads there are in effect: in the whole model, and in each layer."""

    whole: float
    layers: tuple[float, ...]

    @classmethod
    def from_divergence(cls, divergence: np.ndarray, n_heads: int) -> Different:
        """Return it from mean divergences [head, head] of layers of so many heads."""
        blocks = range(0, len(divergence), n_heads)
        layers = (effective_heads(divergence[start : start + n_heads, start : start + n_heads]) for start in blocks)
        return cls(effective_heads(divergence), tuple(layers))
