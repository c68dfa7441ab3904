"""The tiny model around a layer: its words, its readers, and its way through a file."""

import numpy as np
import pytest

from mha.core import MultiHead, WordModel
from mha.errors import InputError

WORDS = ("man", "dog", "saw", "the", ".")


@pytest.fixture
def model() -> WordModel:
    generator = np.random.default_rng(3)

    def random(shape: tuple[int, ...]) -> np.ndarray:
        return 0.5 * generator.standard_normal(shape)

    heads = MultiHead.random(6, 3, seed=2)
    return WordModel(
        WORDS, random((5, 6)), random((7, 6)), heads, readers=random((2, 6, 2)), reader_biases=random((2, 2))
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["the", "banana"], r"The trained toy knows 5 words; “banana” is not one of them\."),
        (["ship", "Banana", "ship"], r"knows 5 words; “ship” and “Banana” are not among them"),
        (["the"] * 8, "reads 7 words at most; these are 8"),
    ],
)
def test_words_it_does_not_know_get_a_sentence(model, words, message):
    with pytest.raises(InputError, match=message):
        model.embed(words)


def test_an_answer_is_read_from_the_pivot_and_what_the_heads_add(model):
    words = ["the", "man", "saw"]
    vector = (model.embed(words) + model.positions[:3] + model.trace(words)["output"])[2]
    scores = vector @ model.readers[1] + model.reader_biases[1]
    named = model.name(words, pivot=2)
    np.testing.assert_allclose(named[1], np.exp(scores) / np.exp(scores).sum())
    assert model.answers == ("man", "dog")


def test_with_every_head_off_only_the_pivot_itself_is_left(model):
    alone = model.name(["the", "saw"], pivot=1, ablated=(0, 1, 2))
    np.testing.assert_allclose(alone, model.name(["man", "saw"], pivot=1, ablated=(0, 1, 2)))
    assert np.abs(alone - model.name(["the", "saw"], pivot=1)).max() > 1e-3
    with pytest.raises(InputError, match="words 0 to 1; there is no word 2"):
        model.name(["the", "saw"], pivot=2)
