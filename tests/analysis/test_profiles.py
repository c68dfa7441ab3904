"""Profiles of heads: numbers that can be worked out by hand, and the bundled files of both models."""

import dataclasses

import numpy as np
import pytest

from mha.analysis import profiles
from mha.analysis.profiles import bundled_profiles, size_matched, telling_connections
from mha.maps import CONTRIBUTION, AttentionMaps, HeadId, Token
from mha.models.files.catalog import model_row
from mha.pairs import corpus
from mha.words import words
from studies.profiles import contribution_shares

# One head over "[CLS] the dog barked . [SEP]": "the" gives .6 to "dog", "dog" .3 to itself, "barked" .5 to "dog".
ROWS = [
    [1, 0, 0, 0, 0, 0],
    [0.3, 0.1, 0.6, 0, 0, 0],
    [0.4, 0.1, 0.3, 0.2, 0, 0],
    [0.1, 0.1, 0.5, 0.1, 0.1, 0.1],
    [1, 0, 0, 0, 0, 0],
    [1, 0, 0, 0, 0, 0],
]
EVEN = np.full((6, 6), 1 / 6)


def maps_of(*heads):
    words = Token("the", word=0, end=3), Token("dog", word=1, start=4, end=7), Token("barked", word=2, start=8, end=14)
    tokens = (Token("[CLS]", special=True), *words, Token(".", start=14, end=15), Token("[SEP]", special=True))
    weights = np.array([heads], dtype=np.float32)
    return AttentionMaps(weights, tokens, text="the dog barked.")


def test_telling_connection_is_the_largest_that_is_no_sink():
    (found,) = telling_connections(maps_of(ROWS))
    assert found.tolist() == [0, 1, pytest.approx(0.6)]


def test_telling_connection_of_an_even_head_does_not_exist():
    assert np.isnan(telling_connections(maps_of(EVEN))).all()


def test_contribution_shares_count_sinks_of_the_attention_maps():
    maps = maps_of(ROWS)
    contributions = dataclasses.replace(maps, weights=np.roll(maps.weights, 1, axis=-1), measure=CONTRIBUTION)
    shares = dict(zip(profiles.CONTRIBUTIONS, contribution_shares(maps, contributions)[:, 0, 0], strict=True))
    # rows of words, rolled: [0 .3 .1 .6 0 0], [0 .4 .1 .3 .2 0], [.1 .1 .1 .5 .1 .1]; sinks are columns 0, 4 and 5
    assert shares["sinks"] == pytest.approx((0 + 0.2 + 0.3) / 3)
    assert shares["same_word"] == pytest.approx((0.3 + 0.1 + 0.5) / 3)
    assert shares["previous_word"] == pytest.approx((0.4 + 0.1) / 2), "[CLS] is not a word before the first"


def test_size_matched_heads_are_near_in_size_and_layer():
    deviation = np.arange(12.0).reshape(6, 2)
    assert size_matched(deviation, HeadId(0, 0), count=3) == (HeadId(0, 1), HeadId(1, 0), HeadId(1, 1))
    assert max(other.layer for other in size_matched(deviation, HeadId(0, 0))) == 3
    assert len(size_matched(deviation, HeadId(0, 0))) == 7


@pytest.mark.parametrize("name", ["minilm", "smollm2"])
def test_bundled_profiles_are_complete(name):
    row = model_row(name)
    found = bundled_profiles(name, row.revision)
    assert found.shape == (row.n_layers, row.n_heads)
    assert found.n_sentences == len(corpus()) == 300
    assert (found.n_places > 0) == (row.predicts == "next")
    assert ("next_word" in found.measures) != row.causal
    unknown = {key for key, values in found.measures.items() if not np.isfinite(values).all()}
    assert unknown <= {"largest_weight"}, "a head that attends to sinks alone has no largest weight"
    assert bundled_profiles(name, "other weights") is None
    for head, connections in enumerate(found.connections):
        shares = [connection.share for connection in connections]
        assert shares == sorted(shares, reverse=True)
        assert len({connection.sentence for connection in connections}) == len(connections) <= profiles.N_SENTENCES
        for connection in connections:
            n_words = len(words(found.texts[connection.sentence]))
            assert max(connection.query, connection.key) < n_words
            assert not (row.causal and connection.key in (0, *range(connection.query + 1, n_words)))
        assert len(found.similar[head]) == profiles.N_SIMILAR
        cosines = [similar.cosine for similar in found.similar[head]]
        assert cosines == sorted(cosines, reverse=True)
