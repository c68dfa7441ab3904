"""The effect of ablation on a recording, written out by hand where that is possible."""

import dataclasses

import numpy as np
import pytest
import torch

from mha.errors import AttentionUnavailable, InputError
from mha.intervention.ablation import Change, HeadChanges, ablate
from mha.intervention.bank import bundled_means, computed_means, head_means
from mha.intervention.predicting import iter_word_sweep, predict
from mha.intervention.subject import subject
from mha.maps import HeadId
from mha.models.files.loading import load_snapshot
from mha.models.watch.attending import attend, record_text
from mha.models.watch.attention import Site
from mha.pairs import corpus
from tests.intervention.brute import PLAIN_WAYS, ROWS, TEXT, left_on, outputs
from tests.models.tiny import D_HEAD

COPY = "moon fish table moon fish"


def test_the_ablated_head_and_all_before_it_look_where_they_did(minilm):
    before, after = record_text(TEXT, minilm).maps, ablate(TEXT, [(2, 1)], "zero", model=minilm).maps
    np.testing.assert_allclose(after.weights[:3], before.weights[:3], atol=1e-6)
    assert np.abs(after.weights[3] - before.weights[3]).max() > 0.01
    assert left_on(minilm) == []


@pytest.mark.parametrize(
    ("heads", "kind", "sentence"),
    [
        ([(6, 0)], "zero", "MiniLM has heads L0H0 to L5H11; you asked for L6H0"),
        (["nine"], "zero", "named like L5H3"),
        ([(0, 0)], "softly", "ablated by mean or zero; this is 'softly'"),
        ([(0, 0)], "uniform", "ablated by mean or zero; this is 'uniform'"),
        ([(0, 0)], "resample", "ablated by mean or zero; this is 'resample'"),
    ],
)
def test_bad_heads_get_a_sentence(heads, kind, sentence, minilm):
    with pytest.raises(InputError, match=sentence):
        ablate(TEXT, heads, kind, model=minilm)


def test_changes_fall_on_their_row_and_head_only():
    output = torch.ones(3, 2, 5, 7)  # [row, query, head, d_head]
    changes = HeadChanges(
        "self", {1: [Change(HeadId(0, 4), scale=3.0)], 2: [Change(HeadId(0, 1), 0.0, torch.full((1, 7), 11.0))]}
    )
    changed = changes.output(Site("self", 0), output)
    expected = output.clone()
    expected[1, :, 4] = 3
    expected[2, :, 1] = 11
    assert torch.equal(changed, expected)
    assert (output == 1).all()
    assert changes.output(Site("self", 1), output) is None
    assert changes.output(Site("cross", 0), output) is None
    assert changes.weights(Site("self", 0), torch.ones(3, 5, 2, 2)) is None


def test_bundled_means_are_the_mean_outputs_over_the_corpus(minilm, monkeypatch):
    sentences = corpus()[::23]
    monkeypatch.setattr("mha.intervention.bank.corpus", lambda: sentences)
    found = computed_means(subject(minilm))
    kept = [outputs(minilm, PLAIN_WAYS[0], text, 6, 12) for text in sentences]
    np.testing.assert_allclose(found, np.concatenate(kept, axis=2).mean(axis=2), atol=1e-5)
    bundled = bundled_means(minilm)
    assert bundled.shape == (6, 12, 32)
    assert bundled.dtype == np.float32
    assert np.corrcoef(bundled.ravel(), found.ravel())[0, 1] > 0.9  # fourteen sentences are near three hundred
    assert head_means(subject(minilm)) is head_means(subject(minilm))


def test_means_of_other_weights_are_not_taken_from_the_bundle(tiny):
    assert bundled_means(tiny(ROWS["GPT2Model"])) is None


@pytest.mark.parametrize(
    ("architecture", "text", "position", "matrix"),
    [
        ("LlamaForCausalLM", "the man saw", -2, "model.layers.0.self_attn.o_proj"),  # the last is its end sign
        ("BertForMaskedLM", "the [MASK] saw the man", 2, "bert.encoder.layer.0.attention.output.dense"),
    ],
)
def test_ablation_at_the_predicting_position_equals_a_hook(architecture, text, position, matrix, tmp_path):
    row = ROWS[architecture.replace("MaskedLM", "Model").replace("BertFor", "Bert")]
    loaded = load_snapshot(dataclasses.replace(row, architecture=architecture).save(tmp_path))
    recording = ablate(text, ["L0H2"], "zero", loaded, positions="predicting")
    ids = loaded.tokenizer(text.replace("[MASK]", "a"))["input_ids"]
    ids[position] = loaded.tokenizer.mask_token_id or ids[position]

    def hook(_module, arguments):
        outputs = arguments[0].clone()  # [text, token, head · d_head]
        outputs[0, position, 2 * D_HEAD : 3 * D_HEAD] = 0
        return (outputs, *arguments[1:])

    handle = loaded.model.get_submodule(matrix).register_forward_pre_hook(hook)
    loaded.model.set_attn_implementation("eager")
    with torch.no_grad():
        outputs = loaded.model(torch.tensor([ids]), output_attentions=True)
    handle.remove()
    expected = torch.stack(outputs.attentions)[:, 0].numpy()
    np.testing.assert_allclose(recording.maps.weights, expected, atol=1e-5)
    everywhere = ablate(text, ["L0H2"], "zero", loaded)
    assert everywhere.maps.weights.shape != expected.shape or np.abs(everywhere.maps.weights - expected).max() > 1e-4
    place = len(ids) + position if position < 0 else position
    predicted = predict(text, loaded, count=10, ablated=["L0H2"], kind="zero", positions="predicting")
    probabilities = torch.softmax(outputs.logits[0, place].double(), dim=-1)
    np.testing.assert_allclose(predicted.ablated_probabilities, probabilities[list(predicted.ids)], atol=1e-5)
    *_, sweep = iter_word_sweep(text, loaded, list(predicted.ids), kind="zero", positions="predicting", rows=3)
    np.testing.assert_allclose(sweep.ablated_probability[0, 2], predicted.ablated_probabilities, rtol=2e-5)
    assert sweep.positions == predicted.positions == "predicting"


@pytest.mark.parametrize("kind", ["mean", "zero"])
def test_ablation_at_the_predicting_position_leaves_others(kind):
    changed, before = ablate(COPY, ["L0H1"], kind, "copier", positions="predicting").maps, attend(COPY, "copier")
    np.testing.assert_allclose(changed.weights[1, :, :-1], before.weights[1, :, :-1], atol=1e-6)
    assert np.abs(changed.weights[1, :, -1] - before.weights[1, :, -1]).max() > 1e-3


@pytest.mark.parametrize(
    ("run", "error", "sentence"),
    [
        (lambda: ablate(COPY, [], model="copier", positions="last"), InputError, "positions 'all' or 'predicting'"),
        (lambda: predict(COPY, "copier", positions="last"), InputError, "positions 'all' or 'predicting'"),
        (lambda: ablate(COPY, [], model="reverser", positions="predicting"), InputError, "predicts in its decoder"),
        (lambda: next(iter_word_sweep(COPY, "reverser", positions="predicting")), InputError, "choose positions='all'"),
        (
            lambda: ablate(COPY, [], model="minilm", positions="predicting"),
            AttentionUnavailable,
            "no position predicts",
        ),
    ],
)
def test_positions_that_do_not_exist_are_refused(run, error, sentence):
    with pytest.raises(error, match=sentence):
        run()
