"""Where heads looked back to write, and two roles, by hand."""

import numpy as np
import pytest

from mha.analysis.backwards import look_back, role_here, word_before
from mha.errors import InputError
from mha.maps import AttentionMaps, HeadId, Token


def maps_of(rows, words, causal=True, special=()):
    weights = np.array(rows, dtype=np.float32)[None, None]
    tokens = tuple(Token(text, text, number, special=number in special) for number, text in enumerate(words))
    return AttentionMaps(weights, tokens, causal=causal)


ROWS = [
    [1, 0, 0, 0, 0],
    [0.5, 0.5, 0, 0, 0],
    [0.2, 0.6, 0.2, 0, 0],
    [0.995, 0, 0.005, 0, 0],
    [0.1, 0.2, 0.3, 0.4, 0],
]


def test_the_look_that_writes_comes_from_the_token_before_and_the_first_is_set_aside():
    back = look_back(maps_of(ROWS, "abcde"), n_read=3)
    assert back.rows == (2, 3)
    assert back.columns == (1, 2, 3, 4)
    np.testing.assert_allclose(back.shares[0, 0, 0], [0.75, 0.25, 0, 0], atol=1e-6)
    np.testing.assert_allclose(back.mass[:, 0, 0], [0.2, 0.995], atol=1e-6)
    assert back.empty[:, 0, 0].tolist() == [False, True]
    assert not back.shares[1].any(), "a row with next to nothing left has no shares"


def test_nothing_is_set_aside_where_that_is_not_asked_for():
    back = look_back(maps_of(ROWS, "abcde"), n_read=4, aside=False)
    assert back.columns == (0, 1, 2, 3, 4)
    np.testing.assert_allclose(back.shares[0, 0, 0], ROWS[3], atol=1e-6)


def test_what_a_row_lacks_stays_lacking_where_nothing_is_set_aside():
    lacking = maps_of(np.array(ROWS) / 2, "abcde")
    back = look_back(lacking, n_read=3, aside=False)
    np.testing.assert_allclose(back.shares[0, 0, 0], [0.1, 0.3, 0.1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(back.mass[:, 0, 0], 0.5, atol=1e-6)
    np.testing.assert_allclose(look_back(lacking, n_read=3).shares[0, 0, 0], [0.75, 0.25, 0, 0], atol=1e-6)


def test_an_end_mark_that_was_written_keeps_its_column():
    back = look_back(maps_of(ROWS, "abcde", special=(0, 1, 4)), n_read=3)
    assert back.columns == (2, 3, 4)


@pytest.mark.parametrize(("causal", "n_read"), [(False, 3), (True, 5), (True, 0)])
def test_looks_back_need_a_causal_text_and_something_written(causal, n_read):
    with pytest.raises(InputError, match="Looks back need"):
        look_back(maps_of(ROWS, "abcde", causal=causal), n_read)


def test_the_word_before_is_a_mean_over_rows_with_any_weight():
    rows = [[1, 0, 0], [0.8, 0.2, 0], [0, 0, 0]]
    assert word_before(maps_of(rows, "abc"))[0, 0] == pytest.approx(0.8)
    assert np.isnan(word_before(maps_of([[1]], "a"))[0, 0])


def test_a_role_needs_half_of_the_weight_and_three_rows():
    words = ["a", "b", "c", "a", "b", "c", "a"]
    after = np.zeros((7, 7))
    for row in range(7):
        after[row, max(0, row - 2)] = 1  # what followed the copy three places back
    assert role_here(maps_of(after, words)) == {HeadId(0, 0): ("the word after the same word", 1.0)}
    assert role_here(maps_of(after, ["a", "b", "c", "d", "e", "a", "f"])) == {}, "one copy is no habit"
    before = np.eye(7, k=-1)
    before[0, 0] = 1
    assert role_here(maps_of(before, words)) == {HeadId(0, 0): ("the word before", 1.0)}
    assert role_here(maps_of([[1]], "a")) == {}
