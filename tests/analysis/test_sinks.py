"""Setting sinks aside, checked by hand."""

import dataclasses

import numpy as np
import pytest

from mha.analysis.sinks import (
    measured_layers,
    set_aside,
    sink_columns,
    sink_mass,
)
from mha.errors import InputError
from mha.examples import examples
from mha.maps import AttentionMaps, Token, sink_places
from mha.models.watch.attending import attend

CLS, SEP = Token("[CLS]", special=True), Token("[SEP]", special=True)
A, B, COMMA, STOP = Token("a", word=0), Token("b", word=1), Token(","), Token(".")


def maps_of(tokens: tuple[Token, ...], row: list[float], causal: bool = False) -> AttentionMaps:
    weights = np.tile(np.array(row, dtype=np.float32), (2, 3, len(tokens), 1))
    return AttentionMaps(np.tril(weights) if causal else weights, tokens, causal=causal)


def test_special_tokens_and_final_punctuation_are_sinks_inner_punctuation_is_not():
    tokens = (CLS, A, COMMA, B, STOP, STOP, SEP)
    assert sink_columns(maps_of(tokens, [1, 0, 0, 0, 0, 0, 0])).tolist() == [
        True, False, False, False, True, True, True,
    ]  # fmt: skip


def test_each_text_of_a_pair_has_its_own_final_punctuation():
    second = (Token("c", word=2, segment=1), Token("?", segment=1), Token("[SEP]", special=True, segment=1))
    assert sink_columns(maps_of((CLS, A, STOP, SEP, *second), [1, *[0] * 6])).tolist() == [
        True, False, True, True, False, True, True,
    ]  # fmt: skip


def test_position_0_is_a_sink_in_causal_models_unless_a_reading_needs_it():
    causal = maps_of((A, B, Token("c", word=2)), [0.25, 0.25, 0.5], causal=True)
    assert sink_columns(causal).tolist() == [True, False, False]
    assert sink_columns(causal, keep={0}).tolist() == [False, False, False]
    assert not sink_columns(maps_of((A,), [1], causal=True)).any()  # alone it is all there is


def test_rows_are_rescaled_and_the_share_is_reported():
    aside = set_aside(maps_of((CLS, A, B, SEP), [0.5, 0.125, 0.25, 0.125]))
    assert aside.kept == (1, 2)
    assert aside.sinks == (CLS, SEP)
    assert aside.maps.tokens == (A, B)
    np.testing.assert_allclose(aside.maps[1, 2], [[1 / 3, 2 / 3]] * 2, rtol=1e-6)
    np.testing.assert_allclose(aside.mass, np.full((2, 3, 2), 0.625))
    np.testing.assert_allclose(aside.share, np.full((2, 3), 0.625))
    assert not aside.empty.any()


def test_a_row_with_almost_nothing_left_is_empty_not_blown_up():
    aside = set_aside(maps_of((CLS, A, B), [0.995, 0.004, 0.001]))
    assert aside.empty.all()
    assert not aside.maps.weights.any()


def test_missing_mass_counts_as_set_aside():
    sunk = maps_of((A, B), [0.25, 0.5])
    np.testing.assert_allclose(sink_mass(sunk, sink_columns(sunk))[0], np.full((2, 3, 2), 0.25), atol=1e-6)
    np.testing.assert_allclose(set_aside(sunk).maps[0, 0], [[1 / 3, 2 / 3]] * 2, rtol=1e-6)


def test_nothing_but_sinks_is_a_sentence_not_an_empty_picture():
    with pytest.raises(InputError, match="nothing left to look at"):
        set_aside(maps_of((CLS, STOP, SEP), [0.5, 0.25, 0.25]))


N = 9
UNIFORM = np.tril(np.ones((N, N))) / np.arange(1, N + 1)[:, None]


def collecting(place: int, share: float = 0.4) -> np.ndarray:
    """Rows of a causal head that give a share to one place from there on, the rest evenly to what they see."""
    rows = UNIFORM * (1 - share)
    rows[place:, place] += share
    rows[:place] /= 1 - share
    return rows


def causal_maps(heads: list[np.ndarray], n_layers: int = 4, n_plain: int = 4) -> AttentionMaps:
    """Maps whose first layers have these heads, the last ``n_plain`` layers even ones."""
    tokens = tuple(Token(f"w{number}", word=number) for number in range(N))
    weights = np.array([heads] * n_layers + [[UNIFORM] * len(heads)] * n_plain, dtype=np.float32)
    return AttentionMaps(weights, tokens, causal=True)


def test_measured_sink_is_a_key_that_most_later_queries_attend_to():
    maps = causal_maps([collecting(2)] * 3 + [UNIFORM])
    assert measured_layers(maps).tolist() == [0, 0, 4, *[0] * 6]
    assert np.flatnonzero(sink_columns(maps)).tolist() == [0, 2]
    assert np.flatnonzero(sink_columns(maps, merge=True)).tolist() == [0, 2]
    assert [token.text for token in set_aside(maps).sinks] == ["w0", "w2"]


def test_measured_sink_is_kept_for_a_reading():
    maps = causal_maps([collecting(2)] * 4)
    assert np.flatnonzero(sink_columns(maps, keep={2})).tolist() == [0]


@pytest.mark.parametrize(
    ("heads", "n_layers"),
    [
        ([collecting(2)] * 2 + [UNIFORM] * 2, 4),  # half of the heads
        ([collecting(2)] * 4, 1),  # one layer of five
        ([collecting(2)] * 3, 4),  # three heads: "most heads" means little
        ([collecting(6)] * 4, 4),  # two later queries
        ([collecting(2, 0.15)] * 4, 4),  # 0.15 + 0.85 / 4 is less than twice the even share 1 / 4
        ([UNIFORM] * 4, 4),
        ([np.eye(N, k=-1) + np.eye(N) * (np.arange(N) == 0)] * 4, 4),  # previous word
    ],
)
def test_no_sink_is_measured_below_the_thresholds(heads, n_layers):
    assert not measured_layers(causal_maps(heads, n_layers)).any()


def test_words_of_several_tokens_are_measured_together():
    tokens = tuple(Token(f"t{number}", word=max(0, number - 1), start=number, end=number + 1) for number in range(N))
    maps = dataclasses.replace(causal_maps([collecting(3)] * 4), tokens=tokens, key_tokens=tokens)
    assert np.flatnonzero(sink_columns(maps, merge=True)).tolist() == [0, 2]  # the first two tokens are one word
    assert np.array_equal(sink_columns(maps, merge=True), sink_columns(maps.merged()))


def test_minilm_has_no_measured_sink_in_its_examples():
    for example in examples()[:6]:
        maps = attend(example.sentence)
        assert np.array_equal(sink_columns(maps), sink_places(maps.tokens))
