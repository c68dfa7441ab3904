"""Maps with the last rows of one text: what is computed of them equals those rows of the whole text."""

import io

import numpy as np
import pytest

import mha
from mha.analysis.roles import PATTERNS
from mha.errors import InputError
from mha.maps import AttentionMaps

KEYS = ["<s>", "▁the", "▁cat", "▁saw", "▁the", "▁tele", "scope"]
LAST = KEYS[4:]


def causal_weights(n_tokens: int = 7, layers: int = 2, heads: int = 3) -> np.ndarray:
    scores = np.random.default_rng(6).normal(size=(layers, heads, n_tokens, n_tokens)) * 2
    weights = np.exp(scores) * np.tril(np.ones((n_tokens, n_tokens)))
    return (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32)


WEIGHTS = causal_weights()
WHOLE = mha.from_arrays(WEIGHTS, KEYS)


def last_rows(n_rows: int = 3) -> AttentionMaps:
    return mha.from_arrays(WEIGHTS[:, :, -n_rows:], KEYS[-n_rows:], KEYS)


def test_last_rows_of_one_text_are_self_attention():
    maps = last_rows()
    assert (maps.kind, maps.causal, maps.text, maps.pair) == ("self", True, WHOLE.text, None)
    assert maps.key_tokens == WHOLE.tokens
    assert maps.tokens == WHOLE.tokens[4:]
    np.testing.assert_array_equal(maps.visible, WHOLE.visible[4:])
    one = last_rows(1)
    assert (one.kind, one.tokens) == ("self", WHOLE.tokens[6:])
    given = mha.from_arrays(WEIGHTS[:, :, -3:], WHOLE.tokens[4:], WHOLE.tokens, text=WHOLE.text)
    assert (given.kind, given.text, given.tokens) == ("self", WHOLE.text, WHOLE.tokens[4:])


def test_rows_that_look_ahead_or_are_of_another_text_cross():
    ahead = np.full((1, 1, 3, 7), 1 / 7)
    for maps in (
        mha.from_arrays(ahead, LAST, KEYS),
        mha.from_arrays(WEIGHTS[:, :, 4:], ["▁la", *LAST[1:]], KEYS),
        mha.from_arrays(WEIGHTS[:, :, 4:], LAST, KEYS, causal=False),
        mha.from_arrays(WEIGHTS[:, :, 6:], ["."], [*KEYS[:6], "."]),  # a full stop ends most texts
    ):
        assert (maps.kind, maps.causal, maps.pair is None) == ("cross", False, False)
    assert mha.from_arrays(WEIGHTS[:, :, 6:], ["."], [*KEYS[:6], "."], causal=True).kind == "self"


def test_equal_tokens_of_rows_and_columns_are_one_text_if_causal():
    assert mha.from_arrays(WEIGHTS, KEYS, KEYS).kind == "self"
    assert mha.from_arrays(np.full((1, 1, 7, 7), 1 / 7), KEYS, KEYS).kind == "cross"  # a text that is written again


def test_statistics_of_last_rows_are_those_of_the_rows():
    """By hand: a text of five tokens, even rows. Row 3 gives 1/4 to each of four keys, row 4 1/5 to each of five."""
    even = np.tril(np.ones((5, 5))) / np.arange(1, 6)[:, None]
    statistics = mha.head_statistics(mha.from_arrays(even[None, None, 3:], list("de"), list("abcde")))
    assert statistics["same_word"][0, 0] == pytest.approx((1 / 4 + 1 / 5) / 2)
    assert statistics["previous_word"][0, 0] == pytest.approx((1 / 4 + 1 / 5) / 2)
    assert statistics["entropy"][0, 0] == pytest.approx((2 + np.log2(5)) / 2)
    assert statistics["focus"][0, 0] == pytest.approx(0, abs=1e-6)
    assert statistics["mean_distance"][0, 0] == pytest.approx(((1 + 2 + 3) / 4 + (1 + 2 + 3 + 4) / 5) / 2)
    assert np.isnan(statistics["next_word"][0, 0])


def test_word_statistics_patterns_and_sinks_of_last_rows():
    maps, rows = last_rows(), slice(4, 7)
    for pattern in PATTERNS:
        np.testing.assert_array_equal(pattern.mask(maps), pattern.mask(WHOLE)[rows], err_msg=pattern.key)
    words, merged = maps.merged(), WHOLE.merged()
    np.testing.assert_allclose(words.weights, merged.weights[:, :, -2:], atol=1e-6)
    assert words.tokens == merged.tokens[-2:]
    aside, whole = mha.set_aside(words), mha.set_aside(merged)
    np.testing.assert_allclose(aside.maps.weights, whole.maps.weights[:, :, -2:], atol=1e-6)
    for with_sinks in (True, False):
        found = mha.word_statistics(maps, aside=with_sinks)
        assert all(np.isfinite(values).all() or name == "next_word" for name, values in found.items())


def test_last_rows_are_saved_drawn_and_shown_in_a_notebook():
    maps, file = last_rows(), io.BytesIO()
    maps.save(file)
    file.seek(0)
    again = mha.load_maps(file)
    assert (again.kind, again.tokens, again.key_tokens, again.causal) == ("self", maps.tokens, maps.key_tokens, True)
    np.testing.assert_array_equal(again.weights, maps.weights)
    figure = mha.head_heatmap(maps, (0, 0))
    assert np.shape(figure.data[0].z) == (3, 7)
    assert "from 3 to 7 tokens" in maps._repr_html_()
    assert mha.figure(maps, "map", ["L0H0"]).svg


@pytest.mark.parametrize(
    "function", [mha.ask, mha.opening, mha.roles, mha.show, mha.figure], ids=lambda one: one.__name__
)
def test_results_that_need_every_row_say_so(function):
    more = {mha.ask: ("saw",), mha.figure: ("arcs", ["L0H0"])}.get(function, ())
    with pytest.raises(InputError, match="needs a row for every token; these maps have the last . of . rows"):
        function(last_rows(), *more, **({"word": "the"} if function is mha.figure else {}))
