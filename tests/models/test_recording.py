"""The recorder: parity on the bundled model, requests, refusals, overlapping calls, nothing left behind."""

from typing import Any

import numpy as np
import pytest
import torch

from mha.errors import AttentionUnavailable, InputError
from mha.models.files.environment import one_thread
from mha.models.watch import attention
from mha.models.watch.attending import attend, record_text
from mha.models.watch.recording import record
from tests.models.small import IDS, bare_eager, small_bert

TELESCOPE = "I saw the man with the telescope"


def test_minilm_is_recorded_exactly(minilm):
    inputs = minilm.tokenizer(TELESCOPE, return_tensors="pt")
    recorded = attend(TELESCOPE).weights
    with one_thread():  # as a short text is recorded: two threads add up in another order
        eager = bare_eager(minilm.model, **inputs)
    np.testing.assert_allclose(recorded, eager, atol=1e-6, rtol=0)
    assert recorded.shape == (6, 12, 9, 9)


def test_what_is_kept_on_request_gives_the_weights_again(minilm):
    found = record_text(TELESCOPE, keep=("query", "key", "value", "hidden"))
    assert found.query is not None
    assert found.key is not None
    assert found.value is not None
    assert found.hidden is not None
    assert found.query.shape == found.key.shape == found.value.shape == (6, 12, 9, 32)
    assert found.hidden.shape == (7, 9, 384)
    scores = found.query @ found.key.swapaxes(-1, -2) / np.sqrt(32)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(weights, found.maps.weights, atol=1e-5)
    assert record_text(TELESCOPE).query is None


def test_any_loaded_model_is_recorded_and_its_ids_name_the_axes():
    model = small_bert()
    found = record(model, input_ids=torch.tensor(IDS))
    assert [token.text for token in found.maps.tokens] == ["2", "3", "5", "7", "11", "13", "17"]
    assert found.maps.merged().n_queries == 7
    assert found.maps.model == "BertModel"
    np.testing.assert_allclose(found.maps.weights, bare_eager(model, input_ids=torch.tensor(IDS)), atol=1e-6)


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        ({}, "needs input_ids"),
        ({"input_ids": [[2, 3], [5, 7], [11, 13]]}, "One text at a time: input_ids holds 3"),
        ({"input_ids": torch.zeros((1, 0), dtype=torch.long)}, "nothing to look at"),
        ({"input_ids": [[2, 31]]}, "knows tokens 0 to 30"),
        ({"input_ids": [[2.5, 3.0]]}, "whole numbers"),
        ({"input_ids": IDS, "past_key_values": object()}, "leave out past_key_values"),
        ({"input_ids": [[2] * 520]}, "reads at most 512 tokens at once; these are 520"),
        ({"input_ids": IDS, "keep": ("colour",)}, "can keep query, key, value, hidden; not colour"),
    ],
)
def test_inputs_that_cannot_be_recorded_are_named(inputs, sentence):
    with pytest.raises(InputError, match=sentence):
        record(small_bert(), **inputs)


def test_dtype_is_left_alone():
    model = small_bert().to(torch.bfloat16)
    found = record(model, input_ids=IDS)
    assert model.dtype == torch.bfloat16
    assert found.maps.weights.dtype == np.float32
    assert found.maps.half_precision
    np.testing.assert_allclose(found.maps.weights.sum(axis=-1), 1, atol=4e-3)


def test_a_recording_far_from_eager_is_refused(monkeypatch):
    honest = attention.eager_of(type(small_bert().encoder.layer[0].attention.self))

    def slightly_off(*arguments: Any, **options: Any) -> Any:
        output, weights = honest(*arguments, **options)
        return output, weights + 1e-3

    monkeypatch.setattr(attention, "eager_of", lambda module_class: slightly_off)
    model = small_bert()
    with pytest.raises(AttentionUnavailable, match=r"differs from its eager attention by 1\.0e-03"):
        record(model, input_ids=IDS)
    assert model.config._attn_implementation == "sdpa"


def test_an_exception_in_the_model_restores_everything(monkeypatch):
    model = small_bert()
    record(model, input_ids=IDS)

    def breaks(*arguments: Any, **options: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(model.encoder.layer[1], "forward", breaks)
    with pytest.raises(
        AttentionUnavailable, match="fails on what it is given, perhaps by its config: ZeroDivisionError"
    ):
        record(model, input_ids=IDS)
    assert model.config._attn_implementation == "sdpa"
    assert attention._current.get() is None
    assert not attention._held_configs
