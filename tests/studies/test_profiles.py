"""The measurement of profiles agrees with the package and with the bundled file."""

import numpy as np
import pytest
import torch

import mha
from mha.analysis.profiles import CONTRIBUTIONS, bundled_profiles
from mha.intervention.subject import subject
from mha.intervention.sweep import vector_changes
from mha.models.files.catalog import model_row
from mha.models.files.loading import load
from mha.pairs import corpus
from studies import profiles

TEXT = "The painter watched the boy with the binoculars."


@pytest.fixture(scope="module")
def minilm():
    return subject(load("minilm"))


def test_contributions_are_those_of_the_package(minilm):
    profile = profiles.text_profile(minilm, TEXT)
    shares = mha.contributions(TEXT, "minilm").as_maps().merged()
    words = [n for n, token in enumerate(shares.tokens) if token.word is not None]
    own = np.mean([shares.weights[:, :, word, word] for word in words], axis=0)
    np.testing.assert_allclose(profile["contributions"][CONTRIBUTIONS.index("same_word")], own, atol=1e-5)


def test_changes_of_next_tokens_are_those_of_one_ablation():
    loaded = load("smollm2")
    experiment = subject(loaded)
    text = "The key to the cabinets is"
    changes = profiles.next_token_changes(experiment, text)
    inputs = experiment.inputs(experiment.encoded(text))
    ids = inputs["input_ids"][0]
    with torch.inference_mode():
        whole = torch.log_softmax(experiment.model(**inputs).logits[0].double(), dim=-1)
    assert changes.shape == (270, len(ids) - 1)
    from mha.intervention.predicting import predict

    last = predict("The key to the cabinets", "smollm2", [int(ids[-1])], ablated=["L23H4"])
    expected = np.log(last.ablated_probabilities[0]) - float(whole[len(ids) - 2, ids[-1]])
    assert changes[23 * 9 + 4, -1] == pytest.approx(expected, abs=1e-4)


def test_bundled_effect_of_minilm_is_the_mean_turn_of_vectors(minilm):
    effect = bundled_profiles("minilm", model_row("minilm").revision).measures["effect"].ravel()
    sample = np.mean([vector_changes(minilm, text) for text in corpus()[::30]], axis=0)
    assert np.corrcoef(effect, sample)[0, 1] > 0.95
