"""The toy: the two pictures of the usual lesson, and honest random numbers for any other text."""

import numpy as np
import pytest

from mha import core
from mha.models.toy import HAND_SET, by_hand, heads, record_toy
from mha.models.watch.attending import attend

MAN, ASTRONOMER, TELESCOPE = 1, 4, 7


@pytest.mark.parametrize("text", [HAND_SET, HAND_SET + ".", HAND_SET.lower(), HAND_SET.upper() + " !"])
def test_each_head_joins_the_telescope_with_one_noun(text):
    weights = attend(text, "toy").weights[0]  # [head, query, key]
    marks = weights.shape[-1] - 8
    for head, noun in enumerate((MAN, ASTRONOMER)):
        share = np.exp(6 / np.sqrt(2)) / (np.exp(6 / np.sqrt(2)) + 7 + marks)  # as the module says: 91 % without a mark
        np.testing.assert_allclose(weights[head, [TELESCOPE, noun], [noun, TELESCOPE]], share, atol=1e-6)
        rest = np.delete(weights[head], [TELESCOPE, noun], axis=0)
        np.testing.assert_allclose(rest, 1 / (8 + marks), atol=1e-6)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HAND_SET, True),
        (HAND_SET + ".", True),
        (HAND_SET.upper() + "...", True),
        ("The man saw, an astronomer with a telescope", False),
        ("The man saw an astronomer with the telescope", False),
        ("money bank", False),
        ("", False),
    ],
)
def test_only_the_telescope_sentence_is_set_by_hand(text, expected):
    assert by_hand(text) is expected


def test_its_tokens_are_words_and_marks_and_a_second_text_goes_on_counting():
    maps = attend("It doesn't, no.", "toy", pair="Well-known men!")
    assert [token.text for token in maps.tokens] == ["It", "doesn't", ",", "no", ".", "Well-known", "men", "!"]
    assert [token.word for token in maps.tokens] == [0, 1, None, 2, None, 3, 4, None]
    assert [token.segment for token in maps.tokens] == [0, 0, 0, 0, 0, 1, 1, 1]
    assert (maps.model, maps.origin, maps.n_layers, maps.n_heads) == ("Toy", "toy", 1, 2)


def test_the_recording_can_be_followed_by_hand():
    found = record_toy(HAND_SET)
    assert found.query is not None
    assert found.key is not None
    assert found.hidden is not None
    assert found.query[0, 0, TELESCOPE].tolist() == [2, 0]
    assert found.key[0, 0, MAN].tolist() == [3, 0]
    np.testing.assert_allclose(found.hidden[1], core.attend(heads(), found.hidden[0])[0], atol=1e-6)
    looked_at = found.hidden[1][TELESCOPE].round(2).tolist()
    assert looked_at == [0.91, 0.91, 0.03, 0.0]  # telescope now carries man and astronomer
