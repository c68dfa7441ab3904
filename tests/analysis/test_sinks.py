"""Setting sinks aside, checked by hand."""

import numpy as np
import pytest

from mha.analysis.sinks import set_aside, sink_columns, sink_mass, sink_share
from mha.errors import InputError
from mha.maps import AttentionMaps, Token

CLS, SEP = Token("[CLS]", special=True), Token("[SEP]", special=True)
A, B, COMMA, STOP = Token("a", word=0), Token("b", word=1), Token(","), Token(".")


def maps_of(tokens: tuple[Token, ...], row: list[float], causal: bool = False) -> AttentionMaps:
    weights = np.tile(np.array(row, dtype=np.float32), (2, 3, len(tokens), 1))
    return AttentionMaps(np.tril(weights) if causal else weights, tokens, causal=causal)


def test_special_tokens_and_final_punctuation_are_sinks_inner_punctuation_is_not() -> None:
    tokens = (CLS, A, COMMA, B, STOP, STOP, SEP)
    assert sink_columns(maps_of(tokens, [1, 0, 0, 0, 0, 0, 0])).tolist() == [
        True,
        False,
        False,
        False,
        True,
        True,
        True,
    ]


def test_each_text_of_a_pair_has_its_own_final_punctuation() -> None:
    second = (Token("c", word=2, segment=1), Token("?", segment=1), Token("[SEP]", special=True, segment=1))
    assert sink_columns(maps_of((CLS, A, STOP, SEP, *second), [1, *[0] * 6])).tolist() == [
        True, False, True, True, False, True, True,
    ]  # fmt: skip


def test_position_0_is_a_sink_in_causal_models_unless_a_reading_needs_it() -> None:
    causal = maps_of((A, B, Token("c", word=2)), [0.25, 0.25, 0.5], causal=True)
    assert sink_columns(causal).tolist() == [True, False, False]
    assert sink_columns(causal, keep={0}).tolist() == [False, False, False]
    assert not sink_columns(maps_of((A,), [1], causal=True)).any()  # alone it is all there is


def test_rows_are_rescaled_and_the_share_is_reported() -> None:
    aside = set_aside(maps_of((CLS, A, B, SEP), [0.5, 0.125, 0.25, 0.125]))
    assert aside.kept == (1, 2)
    assert aside.sinks == (CLS, SEP)
    assert aside.maps.tokens == (A, B)
    np.testing.assert_allclose(aside.maps[1, 2], [[1 / 3, 2 / 3]] * 2, rtol=1e-6)
    np.testing.assert_allclose(aside.mass, np.full((2, 3, 2), 0.625))
    np.testing.assert_allclose(aside.share, np.full((2, 3), 0.625))
    assert not aside.empty.any()


def test_a_row_with_almost_nothing_left_is_empty_not_blown_up() -> None:
    aside = set_aside(maps_of((CLS, A, B), [0.995, 0.004, 0.001]))
    assert aside.empty.all()
    assert not aside.maps.weights.any()


def test_missing_mass_counts_as_set_aside() -> None:
    sunk = maps_of((A, B), [0.25, 0.5])
    np.testing.assert_allclose(sink_mass(sunk), np.full((2, 3, 2), 0.25), atol=1e-6)
    np.testing.assert_allclose(set_aside(sunk).maps[0, 0], [[1 / 3, 2 / 3]] * 2, rtol=1e-6)


def test_the_share_is_a_mean_over_queries_that_are_not_special() -> None:
    weights = np.zeros((1, 1, 3, 3), dtype=np.float32)
    weights[0, 0] = [[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0]]
    assert sink_share(AttentionMaps(weights, (CLS, A, B)))[0, 0] == pytest.approx(0.25)


def test_nothing_but_sinks_is_a_sentence_not_an_empty_picture() -> None:
    with pytest.raises(InputError, match="nothing left to look at"):
        set_aside(maps_of((CLS, STOP, SEP), [0.5, 0.25, 0.25]))
