"""The toy: the two pictures of the usual lesson, and honest random numbers for any other text."""

import numpy as np
import pytest

from mha import core
from mha.errors import InputError
from mha.models.files.catalog import model_row
from mha.models.toy import HAND_SET, by_hand, heads, record_toy, record_trained, trained_toy
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


LEARNED = "the tall woman saw the bear with the telescope"


def test_each_trained_head_takes_one_noun():
    recorded = record_trained(LEARNED)
    weights = recorded.maps.weights[0]  # [head, query, key]
    assert weights.shape == (2, 9, 9)
    assert sorted(weights[:, 8].argmax(axis=-1).tolist()) == [2, 5]  # woman, bear
    assert weights[:, 8].max(axis=-1).min() > 0.95
    row = model_row("trained")
    assert recorded.query is not None
    assert recorded.hidden is not None
    assert (row.origin, row.d_head) == ("trained here", recorded.query.shape[-1])
    assert (row.n_layers, row.n_heads) == (1, trained_toy().heads.n_heads)
    assert recorded.hidden.shape == (2, 9, 32)


def test_a_word_that_was_not_learned_is_named_with_the_number_of_those_that_were():
    count = len(trained_toy().vocabulary)
    for text, end in [
        ("the banana saw the man", "“banana” is not one of them."),
        ("Bananas, men saw", "“Bananas”, “,” and “men” are not among them."),
        ("one two three four five six seven", "“one”, “two”, “three”, “four” and 3 more are not among them."),
    ]:
        with pytest.raises(InputError) as refused:
            attend(text, "trained")
        assert str(refused.value) == f"The trained toy knows {count} words; {end}"
    with pytest.raises(InputError, match="20 words at most; these are 21"):
        attend("the " * 21, "trained")
