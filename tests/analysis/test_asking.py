"""Asking a word, on weights set by hand: 2 layers × 3 heads, five words."""

import numpy as np
import pytest

from mha.analysis.looks import AskedConnection, ask
from mha.analysis.usual import N_DISTANCES, Habit, column
from mha.maps import AttentionMaps, HeadId, Token


def maps_with(looks: dict[tuple[int, int, int, int], float], causal: bool = False) -> AttentionMaps:
    weights = np.full((2, 3, 7, 7), 0.01, dtype=np.float32)
    for place, weight in looks.items():
        weights[place] = weight
    words = [Token(text, word=number) for number, text in enumerate(("ash", "bay", "cod", "dew", "elm"))]
    tokens = (Token("[CLS]", special=True), *words[:2], Token(","), *words[2:])
    return AttentionMaps(np.tril(weights) if causal else weights, tokens, causal=causal)


def habit_of(usual: dict[tuple[int, int, int], float]) -> Habit:
    weights = np.zeros((2, 3, N_DISTANCES), dtype=np.float32)
    for (layer, head, distance), weight in usual.items():
        weights[layer, head, column(distance)] = weight
    return Habit(weights, {})


def named(rows: tuple[AskedConnection, ...]) -> list[tuple[str, int]]:
    return [(str(row.head), row.other) for row in rows]


def test_heads_are_ranked_by_how_far_they_look_above_their_habit():
    maps = maps_with({(0, 1, 5, 1): 0.6, (1, 2, 5, 2): 0.5, (0, 0, 5, 4): 0.9, (1, 0, 1, 5): 0.3})
    looks_from, looks_at = ask(maps, "dew", habit_of({(0, 0, -1): 0.85, (0, 1, -3): 0.2}))
    assert named(looks_from) == [("L1H2", 2), ("L0H1", 1)]
    assert looks_from[1] == (HeadId(0, 1), 1, pytest.approx(0.6), pytest.approx(0.2), pytest.approx(0.4))
    assert named(looks_at) == [("L1H0", 1)]
    assert ask(maps, 3, habit_of({}))[1] == ask(maps, "dew", habit_of({}))[1]


def test_a_head_is_listed_with_every_look_that_lies_far_enough_above():
    maps = maps_with({(0, 1, 5, 1): 0.35, (0, 1, 5, 4): 0.5, (0, 1, 5, 2): 0.1})
    habit = habit_of({(0, 1, -1): 0.3})
    assert named(ask(maps, "dew", habit)[0]) == [("L0H1", 1), ("L0H1", 4), ("L0H1", 2)]
    assert named(ask(maps, "dew", habit, minimum=0.15)[0]) == [("L0H1", 1), ("L0H1", 4)]


def test_without_a_habit_looks_are_ranked_by_weight_and_nothing_is_said_to_be_usual():
    maps = maps_with({(0, 1, 5, 1): 0.6, (0, 0, 5, 4): 0.9})
    looks_from, looks_at = ask(maps, "dew", None)
    assert named(looks_from) == [("L0H0", 4), ("L0H1", 1)]
    assert looks_from[0].usual is None
    assert looks_from[0].above == looks_from[0].weight == pytest.approx(0.9)
    assert looks_at == ()


def test_special_tokens_marks_and_the_word_itself_are_not_other_words():
    assert ask(maps_with({(0, 0, 5, 0): 0.5, (0, 1, 5, 3): 0.5, (0, 2, 5, 5): 0.5}), "dew", None) == ((), ())


def test_what_a_mask_hides_is_not_looked_at():
    maps = maps_with({(0, 1, 5, 2): 0.6, (1, 2, 6, 5): 0.5}, causal=True)
    assert named(ask(maps, "dew", None)[0]) == [("L0H1", 2)]
    assert named(ask(maps, "dew", None)[1]) == [("L1H2", 6)]
    assert ask(maps, "ash", None)[0] == ()
