"""How different the heads of a layer are, while they learn; and pressures that reward being different.

Each measure is a mean over pairs of heads, at the pivots. The three disagreements are those of Li et al. 2018
("Multi-Head Attention with Disagreement Regularization"); a pressure subtracts its disagreement from the loss.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from mha.training.model import Attention, LayerLooks


def jensen_shannon(weights: Tensor) -> Tensor:
    """Return the divergence of [head, …, key] weights, in bits, [0, 1]: 0 = all look alike, 1 = nothing in common.

    JS(p, q) = H((p + q) / 2) − (H(p) + H(q)) / 2.
    """
    return _over_pairs(weights, lambda p, q: _entropy((p + q) / 2) - (_entropy(p) + _entropy(q)) / 2)


def disagreement_of_positions(look: LayerLooks, visible: Tensor) -> Tensor:
    """Return −mean over pairs of Σ_k w_i[k] w_j[k], in [−1, 0]: 0 when no two heads look at the same word."""
    return -_over_pairs(look.weights, lambda p, q: (p * q).sum(dim=-1))


def disagreement_of_outputs(look: LayerLooks, visible: Tensor) -> Tensor:
    """Return −mean cosine of what two heads gather, in [−1, 1]."""
    return -_over_pairs(look.gathered, lambda a, b: cosine_similarity(a, b, dim=-1))


def disagreement_of_subspaces(look: LayerLooks, visible: Tensor) -> Tensor:
    """Return −mean cosine of two heads' values of the same word, in [−1, 1]; padding left out."""
    return -_over_pairs(look.values[:, visible], lambda a, b: cosine_similarity(a, b, dim=-1))


def subspace_overlap(layer: Attention) -> Tensor:
    """Return how much the heads' value projections share, ‖Uᵢᵀ Uⱼ‖² / d_head, [0, 1]; U an orthonormal basis."""
    projections = (layer.w_value * layer.read).detach()  # [head, d_model, d_head]
    if layer.d_head >= projections.shape[1]:
        return torch.ones(())  # each spans everything
    bases = torch.linalg.qr(projections).Q  # [head, d_model, d_head]
    return _over_pairs(bases, lambda a, b: (a.T @ b).square().sum() / layer.d_head)


# What each setting of `pressure` rewards.
DISAGREEMENTS: dict[str, Callable[[LayerLooks, Tensor], Tensor]] = {
    "positions": disagreement_of_positions,
    "outputs": disagreement_of_outputs,
    "subspaces": disagreement_of_subspaces,
}

# name → (title, unit and range)
MEASURES = {
    "weights": ("divergence of where they look", "bits, 0 to 1"),
    "outputs": ("disagreement of what they gather", "−cosine, −1 to 1"),
    "overlap": ("overlap of their subspaces", "share, 0 to 1"),
}


def measure(layer: Attention, look: LayerLooks, visible: Tensor) -> dict[str, float]:
    """Return the three `MEASURES`; each is NaN for a single head, which has nobody to differ from."""
    if layer.n_heads == 1:
        return dict.fromkeys(MEASURES, float("nan"))
    return {
        "weights": jensen_shannon(look.weights).item(),
        "outputs": disagreement_of_outputs(look, visible).item(),
        "overlap": subspace_overlap(layer).item(),
    }


def _over_pairs(heads: Tensor, compare: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """Return the mean of ``compare`` over all pairs of heads and over whatever axes it leaves."""
    return torch.stack([compare(heads[i], heads[j]).mean() for i, j in combinations(range(len(heads)), 2)]).mean()


def _entropy(p: Tensor) -> Tensor:
    return -(p * p.clamp_min(torch.finfo(p.dtype).tiny).log2()).sum(dim=-1)
