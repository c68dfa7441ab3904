"""The heads a page opens with, on weights set by hand: 2 layers × 3 heads, five words."""

from collections import Counter

import numpy as np
import pytest

from mha.analysis.opening import COMMON, GRAMMAR, GRAMMAR_WORDS, IN_SENTENCES, N_SENTENCES, opening, opening_heads
from mha.analysis.usual import N_DISTANCES, Habit, column
from mha.maps import AttentionMaps, HeadId, Reading, Token
from mha.pairs import corpus
from mha.words import words

A = Reading("A", ((4, 1),))
B = Reading("B", (("e", "c"),))


def maps_with(looks: dict[tuple[int, int, int, int], float], causal: bool = False) -> AttentionMaps:
    """Even weights of 0.1 everywhere, save for some looks (layer, head, query, key)."""
    weights = np.full((2, 3, 5, 5), 0.1, dtype=np.float32)
    for place, weight in looks.items():
        weights[place] = weight
    tokens = tuple(Token(text, word=word) for word, text in enumerate("abcde"))
    return AttentionMaps(np.tril(weights) if causal else weights, tokens, causal=causal)


def test_each_reading_gets_the_head_furthest_above_what_it_usually_gives_in_either_direction():
    maps = maps_with({(1, 2, 1, 4): 0.5, (0, 1, 4, 2): 0.4, (0, 2, 1, 4): 0.6})
    usual = habit_of({(0, 2, 3): 0.55})  # this one always looks three words on
    found = opening(maps, (A, B), usual)
    assert (found.word, found.heads, found.sides) == (4, (HeadId(1, 2), HeadId(0, 1)), ("a", "b"))
    assert found.looks == ((1, 4), (4, 2))
    assert found.weights == pytest.approx((0.5, 0.4))
    assert found.usual == pytest.approx((0.02, 0.02))
    assert opening_heads(maps, (A, B), usual) == found.heads


def test_without_a_habit_readings_are_held_against_an_even_spread():
    found = opening(maps_with({(1, 1, 4, 1): 0.5, (1, 2, 4, 2): 0.4}), (A, B))
    assert found.looks == ((4, 1), (4, 2))
    assert np.isnan(found.usual).all()
    several = Reading("B", ((4, 2), (4, 3)))
    looks = {(1, 1, 4, 1): 0.5, (1, 2, 4, 2): 0.2, (1, 2, 4, 3): 0.45}
    assert opening(maps_with(looks), (A, several)).looks == ((4, 1), (4, 3))


def test_only_the_later_word_looks_under_a_mask():
    looks = {(1, 1, 4, 1): 0.5, (0, 2, 4, 2): 0.6}
    assert opening(maps_with(looks, causal=True), (A, B)).looks == ((4, 1), (4, 2))
    between = maps_with({(0, 1, 2, 0): 0.55, (1, 2, 4, 2): 0.5}, causal=True)
    found = opening(between, (Reading("A", ((2, 0),)), Reading("B", ((2, 4),))))
    assert (found.heads, found.looks) == ((HeadId(1, 2),), ((4, 2),)), (
        "position 0 is a sink, also if a reading names it"
    )
    assert opening(between, (Reading("A", ((2, 1),)), Reading("B", ((2, 0),)))).sides == ()


def test_one_head_for_both_readings_gives_way_for_the_one_whose_share_rises_less():
    maps = maps_with({(1, 0, 4, 1): 0.4, (1, 0, 4, 2): 0.3, (0, 1, 4, 2): 0.35, (0, 2, 4, 1): 0.35})
    found = opening(maps, (A, B))
    assert found.heads == (HeadId(1, 0), HeadId(0, 1))


def test_a_reading_without_a_connection_clearly_above_usual_has_no_head():
    found = opening(maps_with({(1, 2, 4, 1): 0.5}), (A, B))
    assert (found.heads, found.sides) == ((HeadId(1, 2),), ("a",))
    neither = opening(maps_with({}), (A, B))
    assert (neither.word, neither.sides) == (None, ())
    assert len(set(neither.heads)) == 2


def test_nothing_ambiguous_is_said_by_no_readings():
    text = "the clerk thanked the guest because he waited"
    weights = np.full((2, 3, 8, 8), 0.05, dtype=np.float32)
    weights[0, 1, 6, 1], weights[1, 2, 6, 4] = 0.5, 0.6
    tokens = tuple(Token(one, word=number) for number, one in enumerate(text.split()))
    maps = AttentionMaps(weights, tokens, text=text)
    assert opening(maps).sides == ("a", "b"), "what the shape of a text suggests is taken"
    assert opening(maps).looks == ((6, 1), (6, 4))
    assert opening(maps, ()).sides == ()


def test_common_words_are_those_of_the_corpus():
    counts = Counter(word for text in corpus() for word in {word.casefold() for word in words(text)})
    fewest = {word: len(corpus()) * (GRAMMAR if word in GRAMMAR_WORDS else COMMON) for word in counts}
    assert len(corpus()) == N_SENTENCES
    assert {word: count for word, count in counts.items() if count > fewest[word]} == IN_SENTENCES


def test_grammar_opens_nothing_and_neither_do_heads_that_look_at_neighbours():
    looks = {(0, 1, 2, 0): 0.6, (1, 2, 2, 4): 0.6}
    assert opening(looks_of(looks)).word == 2
    assert opening(looks_of(looks, "ash bay the dew elm")).word is None, "a word of grammar is no word to open with"
    assert opening(looks_of(looks, "ash bay he dew elm")).word == 2, "a pronoun is"
    positional = {name: np.zeros((2, 3)) for name in ("previous_word", "next_word", "same_word")}
    positional["previous_word"][0, 1] = 0.5
    habit = Habit(habit_of({}).weights, positional)
    assert opening(looks_of(looks), habit=habit).word is None
    assert HeadId(0, 1) not in opening(looks_of(looks), habit=habit).heads


def test_without_readings_the_strongest_looks_decide_and_they_go_to_different_words():
    maps = maps_with({(0, 1, 0, 3): 0.6, (1, 0, 2, 3): 0.5, (1, 1, 4, 0): 0.4})
    assert opening_heads(maps) == (HeadId(0, 1), HeadId(1, 1))
    assert opening_heads(maps, None) == opening_heads(maps, ())


def looks_of(looks: dict[tuple[int, int, int, int], float], said: str = "ash bay cod dew elm", **more) -> AttentionMaps:
    """Maps of 2 layers × 3 heads in which only some looks (layer, head, query, key) differ from 0.02."""
    n = len(said.split())
    weights = np.full((2, 3, n, n), 0.02, dtype=np.float32)
    for place, weight in looks.items():
        weights[place] = weight
    tokens = tuple(Token(text, word=word) for word, text in enumerate(said.split()))
    return AttentionMaps(np.tril(weights) if more.get("causal") else weights, tokens, **more)


def habit_of(usual: dict[tuple[int, int, int], float], largest: np.ndarray | None = None) -> Habit:
    """A habit of 0.02 at every distance but some (layer, head, distance)."""
    weights = np.full((2, 3, N_DISTANCES), 0.02, dtype=np.float32)
    for (layer, head, distance), weight in usual.items():
        weights[layer, head, column(distance)] = weight
    return Habit(weights, {}, largest=largest)


def test_two_heads_send_one_word_to_two_words_beyond_their_habit():
    maps = looks_of({(1, 2, 4, 0): 0.6, (0, 1, 4, 2): 0.5, (0, 0, 1, 3): 0.9})
    found = opening(maps, habit=habit_of({(0, 1, -2): 0.1}))
    assert found.heads == (HeadId(1, 2), HeadId(0, 1)) == opening_heads(maps, habit=habit_of({(0, 1, -2): 0.1}))
    assert found.looks == ((4, 0), (4, 2))  # 0.9 from bay alone is no disagreement
    assert found.weights == pytest.approx((0.6, 0.5))
    assert found.usual == pytest.approx((0.02, 0.1))


def test_opening_subtracts_a_head_s_largest_share():
    looks = {(1, 2, 4, 0): 0.6, (0, 1, 4, 2): 0.6, (0, 0, 1, 3): 0.5, (1, 1, 1, 4): 0.5}
    assert opening(looks_of(looks), habit=habit_of({})).word == 4
    largest = np.full((2, 3), 0.2, dtype=np.float32)
    largest[1, 2] = 0.7  # 0.6 − 0.75 · 0.7 is below 0.1: this head often gives as much
    found = opening(looks_of(looks), habit=habit_of({}, largest))
    assert (found.word, found.heads) == (1, (HeadId(0, 0), HeadId(1, 1)))
    assert found.usual == pytest.approx((0.02, 0.02)), "the usual share at that distance, as before"


def test_opening_takes_the_word_with_the_largest_sum():
    looks = {(1, 2, 4, 0): 0.9, (0, 1, 4, 2): 0.3, (0, 0, 1, 3): 0.5, (1, 1, 1, 4): 0.5}  # less 0.04: 1.16 and 0.96
    assert opening(looks_of(looks), habit=habit_of({})).word == 4
    assert opening(looks_of({**looks, (0, 1, 4, 2): 0.11}), habit=habit_of({})).word == 1, "one is too weak"


def test_prepositions_look_and_only_named_words_are_looked_at():
    looks = {(0, 1, 2, 0): 0.6, (1, 2, 2, 4): 0.6}
    for asks in ("with", "his"):
        assert opening(looks_of(looks, f"ash bay {asks} dew elm")).word == 2
    for asks in ("and", "was"):
        assert opening(looks_of(looks, f"ash bay {asks} dew elm")).word is None
    assert opening(looks_of(looks, "ash bay cod dew the")).word is None, "an article is no word to look at"
    assert opening(looks_of(looks, "ash bay cod dew she")).word == 2


def test_a_decoder_opens_with_its_last_word():
    looks = {(1, 2, 4, 2): 0.5, (0, 1, 4, 3): 0.9, (0, 0, 3, 1): 0.9, (1, 1, 3, 2): 0.9}
    found = opening(looks_of(looks, "The bay cod dew is", causal=True))
    assert found.looks == ((4, 2), (4, 3)), "whatever the word, and neighbours too"
    assert opening(looks_of(looks, "The bay cod dew is")).word == 3, "an encoder predicts no next word"
    one = {place: weight for place, weight in looks.items() if place != (1, 2, 4, 2)}
    assert opening(looks_of(one, "The bay cod dew is", causal=True)).word == 3, "one head has nothing to differ from"


def test_a_look_within_the_habit_says_nothing():
    maps = looks_of({(1, 2, 4, 0): 0.6, (0, 1, 4, 2): 0.8, (0, 0, 1, 3): 0.4, (1, 1, 1, 4): 0.3})
    assert opening(maps, habit=habit_of({})).word == 4
    found = opening(maps, habit=habit_of({(0, 1, -2): 0.75}))
    assert (found.word, found.heads) == (1, (HeadId(0, 0), HeadId(1, 1)))


def test_a_head_that_only_does_what_it_always_does_does_not_open_the_page():
    maps = looks_of({(0, 2, 1, 0): 0.95, (1, 1, 0, 1): 0.5, (1, 0, 1, 0): 0.4}, "ash bay")
    assert opening_heads(maps)[0] == HeadId(0, 2)
    assert opening_heads(maps, habit=habit_of({(0, 2, -1): 0.94})) == (HeadId(1, 1), HeadId(1, 0))


def test_the_first_word_of_a_causal_model_is_a_sink_and_no_finding():
    looks = {(layer, head, query, 0): 0.7 for layer in range(2) for head in range(3) for query in range(1, 5)}
    assert opening(looks_of(looks, causal=True)).word is None
    found = opening(looks_of({(1, 2, 4, 1): 0.6, (0, 1, 4, 2): 0.5, (0, 0, 4, 0): 0.9}, causal=True))
    assert [key for _, key in found.looks] == [1, 2]


def test_marks_stand_on_the_axis_but_are_no_words():
    weights = np.full((1, 2, 7, 7), 0.01, dtype=np.float32)
    weights[0, 0, 5, 1], weights[0, 1, 5, 3] = 0.3, 0.26
    weights[0, :, 5, 0], weights[0, :, 5, 4] = 0.33, 0.32  # [CLS] and the comma
    tokens = [Token("[CLS]", special=True), *(Token(text, word=number) for number, text in enumerate(("ash", "bay")))]
    tokens += [Token("cod", word=2), Token(","), Token("elm", word=3), Token("[SEP]", special=True)]
    found = opening(AttentionMaps(weights, tuple(tokens)))
    assert found.looks == ((5, 1), (5, 3))
