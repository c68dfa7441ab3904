"""Passes of the last token alone, cuts of links and frozen parts, on a tiny random decoder in float64."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from mha.models.watch.recording import listening
from studies import places, separation, take_back
from studies.last_token import LastToken
from studies.links import changes_of_cuts

N_LAYERS, N_HEADS, D_HEAD = 3, 6, 14
IDS = torch.tensor([[3, 141, 59, 26, 53, 58]])
LAST = IDS.shape[1] - 1
LINKS = [(0, 2, 1), (0, 5, 3), (1, 0, 0), (1, 3, LAST), (2, 4, 2)]  # layer, head, key
CLOSE = 1e-5  # norms and softmax of the model are float32 whatever its weights are


@pytest.fixture(scope="module")
def model() -> LlamaForCausalLM:
    torch.manual_seed(7)
    config = LlamaConfig(
        vocab_size=151, hidden_size=N_HEADS * D_HEAD, num_hidden_layers=N_LAYERS, num_attention_heads=N_HEADS,
        num_key_value_heads=3, intermediate_size=23,
    )  # fmt: skip
    model = LlamaForCausalLM(config).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():  # far enough from even attention
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return model


@pytest.fixture(scope="module")
def last(model: LlamaForCausalLM) -> LastToken:
    shorter = IDS[0, 2:].tolist()
    return LastToken.of_ids(model, [shorter, IDS[0].tolist()])[1]


@pytest.fixture(autouse=True)
def without_gradients():
    with torch.inference_mode():
        yield


@pytest.fixture(scope="module")
def means() -> torch.Tensor:
    return torch.randn(N_LAYERS, N_HEADS, D_HEAD, generator=torch.Generator().manual_seed(3)).double()


class Edited:
    """An intervention of the package that edits one layer of a whole pass."""

    def __init__(self, layer: int, weights=None, output=None) -> None:
        self.layer, self.edits = layer, {"weights": weights, "output": output}

    def weights(self, site, tensor):
        return self._edited("weights", site, tensor)

    def output(self, site, tensor):
        return self._edited("output", site, tensor)

    def _edited(self, what, site, tensor):
        if site.layer != self.layer or self.edits[what] is None:
            return None
        tensor = tensor.clone()
        self.edits[what](tensor)
        return tensor


def whole_pass(model: LlamaForCausalLM, intervention: Edited | None = None) -> torch.Tensor:
    """Return the last token's logits of a pass over all tokens."""
    with torch.inference_mode(), listening(model, (), intervention):
        return model(input_ids=IDS, use_cache=False).logits[0, -1]


@pytest.mark.parametrize("module", [separation, take_back])
def test_doctests(module):
    assert doctest.testmod(module).failed == 0


def test_untouched_pass_is_the_models_own(model, last):
    torch.testing.assert_close(last.untouched_logits, whole_pass(model), rtol=0, atol=CLOSE)


def test_cuts_are_those_of_whole_passes(model, last):
    untouched = torch.log_softmax(whole_pass(model), dim=-1)
    word = int(untouched.argmax())
    for (layer, head, key), change in zip(LINKS, changes_of_cuts(last, LINKS), strict=True):

        def cut(weights, head=head, key=key):
            weights[0, head, LAST, key] = 0
            weights[0, head, LAST] /= weights[0, head, LAST].sum()

        expected = torch.log_softmax(whole_pass(model, Edited(layer, weights=cut)), dim=-1) - untouched
        assert change == pytest.approx(float(expected[word]), abs=CLOSE)
        assert abs(change) > 1e-4


def test_moves_are_those_of_whole_passes(model, last):
    move = torch.randn(1, N_HEADS, D_HEAD, generator=torch.Generator().manual_seed(1)).double()

    def moved(output):
        output[0, LAST] += move[0]

    found = last.logits(places.final_inputs(last, [1], move))[0]
    torch.testing.assert_close(found, whole_pass(model, Edited(1, output=moved)), rtol=0, atol=CLOSE)


def test_frozen_parts_leave_the_direct_effect(last, means):
    """With every later part frozen the full change is the direct effect; with any part free it is another number."""
    effects = take_back.effects(last, means)
    direct, full = effects["everything"]
    np.testing.assert_allclose(full, direct, rtol=0, atol=1e-9)
    for name in set(effects) - {"everything"}:
        assert np.abs(effects[name][1] - effects[name][0]).max() > 1e-3, name
    slopes = take_back.slopes([effects, effects])
    assert {row["mean"] for row in slopes["everything"].values()} == {1.0}
    assert slopes["nothing"]["0 to 2"]["mean"] != 1


def test_slope_is_least_squares():
    generator = np.random.default_rng(4)
    x = generator.normal(size=(5, 11))
    y = 0.4 * x + generator.normal(size=x.shape)
    row = separation.slope(np.array([separation.slope_sums(*pair) for pair in zip(x, y, strict=True)]), range(5))
    assert row["mean"] == pytest.approx(np.polyfit(x.ravel(), y.ravel(), 1)[0], abs=1e-4)
    assert row["low"] < row["mean"] < row["high"]


def test_intervals_redraw_every_factor():
    """Values that differ between frames alone: redrawing names alone gives no width, redrawing frames does."""
    values, frames, names = [0.0, 0.0, 1.0, 1.0], "aabb", "xyxy"
    assert separation.mean(values, names) == {"mean": 0.5, "low": 0.5, "high": 0.5, "n": 4}
    both = separation.mean(values, frames, names)
    assert (both["low"], both["high"]) == (0.0, 1.0)
