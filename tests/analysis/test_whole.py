"""Every head of a model over many texts, held against the slow way and against numbers that can be checked by hand."""

import dataclasses

import numpy as np
import pytest

from mha.analysis.changes import Different
from mha.analysis.profiles import KEYS, one_text
from mha.analysis.roles import PATTERNS
from mha.analysis.statistics import entropy, mean_distance
from mha.maps import AttentionMaps, Token

TEXT = "One dog saw one cat."


def maps_of(seed=0, causal=False, specials=True):
    words = [Token("One", word=0, end=3), Token("dog", word=1, start=4, end=7), Token("saw", word=2, start=8, end=11),
             Token("one", word=3, start=12, end=15), Token("cat", word=4, start=16, end=19),
             Token(".", start=19, end=20)]  # fmt: skip
    tokens = [Token("[CLS]", special=True), *words, Token("[SEP]", special=True)] if specials else words
    generator = np.random.default_rng(seed)
    weights = generator.random((2, 3, len(tokens), len(tokens))) ** 3
    if causal:
        weights *= np.tril(np.ones((len(tokens), len(tokens))))
    weights /= weights.sum(axis=-1, keepdims=True)
    return AttentionMaps(weights, tuple(tokens), text=TEXT, causal=causal)


@pytest.mark.parametrize("causal", [False, True])
def test_every_pattern_is_its_mass_over_the_rows_of_words(causal):
    maps = maps_of(causal=causal)
    words = np.array([token.word is not None for token in maps.tokens])
    found = one_text(maps).values
    assert tuple(found) == KEYS
    for row in PATTERNS:
        mask = row.mask(maps) & maps.visible
        if row.key in ("previous_word", "next_word"):
            mask[:, [token.special for token in maps.tokens]] = False  # [CLS] is no word before the first
        rows = mask.any(axis=-1) & words
        if not rows.any():
            assert np.isnan(found[row.key]).all()
            continue
        slow = (maps.weights * mask)[:, :, rows].sum(axis=-1).mean(axis=-1)
        np.testing.assert_allclose(found[row.key], slow, atol=1e-6)


def test_the_other_numbers_are_those_of_the_statistics_over_word_rows():
    maps = maps_of()
    words = [place for place, token in enumerate(maps.tokens) if token.word is not None]
    found = one_text(maps).values
    cut = dataclasses.replace(maps, weights=maps.weights[:, :, words], tokens=maps.tokens[1:6], key_tokens=maps.tokens,
                              kind="cross")  # fmt: skip
    np.testing.assert_allclose(found["entropy"], entropy(cut), atol=1e-5)
    np.testing.assert_allclose(found["broad"], entropy(cut) / np.log2(8), atol=1e-5)
    sinks = maps.weights[:, :, words][..., [0, 6, 7]].sum(axis=-1).mean(axis=-1)
    np.testing.assert_allclose(found["sink_share"], sinks, atol=1e-6)
    distance = np.abs(np.arange(8)[:, None] - np.arange(8))
    np.testing.assert_allclose(found["mean_distance"], (maps.weights * distance)[:, :, words].sum(-1).mean(-1), 1e-5)
    assert mean_distance(maps).shape == found["mean_distance"].shape
    left = maps.weights[:, :, words][..., 1:6]
    np.testing.assert_allclose(found["largest_weight"], (left.max(-1) / left.sum(-1)).mean(-1), atol=1e-6)


def test_next_word_has_no_answer_under_a_causal_mask_and_one_word_no_neighbour():
    assert np.isnan(one_text(maps_of(causal=True)).values["next_word"]).all()
    one = AttentionMaps(np.ones((1, 2, 1, 1)), (Token("dog", word=0, end=3),), text="dog")
    values = one_text(one).values
    assert np.isnan(values["previous_word"]).all()
    assert np.isnan(values["broad"]).all()
    np.testing.assert_allclose(values["same_word"], 1)


def test_equal_heads_count_as_one_and_disjoint_heads_apart():
    apart = Different.from_divergence(np.array([[0, 1.0], [1, 0]]), 1)
    assert apart.whole == pytest.approx(2)
    assert apart.layers == (1.0, 1.0)
