"""Shuffled words: orders that repeat, readings that follow their words, and what lies outside."""

import numpy as np
import pytest

from mha.analysis.readings import ShuffleSummary, move_reading, orders, reorder_words
from mha.errors import InputError
from mha.maps import Reading
from mha.words import words

TEXT = "I saw the man, with the telescope."


def test_orders_are_seeded_and_name_every_word_once():
    found = orders(7)
    assert found.shape == (20, 7)
    np.testing.assert_array_equal(np.sort(found, axis=1), np.tile(np.arange(7), (20, 1)))
    np.testing.assert_array_equal(found, orders(7))
    assert found[0].tolist() == [5, 6, 4, 0, 3, 1, 2]
    assert not np.array_equal(found, orders(7, seed=11))
    assert orders(5, count=3).shape == (3, 5)


def test_a_shuffled_text_keeps_its_words_and_its_full_stop():
    assert reorder_words(TEXT, [6, 5, 4, 3, 2, 1, 0]) == "telescope the with man the saw I."
    with pytest.raises(InputError, match="words 0 to 6 once each"):
        reorder_words(TEXT, [0, 1])


def test_readings_follow_their_words():
    for order in orders(7, count=5):
        there = move_reading(Reading("A", ((6, 1), (6, "man")), cue=6), TEXT, order)
        said = dict(enumerate(words(reorder_words(TEXT, order))))
        assert [(said.get(pivot), said.get(partner)) for pivot, partner in there.links] == [
            ("telescope", "saw"),
            ("telescope", "man"),
        ]
        assert said.get(there.cue) == "telescope"
    with pytest.raises(InputError, match="'the' occurs 2 times"):
        move_reading(Reading("A", ((6, "the"),)), TEXT, orders(7)[0])
    with pytest.raises(InputError, match="no word 9"):
        move_reading(Reading("A", ((6, 9),)), TEXT, orders(7)[0])


def test_reach_counts_shuffles_in_which_some_head_leans_as_far():
    leans = np.array([[[0.1, -0.5]], [[0.2, 0.1]], [[0.0, 0.4]]])
    assert ShuffleSummary(np.array([[0.4, -0.1]]), leans).n_reached == 2
