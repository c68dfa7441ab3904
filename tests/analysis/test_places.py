"""What a word gives others together."""

import numpy as np

import mha
from mha.analysis.readings import given_to, word_position


def test_several_words_are_given_their_shares_together():
    maps = mha.attend("The old men and women sat on the bench").merged()
    both = given_to(maps, "old", ("men", "women"))
    assert both.shape == (6, 12)
    one, other = (given_to(maps, "old", (word,)) for word in ("men", "women"))
    assert np.allclose(both, one + other)
    place = [token.text for token in maps.tokens].index("men")
    assert one[3, 1] == maps[3, 1][word_position(maps, "old"), place]
