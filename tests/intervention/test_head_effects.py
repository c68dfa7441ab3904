"""Looks, adds, matters of the bundled copier, compared with `attend`, `direct` and `predict`."""

import numpy as np
import pytest

import mha
from mha.errors import InputError, NotComparable
from mha.intervention.direct import head_effects, iter_head_effects

TEXT = "moon fish table moon fish"


def test_numbers_are_those_of_other_calls():
    effects = head_effects(TEXT, "copier", ("table", "moon"))
    weights = mha.attend(TEXT, "copier").weights[:, :, -1]  # [layer, head, key]
    np.testing.assert_allclose(effects.attention[..., 0], weights[..., 3], atol=1e-6)
    np.testing.assert_allclose(effects.attention[..., 1], weights[..., 1] + weights[..., 4], atol=1e-6)
    direct = mha.direct(TEXT, "table", "moon", "copier")
    np.testing.assert_array_equal(effects.direct, direct.heads)
    assert effects.score == pytest.approx(direct.total, abs=1e-4)
    prediction = mha.predict(TEXT, "copier", count=48, ablated=["L1H2"])
    without = dict(zip(prediction.ids, prediction.ablated_probabilities, strict=True))
    np.testing.assert_allclose(
        effects.ablated_probability[1, 2], [without[number] for number in effects.ids], rtol=1e-4
    )
    change = np.log(without[effects.ids[0]] / without[effects.ids[1]]) - effects.score
    assert effects.matters[1, 2] == pytest.approx(change, abs=1e-4)


def test_first_result_has_no_ablation_yet():
    first, *_, last = iter_head_effects(TEXT, "copier", ("table", "moon"), rows=1)
    assert np.isnan(first.matters).all()
    assert not first.is_complete
    np.testing.assert_array_equal(first.looks, last.looks)
    assert last.is_complete


def test_words_outside_the_text_look_at_the_word_with_most_attention():
    effects = next(iter_head_effects(TEXT, "copier", ("paper", "ship")))
    weights = mha.attend(TEXT, "copier").weights[:, :, -1].mean(axis=(0, 1))  # [key]
    assert effects.words == ("paper", "ship")
    position = 1 + int(weights[1:5].argmax())  # neither [START], a sink, nor the last word
    assert effects.positions == ((position,),)
    assert effects.looked_at == (TEXT.split()[position - 1],)
    np.testing.assert_allclose(effects.looks, mha.attend(TEXT, "copier").weights[:, :, -1, position], atol=1e-6)


def test_look_is_at_a_chosen_word_or_place():
    weights = mha.attend(TEXT, "copier").weights[:, :, -1]
    by_word = next(iter_head_effects(TEXT, "copier", ("table", "moon"), look_at="fish"))
    np.testing.assert_allclose(by_word.looks, weights[..., 2] + weights[..., 5], atol=1e-6)
    by_place = next(iter_head_effects(TEXT, "copier", look_at=3))
    assert (by_place.looked_at, by_place.positions) == (("moon",), ((4,),))
    np.testing.assert_allclose(by_place.looks, weights[..., 4], atol=1e-6)
    for wrong in ("chair", 5, -1):
        with pytest.raises(InputError, match="is not in the text.*Words of the text: moon, fish, table"):
            next(iter_head_effects(TEXT, "copier", look_at=wrong))
    for first in (0, "Dogs"):
        with pytest.raises(NotComparable, match="no share is counted for “Dogs”"):
            next(iter_head_effects("Dogs bark at night", "smollm2", look_at=first))


def test_without_words_the_two_likeliest_are_compared():
    effects = next(iter_head_effects(TEXT, "copier"))
    prediction = mha.predict(TEXT, "copier", count=2)
    assert (effects.words, effects.ids) == (prediction.words, prediction.ids)
    np.testing.assert_allclose(np.exp(effects.log_probability), prediction.probabilities, rtol=1e-6)
    np.testing.assert_array_equal(effects.direct, mha.direct(TEXT, *prediction.words, "copier").heads)


def test_look_of_smollm2_is_outside_sinks():
    effects = next(iter_head_effects("The capital of France is", "smollm2"))
    assert (effects.words, effects.looked_at, effects.notes) == (("Paris", "the"), ("France",), ())
