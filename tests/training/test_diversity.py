"""The measures by hand, and against a second way to compute them."""

import math

import pytest
import torch

from mha.training.loop import (
    DISAGREEMENTS,
    MEASURES,
    jensen_shannon,
    measure,
    subspace_overlap,
)
from mha.training.model import LayerLooks, Learner
from mha.training.settings import Settings

VISIBLE = torch.tensor([[True, True, False]])


def looks(weights: list[list[float]], values: list[list[list[float]]] | None = None) -> LayerLooks:
    """One sentence of three words, one query, a row of weights a head; values [head][token][d_head]."""
    rows = torch.tensor(weights)[:, None, None]  # [head, 1, 1, key]
    value = torch.tensor(values if values is not None else [[[1.0, 0]] * 3] * len(weights))[:, None]
    return LayerLooks(rows, value, rows @ value)


def test_divergence_by_hand():
    assert jensen_shannon(torch.tensor([[1.0, 0, 0], [0, 1, 0]])).item() == pytest.approx(1)
    assert jensen_shannon(torch.tensor([[0.3, 0.7], [0.3, 0.7]])).item() == pytest.approx(0, abs=1e-6)
    half = jensen_shannon(torch.tensor([[1.0, 0], [0.5, 0.5]])).item()  # H(3/4, 1/4) − (0 + 1) / 2
    assert half == pytest.approx(-(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25)) - 0.5, abs=1e-6)


def test_divergence_is_the_mean_over_pairs():
    three = torch.tensor([[1.0, 0], [0, 1], [0, 1]])  # two of three pairs differ fully
    assert jensen_shannon(three).item() == pytest.approx(2 / 3)


def test_disagreements_by_hand():
    apart = looks([[1.0, 0, 0], [0, 1, 0]], [[[1.0, 0], [1, 0], [1, 0]], [[1.0, 0], [0, 1], [1, 0]]])
    found = {name: disagree(apart, VISIBLE).item() for name, disagree in DISAGREEMENTS.items()}
    assert found == pytest.approx({"positions": 0, "outputs": 0, "subspaces": -0.5})  # the third word is padding
    alike = looks([[0.5, 0.5, 0], [0.5, 0.5, 0]])
    found = {name: disagree(alike, VISIBLE).item() for name, disagree in DISAGREEMENTS.items()}
    assert found == pytest.approx({"positions": -0.5, "outputs": -1, "subspaces": -1})


@pytest.mark.parametrize("name", DISAGREEMENTS)
def test_a_pressure_can_be_followed_down(name):
    weights = torch.tensor([[0.6, 0.3, 0.1], [0.5, 0.3, 0.2]])[:, None, None].requires_grad_()
    values = torch.rand(2, 1, 3, 5, generator=torch.Generator().manual_seed(2)).requires_grad_()
    DISAGREEMENTS[name](LayerLooks(weights, values, weights @ values), VISIBLE).backward()
    gradients = [leaf.grad for leaf in (weights, values) if leaf.grad is not None]
    assert any(gradient.abs().max() > 0 for gradient in gradients)


def test_overlap_by_hand():
    layer = Learner(Settings(n_heads=4)).last
    with torch.no_grad():
        layer.w_value.copy_(torch.eye(32).reshape(32, 4, 8).transpose(0, 1))
        assert subspace_overlap(layer).item() == pytest.approx(0, abs=1e-6)
        layer.w_value[:] = layer.w_value[0].clone()
        assert subspace_overlap(layer).item() == pytest.approx(1, abs=1e-5)
        layer.w_value[1] = 3 * layer.w_value[0].flip(1)  # the same space from other vectors
        assert subspace_overlap(layer).item() == pytest.approx(1, abs=1e-5)


def test_a_head_that_spans_everything_shares_everything():
    assert subspace_overlap(Learner(Settings(n_heads=2, d_head=64)).last).item() == 1


def test_one_head_has_nobody_to_differ_from():
    layer = Learner(Settings(n_heads=1)).last
    measures = measure(layer, looks([[1.0, 0, 0]]), VISIBLE)
    assert set(measures) == set(MEASURES)
    assert all(math.isnan(value) for value in measures.values())
