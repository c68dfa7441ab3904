"""`mha.compare`: numbers of a known pair, control words, and the same answer as the pages give."""

import numpy as np
import pytest

import mha
from mha.engine.experiments import compared

BENCH = ("The old man sat on the bench.", "The young man sat on the bench.")
FOOD = ("A dog ate the food because it was hungry.", "A dog ate the food because it was delicious.")


@pytest.mark.parametrize(
    ("model", "pair", "ablated", "controls", "words", "largest", "limit"),
    [
        ("minilm", BENCH, (), (), "new tall tired long present current other lazy", 0.122287, 0.288508),
        (
            "minilm", FOOD, ("L5H3",), (), "thirsty cold weak empty thin noisy afraid slippery", 0.060017, 0.160768,
        ),
        ("minilm", BENCH, (), ("tall", "rich", "tall", "poor", "", "bad"), "tall rich poor bad", 0.122287, 0.251807),
        ("smollm2", BENCH, (), (), "new current small long two other tall deep", 0.054091, 0.208351),
    ],
)  # fmt: skip
def test_numbers_are_those_that_the_page_had(model, pair, ablated, controls, words, largest, limit):
    comparison = mha.compare(*pair, model, ablated, controls)
    assert comparison.controls.words == tuple(words.split())
    assert comparison.changes.mean.max() == pytest.approx(largest, abs=1e-5)
    assert comparison.limit.values.max() == pytest.approx(limit, abs=1e-5)
    page = compared(*pair, model, comparison.ablated, controls)
    np.testing.assert_allclose(page.changes.mean, comparison.changes.mean, atol=1e-5)
    np.testing.assert_allclose(page.limit.values, comparison.limit.values, atol=1e-5)
    assert (page.model, page.revision, page.texts) == (comparison.model, comparison.revision, comparison.texts)


@pytest.mark.parametrize(
    ("first", "second", "refusal"),
    [
        ("a b", "a b", "identical"),
        ("I love 🍕 a lot", "I love 🍣 a lot", "the same tokens for MiniLM"),  # both are the unknown token
        ("The cat sat", "the Cat  sat", "the same tokens for MiniLM"),  # MiniLM has no capitals
        ("a b", "c d e", "no words in common"),
        ("one two", "three four", "no words in common"),
        ("word", "other", "Every word changed"),
    ],
)
def test_refusal_is_a_sentence_and_nothing_is_measured(first, second, refusal):
    comparison = mha.compare(first, second)
    assert refusal in comparison.refusal
    assert not comparison.is_measured
    assert comparison.limit is comparison.largest_connection is None


def test_a_loaded_model_and_one_without_words_of_its_own():
    loaded = mha.load_model("minilm")
    assert mha.compare(*BENCH, loaded).controls.words == mha.compare(*BENCH).controls.words
    toy = mha.compare("The dog slept", "The dog barked", "toy")
    assert (toy.model, toy.limit, toy.controls.words) == (mha.attend("a", "toy").model, None, ())
