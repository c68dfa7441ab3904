"""What a model predicts, with and without heads: decoders, gaps, targets."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

import mha
from mha.errors import AttentionUnavailable, InputError
from mha.intervention.predicting import iter_word_sweep, predict
from mha.models.files.loading import LoadedModel, load_snapshot
from tests.models.snapshots import save
from tests.models.tiny import GROUPED, THROUGH_THE_INTERFACE, Tiny

ALL = [(layer, head) for layer in range(3) for head in range(5)]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder: Path = tmp_path_factory.mktemp("snapshots")
    return {name: load_snapshot(save(f"tiny-{name}", folder)) for name in ("causal", "masked", "encoder-decoder")}


def own(loaded: LoadedModel, place: int, **inputs: list[list[int]]) -> np.ndarray:
    with torch.no_grad():
        logits = loaded.model(**{name: torch.tensor(ids) for name, ids in inputs.items()}).logits
    return torch.softmax(logits[0, place].double(), dim=-1).numpy()


def test_a_decoder_predicts_the_next_word_as_the_model_does(models):
    loaded = models["causal"]
    found = mha.predict("the man saw the", model=loaded)
    expected = own(loaded, -1, input_ids=[loaded.tokenizer("the man saw the")["input_ids"]])
    assert found.ids == tuple(np.argsort(-expected)[:10])
    assert found.words[0] == loaded.tokenizer.convert_ids_to_tokens(found.ids[0])
    np.testing.assert_allclose(found.probabilities, expected[list(found.ids)], atol=1e-6)
    assert (found.place, len(found.tokens), found.vocabulary) == (3, 4, len(expected))
    assert (found.ablated_probabilities, found.probabilities_in_turn, found.ablated_word) == (None, None, "")


def test_ablated_heads_move_the_same_words(models):
    loaded = models["causal"]
    found = predict("the man saw the", loaded, ablated=[(0, 1), "L2H3"], ablated_in_turn=ALL, kind="zero")
    assert found.ablated_probabilities is not None
    assert found.probabilities_in_turn is not None
    assert found.probabilities_in_turn.shape == (15, 10)
    assert np.abs(found.ablated_probabilities - found.probabilities).max() > 1e-4
    alone = predict("the man saw the", loaded, ablated=[(1, 4)], kind="zero")
    np.testing.assert_allclose(found.probabilities_in_turn[ALL.index((1, 4))], alone.ablated_probabilities, atol=1e-6)
    assert found.ids == alone.ids  # not sorted again
    assert found.ablated_word


@pytest.mark.parametrize("name", ["causal", "masked"])
def test_word_sweep_equals_full_passes(models, name):
    loaded = models[name]
    text = "the man saw the" if name == "causal" else "the [MASK] saw the dog."
    *partial, sweep = iter_word_sweep(text, loaded, words=3, kind="zero", rows=2)
    alone = [predict(text, loaded, count=3, ablated=[head], kind="zero") for head in ALL]
    assert sweep.ids == alone[0].ids
    np.testing.assert_allclose(sweep.probability, alone[0].probabilities, rtol=2e-5)
    expected = np.array([one.ablated_probabilities for one in alone]).reshape(3, 5, 3)  # [layer, head, word]
    np.testing.assert_allclose(sweep.ablated_probability, expected, rtol=2e-5)
    assert np.abs(sweep.change).max() > 1e-3
    assert sweep.words == alone[0].words
    assert sweep.names([int(number) for number in sweep.likeliest.ravel()]) == tuple(one.ablated_word for one in alone)
    assert [one.n_measured for one in partial] == sorted({one.n_measured for one in partial})
    assert np.isnan(partial[0].change).all()
    assert np.isfinite(partial[1].change[0, :2]).all()


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in THROUGH_THE_INTERFACE if row.causal], ids=lambda row: row.architecture)
def test_word_sweep_equals_full_passes_in_every_decoder(row, tmp_path):
    decoder = transformers.AutoModelForCausalLM._model_mapping[type(row.config)].__name__
    loaded = load_snapshot(dataclasses.replace(row, architecture=decoder).save(tmp_path))
    *_, sweep = iter_word_sweep("I saw the man with the", loaded, words=3, kind="zero", rows=2)
    for head in [(0, 0), (0, 4), (1, 1), (1, 4)]:
        alone = predict("I saw the man with the", loaded, count=3, ablated=[head], kind="zero")
        np.testing.assert_allclose(sweep.ablated_probability[head], alone.ablated_probabilities, rtol=1e-4)
    assert np.abs(sweep.change).max() > 0.1


def test_blocks_that_need_more_than_their_input_are_swept_as_a_whole(tmp_path):
    """NeoMME adds embeddings of the text in each block, so no row can join on the way."""
    loaded = load_snapshot(Tiny("NeoMMEForMaskedLM", GROUPED | {"pad_token_id": 0, "head_dim": 16}).save(tmp_path))
    text = "the [MASK] saw the dog."
    *_, sweep = iter_word_sweep(text, loaded, words=3, kind="zero", order="estimate")
    for head in [(0, 0), (1, 4)]:
        alone = predict(text, loaded, count=3, ablated=[head], kind="zero")
        np.testing.assert_allclose(sweep.ablated_probability[head], alone.ablated_probabilities, rtol=1e-4)
    assert np.abs(sweep.change).max() > 0.1
    with pytest.raises(AttentionUnavailable, match="blocks that need more than their input"):
        mha.rank_by_layer(text, loaded)


def test_a_typed_mask_is_filled(models):
    loaded = models["masked"]
    found = predict("the [MASK] saw the dog.", loaded, ablated=[(1, 1)])
    mask = loaded.tokenizer.mask_token_id
    ids = [list(loaded.tokenizer("the man saw the dog.")["input_ids"])]
    ids[0][2] = mask
    expected = own(loaded, 2, input_ids=ids)
    assert found.place == 2
    assert found.tokens[2].text == "[MASK]"
    assert found.tokens[3].start == len("the [MASK] ")
    assert found.ids == tuple(np.argsort(-expected)[:10])
    np.testing.assert_allclose(found.probabilities, expected[list(found.ids)], atol=1e-6)
    assert found.ablated_probabilities is not None


def test_an_encoder_decoder_goes_on_with_a_target(models):
    loaded = models["encoder-decoder"]
    source = [loaded.tokenizer("the man saw the dog")["input_ids"]]
    begun = loaded.tokenizer("the dog")["input_ids"][:-1]
    for target, ids in (("", [0]), ("the dog", [0, *begun])):
        found = predict("the man saw the dog", loaded, target=target, ablated=[(0, 0)], kind="zero")
        expected = own(loaded, -1, input_ids=source, decoder_input_ids=[ids])
        assert found.place == len(ids) - 1
        np.testing.assert_allclose(found.probabilities, expected[list(found.ids)], atol=1e-6)
        assert found.ablated_probabilities is not None


def test_what_cannot_be_predicted_is_said(models):  # fmt: skip
    with pytest.raises(AttentionUnavailable, match="Toy predicts no words"):
        predict("the man", "toy")
    with pytest.raises(AttentionUnavailable, match="MiniLM predicts no words"):
        predict("the [MASK]")
    with pytest.raises(InputError, match=r"Type \[MASK\] where a word is missing"):
        predict("the man", models["masked"])
    with pytest.raises(InputError, match="you asked for L3H0"):
        predict("the man", models["causal"], ablated=[(3, 0)])
    with pytest.raises(InputError, match="A head is ablated by mean or zero"):
        predict("the man", models["causal"], ablated=[(0, 0)], kind="axe")
    with pytest.raises(InputError, match="no decoder beside its encoder"):
        predict("the man", models["causal"], target="a")
    with pytest.raises(InputError, match="1 to 100 words"):
        predict("the man", models["causal"], count=0)


def test_word_sweep_of_an_encoder_decoder_equals_predict(models):
    loaded = models["encoder-decoder"]
    *_, sweep = iter_word_sweep("the man", loaded, target="the")
    prediction = predict("the man", loaded, sweep.ids, ablated_in_turn=["L0H0", "L1H1"], target="the")
    assert np.allclose(sweep.probability, prediction.probabilities, atol=1e-6)
    assert np.allclose(
        [sweep.ablated_probability[0, 0], sweep.ablated_probability[1, 1]], prediction.probabilities_in_turn, atol=1e-6
    )
    assert sweep.n_measured == sweep.likeliest.size
