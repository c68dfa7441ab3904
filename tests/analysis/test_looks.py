"""The strongest look by hand, and what words and shares are called."""

import numpy as np
import pytest

from mha.analysis.looks import Look, strongest_look
from mha.analysis.sinks import set_aside
from mha.errors import InputError
from mha.formats import labels, percent
from mha.maps import AttentionMaps, Token

CLS, SEP = Token("[CLS]", special=True), Token("[SEP]", special=True)
ROWS = [
    [0.5, 0.1, 0.1, 0.1, 0.1, 0.1],
    [0.3, 0.1, 0.0, 0.1, 0.3, 0.2],  # saw: 0.3 of 0.5 to man
    [0.2, 0.0, 0.0, 0.6, 0.1, 0.1],  # the: mostly at itself
    [0.0, 0.0, 0.4, 0.4, 0.1, 0.1],
]


def maps_of(rows: list[list[float]], texts: str = "I saw the man", causal: bool = False) -> AttentionMaps:
    """Two layers of the same three heads over [CLS] … [SEP]; rows are those of the words, columns all tokens."""
    tokens = (CLS, *(Token(text, word=word) for word, text in enumerate(texts.split())), SEP)
    weights = np.zeros((2, 3, len(tokens), len(tokens)), dtype=np.float32)
    weights[..., 1:-1, :] = rows
    return AttentionMaps(weights, tokens, causal=causal)


def test_the_strongest_look_goes_from_a_word_to_another_word():
    assert strongest_look(set_aside(maps_of(ROWS)).maps, (1, 2)) == Look(1, 3, pytest.approx(0.6, abs=1e-6))


def test_a_key_may_be_chosen():
    aside = set_aside(maps_of(ROWS)).maps
    assert strongest_look(aside, (0, 1), key=1) == Look(3, 1, pytest.approx(4 / 9, abs=1e-6))
    with pytest.raises(InputError, match=r"There are 4 words .* asked for 7"):
        strongest_look(aside, (0, 0), key=7)
    with pytest.raises(InputError, match="you asked for L2H0"):
        strongest_look(aside, (2, 0))


def test_no_look_from_an_empty_row_or_a_single_word_or_below_one_per_cent():
    empty = [[1.0, 0, 0, 0, 0, 0], [0.995, 0, 0, 0, 0.005, 0], [1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]]
    assert strongest_look(set_aside(maps_of(empty)).maps, (0, 0)) is None
    assert strongest_look(set_aside(maps_of([[0.25, 0.5, 0.25]], "Hello")).maps, (0, 0)) is None


def test_punctuation_does_not_look_but_may_be_asked_for():
    tokens = (Token("a", word=0, start=0, end=1), Token(",", start=1, end=2), Token("b", word=1, start=3, end=4))
    maps = AttentionMaps(np.array([[[[0, 0.9, 0.1], [1, 0, 0], [0.3, 0.7, 0]]]]), tokens, units="words")
    assert strongest_look(maps, (0, 0)) == Look(2, 0, pytest.approx(0.3))
    assert strongest_look(maps, (0, 0), key=1) == Look(0, 1, pytest.approx(0.9))


def test_repeated_words_are_numbered_and_long_ones_cut():
    texts = ["the", "man", "with", "the", "The"]
    assert labels([Token(text) for text in texts]) == ("the₁", "man", "with", "the₂", "The")
    assert labels([Token("a")] * 11)[10] == "a₁₁"
    assert labels([Token("x" * 3000)]) == ("x" * 17 + "…",)


def test_percent_has_a_space_that_does_not_break_and_rounds_halves_up():
    assert [percent(share) for share in (0, 0.004, 0.005, 0.695, 1)] == [
        "0\u00a0%", "0\u00a0%", "1\u00a0%", "70\u00a0%", "100\u00a0%",
    ]  # fmt: skip
