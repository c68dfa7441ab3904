"""Alignment, the change of a head and its floor, by hand; sizes are primes, so that no axis can be swapped."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mha
from mha.analysis.changes import align, change_limit, changes
from mha.errors import InputError, NotComparable
from mha.maps import AttentionMaps, Token

FIRST, SECOND = "I saw the man with the telescope", "I saw the man with the beard"


def maps_of(weights) -> AttentionMaps:
    weights = np.asarray(weights, dtype=np.float32)
    tokens = (Token("[CLS]", special=True), *(Token(f"w{n}", word=n) for n in range(weights.shape[-1] - 1)))
    return AttentionMaps(weights, tokens, units="words")


@pytest.mark.parametrize(
    ("first", "second", "pairs", "same", "only"),
    [
        ("a b c", "a b c", ((0, 0), (1, 1), (2, 2)), (True,) * 3, ((), ())),
        ("a b c", "a x c", ((0, 0), (1, 1), (2, 2)), (True, False, True), ((), ())),
        ("a b c", "a x y c", ((0, 0), (2, 3)), (True, True), ((1,), (1, 2))),
        ("a c", "a b c", ((0, 0), (1, 2)), (True, True), ((), (1,))),
        ("x", "y", ((0, 0),), (False,), ((), ())),
        ("a b", "c d", (), (), ((0, 1), (0, 1))),
        ("The b", "the c", ((0, 0), (1, 1)), (True, False), ((), ())),
        ("x a", "y a", ((0, 0), (1, 1)), (False, True), ((), ())),
        ("", "a", (), (), ((), (0,))),
    ],
)
def test_words_are_paired(first, second, pairs, same, only):
    found = align(first.split(), second.split())
    assert (found.pairs, found.same, (found.only_first, found.only_second)) == (pairs, same, only)
    assert found.changed == tuple(pair for pair, stayed in zip(pairs, same, strict=True) if not stayed)


@given(st.lists(st.sampled_from("abcde"), max_size=9), st.lists(st.sampled_from("abcde"), max_size=9))
def test_no_word_is_dropped_and_none_stands_twice(first, second):
    found = align(first, second)
    assert sorted([*(i for i, _ in found.pairs), *found.only_first]) == list(range(len(first)))
    assert sorted([*(j for _, j in found.pairs), *found.only_second]) == list(range(len(second)))
    assert list(found.pairs) == sorted(found.pairs, key=lambda pair: pair[1])
    mirrored = align(second, first)
    assert sum(mirrored.same) == sum(found.same)


def test_a_change_is_worked_out_by_hand():
    # one word stays; its row goes from (1, 0 | 0) to (½, ½ | 0): 0.3113 bits; the changed word's row does not count
    first, second = np.zeros((1, 1, 3, 3)), np.zeros((1, 1, 3, 3))
    first[0, 0] = [[1, 0, 0], [0, 1, 0], [0, 1, 0]]
    second[0, 0] = [[1, 0, 0], [0, 0.5, 0.5], [1, 0, 0]]
    found = changes(maps_of(first), maps_of(second), align(["a", "b"], ["a", "c"]))
    assert found.bits[0, 0] == pytest.approx([0.311278, 1])
    assert found.counted.tolist() == [True, False]
    assert found.mean[0, 0] == found.largest[0, 0] == pytest.approx(0.311278)
    assert found.strongest((0, 0)) == (0, 0)


def test_first_word_of_a_causal_model_belongs_to_the_rest():
    rows = [[[1, 0, 0, 0], [0.5, 0.5, 0, 0], [share, 0.2, 0.1, 0], [0, 0, 0, 1]] for share in (0.7, 0.1)]
    rows[1][2][1:3] = [0.5, 0.4]
    first, second = (
        AttentionMaps(
            np.array(row, dtype=np.float32)[None, None],
            tuple(Token(text, word=number) for number, text in enumerate(text.split())),
            causal=True,
            units="words",
        )
        for row, text in zip(rows, ("a b c d", "a x c d"), strict=True)
    )
    found = changes(first, second, align(["a", "b", "c", "d"], ["a", "x", "c", "d"]))
    assert found.first[0, 0, 2] == pytest.approx([0, 0.2, 0.1, 0, 0.7])
    assert found.second[0, 0, 2] == pytest.approx([0, 0.5, 0.4, 0, 0.1])


def test_the_same_twice_has_not_changed_and_nothing_in_common_cannot_be_compared():
    maps = maps_of(np.full((2, 3, 5, 5), 0.2))
    assert changes(maps, maps, align("abcd", "abcd")).mean.max() == 0
    assert np.isnan(changes(maps, maps, align(["a"], ["b"])).mean).all()
    with pytest.raises(InputError, match="no words in common to compare"):
        changes(maps, maps, align("ab", "cd"))
    with pytest.raises(InputError, match="2 × 3 and 3 × 2"):
        changes(maps, maps_of(np.full((3, 2, 5, 5), 0.2)), align("abcd", "abcd"))


def by_hand(means, counted=(True, False)):
    maps = maps_of(np.full((1, 3, 3, 3), 1 / 3))
    found = changes(maps, maps, align(["a", "b"], ["a", "c"]))
    return type(found)(found.first, found.second, found.bits, np.array(counted), np.array([means]), np.array([means]))


def test_a_head_is_named_beyond_twice_its_floor():
    swaps = [by_hand([0.1, 0.1, 0.01]), by_hand([0.2, 0.0, 0.0]), by_hand([0.0, 0.0, 0.0])]
    found = change_limit(by_hand([0.3, 0.21, 0.2]), swaps)
    assert found.values[0] == pytest.approx([0.2, 0.1, 0.01])
    assert found.beyond.tolist() == [[True, True, True]]
    assert found.twice.tolist() == [[False, True, True]]
    assert found.ranked == [(0, 2), (0, 1)]
    assert found.by_swap == (2, 0, 0)  # the first moves heads 2 and 3 further than twice the others, the second none
    assert not found.named_heads.any()  # two heads, and one of the swaps has as many
    more = change_limit(by_hand([0.5, 0.21, 0.2]), swaps)
    assert more.named_heads.tolist() == more.twice.tolist() == [[True, True, True]]
    assert found.expected == 0.75
    with pytest.raises(InputError, match="needs 3 control words; there are 2"):
        change_limit(by_hand([1, 1, 1]), swaps[:2])
    with pytest.raises(InputError, match="the same words"):
        change_limit(by_hand([1, 1, 1]), [*swaps[:2], by_hand([0, 0, 0], (True, True))])


def test_the_story_of_the_beard():
    """The figures of the mock, computed with the bundled model: L1H0 and L4H4 lead, nine beyond twice, 43 beyond."""
    first = mha.attend(FIRST)
    pairs = align(FIRST.split(), SECOND.split())
    swaps = [
        changes(
            first,
            mha.attend(FIRST.replace("telescope", word)),
            align(FIRST.split(), FIRST.replace("telescope", word).split()),
        )
        for word in ("binoculars", "camera", "umbrella")
    ]
    found = change_limit(changes(first, mha.attend(SECOND), pairs), swaps)
    assert found.changes.mean[1, 0] == pytest.approx(0.042, abs=0.0006)
    assert found.values[1, 0] == pytest.approx(0.008, abs=0.0006)
    assert found.ranked[:2] == [(1, 0), (4, 4)]
    assert (int(found.twice.sum()), int(found.beyond.sum()), found.expected) == (9, 43, 18)
    assert found.changes.strongest((1, 0)) == (3, 6)
    assert found.changes.second[1, 0, 3, 6] == pytest.approx(0.43, abs=0.006)


def causal_maps(text: str, seed: int, revision: str = "r") -> AttentionMaps:
    tokens = tuple(Token(word, word=number) for number, word in enumerate(text.split()))
    weights = np.tril(np.random.default_rng(seed).random((2, 3, len(tokens), len(tokens)))).astype(np.float32)
    weights /= weights.sum(axis=-1, keepdims=True)
    return AttentionMaps(weights, tokens, text=text, model="m", revision=revision, causal=True, units="words")


def test_changes_of_a_causal_model_need_a_word_after_the_change():
    first = causal_maps(FIRST, 0)
    with pytest.raises(NotComparable, match="the changed word “telescope” comes after “man”, “with” and “the”"):
        changes(first, causal_maps(SECOND, 0), align(FIRST.split(), SECOND.split()))
    early = "I saw the star with the telescope"
    found = changes(first, causal_maps(early, 1), align(FIRST.split(), early.split()))
    assert found.counted.tolist() == [False, False, False, False, True, True, True]
    assert found.mean == pytest.approx(found.bits[..., 4:].mean(axis=-1))
    added = "I saw the man with the telescope today"
    with pytest.raises(NotComparable, match="the changed word “today”"):
        changes(first, causal_maps(added, 1), align(FIRST.split(), added.split()))


def test_changes_between_two_models_leave_out_rows_of_one_key():
    first, copy = causal_maps(FIRST, 0), causal_maps(FIRST, 1, revision="copy")
    found = changes(first, copy, align(FIRST.split(), FIRST.split()))
    assert found.counted.tolist() == [False, *[True] * 6]
