"""What the pages teach with the core: positions, word vectors, the splits."""

import inspect

import numpy as np
import pytest

import mha.core
from mha.core import MultiHead, sinusoidal_positions, word_vectors
from mha.errors import InputError


def test_positions_by_hand():
    positions = sinusoidal_positions(3, 5)
    slow = 10_000 ** (-2 / 5)
    np.testing.assert_allclose(positions[0], [0, 1, 0, 1, 0])
    np.testing.assert_allclose(positions[2, :4], [np.sin(2), np.cos(2), np.sin(2 * slow), np.cos(2 * slow)])


def test_a_word_keeps_its_row_wherever_it_stands():
    rows = word_vectors(("Money", "bank", "money"), 5)
    np.testing.assert_array_equal(rows[0], rows[2])
    assert (rows[0] != rows[1]).all()
    assert (word_vectors(("bank",), 5, seed=1) != rows[1]).all()
    assert word_vectors((), 5).shape == (0, 5)
    assert np.isfinite(word_vectors(("\ud800", "😀", ""), 5)).all()


def test_an_unknown_split_lists_those_there_are():
    with pytest.raises(InputError, match="full, slices, overlap; this is 'halves'"):
        MultiHead.random(4, 2, "halves")


def test_the_public_names_are_there():
    there = {name for name, thing in vars(mha.core).items() if name[0] != "_" and not inspect.ismodule(thing)}
    assert there == set(mha.core.__all__)
    assert len(mha.core.__all__) == len(there)
