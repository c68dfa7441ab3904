"""The heads a page opens with, on weights set by hand: 2 layers × 3 heads, five words."""

import numpy as np
import pytest

from mha.analysis.opening import opening_heads
from mha.errors import InputError
from mha.maps import AttentionMaps, HeadId, Reading, Token

A = Reading("A", ((4, 1),))
B = Reading("B", (("e", "c"),))


def maps_with(looks: dict[tuple[int, int, int, int], float], causal: bool = False) -> AttentionMaps:
    """Even weights of 0.1 everywhere, save for some looks (layer, head, query, key)."""
    weights = np.full((2, 3, 5, 5), 0.1, dtype=np.float32)
    for place, weight in looks.items():
        weights[place] = weight
    tokens = tuple(Token(text, word=word) for word, text in enumerate("abcde"))
    return AttentionMaps(np.tril(weights) if causal else weights, tokens, causal=causal)


def test_each_reading_gets_the_head_in_which_its_partner_stands_out() -> None:
    maps = maps_with({(1, 2, 1, 4): 0.5, (0, 1, 2, 4): 0.4, (0, 2, 2, 4): 0.5, (0, 2, 0, 4): 0.5})
    assert opening_heads(maps, (A, B)) == (HeadId(1, 2), HeadId(0, 1))  # in L0H2 another word looks as much


def test_a_look_back_at_the_partner_counts_where_the_partner_cannot_see_the_pivot() -> None:
    looks = {(1, 1, 4, 1): 0.5, (0, 2, 4, 2): 0.6}
    assert opening_heads(maps_with(looks, causal=True), (A, B)) == (HeadId(1, 1), HeadId(0, 2))


def test_the_pivots_looks_count_where_they_stand_out_more() -> None:
    looks = {(0, 0, 1, 4): 0.3, (0, 1, 2, 4): 0.3, (1, 1, 4, 1): 0.5, (1, 2, 4, 2): 0.4}
    assert opening_heads(maps_with(looks), (A, B)) == (HeadId(1, 1), HeadId(1, 2))


def test_a_pivot_between_its_partners_is_seen_from_one_side_under_a_mask() -> None:
    maps = maps_with({(0, 1, 2, 0): 0.5, (1, 2, 4, 2): 0.5}, causal=True)
    assert opening_heads(maps, (Reading("A", ((2, 0),)), Reading("B", ((2, 4),)))) == (HeadId(0, 1), HeadId(1, 2))


def test_one_head_for_both_readings_gives_way_to_the_next_best() -> None:
    maps = maps_with({(1, 0, 1, 4): 0.5, (1, 0, 2, 4): 0.6, (0, 1, 2, 4): 0.3, (0, 2, 1, 4): 0.3})
    first, second = opening_heads(maps, (Reading("A", ((4, 2),)), Reading("B", ((4, 2),))))
    assert (first, second) == (HeadId(0, 1), HeadId(1, 0))


def test_without_readings_the_strongest_looks_decide_and_they_go_to_different_words() -> None:
    maps = maps_with({(0, 1, 0, 3): 0.6, (1, 0, 2, 3): 0.5, (1, 1, 4, 0): 0.4})
    assert opening_heads(maps) == (HeadId(0, 1), HeadId(1, 1))
    assert opening_heads(maps, None) == opening_heads(maps, ())


def test_a_strong_look_that_every_word_shares_does_not_stand_out() -> None:
    shared = {(0, 0, query, 2): 0.6 for query in range(5)}
    assert opening_heads(maps_with({**shared, (1, 2, 1, 0): 0.28, (0, 2, 1, 3): 0.25})) == (HeadId(1, 2), HeadId(0, 2))


def test_special_tokens_and_punctuation_are_not_words() -> None:
    weights = np.full((1, 3, 5, 5), 0.1, dtype=np.float32)
    weights[0, 1, 1, 0] = 0.6  # a word looks at [CLS]
    weights[0, 2, 1, 2] = 0.3
    tokens = (
        Token("[CLS]", special=True),
        Token("a", word=0),
        Token("b", word=1),
        Token("."),
        Token("[SEP]", special=True),
    )
    assert opening_heads(AttentionMaps(weights, tokens))[0] == HeadId(0, 2)


def test_one_word_and_one_head_still_give_an_answer() -> None:
    one_word = AttentionMaps(np.ones((2, 3, 1, 1)), (Token("a", word=0),))
    assert opening_heads(one_word) == (HeadId(0, 0), HeadId(0, 1))
    one_head = AttentionMaps(np.full((1, 1, 2, 2), 0.5), (Token("a", word=0), Token("b", word=1)))
    assert opening_heads(one_head) == (HeadId(0, 0), HeadId(0, 0))


def test_a_reading_of_other_words_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"no word 9 .* 0 a, 1 b"):
        opening_heads(maps_with({}), (A, Reading("B", ((4, 9),))))
    with pytest.raises(InputError, match="no word 'dog'"):
        opening_heads(maps_with({}), (A, Reading("B", ((4, "dog"),))))
    with pytest.raises(InputError, match="with itself"):
        opening_heads(maps_with({}), (A, Reading("B", ((4, "e"),))))
