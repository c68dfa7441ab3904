"""Overlapping calls keep apart, and the attention function is put back when the last one ends."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch
from transformers import BertModel

from mha.models.watch import attention
from mha.models.watch.recording import listening, record
from tests.models.small import IDS, bare_eager, small_bert


def test_recordings_do_not_nest() -> None:
    model = small_bert()
    with listening(model), pytest.raises(RuntimeError, match="do not nest"), listening(model):
        pass
    assert model.config._attn_implementation == "sdpa"


@pytest.mark.parametrize("n_models", [1, 2])
def test_overlapping_calls_keep_their_own_recordings(n_models: int) -> None:
    models = [small_bert(num_hidden_layers=3 + n) for n in range(n_models)]
    texts = [[[(start + step * 3) % 31 for step in range(2 + start)]] for start in range(11)]
    expected = [[bare_eager(model, input_ids=torch.tensor(ids)) for ids in texts] for model in models]
    ready = threading.Barrier(6)

    def work(number: int) -> None:
        ready.wait()
        for turn in range(22):
            which, text = (number + turn) % n_models, (number * 3 + turn) % len(texts)
            found = record(models[which], input_ids=texts[text], keep=("hidden",) if turn % 5 == 0 else ())
            np.testing.assert_allclose(found.maps.weights, expected[which][text], atol=1e-6)

    with ThreadPoolExecutor(6) as pool:
        for done in [pool.submit(work, number) for number in range(6)]:
            done.result()
    assert [model.config._attn_implementation for model in models] == ["sdpa"] * n_models
    assert not attention._holds


def test_two_models_that_share_one_config_do_not_disturb_each_other() -> None:
    first = small_bert()
    second = BertModel(first.config).eval()
    record(first, input_ids=IDS)
    record(second, input_ids=IDS)
    with listening(first):
        with _elsewhere(lambda: record(second, input_ids=IDS)):
            pass
        assert first.config._attn_implementation == "parallax"
    assert first.config._attn_implementation == "sdpa"


def test_without_a_recorder_the_function_is_eager() -> None:
    model = small_bert()
    expected = bare_eager(model, input_ids=torch.tensor(IDS))
    found = {}

    def forward() -> None:
        with torch.no_grad():
            found["weights"] = torch.cat(model(input_ids=torch.tensor(IDS), output_attentions=True).attentions).numpy()

    with listening(model) as call, _elsewhere(forward):
        pass
    np.testing.assert_allclose(found["weights"], expected, atol=1e-6)
    assert call.stacks == ()


class _elsewhere:
    """Run a function in another thread, which has no current call, and wait for it."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.thread = threading.Thread(target=function)

    def __enter__(self) -> None:
        self.thread.start()
        self.thread.join(timeout=20)
        assert not self.thread.is_alive()

    def __exit__(self, *problem: object) -> None:
        pass
