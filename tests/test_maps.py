"""The data: heads, tokens, maps at the door, merging by hand."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.errors import InputError, ShapeError
from mha.maps import AttentionMaps, HeadId, Reading, Recording, Token, piece_groups


def tokens(*texts: str) -> tuple[Token, ...]:
    return tuple(Token(text, raw=text, word=number) for number, text in enumerate(texts))


def even(n_layers: int, n_heads: int, n_tokens: int) -> np.ndarray:
    return np.full((n_layers, n_heads, n_tokens, n_tokens), 1 / n_tokens, dtype=np.float32)


def test_a_head_prints_and_parses():
    assert str(HeadId(5, 3)) == "L5H3"
    assert HeadId.parse(" l5h3 ") == (5, 3)
    with pytest.raises(InputError, match="A head is named like L5H3; '5.3' is not"):
        HeadId.parse("5.3")


def test_maps_index_by_layer_and_head_and_say_which_heads_there_are():
    maps = AttentionMaps(even(2, 3, 5), tokens(*"abcde"), model="MiniLM")
    assert maps[1, 2].shape == (5, 5)
    assert (maps.n_layers, maps.n_heads, maps.n_queries, maps.n_keys) == (2, 3, 5, 5)
    with pytest.raises(InputError, match="MiniLM has heads L0H0 to L1H2; you asked for L9H0"):
        maps[9, 0]


def test_weights_are_read_only():
    maps = AttentionMaps(even(1, 1, 2), tokens("a", "b"))
    with pytest.raises(ValueError, match="read-only"):
        maps.weights[0, 0, 0, 0] = 1


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        (np.ones((1, 1, 2, 3)) / 3, r"must be \[layer, head, 2, 2\]; they are \(1, 1, 2, 3\)"),
        (np.array([[[[1.5, 0], [0, 1]]]]), "between 0 and 1"),
        (np.array([[[[-0.1, 1], [0, 1]]]]), "between 0 and 1"),
        (np.array([[[[np.nan, 1], [0, 1]]]]), "between 0 and 1"),
        (np.array([[[[0.6, 0.6], [0, 1]]]]), r"may sum to 1 at most; row 0 \('a'\) of L0H0 .* sums to 1\.2"),
    ],
)
def test_wrong_weights_are_refused_at_the_door(weights, sentence):
    with pytest.raises(ShapeError, match=sentence):
        AttentionMaps(weights, tokens("a", "b"))


def test_half_precision_rows_may_be_less_exact():
    weights = np.array([[[[0.5, 0.503], [0, 1]]]])
    with pytest.raises(ShapeError):
        AttentionMaps(weights, tokens("a", "b"))
    assert AttentionMaps(weights, tokens("a", "b"), half_precision=True).n_heads == 1


def test_missing_mass_is_kept_and_not_rescaled():
    maps = AttentionMaps(np.array([[[[0.25, 0.5], [0, 1]]]]), tokens("a", "b"))
    assert maps.absent_mass.tolist() == [[[0.25, 0.0]]]
    assert maps[0, 0].tolist() == [[0.25, 0.5], [0, 1]]


def test_merging_sums_to_a_word_and_averages_from_it():
    # tele ##scope is one word: 2 tokens; weights chosen so that every merged number can be checked by hand
    pieces = (
        Token("a", word=0, start=0, end=1),
        Token("tele", word=1, start=2, end=6),
        Token("##scope", word=1, start=6, end=11),
    )
    weights = np.array([[[[0.5, 0.3, 0.2], [0.2, 0.4, 0.4], [0.6, 0.1, 0.3]]]])
    merged = AttentionMaps(weights, pieces, text="a telescope").merged()
    assert [token.text for token in merged.tokens] == ["a", "telescope"]
    assert np.allclose(merged[0, 0], [[0.5, 0.5], [0.4, 0.6]])
    assert merged.units == "words"
    assert merged.merged() is merged


def test_punctuation_that_touches_is_one_piece_and_special_tokens_stand_alone():
    pieces = (
        Token("[CLS]", special=True), Token("yes", word=0, start=0, end=3), Token(".", start=3, end=4),
        Token('"', start=4, end=5), Token("-", start=6, end=7), Token("[SEP]", special=True),
        Token("[SEP]", special=True),
    )  # fmt: skip
    assert piece_groups(pieces) == [(0,), (1,), (2, 3), (4,), (5,), (6,)]


@given(st.integers(1, 11), st.randoms(use_true_random=False))
def test_merged_rows_still_sum_to_one(n_tokens, random):
    word, pieces = 0, []
    for position in range(n_tokens):
        pieces.append(Token("x", word=word, start=position, end=position + 1))
        word += random.random() < 0.5
    weights = np.random.default_rng(n_tokens).dirichlet(np.ones(n_tokens), size=(2, 3, n_tokens))
    merged = AttentionMaps(weights, tuple(pieces), text="x" * n_tokens).merged()
    assert np.allclose(merged.weights.sum(axis=-1), 1, atol=1e-5)


def test_a_recording_gives_its_stacks_by_name():
    weights = even(2, 3, 5)
    maps = AttentionMaps(weights, tokens(*"abcde"))
    cross = np.full((2, 3, 5, 7), 1 / 7, dtype=np.float32)
    recording = Recording(maps, {"decoder": weights, "cross": cross})
    assert recording.attention("decoder").causal
    found = recording.attention("cross")
    assert (found.kind, found.n_keys, found.key_tokens[6].text) == ("cross", 7, "6")
    with pytest.raises(InputError, match="This recording has decoder, cross; there is no 'self'"):
        recording.attention()


def test_what_was_merged_is_made_once_while_it_is_kept_and_not_longer():
    tokens = (Token("un", word=0), Token("##fit", word=0, start=2, end=5), Token("box", word=1, start=6, end=9))
    maps = AttentionMaps(np.full((1, 1, 3, 3), 1 / 3, dtype=np.float32), tokens, text="unfit box")
    kept = maps.merged()
    assert maps.merged() is kept
    gone = weakref.ref(kept)
    del kept
    gc.collect()
    assert gone() is None
    assert maps.merged().n_keys == 2


def test_merged_axes_are_found_once_and_keep_no_maps():
    tokens = (Token("un", word=0, end=2), Token("kind", word=0, start=2, end=6), Token("it", word=1, start=7, end=9))
    maps = AttentionMaps(np.full((1, 1, 3, 3), 1 / 3, dtype=np.float32), tokens, text="unkind it")
    axes, gone = maps.merged_axes(), weakref.ref(maps)
    assert maps.merged_axes() is axes
    assert [token.text for token in axes.tokens] == ["unkind", "it"]
    del maps
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("sizes", [(1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 3, 1, 1), (3, 5, 1, 2)], ids=["mostly one", "pieces"])
def test_some_merged_weights_are_those_of_all_merged_ones(sizes):
    words = [word for word, size in enumerate(sizes) for _ in range(size)]
    tokens = tuple(Token(f"t{at}", word=word, start=at, end=at + 1) for at, word in enumerate(words))
    weights = np.random.default_rng(7).dirichlet(np.ones(len(words)), size=(2, 3, len(words)))
    maps = AttentionMaps(weights, tokens, text="x" * len(words))
    belongs = np.equal.outer(np.arange(len(sizes)), words).astype(np.float64)  # [piece, token]
    expected = (belongs / belongs.sum(axis=1, keepdims=True)) @ maps.weights @ belongs.T
    some = slice(1, 2), slice(0, 2)
    alone = maps.merged_weights(some)
    np.testing.assert_allclose(alone, expected[some], atol=1e-6)
    rows = maps.merged_weights(rows=[2, 0])
    kept = maps.merged()
    assert np.array_equal(kept.weights[some], alone)
    assert np.array_equal(maps.merged_weights(some), alone)
    assert np.array_equal(kept.merged_weights(some), alone)
    assert np.array_equal(rows, kept.weights[:, :, [2, 0]])
    assert np.array_equal(maps.merged_weights(rows=[2, 0]), rows)
    assert np.array_equal(kept.merged_weights(rows=[2, 0]), rows)


@pytest.mark.parametrize("head", [5, (1.5, 0), (True, False), (1,), (1, 2, 3), None, ("1", "2"), (np.True_, 0)])
def test_what_is_no_head_is_refused(head):
    with pytest.raises(InputError, match="A head is its name"):
        HeadId.of(head)
    assert HeadId.of((np.int64(3), np.uint8(1))) == HeadId(3, 1)


@pytest.mark.parametrize("links", [("it", "dog"), None, [1], [(1, 2, 3)], [], [(6, 1), (6, 6)]])
def test_links_must_be_pairs_of_different_words(links):
    assert Reading("I used it", [(6, 1)]).links == ((6, 1),)
    with pytest.raises(
        InputError, match="reading 'x' must be a list of pairs .ambiguous word, candidate. of different"
    ):
        Reading("x", links)


def test_a_copy_cannot_be_written_into_either():
    weights = np.full((1, 1, 2, 2), 0.5, dtype=np.float32)
    maps = AttentionMaps(weights, ["a", "b"])
    for copied in (copy.deepcopy(maps), pickle.loads(pickle.dumps(maps))):
        with pytest.raises(ValueError, match="read-only"):
            copied.weights[:] = 0
        assert np.array_equal(copied.merged().weights, maps.merged().weights)
