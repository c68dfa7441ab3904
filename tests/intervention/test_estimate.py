"""The order of a sweep by its estimate, against gradients written out with plain hooks."""

import dataclasses
import threading
from contextlib import nullcontext

import numpy as np
import pytest
import torch

from mha.intervention import predicting, trunk
from mha.intervention.ablation import ablation_changes
from mha.intervention.predicting import ORDERS, iter_word_sweep, predict
from mha.intervention.subject import subject
from mha.intervention.trunk import trunk_of
from mha.maps import HeadId
from mha.models.files.loading import load_snapshot
from tests.models.tiny import D_HEAD, LLAMA, THROUGH_THE_INTERFACE, Tiny

TEXT = "the man saw the dog"
N_LAYERS, N_HEADS = 9, 6
DEEP = Tiny("LlamaForCausalLM", LLAMA | {"num_hidden_layers": N_LAYERS}, "bytes", causal=True, n_heads=N_HEADS)
ALL = [HeadId(layer, head) for layer in range(N_LAYERS) for head in range(N_HEADS)]


@pytest.fixture(scope="module")
def deep(tmp_path_factory):
    loaded = load_snapshot(DEEP.save(tmp_path_factory.mktemp("deep")))
    assert not any(parameter.requires_grad for parameter in loaded.model.parameters())
    loaded.model.requires_grad_(True)  # for the gradients of `plain_sizes`
    return loaded


def plain_sizes(loaded, word, share, position=slice(None)):
    """Return |gradient · (0 − output)| with all heads a share of the way to zero, [layer, head], by plain hooks."""
    model = loaded.model
    ids = torch.tensor([loaded.tokenizer(TEXT)["input_ids"]])
    outputs = []

    def hook(_module, arguments):
        moved = arguments[0].clone()  # [1, token, head · d_head]
        moved[:, position] *= 1 - share
        moved.retain_grad()
        outputs.append((arguments[0], moved))
        return (moved, *arguments[1:])

    handles = [layer.self_attn.o_proj.register_forward_pre_hook(hook) for layer in model.model.layers]
    logits = model(ids).logits[0, -1]
    for handle in handles:
        handle.remove()
    torch.log_softmax(logits, dim=-1)[word].backward()
    model.zero_grad(set_to_none=True)
    effects = [(moved.grad * -before)[0, position].detach() for before, moved in outputs]
    return torch.stack(effects).reshape(N_LAYERS, -1, N_HEADS, D_HEAD).sum(dim=(1, 3)).abs().numpy()


def in_parts(sweeps):
    """Return the sets of heads measured up to each value."""
    return [{HeadId(*map(int, head)) for head in np.argwhere(sweep.likeliest >= 0)} for sweep in sweeps]


@pytest.mark.parametrize("positions", ["all", "predicting"])
def test_sweep_by_estimate_measures_the_leading_heads_first(deep, positions):
    by_layers = list(iter_word_sweep(TEXT, deep, kind="zero", positions=positions))[-1]
    sweeps = list(iter_word_sweep(TEXT, deep, kind="zero", order="estimate", positions=positions))
    np.testing.assert_allclose(sweeps[-1].change, by_layers.change, atol=2e-5)
    assert np.array_equal(sweeps[-1].likeliest, by_layers.likeliest)
    last = slice(None) if positions == "all" else slice(-1, None)
    sizes = np.maximum(*(plain_sizes(deep, by_layers.ids[0], share, last) for share in (0, 0.25)))
    ranked = sorted(ALL, key=lambda head: -sizes[head])
    others = [head for head in ranked if head.layer > 1][:30]
    parts = in_parts(sweeps)
    assert parts[0] == set()
    assert set(ranked[:8]) in parts
    assert {*(head for head in ALL if head.layer < 2), *others} in parts
    assert parts[-1] == set(ALL)


def test_sweep_by_estimate_is_for_the_selected_word(deep):
    start = predict(TEXT, deep, count=50)
    word = start.ids[-1]
    sweeps = list(iter_word_sweep(TEXT, deep, 1, kind="zero", order="estimate", word=word))
    sizes = np.maximum(*(plain_sizes(deep, word, share) for share in (0, 0.25)))
    assert set(sorted(ALL, key=lambda head: -sizes[head])[:8]) in in_parts(sweeps)
    assert sweeps[-1].ids == start.ids[:1]


def test_estimate_takes_gradients_one_by_one_for_long_texts(deep, monkeypatch):
    orders = []
    for together in (48, 0):
        monkeypatch.setattr(trunk, "MAX_TOKENS_ONE_PASS", together)
        orders.append(in_parts(iter_word_sweep(TEXT, deep, kind="zero", order="estimate")))
    assert orders[0] == orders[1]


def test_half_precision_activations_change_gradients_little_and_leave_weights():
    kept, layer = [], torch.nn.Linear(8, 8).requires_grad_(False)
    states = torch.randn(4, 8, requires_grad=True)

    def gradient(context):
        with context:
            value = (layer(states.exp()).sigmoid() @ layer.weight).sum()
        return torch.autograd.grad(value, states)[0]

    exact = gradient(nullcontext())
    hooks = trunk.half_precision_activations(layer)
    pack = hooks.pack_hook

    def pack_and_note(tensor):
        kept.append(pack(tensor))
        return kept[-1]

    hooks.pack_hook = pack_and_note
    close = gradient(hooks)
    assert 0 < (exact - close).abs().max() < 0.02 * exact.abs().max()
    assert {(tensor.dtype, tuple(tensor.shape)) for tensor, _ in kept} == {
        (torch.bfloat16, (4, 8)),
        (torch.float32, (8, 8)),
    }


def test_sweeps_of_several_threads_do_not_disturb_each_other(deep):
    texts = [TEXT, "a dog saw it", "the man was well known", "it was a man with a dog"]
    expected = [list(iter_word_sweep(text, deep, kind="zero"))[-1].change for text in texts]
    results = {}

    def run(number, order):
        results[number, order] = list(iter_word_sweep(texts[number], deep, kind="zero", order=order))[-1].change

    threads = [threading.Thread(target=run, args=(n, order)) for n in range(4) for order in ORDERS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for (number, _), change in results.items():
        np.testing.assert_allclose(change, expected[number], atol=2e-5)
    assert len(results) == 8


@pytest.mark.parametrize(
    ("architecture", "has_trunk"),
    [("LlamaForCausalLM", True), ("GPT2LMHeadModel", True), ("BertForMaskedLM", True), ("Gemma2ForCausalLM", False)],
)
def test_trunk_equals_whole_passes(architecture, has_trunk, tmp_path, monkeypatch):
    """Gemma 2 caps its logits behind the unembedding, so it is run as a whole."""
    body = architecture.replace("LMHeadModel", "Model").replace("ForMaskedLM", "Model")
    row = next(row for row in THROUGH_THE_INTERFACE if row.architecture in (architecture, body))
    loaded = load_snapshot(dataclasses.replace(row, architecture=architecture).save(tmp_path))
    text = "the [MASK] saw the dog" if "Bert" in architecture else TEXT
    found = []
    own = predicting.trunk_of
    monkeypatch.setattr(predicting, "trunk_of", lambda *given: found.append(own(*given)) or found[-1])
    by_trunk = list(iter_word_sweep(text, loaded, kind="zero"))[-1]
    assert [trunk is not None for trunk in found] == [has_trunk]
    monkeypatch.setattr(predicting, "trunk_of", lambda *_: None)
    np.testing.assert_allclose(by_trunk.change, list(iter_word_sweep(text, loaded, kind="zero"))[-1].change, atol=2e-5)


def test_last_layer_needs_one_position_in_its_larger_parts(deep):
    experiment = subject(deep)
    asked, place = predicting.predicting_text(deep, TEXT)
    trunk = trunk_of(experiment, predicting.one_pass(experiment, asked, place), place)
    last = deep.model.model.layers[-1]
    assert trunk.single_position_modules == (last.mlp, last.self_attn.o_proj)
    changes, shapes = ablation_changes(experiment, experiment.heads, "zero"), []
    hooks = [
        part.register_forward_hook(lambda _part, _args, out: shapes.append(out.shape))
        for part in trunk.single_position_modules
    ]
    narrow = trunk.ablated_log_probabilities(changes)
    for hook in hooks:
        hook.remove()
    assert {shape[:2] for shape in shapes} == {(len(ALL), 1)}
    np.testing.assert_allclose(
        narrow, dataclasses.replace(trunk, single_position_modules=()).ablated_log_probabilities(changes), atol=2e-5
    )


def test_a_further_text_takes_one_pass_and_one_unembedding(deep):
    experiment, calls = subject(deep), []
    parts = deep.model.lm_head, deep.model.model.layers[-1]
    hooks = [part.register_forward_hook(lambda part, *_: calls.append(part)) for part in parts]
    for text in (TEXT, "a dog saw it"):
        calls.clear()
        encoded, place = predicting.predicting_text(deep, text)
        assert trunk_of(experiment, predicting.one_pass(experiment, encoded, place), place)
    for hook in hooks:
        hook.remove()
    assert sorted(calls, key=parts.index) == list(parts)
