"""Hits against false namings: shares, areas and held-out thresholds that can be worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.analysis.placebo import Placebo, area, carried_beyond, curve, held_out, pairs_needed


def placebo(pairs, swaps, items=None, authors=None):
    items = np.arange(len(swaps)) if items is None else np.array(items)
    authors = np.zeros(len(swaps), dtype=int) if authors is None else np.array(authors)
    return Placebo(np.array(pairs, dtype=float), np.array(swaps, dtype=float), items, authors)


def test_pairs_beyond_every_swap_have_all_the_area_and_none_of_the_false():
    apart = placebo([0.5, 0.6, 0.7], [0.1, 0.2, 0.3, 0.4])
    assert area(apart) == (1, 1, 1)
    pairs, swaps = curve(apart)
    first = int(np.argmax(np.linspace(0, 0.7, 61) >= 0.4))
    assert swaps[0, first] == 0
    assert pairs[0, first] == 1
    assert pairs[0, -1] == 0  # nothing lies beyond the largest


def test_alike_changes_have_half_the_area_and_its_interval_holds_a_half():
    generator = np.random.default_rng(0)
    value, low, high = area(placebo(generator.random(60), generator.random(80)))
    assert 0.4 < value < 0.6
    assert low < 0.5 < high
    assert area(placebo([1, 1, 1], [1, 1])) == (0.5, 0.5, 0.5)


def test_a_threshold_is_tried_on_items_that_it_was_not_chosen_from():
    # items 0 and 2 (the first half) are small, 1 and 3 large: each half's threshold is tried on the other
    swaps = [0.1, 0.1, 0.9, 0.9, 0.1, 0.1, 0.9, 0.9]
    tried = held_out(placebo([0.5, 2], swaps, [0, 0, 1, 1, 2, 2, 3, 3]))
    assert tried.false[0] == pytest.approx(0.5)  # all of the large half, none of the small one
    assert tried.hits[0] == pytest.approx((1 + 0.5) / 2)  # both pairs pass .1, one passes .9
    assert tried.threshold == pytest.approx(0.5)
    assert tried.false[1] <= tried.false[0] <= tried.false[2]


def test_authors_are_redrawn_before_their_items():
    swaps = [0.0] * 20 + [1.0] * 20
    items = list(range(40))
    one, two = placebo([0.5] * 30, swaps, items), placebo([0.5] * 30, swaps, items, [0] * 20 + [1] * 20)
    assert area(one)[0] == area(two)[0] == 0.5
    assert np.diff(area(two)[1:]) > np.diff(area(one)[1:])
    assert area(two)[1:] == (0, 1)  # some draws have one author alone


def test_what_a_path_carries_beyond_swaps_widens_with_the_number_of_paths():
    generator = np.random.default_rng(1)
    both = placebo(np.ones(50), np.ones(60))
    pairs, swaps = generator.normal(0.2, 0.1, 50), generator.normal(0.1, 0.1, 60)
    value, low, high = carried_beyond(both, pairs, swaps)
    assert value == pytest.approx(pairs.mean() - swaps.mean())
    assert 0 < low < value < high
    _, wider, higher = carried_beyond(both, pairs, swaps, paths=7)
    assert wider < low
    assert higher > high


def test_more_pairs_are_needed_the_nearer_two_shares_are():
    assert [pairs_needed(hits, 0.1) for hits in (0.9, 0.5, 0.2)] == sorted(
        pairs_needed(h, 0.1) for h in (0.9, 0.5, 0.2)
    )
    assert pairs_needed(0.0, 0.0) is None
    assert pairs_needed(1.0, 0.0) >= 1


def test_too_little_material_is_told():
    assert not placebo([], [0.1, 0.2]).enough
    assert not placebo([0.1, 0.2], []).enough
    assert not placebo([0.1, 0.2], [0.1, 0.2], [0, 0]).enough
    assert placebo([0.1, 0.2], [0.1, 0.2]).enough


@given(st.integers(0, 10**6))
def test_shares_are_shares_and_fall_with_the_threshold(seed):
    generator = np.random.default_rng(seed)
    for one in curve(placebo(generator.random(5), generator.random(7))):
        assert np.all((one >= 0) & (one <= 1))
        assert np.all(np.diff(one[0]) <= 0)
        assert np.all(one[1] <= one[2])
