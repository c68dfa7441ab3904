"""Patterns and classes by hand: a head that does one thing scores 1 on it; sizes are primes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.analysis.patterns import (
    CLASSES,
    PATTERNS,
    beyond_even,
    induction,
    kovaleva_classes,
    pattern_scores,
    previous_word,
)
from mha.errors import InputError
from mha.maps import AttentionMaps, Token

NAMES = ["[CLS]", "The", "dog", "the", "dog", ".", "[SEP]"]
TOKENS = tuple(
    Token(name, special=name.startswith("["), word=None if name in "[CLS].[SEP]" else place - 1)
    for place, name in enumerate(NAMES)
)
N = len(NAMES)


def maps_of(*heads, **more) -> AttentionMaps:
    return AttentionMaps(np.array([heads], dtype=np.float32), TOKENS, units="words", **more)


def looking(target) -> np.ndarray:
    weights = np.zeros((N, N))
    for query in range(N):
        weights[query, target(query)] = 1
    return weights


@pytest.mark.parametrize(
    ("key", "target"),
    [
        ("previous_word", lambda q: max(q - 1, 0)),
        ("next_word", lambda q: min(q + 1, N - 1)),
        ("same_word", lambda q: q),
        ("first_token", lambda _q: 0),
        ("separator", lambda _q: 6),
        ("punctuation", lambda _q: 5),
        ("elsewhere", lambda q: {1: 3, 3: 1, 2: 4, 4: 2}.get(q, q)),
        ("induction", lambda q: {3: 2, 4: 3}.get(q, q)),
    ],
)
def test_a_head_that_does_one_thing_scores_one(key, target):
    scores = pattern_scores(maps_of(looking(target), np.full((N, N), 1 / N)))
    assert scores[key][0, 0] == pytest.approx(1)
    assert 0 < scores[key][0, 1] < 0.5
    assert scores["broad"][0].tolist() == pytest.approx([0, 1])


def test_an_even_head_is_beyond_nothing():
    maps = maps_of(looking(lambda q: max(q - 1, 0)), np.full((N, N), 1 / N))
    assert beyond_even(maps, previous_word(maps))[0].tolist() == pytest.approx([1 - 1 / N, 0], abs=1e-6)
    assert np.isnan(beyond_even(maps, np.zeros((N, N), dtype=bool))).all()


def test_induction_is_what_followed_an_earlier_copy():
    maps = maps_of(np.full((N, N), 1 / N))
    assert np.argwhere(induction(maps)).tolist() == [[3, 2], [4, 3]]


def test_a_pattern_that_cannot_occur_has_no_score():
    tokens = tuple(Token(name, word=n) for n, name in enumerate("abc"))
    back = np.tril(np.ones((1, 1, 3, 3))) / [[1], [2], [3]]
    scores = pattern_scores(AttentionMaps(back, tokens, causal=True, units="words"))
    assert [key for key, value in scores.items() if np.isnan(value).all()] == [
        "next_word", "separator", "punctuation", "elsewhere", "induction",
    ]  # fmt: skip
    with pytest.raises(InputError, match="one text"):
        pattern_scores(AttentionMaps(back, tokens, kind="cross"))


@given(st.integers(0, 10**6))
def test_scores_lie_between_0_and_1(seed):
    weights = np.random.default_rng(seed).dirichlet(np.full(N, 0.2), size=(3, N))
    for score in pattern_scores(maps_of(*weights)).values():
        assert np.all((score >= 0) & (score <= 1))


def test_every_pattern_has_its_source_and_its_key():
    assert len({row.key for row in PATTERNS}) == len(PATTERNS) == 8
    assert all(row.source and row.formula for row in PATTERNS)


def test_the_classes_by_their_rule():
    half = looking(lambda _q: 6) * 0.4 + looking(lambda q: min(max(q - 1, 1), 4)) * 0.3 + np.full((N, N), 0.3 / N)
    heads = [looking(lambda _q: 6), looking(lambda q: min(max(q - 1, 1), 4)), half, np.full((N, N), 1 / N)]
    found = [CLASSES[number] for number in kovaleva_classes(maps_of(*heads))[0]]
    assert found[0] == "vertical"
    assert found[1] == "diagonal"
    assert found[2] in ("vertical and diagonal", "vertical")
    tokens = tuple(Token(f"w{n}", word=n, segment=int(n > 2)) for n in range(5))
    block = np.zeros((1, 1, 5, 5))
    block[..., :3, :3], block[..., 3:, 3:] = 1 / 3, 1 / 2
    spread = AttentionMaps(np.concatenate([block, np.full((1, 1, 5, 5), 0.2)], axis=1), tokens, units="words")
    assert CLASSES[kovaleva_classes(spread)[0, 1]] in CLASSES
