"""The divergence of heads and the pressure, by hand."""

import math

import pytest
import torch

from mha.training.model import DISAGREEMENTS, disagreement_of_positions, jensen_shannon, train
from mha.training.settings import PRESSURES, Settings


def test_divergence_by_hand():
    assert jensen_shannon(torch.tensor([[1.0, 0, 0], [0, 1, 0]])).item() == pytest.approx(1)
    assert jensen_shannon(torch.tensor([[0.3, 0.7], [0.3, 0.7]])).item() == pytest.approx(0, abs=1e-6)
    half = jensen_shannon(torch.tensor([[1.0, 0], [0.5, 0.5]])).item()  # H(3/4, 1/4) − (0 + 1) / 2
    assert half == pytest.approx(-(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25)) - 0.5, abs=1e-6)


def test_divergence_is_the_mean_over_pairs():
    three = torch.tensor([[1.0, 0], [0, 1], [0, 1]])  # two of three pairs differ fully
    assert jensen_shannon(three).item() == pytest.approx(2 / 3)


def test_disagreement_by_hand():
    apart, alike = torch.tensor([[1.0, 0, 0], [0, 1, 0]]), torch.tensor([[0.5, 0.5, 0], [0.5, 0.5, 0]])
    assert disagreement_of_positions(apart).item() == 0
    assert disagreement_of_positions(alike).item() == -0.5
    assert set(DISAGREEMENTS) == set(PRESSURES) - {"none"}


def test_a_pressure_can_be_followed_down():
    weights = torch.tensor([[0.6, 0.3, 0.1], [0.5, 0.3, 0.2]]).requires_grad_()
    disagreement_of_positions(weights).backward()
    assert weights.grad is not None
    assert weights.grad.abs().max() > 0


def test_one_head_has_nobody_to_differ_from():
    assert math.isnan(next(train(Settings(n_heads=1, n_steps=1, batch=2))).diversity)
