"""Looks at what came after an earlier copy, by hand."""

import numpy as np
import pytest

from mha.analysis.backwards import after_same_word
from mha.errors import InputError
from mha.maps import AttentionMaps, Token


def maps_of(words, weights, **options):
    tokens = tuple(Token(word, word=number) for number, word in enumerate(words))
    return AttentionMaps(np.asarray(weights, dtype=np.float32)[None, None], tokens, **options)


def test_the_weight_behind_an_earlier_copy_is_counted():
    weights = np.zeros((5, 5))
    weights[:, 0] = 1
    weights[3] = [0.1, 0.7, 0.2, 0, 0]  # "a" again: behind its first copy stands "b"
    weights[4] = [0.2, 0.1, 0.5, 0.1, 0.1]  # "B" again: behind it "c"
    maps = maps_of(["a", "b", "c", "A", "B"], weights, causal=True)
    assert after_same_word(maps)[0, 0] == pytest.approx(0.6)


def test_the_word_itself_may_be_what_follows_its_copy():
    maps = maps_of(["a", "a"], [[1, 0], [0.25, 0.75]], causal=True)
    assert after_same_word(maps)[0, 0] == pytest.approx(0.75)


def test_without_a_copy_there_is_no_answer():
    maps = maps_of(["a", "b"], [[1, 0], [0.5, 0.5]], causal=True)
    assert np.isnan(after_same_word(maps)).all()


def test_two_texts_have_no_copies_in_common():
    maps = maps_of(["a", "a"], [[1, 0], [1, 0]], kind="cross")
    with pytest.raises(InputError, match="from one text"):
        after_same_word(maps)
