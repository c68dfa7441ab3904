"""Neutral swaps stand where the word stands, and are the nearest; worked out by hand."""

import numpy as np
import pytest

from mha.errors import InputError
from mha.intervention.comparing import Neutral, candidates, nearest, of_class
from mha.words import with_word

SENTENCES = ["He came with the dog.", "With the hat, and with the cat", "on the mat", "with the Dog 7", "with the 7"]


def test_candidates_follow_the_same_two_words_once_each():
    assert candidates("man with the telescope", 3, SENTENCES) == Neutral(("dog", "hat", "cat"), ("with", "the"))


def test_own_words_are_no_candidates_and_the_first_word_has_none():
    assert "dog" not in candidates("dog with the hat", 3, SENTENCES).words
    assert candidates("dog with the hat", 0, SENTENCES) == Neutral()
    with pytest.raises(InputError, match="has 2 words"):
        candidates("a b", 2, SENTENCES)


def test_the_nearest_come_first_whatever_their_length():
    others = np.array([[0, 0], [0, 9], [3, 0], [1, 1], [-1, 0]])
    assert nearest(np.array([2.0, 0]), others) == [2, 3, 1, 0, 4]


@pytest.mark.parametrize(
    ("text", "number", "fit", "not_fit"),
    [
        ("The dog slept.", 2, ["barked", "ran"], ["hides", "and", "sleep", "dog"]),
        ("I saw the man with the telescope", 6, ["camera", "mirror"], ["blue", "move", "cameras", "the"]),
        ("The trees fell", 1, ["houses"], ["house", "blue"]),
        ("The king met her when he was late", 5, [], ["she", "they", "nobody"]),
        ("It is too big", 3, ["small", "salty"], ["houses", "too"]),
    ],
)
def test_what_may_stand_there_has_the_class_and_the_form_of_the_word(text, number, fit, not_fit):
    fits = of_class(text, number)
    assert [word for word in fit if not fits(word)] == []
    assert [word for word in not_fit if fits(word)] == []


def test_a_word_is_put_in_its_place():
    assert with_word("Is it, really?", 1, "he") == "Is he, really?"
    assert with_word("Dogs bark", 0, "cats") == "Cats bark"
    with pytest.raises(InputError):
        with_word("Dogs bark", 2, "x")
