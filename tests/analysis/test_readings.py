"""Strength, lean, share and no opinion on weights set by hand: 2 layers × 3 heads, [CLS] and five words."""

import numpy as np
import pytest

from mha.analysis.readings import MEASURES, lean, leans
from mha.errors import InputError, NotComparable
from mha.maps import AttentionMaps, Reading, Token

TOKENS = (
    Token("[CLS]", special=True),
    *(Token(text, word=word) for word, text in enumerate(("a", "b", "c", "d", "d"))),
)
A, B = Reading("A", ((4, 1),)), Reading("B", ((4, 2),))


def maps_with(looks: dict[tuple[int, int], float], sink: float = 0.5, causal: bool = False) -> AttentionMaps:
    """Head L1H2 has these looks between words (by number) and ``sink`` on [CLS]; the other heads look at [CLS] only."""
    weights = np.zeros((2, 3, 6, 6), dtype=np.float32)
    weights[..., 0] = 1
    weights[1, 2, :, 0] = sink
    for (query, key), weight in looks.items():
        weights[1, 2, query + 1, key + 1] = weight
    rest = 1 - weights[1, 2].sum(axis=-1)
    weights[1, 2, :, 1] += rest  # what is left of a row goes to the word a
    return AttentionMaps(weights, TOKENS, causal=causal)


def test_a_lean_is_worked_out_by_hand():
    maps = maps_with({(4, 1): 0.2, (1, 4): 0.1, (4, 2): 0.05, (2, 4): 0.0})
    found = leans(maps, (A, B))
    assert found.a[1, 2] == pytest.approx((0.4 + 0.2) / 2)  # rows hold 0.5 besides [CLS]
    assert found.b[1, 2] == pytest.approx(0.1 / 2)
    assert lean(maps, (A, B))[1, 2] == pytest.approx(0.25)
    assert lean(maps, (B, A))[1, 2] == pytest.approx(-0.25)
    assert found.share[1, 2] == pytest.approx(0.25 / 0.35)
    assert (found.even, bool(found.is_below_even_share[1, 2])) == (0.2, False)
    assert found.lean.shape == (2, 3)
    assert found.lean.dtype == np.float64


@pytest.mark.parametrize(("look", "expected"), [(0.02, 0.5), (0.009, 0.0)])
def test_a_row_with_less_than_one_per_cent_besides_sinks_has_no_lean(look, expected):
    maps = maps_with({(4, 1): look}, sink=1 - look)
    assert lean(maps, (A, B))[1, 2] == pytest.approx(expected)


def test_measures_are_three_views_of_the_same_look():
    maps = maps_with({(4, 1): 0.2, (1, 4): 0.1, (4, 2): 0.05})
    by_name = {name: lean(maps, (A, B), measure=name)[1, 2] for name in MEASURES}
    assert by_name == pytest.approx({"default": 0.25, "raw": 0.125, "one direction": 0.3})
    with pytest.raises(InputError, match="default, raw, one direction; this is 'norm'"):
        lean(maps, (A, B), measure="norm")


def test_a_head_that_looks_along_neither_link_has_no_opinion():
    maps = maps_with({(4, 1): 0.05, (4, 2): 0.04})
    found = leans(maps, (A, B))
    assert found.is_below_even_share[1, 2]  # 0.09 is less than a fifth
    assert found.is_below_even_share[0, 0]
    assert np.isnan(found.share[0, 0])  # nothing at all to divide
    assert found.lean[0, 0] == 0


def test_in_a_causal_model_only_the_later_word_looks():
    maps = maps_with({(4, 0): 0.25, (4, 2): 0.1}, sink=0.5, causal=True)
    found = leans(maps, (Reading("A", ((4, 0),)), B))  # [CLS] stands before word 0
    assert found.a[1, 2] == pytest.approx((0.4 / 0.5) / 2)  # 0.25 + the rest, 0.15, of the 0.5 that [CLS] leaves


@pytest.mark.parametrize("pairs", [((2, 0), (2, 1)), ((2, 1), (2, 0)), ((0, 1), (0, 2))])
def test_the_first_word_of_a_causal_model_has_no_lean(pairs):
    bare = AttentionMaps(np.tril(np.full((1, 1, 3, 3), 1 / 3)), TOKENS[1:4], causal=True)
    readings = [Reading(name, (pair,)) for name, pair in zip("AB", pairs, strict=True)]
    for measure in ("default", "raw"):
        with pytest.raises(NotComparable, match="no share is counted for “a”. Put a word such as “Yesterday”"):
            leans(bare, readings, measure)
    both_ways = AttentionMaps(bare.weights, bare.tokens)
    assert leans(both_ways, readings).a.shape == (1, 1)


def test_words_may_be_given_as_text_if_they_occur_once():
    maps = maps_with({(2, 1): 0.3, (2, 0): 0.1})
    by_text = lean(maps, (Reading("A", (("c", "B"),)), Reading("B", (("c", "a"),))))
    by_number = lean(maps, (Reading("A", ((2, 1),)), Reading("B", ((2, 0),))))
    np.testing.assert_array_equal(by_text, by_number)
    with pytest.raises(InputError, match=r"'d' occurs 2 times; say which by its number: 3, 4"):
        lean(maps, (Reading("A", (("d", "a"),)), B))


@pytest.mark.parametrize(
    ("readings", "sentence"),
    [
        ((A,), "Two readings are compared, A and B, or one of"),
        ((A, B, B), "Two readings are compared"),
        ((A, Reading("B", ((1, 4),))), "Both readings join the same words"),
        ((A, Reading("B", ((4, 7),))), r"There is no word 7 in this text\. Its words: 0 a, 1 b"),
        ((A, Reading("B", ((4, 2),), cue=11)), "There is no word 11"),
        ((A, Reading("B", (("e", "a"),))), "There is no word 'e'"),
    ],
)
def test_readings_that_cannot_be_compared_are_refused_in_words(readings, sentence):
    with pytest.raises(InputError, match=sentence):
        lean(maps_with({}), readings)


@pytest.mark.parametrize("given", ["A", 1, [("a", "b")], (None, None)])
def test_what_is_no_readings_is_refused_in_words(given):
    with pytest.raises(InputError, match="Two readings are compared, A and B, or one of what mha.propose returns"):
        lean(maps_with({}), given)  # type: ignore[arg-type]


def test_one_direction_of_a_causal_model_is_not_comparable():
    tokens = (Token("<s>", special=True), *(Token(text, word=number) for number, text in enumerate(["a", "b", "c"])))
    maps = AttentionMaps(np.tril(np.full((1, 2, 4, 4), 1 / 4)), tokens, causal=True, units="words")
    readings = Reading("a", ((2, 0),)), Reading("b", ((2, 1),))
    with pytest.raises(NotComparable, match="Use both directions"):
        leans(maps, readings, "one direction")
    assert leans(maps, readings).a == pytest.approx(np.full((1, 2), 1 / 6))  # half of 1 / 3, without <s>
