"""Looks, adds, matters of the bundled copier, compared with `attend`, `direct` and `predict`."""

from __future__ import annotations

import numpy as np
import pytest

import mha
from mha.errors import AttentionUnavailable, InputError
from mha.intervention.head_effects import head_effects, iter_head_effects

TEXT = "moon fish table moon fish"


def test_numbers_are_those_of_other_calls():
    effects = head_effects(TEXT, "table", "moon", "copier")
    weights = mha.attend(TEXT, "copier").weights[:, :, -1]  # [layer, head, key]
    np.testing.assert_allclose(effects.attention[..., 0], weights[..., 3], atol=1e-6)
    np.testing.assert_allclose(effects.attention[..., 1], weights[..., 1] + weights[..., 4], atol=1e-6)
    direct = mha.direct(TEXT, "table", "moon", "copier")
    np.testing.assert_array_equal(effects.direct, direct.heads)
    assert effects.score == pytest.approx(direct.total, abs=1e-4)
    prediction = mha.predict(TEXT, "copier", count=48, silenced=["L1H2"])
    without = dict(zip(prediction.ids, prediction.silenced, strict=True))
    np.testing.assert_allclose(
        effects.ablated_probability[1, 2], [without[number] for number in effects.ids], rtol=1e-4
    )
    change = np.log(without[effects.ids[0]] / without[effects.ids[1]]) - effects.score
    assert effects.matters[1, 2] == pytest.approx(change, abs=1e-4)


def test_first_result_has_no_ablation_yet():
    first, *_, last = iter_head_effects(TEXT, "table", "moon", "copier", rows=1)
    assert np.isnan(first.matters).all()
    assert not first.is_complete
    np.testing.assert_array_equal(first.looks, last.looks)
    assert last.is_complete


def test_word_outside_text_is_refused():
    with pytest.raises(InputError, match="'chair' is not in the text.*Words of the text: moon, fish, table"):
        head_effects(TEXT, "table", "chair", "copier")


def test_encoder_is_refused():
    with pytest.raises(AttentionUnavailable, match="MiniLM"):
        head_effects("A dog ate.", "dog", "ate", "minilm")
