"""The public names as a notebook uses them, on the sentence whose story is known."""

import numpy as np
import pytest

import mha

TEXT = "A dog ate the food because it was hungry."
CONTRAST = "A dog ate the food because it was delicious."
READINGS = (mha.Reading("the dog", [("it", "dog")], cue="hungry"), mha.Reading("the food", [(6, 4)]))


def test_where_heads_look_and_what_they_carry():
    lean = mha.lean(mha.attend(TEXT).merged(), READINGS)
    assert lean.shape == (6, 12)
    assert lean[3, 1] > 0.2
    carried = mha.patch(TEXT, CONTRAST, READINGS).carried
    assert carried[2, 1] == pytest.approx(0.27, abs=0.01)
    assert np.isnan(carried[5]).all()


def test_the_score_its_sweep_and_one_head_silenced_agree():
    score = mha.preference(TEXT, READINGS)
    effect = mha.sweep(TEXT, READINGS).effect
    silenced = mha.preference(TEXT, READINGS, silenced=[(2, 1)])
    assert silenced - score == pytest.approx(effect[2, 1], abs=1e-5)
    assert score > mha.preference(CONTRAST, (mha.Reading("the dog", [("it", "dog")]), READINGS[1]))


def test_a_recording_with_a_head_silenced_differs_only_after_it():
    plain, without = mha.attend(TEXT), mha.ablate(TEXT, [(2, 1)]).maps
    assert np.allclose(plain.weights[:3], without.weights[:3], atol=1e-6)
    assert not np.allclose(plain.weights[3], without.weights[3], atol=1e-3)


def test_words_that_are_not_there_and_readings_that_are_one_are_refused():
    with pytest.raises(mha.InputError, match="banana"):
        mha.preference(TEXT, (mha.Reading("x", [("it", "banana")]), READINGS[1]))
    with pytest.raises(mha.InputError):
        mha.preference(TEXT, (READINGS[0], READINGS[0]))
