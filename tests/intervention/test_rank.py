"""The logit lens against plain transformers: hidden states, hooks on W_O, and the model's own head."""

import dataclasses

import numpy as np
import pytest
import torch

import mha
from mha.errors import AttentionUnavailable, InputError
from mha.intervention.next_words import effect_by_position, first_words
from mha.intervention.predicting import iter_word_sweep
from mha.intervention.rank import ranks_of_words
from mha.intervention.trunk import caching_trunks
from mha.models.files.loading import load_snapshot
from tests.models.tiny import LLAMA, THROUGH_THE_INTERFACE, Tiny

TEXT = "the man saw the dog with a"
ROWS = {row.architecture: row for row in THROUGH_THE_INTERFACE}
MASKED = "the man saw the [MASK] with"


def llama(model, layer):
    block = model.model.layers[layer]
    return block.self_attn.o_proj, lambda before, attention: before + attention


def gpt2(model, layer):
    block = model.transformer.h[layer]
    return block.attn.c_proj, lambda before, attention: before + attention


def bert(model, layer):
    block = model.bert.encoder.layer[layer]  # what its last norm makes of the state behind the attention
    return block.attention, lambda before, attention: block.output.LayerNorm(attention)


HYBRID = Tiny(  # its last layer has no attention
    "BambaForCausalLM",
    {key: value for key, value in LLAMA.items() if key != "head_dim"}
    | {
        "hidden_size": 96, "num_hidden_layers": 3, "attn_layer_indices": [1], "mamba_n_heads": 4, "mamba_d_head": 48,
        "mamba_d_state": 8, "mamba_n_groups": 1,
    },
    "bytes",
    causal=True,
    n_heads=6,
)  # fmt: skip
LENSES = {
    "LlamaForCausalLM": (llama, lambda model, state: model.lm_head(model.model.norm(state))),
    "GPT2LMHeadModel": (gpt2, lambda model, state: model.lm_head(model.transformer.ln_f(state))),
    "BertForMaskedLM": (bert, lambda model, state: model.cls(state)),
}


def plain_lens(model, ids, place, architecture):
    """Return logits after each layer and after its attention alone, [layer, vocabulary], without any code of ours."""
    part, head = LENSES[architecture]
    n_layers = model.config.num_hidden_layers
    attention, blocks = [], []

    def keep(_module, _inputs, output):
        attention.append(output[0] if isinstance(output, tuple) else output)

    def keep_block(_module, _inputs, output):
        blocks.append(output[0] if isinstance(output, tuple) else output)

    hooks = [part(model, layer)[0].register_forward_hook(keep) for layer in range(n_layers)]
    last = {"LlamaForCausalLM": "model.layers", "GPT2LMHeadModel": "transformer.h"}.get(
        architecture, "bert.encoder.layer"
    )
    hooks.append(model.get_submodule(f"{last}.{n_layers - 1}").register_forward_hook(keep_block))
    with torch.no_grad():
        hidden = model(ids, output_hidden_states=True).hidden_states
    for hook in hooks:
        hook.remove()
    whole = [*hidden[1:n_layers], blocks[0]]  # the last of transformers' own is behind the final norm
    with torch.no_grad():
        alone = [part(model, layer)[1](hidden[layer], attention[layer]) for layer in range(n_layers)]
        return [
            torch.stack([head(model, state)[0, place] for state in states]).double().numpy()
            for states in (whole, alone)
        ]


def log_softmax(logits):
    return torch.log_softmax(torch.as_tensor(logits), dim=-1).numpy()


def check(ranks, whole, alone, number):
    for logits, rank, log_probability in (
        (whole, ranks.rank, ranks.log_probability),
        (alone, ranks.attention_rank, ranks.attention_log_probability),
    ):
        np.testing.assert_allclose(log_probability, log_softmax(logits)[:, number], atol=2e-4)
        assert rank.tolist() == [1 + int((row > row[number]).sum()) for row in logits]


@pytest.mark.parametrize("architecture", list(LENSES))
def test_rank_by_layer_equals_plain_transformers(architecture, tmp_path):
    body = architecture.replace("LMHeadModel", "Model").replace("ForMaskedLM", "Model")
    loaded = load_snapshot(dataclasses.replace(ROWS[body], architecture=architecture).save(tmp_path))
    is_masked = architecture == "BertForMaskedLM"
    ranks = mha.rank_by_layer(MASKED if is_masked else TEXT, loaded, 41)
    text = "the man saw the x with" if is_masked else TEXT
    encoded = loaded.tokenizer(text, add_special_tokens=True)["input_ids"]
    encoded = encoded[:-1] if encoded[-1] == 2 and not is_masked else encoded  # a decoder goes on before its end sign
    if is_masked:
        encoded[5] = loaded.tokenizer.mask_token_id
    place = 5 if is_masked else len(encoded) - 1
    assert (ranks.place, ranks.id, len(ranks.tokens)) == (place, 41, len(encoded))
    check(ranks, *plain_lens(loaded.model, torch.tensor([encoded]), place, architecture), 41)
    own = mha.predict(MASKED if is_masked else TEXT, loaded, [41])
    assert ranks.log_probability[-1] == pytest.approx(np.log(own.probabilities[0]), abs=1e-5)
    assert ranks.rank.shape == ranks.attention_log_probability.shape == (2,)
    (of_words,) = ranks_of_words(MASKED if is_masked else TEXT, loaded, [41])
    assert of_words.rank.tolist() == ranks.rank.tolist()
    np.testing.assert_allclose(of_words.log_probability, ranks.log_probability, atol=1e-5)
    assert of_words.attention_rank is None


def test_one_pass_serves_words_ranks_estimate_and_positions():
    loaded, rows = mha.load_model("copier"), []
    first_words("moon fish", loaded)  # a first use compares the recording with eager
    hook = loaded.model.register_forward_pre_hook(
        lambda _model, _args, inputs: rows.append(len(inputs["input_ids"])), with_kwargs=True
    )
    text = "rope lamp rope lamp rope"
    with caching_trunks():
        sweep = first_words(text, loaded, ["table"])
        assert rows == [1], "typed words need no pass of their own"
        ranks = ranks_of_words(text, loaded, sweep.ids)
        assert [each.id for each in ranks] == list(sweep.ids)
        assert rows == [1]
        *_, complete = iter_word_sweep(text, loaded, sweep.ids, order="estimate", word=sweep.ids[0])
        assert rows == [1, 2], "both gradients in one pass; ablations begin at the layer of their head"
        effect_by_position(text, "L0H0", loaded, sweep.ids)
        assert rows == [1, 2]
    assert not complete.missing
    first_words(text, loaded)
    assert rows == [1, 2, 1], "a caller of the package may have changed the model"
    hook.remove()


@pytest.mark.slow  # its weights are read twice
def test_rank_by_layer_of_smollm2():
    loaded = mha.load_model("smollm2")
    ranks = mha.rank_by_layer("The capital of France is", loaded, "Paris")
    ids = torch.tensor([loaded.tokenizer("The capital of France is")["input_ids"]])
    check(ranks, *plain_lens(loaded.model, ids, -1, "LlamaForCausalLM"), ranks.id)
    assert (ranks.word, ranks.rank[-1]) == ("Paris", 1)
    assert ranks.rank[:20].min() > 1000


@pytest.mark.parametrize("changes", [{"cut": ["L1H2:5-3"]}, {"ablated": ["L1H2"]}])
def test_ranks_with_changes_end_in_their_probability(changes):
    text = "moon fish table moon fish"
    ranks = mha.rank_by_layer(text, "copier", "table", **changes)
    found = mha.next_words(text, "copier", ["table"], **changes)
    assert np.exp(ranks.log_probability[-1]) == pytest.approx(found.after[0])
    assert ranks.log_probability[-1] < mha.rank_by_layer(text, "copier", "table").log_probability[-1] - 0.1
    (of_words,) = ranks_of_words(text, "copier", [ranks.id], **changes)
    assert of_words.rank.tolist() == ranks.rank.tolist()


@pytest.mark.parametrize(
    ("model", "word", "error", "sentence"),
    [
        ("minilm", "moon", AttentionUnavailable, "MiniLM predicts no words"),
        ("reverser", "moon", InputError, "Reverser predicts in its decoder"),
        ("copier", -1, InputError, "has token ids 0 to"),
        ("copier", "moonfish", InputError, "does not know 'moonfish'"),
    ],
)
def test_rank_by_layer_refuses(model, word, error, sentence):
    with pytest.raises(error, match=sentence):
        mha.rank_by_layer("moon fish", model, word)


@pytest.mark.parametrize("row", [ROWS["DeepseekV3ForCausalLM"], HYBRID], ids=lambda row: row.architecture)
def test_layers_with_experts_or_without_attention_are_refused(row, tmp_path):
    """A shared expert is not the whole feed-forward part, and a Mamba layer would mix the packed states."""
    with pytest.raises(AttentionUnavailable, match="whose attention, or whose state, cannot be read alone"):
        mha.rank_by_layer(TEXT, load_snapshot(row.save(tmp_path)), 41)
