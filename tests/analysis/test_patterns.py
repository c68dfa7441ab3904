"""Patterns and classes by hand: sizes are primes."""

import numpy as np
import pytest

from mha.analysis.roles import PATTERNS, induction
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
def test_a_head_that_does_one_thing_does_it_in_every_row_that_can(key, target):
    maps = maps_of(looking(target), np.full((N, N), 1 / N))
    mask = next(row for row in PATTERNS if row.key == key).mask(maps)
    rows = mask.any(axis=-1)
    mass = (maps.weights * mask)[:, :, rows].sum(axis=-1).mean(axis=-1)
    assert mass[0, 0] == pytest.approx(1)
    assert 0 < mass[0, 1] < 0.5


def test_induction_is_what_followed_an_earlier_copy():
    maps = maps_of(np.full((N, N), 1 / N))
    assert np.argwhere(induction(maps)).tolist() == [[3, 2], [4, 3]]


def test_every_pattern_has_its_source_and_its_key():
    assert len({row.key for row in PATTERNS}) == len(PATTERNS) == 8
    assert all(row.source and row.of for row in PATTERNS)
