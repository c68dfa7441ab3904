"""Controls computed in batches equal controls computed one text at a time."""

from __future__ import annotations

import numpy as np
import pytest

from mha.analysis.readings import lean
from mha.analysis.shuffles import moved, orders, reordered
from mha.intervention.batches import looked, of_equal_length
from mha.intervention.controls import shuffled, twin_leans, twins
from mha.intervention.subject import subject
from mha.models.attending import attend, record_text
from mha.models.twins import twin_of
from mha.words import words
from tests.intervention.brute import READINGS, ROWS, TEXT


@pytest.mark.parametrize("architecture", ["BertModel", "GPT2Model", "T5ForConditionalGeneration"])
def test_shuffles_in_a_batch_are_shuffles_one_by_one(architecture, tiny):
    loaded = tiny(ROWS[architecture])
    found = shuffled(TEXT, READINGS, model=loaded, count=5)
    np.testing.assert_allclose(found.lean, lean(attend(TEXT, loaded), READINGS), atol=1e-5)
    for number, order in enumerate(orders(len(words(TEXT)), 5)):
        maps = attend(reordered(TEXT, order), loaded)
        followed = [moved(reading, TEXT, order) for reading in READINGS]
        np.testing.assert_allclose(found.leans[number], lean(maps, followed), atol=1e-5)


def test_ready_made_maps_are_used(minilm):
    maps = attend(TEXT, minilm)
    found = shuffled(TEXT, READINGS, "raw", minilm, count=3, maps=maps)
    np.testing.assert_allclose(found.lean, lean(maps, READINGS, "raw"), atol=1e-6)
    assert found.leans.shape == (3, 6, 12)


def test_twins_are_those_of_their_seed_and_are_kept(tiny):
    loaded = tiny(ROWS["BertModel"])
    found = twin_leans(TEXT, READINGS, model=loaded, seeds=(3, 1))
    for place, seed in enumerate((3, 1)):
        maps = attend(TEXT, twin_of(loaded, "scrambled", seed))
        assert maps.origin == "scrambled twin"
        np.testing.assert_allclose(found[place], lean(maps, READINGS), atol=1e-5)
    (first,), (second,) = (twins(subject(loaded), (3,)) for _ in range(2))
    assert first.loaded is second.loaded


def test_a_batch_shows_each_text_as_its_own_recording_does(minilm):
    texts = ["I saw it.", "The dog slept well.", "You saw me!", "A much longer sentence than the others, is it?"]
    seen = {one.number: one for one in looked(subject(minilm), texts, hidden=True)}
    assert sorted(seen) == [0, 1, 2, 3]
    for number, text in enumerate(texts):
        alone = record_text(text, minilm, keep=("hidden",))
        np.testing.assert_allclose(seen[number].maps.weights, alone.maps.weights, atol=1e-5)
        np.testing.assert_allclose(seen[number].hidden.numpy(), alone.hidden, atol=1e-4)
        assert [token.text for token in seen[number].maps.tokens] == [token.text for token in alone.maps.tokens]


def test_batches_hold_texts_of_equal_length(minilm):
    encoded = [subject(minilm).encoded(text) for text in ("a b", "a", "c d", "e f", "g")]
    assert list(of_equal_length(encoded, most=2)) == [[0, 2], [3], [1, 4]]
    assert list(of_equal_length(encoded, most_tokens=1)) == [[0], [2], [3], [1], [4]]
