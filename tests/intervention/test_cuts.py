"""Cut links against a plain computation: the attention function of a tiny model is replaced in the test."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
from transformers.models.bert import modeling_bert
from transformers.models.llama import modeling_llama

import mha
from mha.cuts import Cut
from mha.errors import AttentionUnavailable, InputError
from mha.intervention.ablation import Change, HeadChanges, ablate
from mha.intervention.next_words import iter_link_sweep
from mha.intervention.predicting import predict
from mha.maps import HeadId
from mha.models.files.loading import load_snapshot
from mha.models.watch.attention import Site
from tests.intervention.brute import ROWS
from tests.models.tiny import SINK_BEHIND_WEIGHTS

COPY = "moon fish table moon fish"
RUTH = "My grandmother's name is Ruth. Everyone calls her"
MODULES = {"LlamaForCausalLM": modeling_llama, "BertForMaskedLM": modeling_bert}


def loaded(architecture, folder):
    row = ROWS[architecture.replace("MaskedLM", "Model").replace("BertFor", "Bert")]
    return load_snapshot(dataclasses.replace(row, architecture=architecture).save(folder))


def plain(model, ids, layer, head, query, keys, monkeypatch, module):
    """Return weights [layer, head, query, key] and logits [token, vocabulary] with keys of one row cut, by hand."""
    eager, calls = module.eager_attention_forward, []

    def attention(layer_module, query_states, key_states, values, *arguments, **options):
        output, weights = eager(layer_module, query_states, key_states, values, *arguments, **options)
        if len(calls) == layer:
            row = weights[0, head, query]
            kept = [key for key in range(len(row)) if key not in keys]
            total = sum(float(row[key]) for key in kept)
            values = values.repeat_interleave(weights.shape[1] // values.shape[1], dim=1)[0, head]  # [key, d_head]
            weights, output = weights.clone(), output.clone()
            for key in range(len(row)):
                weights[0, head, query, key] = row[key] / total if key in kept else 0.0
            output[0, query, head] = sum(weights[0, head, query, key] * values[key] for key in kept)
        calls.append(weights[0])
        return output, weights

    monkeypatch.setattr(module, "eager_attention_forward", attention)
    model.set_attn_implementation("eager")
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0]
    monkeypatch.undo()
    return torch.stack(calls).numpy(), logits


@pytest.mark.parametrize(
    ("architecture", "text", "cut", "row"),
    [
        ("LlamaForCausalLM", "the man saw", "L0H3:1-0", (0, 3, 1, [0])),
        ("LlamaForCausalLM", "the man saw", "L0H2:-1-0.1", (0, 2, -1, [0, 1])),
        ("BertForMaskedLM", "the [MASK] saw the man", "L0H3:2-5", (0, 3, 2, [5])),
        ("BertForMaskedLM", "the [MASK] saw the man", "L1H2:2-1.2", (1, 2, 2, [1, 2])),
    ],
)
def test_cut_equals_a_plain_computation(architecture, text, cut, row, tmp_path, monkeypatch):
    model = loaded(architecture, tmp_path)
    ids = model.tokenizer(text.replace("[MASK]", "a"))["input_ids"]
    if architecture == "BertForMaskedLM":
        ids[2] = model.tokenizer.mask_token_id
    else:
        ids = ids[:-1]  # its end sign
    place = 2 if architecture == "BertForMaskedLM" else len(ids) - 1
    layer, head, query, keys = row
    query = place if query == -1 else query
    cut = cut.replace(":-1-", f":{place}-")
    before = ablate(text, model=model, positions="predicting").maps.weights
    recording = ablate(text, model=model, cut=[cut], positions="predicting")
    n = len(ids)  # a recording also has the end sign of a causal model
    predicted = predict(text, model, 10, cut=[cut])
    weights, logits = plain(model.model, ids, layer, head, query, keys, monkeypatch, MODULES[architecture])
    np.testing.assert_allclose(recording.maps.weights[..., :n, :n], weights, atol=1e-5)
    assert np.abs(before[..., :n, :n] - weights).max() > 0.01
    np.testing.assert_allclose(recording.maps.weights[layer, head, query].sum(), 1, atol=1e-5)
    probabilities = torch.softmax(logits[place].double(), dim=-1)
    np.testing.assert_allclose(predicted.ablated_probabilities, probabilities[list(predicted.ids)], atol=1e-5)
    assert [str(one) for one in predicted.cut] == [cut]
    assert np.abs(predicted.ablated_probabilities - predicted.probabilities).max() > 1e-4


def test_weights_fall_on_their_row_head_and_query_only():
    weights = torch.full((2, 3, 4, 4), 0.25)
    weights[1, 2, 3] = torch.tensor([0.5, 0.1, 0.2, 0.1])  # sums to .9, as behind a sink that is no token
    changes = HeadChanges("self", {1: [Change(HeadId(0, 2), cut=Cut.of("L0H2:3-0"))]})
    changed = changes.weights(Site("self", 0), weights)
    np.testing.assert_allclose(changed[1, 2, 3], [0, 0.225, 0.45, 0.225], atol=1e-6)  # the rest times .9 / .4
    changed[1, 2, 3] = weights[1, 2, 3]
    assert torch.equal(changed, weights)
    assert changes.weights(Site("self", 1), weights) is None
    assert changes.weights(Site("cross", 0), weights) is None


def test_link_behind_a_mask_and_a_row_of_one_link_are_refused():
    weights = torch.tensor([[[[1.0, 0.0], [0.0, 1.0]]]])
    changes = HeadChanges("self", {0: [Change(HeadId(0, 0), cut=Cut.of("L0H0:1-0"))]})
    allowed = torch.tensor([[[[True, False], [False, True]]]])
    with pytest.raises(InputError, match="L0H0:1-0 is masked in this model, or has"):
        changes.weights(Site("self", 0, allowed), weights)
    changes = HeadChanges("self", {0: [Change(HeadId(0, 0), cut=Cut.of("L0H0:1-1"))]})
    with pytest.raises(InputError, match="L0H0:1-1 is masked in this model, or has all the weight of its row"):
        changes.weights(Site("self", 0), weights)


def test_links_of_weights_that_are_not_what_acts_are_refused(tmp_path):
    model = load_snapshot(SINK_BEHIND_WEIGHTS.save(tmp_path))
    assert predict("the man saw", model, ablated=["L1H3"]).ablated_probabilities is not None
    for refused in (
        lambda: predict("the man saw", model, cut=["L1H3:2-1"]),
        lambda: list(iter_link_sweep(COPY, model)),
    ):
        with pytest.raises(AttentionUnavailable, match="after its weights act, so no link can be cut"):
            refused()


@pytest.mark.parametrize(
    ("cut", "sentence"),
    [
        (["L0H1"], "written as L23H4:5-4, query before key; 'L0H1' is not"),
        (["L0H1:4–2"], "written as L23H4:5-4"),
        (["L9H0:4-2"], "has heads L0H0 to L1H3; you asked for L9H0"),
        (["L0H1:9-2"], r"reads this text as tokens 0 to \d; there is no link L0H1:9-2"),
        (["L0H1:4-3.2"], "there is no link L0H1:4-3.2"),
        (["L0H1:2-4"], "no token attends to a later one: there is no link L0H1:2-4"),
        (["L0H1:2.4-3"], "no token attends to a later one"),
        (["L0H1:0-0"], "Token 0 would attend to nothing in L0H1"),
        (["L0H1:1-0", "L0H1:1-1"], "Token 1 would attend to nothing in L0H1"),
        ([f"L0H{head}:4-{key}" for head in (1, 2, 3) for key in (1, 2)], "At most 4 links can be cut; these are 6"),
    ],
)
def test_impossible_cuts_are_refused(cut, sentence):
    for run in (lambda: ablate(COPY, model="copier", cut=cut), lambda: predict(COPY, "copier", cut=cut)):
        with pytest.raises(InputError, match=sentence):
            run()


def test_links_of_an_ablated_head_are_refused():
    with pytest.raises(InputError, match="L0H1 is ablated, so cutting one of its links would change nothing"):
        ablate(COPY, ["L0H1"], model="copier", cut=["L0H1:4-2"])


def test_cut_and_ablation_act_together():
    found = mha.next_words(COPY, "copier", ablated=["L1H3"], cut=["L1H0:5-3"])
    expected = predict(COPY, "copier", found.sweep.ids, ["L1H3"], cut=["L1H0:5-3"])
    np.testing.assert_allclose(found.after, expected.ablated_probabilities)
    alone = [
        mha.next_words(COPY, "copier", ablated=["L1H3"]).after,
        mha.next_words(COPY, "copier", cut=found.cut).after,
    ]
    assert all(np.abs(found.after - other).max() > 1e-4 for other in alone)


def test_sweep_leaves_out_the_sink_of_a_causal_model():
    """The largest links of SmolLM2 lead to the first token, whatever it is."""
    largest = next(iter_link_sweep(RUTH, "smollm2", links=20)).links
    assert len(largest) == 20
    assert all(link.keys[0] > 0 for link in largest)


def test_sweep_equals_one_cut_at_a_time():
    results = list(iter_link_sweep(COPY, "copier", links=9, rows=1))
    assert [result.n_measured for result in results] == sorted(result.n_measured for result in results)
    assert results[0].n_measured == 0
    final = results[-1]
    assert final.n_measured == len(final.links) == 9
    assert (np.diff(final.weight) <= 0).all()
    weights = mha.attend(COPY, "copier").weights
    others = [
        weights[layer, head, 5, key]  # token 0 is the beginning of the text, a sink
        for layer in range(2)
        for head in range(4)
        for key in range(1, 6)
        if Cut(HeadId(layer, head), (5, 5), (key, key)) not in final.links
    ]
    assert max(others) <= final.weight.min() + 1e-6
    for link, weight, change in zip(final.links, final.weight, final.change, strict=True):
        assert weight == pytest.approx(weights[link.head][5, link.keys[0]], abs=1e-6)
        cut = predict(COPY, "copier", final.sweep.ids, cut=[link])
        np.testing.assert_allclose(change, np.log(cut.ablated_probabilities) - np.log(cut.probabilities), atol=1e-5)


def test_links_given_twice_are_cut_once():
    final = list(iter_link_sweep(COPY, "copier", links=["L1H0:5-3", "L1H0:5-3", "L0H1:5-4"]))[-1]
    assert [str(link) for link in final.links] == ["L0H1:5-4", "L1H0:5-3"]
    assert final.n_measured == 2
    assert next(iter_link_sweep(COPY, "copier", links=np.int64(3))).links[:1] == final.links[:1]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"links": 0}, "At least one link can be cut; you asked for 0"),
        ({"links": ["L0H1:3-2"]}, "Links from token 5 are cut"),
        ({"links": ["L0H1:5-9"]}, "there is no link L0H1:5-9"),
        ({"model": "reverser"}, r"takes models of one stack; Reverser has two: use translate\("),
    ],
)
def test_sweep_refuses(options, sentence):
    with pytest.raises(InputError, match=sentence):
        next(iter_link_sweep(COPY, **{"model": "copier"} | options))


def test_one_link_of_two_heads_moves_the_word_both_ways():
    """The first example of the pages; measured by hand: 24.0 to 61.9 and 5.8 %."""
    recording = mha.attend(RUTH, "smollm2")
    assert [recording[head][9, 5] for head in ("L24H4", "L23H0")] == pytest.approx([0.798, 0.729], abs=0.001)
    for head, after in (("L24H4", 0.6194), ("L23H0", 0.0582)):
        found = mha.next_words(RUTH, "smollm2", cut=[f"{head}:9-5"])
        assert found.words[0] == "Ruth"
        assert (found.probability[0], found.after[0]) == pytest.approx((0.2399, after), abs=0.001)
    *_, sweep = iter_link_sweep(RUTH, "smollm2")
    assert len(sweep.links) == 60
    assert int((sweep.weight > 0.5).sum()) == 34
    assert sweep.change[sweep.links.index(Cut.of("L24H4:9-5")), 0] == pytest.approx(np.log(0.6194 / 0.2399), abs=0.002)
