"""Overlapping calls keep apart, and the attention function is put back when the last one ends."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch
from transformers import BertModel, GPT2Config, GPT2Model

from mha.models.watch import attention
from mha.models.watch.recording import listening, record, undisturbed
from tests.models.small import IDS, bare_eager, small_bert


def test_recordings_do_not_nest():
    model = small_bert()
    with listening(model), pytest.raises(RuntimeError, match="do not nest"), listening(model):
        pass
    assert model.config._attn_implementation == "sdpa"


@pytest.mark.parametrize("n_models", [1, 2])
def test_overlapping_calls_keep_their_own_recordings(n_models):
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
    assert not attention._held_configs


def test_two_models_that_share_one_config_do_not_disturb_each_other():
    first = small_bert()
    second = BertModel(first.config).eval()
    record(first, input_ids=IDS)
    record(second, input_ids=IDS)
    with listening(first):
        with _elsewhere(lambda: record(second, input_ids=IDS)):
            pass
        assert first.config._attn_implementation == "parallax"
    assert first.config._attn_implementation == "sdpa"


def test_without_a_recorder_the_function_is_eager():
    model = small_bert()
    expected = bare_eager(model, input_ids=torch.tensor(IDS))
    found = {}

    def forward() -> None:
        with torch.no_grad():
            found["weights"] = torch.cat(model(input_ids=torch.tensor(IDS), output_attentions=True).attentions).numpy()

    with listening(model) as call, _elsewhere(forward):
        pass
    np.testing.assert_allclose(found["weights"], expected, atol=1e-6)
    assert call.n_layers_run == {}


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


def small_gpt2() -> GPT2Model:
    torch.manual_seed(2)
    return GPT2Model(GPT2Config(n_layer=3, n_head=2, n_embd=16, vocab_size=40, n_positions=32)).eval()


@pytest.mark.parametrize("make", [small_gpt2, small_bert])
def test_a_pass_that_nobody_records_keeps_its_attention_while_another_thread_records(make):
    model = make()
    ids = torch.tensor(IDS)
    with torch.inference_mode():
        alone = model(input_ids=ids)[0]
    begun, over = threading.Event(), threading.Event()

    def records() -> None:
        with listening(model):
            begun.set()
            assert over.wait(20)

    recording = threading.Thread(target=records)

    def meanwhile(*_: object) -> None:
        if not recording.ident:
            recording.start()
            assert begun.wait(20)

    first = next(module for name, module in model.named_modules() if name.endswith((".0", "layer.0")))
    hook = first.register_forward_pre_hook(meanwhile)
    try:
        with torch.inference_mode(), undisturbed(model) as passes:
            beside = passes(model, input_ids=ids)[0]
    finally:
        hook.remove()
        over.set()
        recording.join(20)
    torch.testing.assert_close(beside, alone, atol=1e-5, rtol=0)
    assert not attention._held_configs
