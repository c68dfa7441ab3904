"""What the pages teach with the core: positions, word vectors, the growth of q·k, what each split costs."""

import inspect

import numpy as np
import pytest

import mha.core
from mha.core import MultiHead, count, random_scores, sinusoidal_positions, softmax, word_vectors
from mha.errors import InputError


def test_positions_by_hand():
    positions = sinusoidal_positions(3, 5)
    slow = 10_000 ** (-2 / 5)
    np.testing.assert_allclose(positions[0], [0, 1, 0, 1, 0])
    np.testing.assert_allclose(positions[2, :4], [np.sin(2), np.cos(2), np.sin(2 * slow), np.cos(2 * slow)])


def test_every_position_is_its_own():
    positions = sinusoidal_positions(101, 8)
    assert len(np.unique(positions.round(9), axis=0)) == 101


def test_a_word_keeps_its_row_wherever_it_stands():
    rows = word_vectors(("Money", "bank", "money"), 5)
    np.testing.assert_array_equal(rows[0], rows[2])
    assert (rows[0] != rows[1]).all()
    assert (word_vectors(("bank",), 5, seed=1) != rows[1]).all()
    assert word_vectors((), 5).shape == (0, 5)
    assert np.isfinite(word_vectors(("\ud800", "😀", ""), 5)).all()


@pytest.mark.parametrize("d_head", [2, 64, 512])
def test_the_variance_of_scores_grows_as_the_width_of_a_head(d_head):
    scores = random_scores(d_head)
    assert scores.var() == pytest.approx(d_head, rel=0.15)
    assert (scores / np.sqrt(d_head)).var() == pytest.approx(1, rel=0.15)


def test_unscaled_scores_saturate_the_softmax():
    scores = random_scores(512)
    assert softmax(scores).max(axis=-1).mean() > 0.9
    assert softmax(scores / np.sqrt(512)).max(axis=-1).mean() < 0.5


@pytest.mark.parametrize(("split", "parameters"), [("full", 128), ("slices", 64), ("overlap", 52)])
def test_parameters_of_the_money_bank_by_hand(split, parameters):
    assert count(split, d_model=4, n_heads=2, n_tokens=2).n_parameters == parameters


def test_multiplications_by_hand():
    counts = count("slices", d_model=6, n_heads=3, n_tokens=5)
    assert counts.multiplications == {
        "query, key, value": 3 * 5 * 6 * 6,
        "scores": 3 * 5 * 5 * 2,
        "weights × value": 3 * 5 * 5 * 2,
        "× w_output": 5 * 6 * 6,
    }


@pytest.mark.parametrize(("split", "n_heads"), [("full", 3), ("slices", 2), ("overlap", 3)])
def test_the_counts_are_those_of_the_matrices(split, n_heads):
    heads, counts = MultiHead.random(22, n_heads, split), count(split, 22, n_heads, n_tokens=7)
    for name in ("w_query", "w_key", "w_value", "w_output"):
        assert np.count_nonzero(getattr(heads, name)) == counts.parameters[name]
    assert heads.d_head == counts.d_head


def test_the_original_paper_has_a_million_numbers_a_layer():
    counts = count("slices", d_model=512, n_heads=8, n_tokens=10)
    assert (counts.d_head, counts.n_parameters) == (64, 4 * 512 * 512)
    assert count("slices", d_model=512, n_heads=1, n_tokens=10).n_parameters == counts.n_parameters


def test_an_unknown_split_lists_those_there_are():
    with pytest.raises(InputError, match="full, slices, overlap; this is 'halves'"):
        count("halves", 4, 2, 2)


def test_the_public_names_are_there():
    there = {name for name, thing in vars(mha.core).items() if name[0] != "_" and not inspect.ismodule(thing)}
    assert there == set(mha.core.__all__)
    assert len(mha.core.__all__) == len(there)
