"""Shuffled copies and the largest share in them, on weights set by hand."""

import dataclasses
import math

import numpy as np
import pytest

from mha.analysis.shuffles import (
    N_COPIES,
    N_TO_STOP,
    ShuffleControl,
    distinct_orders,
    largest_share,
    min_distance_of,
    n_copies_to_stop,
    n_reached,
    pair_share,
    reorder_words_in_place,
)
from mha.errors import InputError
from mha.maps import AttentionMaps, HeadId, Token


def three_words(causal: bool = False) -> AttentionMaps:
    """Two heads, words a b c: L0H0 gives its neighbours most, L0H1 gives a → c 0.6 and c → a 0.3."""
    weights = np.array(
        [[[[0.0, 0.9, 0.1], [0.8, 0.1, 0.1], [0.2, 0.7, 0.1]], [[0.3, 0.1, 0.6], [0.3, 0.4, 0.3], [0.3, 0.3, 0.4]]]],
        dtype=np.float32,
    )
    tokens = tuple(Token(text, word=number) for number, text in enumerate("abc"))
    return AttentionMaps(np.tril(weights) if causal else weights, tokens, causal=causal)


def test_largest_share_excludes_sinks_and_equal_words():
    # under a mask c sees a and b; a is the first position, a sink, so that only c → b is left, a neighbour
    assert largest_share(three_words(causal=True))[0] == 0
    assert largest_share(three_words(causal=True), min_distance=1) == (pytest.approx(0.7), HeadId(0, 0), 2, 1)
    weights = three_words().weights
    twice = tuple(Token(text, word=number) for number, text in enumerate(("no", "b", "No")))
    assert largest_share(AttentionMaps(weights, twice))[0] == 0
    stop = (Token("a", word=0), Token("b", word=1), Token("."))
    assert largest_share(AttentionMaps(weights, stop))[0] == 0


def test_pair_share_takes_the_better_direction():
    assert pair_share(three_words(), 2, 0) == pytest.approx(0.6)  # a → c, of L0H1
    assert pair_share(three_words(causal=True), 0, 2) == pytest.approx(0.3)  # c → a: the other way is hidden
    assert math.isnan(pair_share(three_words(), 0, 1)), "neighbours are not compared with words two apart"
    assert pair_share(three_words(), 1, 0, min_distance=1) == pytest.approx(0.9)  # a → b, of L0H0


def control(share: float, maxima: list[float], pair: list[float]) -> ShuffleControl:
    return ShuffleControl(HeadId(0, 1), 0, 2, share, 2, np.array(maxima), np.array(pair), "a b c")


def test_p_counts_the_sentence_itself():
    some = control(0.6, [0.5, 0.6, 0.7, 0.59], [0.1, 0.2, 0.3, 0.6])
    assert (some.n_copies, some.n_reached, some.p, some.pair_p) == (4, 2, 3 / 5, 2 / 5)
    none = control(0.6, [], [])
    assert (none.n_copies, none.n_reached, none.p, none.pair_p) == (0, 0, None, None)
    near = control(0.6, [0.5, 0.7], [float("nan"), 0.7])
    assert (near.n_copies, near.n_pairs, near.p, near.pair_p) == (2, 1, 2 / 3, 1)
    assert n_reached(np.array([0.6 - 1e-6]), 0.6) == 1, "one text in two batches differs by as much"


def test_permute_words_keeps_marks_in_place():
    assert (
        reorder_words_in_place("Well-known “dogs”, it’s said, bark!", (4, 3, 2, 1, 0))
        == "bark “said”, it’s dogs, Well-known!"
    )
    assert reorder_words_in_place("漢字。", (1, 0)) == "字漢。"
    with pytest.raises(InputError, match="words 0 to 1 once each"):
        reorder_words_in_place("red apples", (0, 0))


@pytest.mark.parametrize(
    ("text", "fixed", "others"),
    [
        ("dogs", 0, 0),
        ("no no No", 0, 0),
        ("red apples", 0, 1),
        ("red apples", 1, 0),
        ("no no yes", 0, 2),  # 3! / 2! texts, one of them the sentence
        ("a b c d", 0, 23),
        ("a b c d", 1, 5),
        ("a b c d e", 0, 39),  # 119, of which 39 are taken
    ],
)
def test_distinct_orders_counts(text, fixed, others):
    orders = distinct_orders(text, 39, fixed=fixed)
    copies = {reorder_words_in_place(text, order).casefold() for order in orders}
    assert len(orders) == len(copies) == others
    assert text.casefold() not in copies
    assert all(order[:fixed] == tuple(range(fixed)) for order in orders)


def test_nearest_of_a_connection():
    maps = three_words()
    assert (min_distance_of(maps, 0, 2), min_distance_of(maps, 1, 0)) == (2, 1)
    for query, key, reason in ((1, 1, "with itself"), (0, 3, "no word 3"), (-1, 0, "no word -1")):
        with pytest.raises(InputError, match=reason):
            min_distance_of(maps, query, key)
    with pytest.raises(InputError, match="hides later words"):
        min_distance_of(three_words(causal=True), 1, 2)
    with pytest.raises(InputError, match="“a” is an attention sink"):
        min_distance_of(three_words(causal=True), 2, 0)


def test_copies_count_up_to_the_fifth_that_reaches_the_share():
    # share .5; reached by copies 2, 3, 5, 6 and 8
    maxima = np.array([0.1, 0.5, 0.9, 0.4, 0.6, 0.7, 0.2, 0.8, 0.9])
    assert n_copies_to_stop(maxima, 0.5) == 8
    assert n_copies_to_stop(maxima[:7], 0.5) == 0, "four are not enough"
    assert n_copies_to_stop(np.array([np.nan, 1, 1, 1, 1, 1]), 0.5) == 6, "a copy that cannot be compared stays"


def test_the_verdict_of_a_sequential_control_is_that_of_all_copies():
    for seed in range(200):
        maxima = np.random.default_rng(seed).random(N_COPIES)
        share = float(np.sort(maxima)[-1 - seed % 8])  # reached by one to eight copies
        last = n_copies_to_stop(maxima, share)
        fixed = control(share, list(maxima), list(maxima))
        sequential = dataclasses.replace(fixed, maxima=maxima[:last], stopped=True) if last else fixed
        assert sequential.n_reached == min(fixed.n_reached, N_TO_STOP), seed
        assert (sequential.p <= 0.05) == (fixed.p <= 0.05), seed
