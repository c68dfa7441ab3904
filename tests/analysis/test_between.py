"""Divergences that can be worked out by hand; 2 layers × 3 heads and 5 keys, so that swapped axes cannot pass."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mha.analysis.changes import effective_heads, jensen_shannon
from mha.maps import AttentionMaps, Token


def maps_of(weights) -> AttentionMaps:
    weights = np.asarray(weights, dtype=np.float32)
    tokens = tuple(Token(f"w{number}", word=number) for number in range(weights.shape[-1]))
    queries = tuple(Token(f"q{number}", word=number) for number in range(weights.shape[-2]))
    return AttentionMaps(weights, queries, tokens, kind="cross", units="words")


def one_row(*rows) -> AttentionMaps:
    """Maps of one layer with a head for each row, one query."""
    return maps_of([[[row] for row in rows]])


def test_same_rows_have_no_divergence_and_rows_with_nothing_in_common_have_one_bit():
    divergence = jensen_shannon(one_row([1, 0, 0], [0, 0.5, 0.5], [1, 0, 0]))
    assert divergence.shape == (3, 3)
    assert divergence.dtype == np.float64
    assert np.allclose(divergence, [[0, 1, 0], [1, 0, 1], [0, 1, 0]])


def test_it_is_the_mean_over_queries():
    two = maps_of([[[[1, 0], [1, 0]], [[1, 0], [0, 1]]]])  # alike in the first row, apart in the second
    assert jensen_shannon(two)[0, 1] == pytest.approx(0.5)


def test_what_a_row_lacks_is_one_more_key():
    divergence = jensen_shannon(one_row([0.5, 0], [0.5, 0.5], [0, 0.5]))
    assert divergence[0, 1] == pytest.approx(0.5)  # they share the first half; the others' halves are apart
    assert divergence[0, 2] == pytest.approx(0.5)  # nothing but what both lack


def test_heads_in_effect():
    alike, apart = np.zeros((5, 5)), 1 - np.eye(5)
    assert effective_heads(alike) == pytest.approx(1)
    assert effective_heads(apart) == pytest.approx(5)
    # two alike, one apart: eigenvalues 2, 1, 0, so shares ⅔ and ⅓, and exp(ln 3 − ⅔ ln 2) = 3 / 2^⅔
    assert effective_heads(np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0]])) == pytest.approx(3 / 2 ** (2 / 3))
    # half apart: eigenvalues 1.5 and 0.5, so shares ¾ and ¼
    assert effective_heads(np.array([[0, 0.5], [0.5, 0]])) == pytest.approx(1 / (0.75**0.75 * 0.25**0.25))


@given(arrays(np.float64, (5, 3, 7), elements=st.floats(0.01, 1)))
def test_any_rows_keep_the_bounds(raw):
    rows = raw / raw.sum(axis=-1, keepdims=True)
    divergence = jensen_shannon(maps_of(rows[None]))
    assert np.array_equal(divergence, divergence.T)
    assert (np.diag(divergence) == 0).all()
    assert ((divergence >= 0) & (divergence <= 1)).all()
    assert np.linalg.eigvalsh(1 - divergence).min() > -1e-9  # the kernel has no negative direction
    assert 1 - 1e-9 <= effective_heads(divergence) <= 5 + 1e-9
    roots = np.sqrt(divergence)
    for middle in range(5):  # a distance: no detour is shorter
        assert (roots <= roots[:, [middle]] + roots[[middle], :] + 1e-6).all()


def test_jensen_shannon_leaves_out_rows_that_see_one_key():
    rows = np.zeros((1, 2, 3, 3))
    rows[..., 0, 0] = 1
    rows[0, 0, 1:, 0], rows[0, 1, 1:, 1] = 1, 1
    tokens = tuple(Token(text, word=number) for number, text in enumerate("abc"))
    causal = AttentionMaps(rows, tokens, causal=True)
    assert jensen_shannon(causal)[0, 1] == pytest.approx(1)  # the two rows that could differ do so entirely
    assert jensen_shannon(AttentionMaps(rows, tokens))[0, 1] == pytest.approx(2 / 3)
