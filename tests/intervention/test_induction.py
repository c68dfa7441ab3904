"""Induction scores of the bundled copier, whose second layer continues lists."""

import numpy as np
import pytest

from mha.intervention.induction import Induction, induction, random_tokens, run_repeated
from mha.intervention.subject import subject
from mha.maps import HeadId
from mha.models.watch.attending import load_model
from mha.models.watch.recording import record


@pytest.fixture(scope="module")
def copier():
    return subject(load_model("copier"))


def test_label_has_threshold_and_rate():
    scrambled = np.array([[[0.1, 0.3]], [[0.2, 0.1]]])  # [copy, layer, head]: one of four reaches 0.3
    result = Induction(np.array([[0.4, 0.9]]), np.zeros((1, 2)), scrambled, (-9.0, -1.0), threshold=0.3)
    assert result.heads == (HeadId(0, 1), HeadId(0, 0))
    assert result.scrambled_rate == 0.25


def test_rate_without_copies_is_unknown():
    assert np.isnan(induction("copier", n_tokens=5, n_sequences=1, n_copies=0).scrambled_rate)


@pytest.mark.parametrize("repeated", [True, False])
def test_random_tokens_repeat_or_differ(copier, repeated):
    ids, start, n_tokens = random_tokens(copier, 3, 10, seed=0, repeated=repeated)
    assert (ids.shape, start, n_tokens) == ((3, 21), 1, 10)
    assert (ids[:, 1:11] == ids[:, 11:]).all() == repeated
    for row in ids:
        assert row[0] == copier.loaded.tokenizer.bos_token_id
        assert len(set(row)) == (11 if repeated else 21)
        assert not set(row[1:]) & set(copier.loaded.tokenizer.all_special_ids)


def test_scores_are_cells_of_recording(copier):
    """Four tokens after [START]: queries 5 to 8 attend to keys 2 to 5."""
    sequences = random_tokens(copier, 2, 4, seed=0)
    measured = run_repeated(copier, sequences)
    for number, ids in enumerate(sequences.ids):
        weights = record(copier.model, input_ids=ids[None].tolist()).maps.weights
        np.testing.assert_allclose(
            measured.induction[number], weights[:, :, range(5, 9), range(2, 6)].mean(-1), atol=1e-6
        )
        np.testing.assert_allclose(
            measured.previous[number], weights[:, :, range(5, 9), range(4, 8)].mean(-1), atol=1e-6
        )


def test_copier_needs_its_first_layer():
    """Without the previous-token head of layer 0 no head of layer 1 is an induction head, and nothing is predicted."""
    whole, without = (induction("copier", ablate=heads, n_tokens=20, n_copies=1) for heads in ((), ("L0H1",)))
    assert {head.layer for head in whole.heads} == {1}
    assert (without.heads, without.ablated) == ((), (HeadId(0, 1),))
    assert whole.log_probability[1] > -1 > -2 > without.log_probability[1]
    assert whole.scrambled_rate == 0
    np.testing.assert_array_equal(whole.unrepeated, without.unrepeated)
