"""Each measure is what its name says, on models whose numbers are set by hand."""

import numpy as np
import pytest
import torch

from studies.truth.agreement import MEASURES
from studies.truth.model import N_HEADS, N_LAYERS, Tiny, normed, tensors, unseen
from studies.truth.study import FIND
from studies.truth.tasks import TASKS

SHAPE = (N_LAYERS, N_HEADS)
THE_ONE = (1, 2)


def model_of(name="copier", seed=0):
    return Tiny(TASKS[name], seed).requires_grad_(False)


def texts_of(name="copier", count=30):
    return unseen(TASKS[name], 0, count)


@pytest.fixture
def alone():
    """A model of which one head alone gives anything."""
    model = model_of()
    for place in np.ndindex(SHAPE):
        if place != THE_ONE:
            model.w_output[place] = 0
    return model


def test_every_measure_of_the_table_is_found_and_no_other():
    assert list(FIND) == list(MEASURES)


@pytest.mark.parametrize("name", [name for name in FIND if name not in ("attention", "rollout")])
def test_what_is_asked_of_outputs_finds_the_only_head_that_gives_something(alone, name):
    found = np.abs(FIND[name](alone, texts_of()))
    assert found[THE_ONE] > 0
    found[THE_ONE] = 0
    np.testing.assert_allclose(found, 0, atol=1e-6)


def test_attention_is_the_share_of_the_words_that_decide():
    model, texts = model_of(), texts_of()
    weights = model(*tensors(texts)).weights
    by_hand = [
        [np.mean([float(layer[n, head, texts.asked[n]][texts.sources[n]].sum()) for n in range(len(texts))])
         for head in range(N_HEADS)]
        for layer in weights
    ]  # fmt: skip
    np.testing.assert_allclose(FIND["attention"](model, texts), by_hand, rtol=1e-5)


def test_rollout_falls_by_what_two_layers_multiply():
    model, texts = model_of(), texts_of(count=1)
    first, second = (layer[0].double().numpy() for layer in model(*tensors(texts)).weights)
    same, asked = np.eye(first.shape[-1]), texts.asked[0]

    def flow(one, two):
        return ((two.mean(0) + same) / 2 @ ((one.mean(0) + same) / 2))[asked][texts.sources[0]].sum()

    without = first.copy()
    without[3] = same
    assert FIND["rollout"](model, texts)[0, 3] == pytest.approx(flow(first, second) - flow(without, second), abs=1e-6)


def test_a_gradient_is_the_slope():
    """Along a head's own weights: log p with them a little stronger, less log p, is Σ weight · gradient."""
    model, texts, step = model_of("agreement").double(), texts_of("agreement", 1), 1e-6
    found = FIND["gradient × attention"](model, texts)
    sure = lambda logits: float(logits.log_softmax(-1)[0, texts.answers[0]])  # noqa: E731
    before = sure(model(*tensors(texts)).logits)
    for place in [(0, 1), (1, 3)]:

        def stronger(layer, given, place=place):
            if layer != place[0]:
                return given
            more = given.clone()
            more[:, place[1]] *= 1 + step
            return more

        slope = (sure(model(*tensors(texts), stronger).logits) - before) / step
        assert found[place] == pytest.approx(abs(slope), rel=1e-3)


def test_direct_effects_with_the_rest_add_up_to_the_margin():
    model, texts = model_of("agreement").double(), texts_of("agreement")
    model.w_out[:] = 0  # without the small networks all that is left is the word itself
    passed = model(*tensors(texts))
    rows = torch.arange(len(texts))
    words = model.embed(torch.from_numpy(texts.tokens))[rows, texts.asked]
    toward = model.w_words[:, texts.answers] - model.w_words[:, texts.others]
    rest = float(((words / passed.scale) * toward.T).sum(dim=1).mean())
    margin = passed.logits[rows, texts.answers] - passed.logits[rows, texts.others]
    assert FIND["direct effect"](model, texts).sum() + rest == pytest.approx(float(margin.mean()))
    last = words + sum(layer[rows, :, texts.asked].sum(dim=1) for layer in passed.outputs)
    torch.testing.assert_close(normed(last) @ model.w_words, passed.logits)
