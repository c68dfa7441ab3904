"""The effect of a head at single positions of a text."""

import numpy as np

from mha.intervention import next_words as module
from mha.intervention.next_words import effect_by_position
from mha.intervention.predicting import predict
from mha.maps import HeadId

TEXT = "moon fish table moon fish"
LAST = 5  # the copier puts a token in front


def test_everywhere_and_at_the_predicting_position_are_those_of_predict():
    effects = effect_by_position(TEXT, "L1H2", "copier")
    for positions, change in (("all", effects.everywhere), ("predicting", effects.change[0])):
        live = predict(TEXT, "copier", effects.ids, ablated_in_turn=["L1H2"], positions=positions)
        np.testing.assert_allclose(np.exp(effects.log_probability + change), live.probabilities_in_turn[0], atol=1e-5)
    assert (effects.head, effects.positions[0]) == (HeadId(1, 2), LAST)


def test_other_positions_are_measured_if_the_last_brings_less_than_half():
    heads = [HeadId(layer, head) for layer in range(2) for head in range(2)]
    effects = [effect_by_position(TEXT, head, "copier") for head in heads]
    for one in effects:
        everywhere, at_positions = one.effects(0)
        is_enough = everywhere * at_positions[0] >= everywhere**2 / 2
        assert one.positions == ((LAST,) if is_enough else (LAST, *range(LAST)))
    assert {len(one.positions) for one in effects} == {1, 6}, "both cases occur"


def test_a_change_at_a_later_layer_of_a_causal_model_needs_its_own_position():
    """In the last layer only the predicting position is read: ablation anywhere else changes nothing."""
    effects = effect_by_position(TEXT, "L1H0", "copier")
    np.testing.assert_allclose(effects.change[0], effects.everywhere, atol=1e-5)
    assert effects.positions == (LAST,)


def test_a_long_text_has_the_positions_with_the_largest_estimate(monkeypatch):
    monkeypatch.setattr(module, "MOST_POSITIONS", 2)
    monkeypatch.setattr(module, "HALF", 10.0)  # more than the last position brings
    effects = effect_by_position(TEXT, "L0H0", "copier")
    assert effects.positions[0] == LAST
    assert len(effects.positions) == 3
    monkeypatch.setattr(module, "MOST_POSITIONS", 8)
    whole = effect_by_position(TEXT, "L0H0", "copier")
    sizes = dict(zip(whole.positions[1:], np.abs(whole.effects(0)[1][1:]), strict=True))
    assert max(sizes, key=sizes.get) in effects.positions
