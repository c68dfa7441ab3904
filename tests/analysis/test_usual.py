"""Habits on weights set by hand: 2 layers × 3 heads, texts of three and seven words."""

import numpy as np
import pytest

from mha.analysis.usual import FARTHEST, N_DISTANCES, SHARES, Habit, bundled, column, habit, looking
from mha.assets import model_file
from mha.maps import AttentionMaps, Token
from studies.files import usual_attention, write_usual_attention


def maps_of(words: list[np.ndarray], said: str, marks: str = "", causal: bool = False) -> AttentionMaps:
    """Maps whose heads (layer by layer) have these weights between words; what is left of a row goes to [CLS]."""
    texts = said.split()
    n = len(texts)
    weights = np.zeros((2, 3, n + 1 + len(marks), n + 1 + len(marks)), dtype=np.float32)
    for number, between in enumerate(words):
        weights[number // 3, number % 3, 1 : n + 1, 1 : n + 1] = between
    weights[..., 0] = 1 - weights.sum(axis=-1)
    tokens = [Token("[CLS]", special=True), *(Token(text, word=number) for number, text in enumerate(texts))]
    return AttentionMaps(weights, (*tokens, *map(Token, marks)), causal=causal)


def heads(**given: np.ndarray) -> list[np.ndarray]:
    """Six heads of three words: those given by number (h0 … h5), an even spread for the others."""
    return [given.get(f"h{number}", np.full((3, 3), 1 / 3)) for number in range(6)]


def share(maps: AttentionMaps, key: str) -> np.ndarray:
    return looking(maps)[key].ravel()


def measured(*texts: AttentionMaps) -> Habit:
    return usual_attention(texts, "a", "b")


def test_a_distance_has_one_place_and_the_far_ones_share_one():
    assert [column(distance) for distance in (-30, -9, -8, 0, 8, 9, 30)] == [0, 0, 1, 9, 17, 18, 18]
    assert N_DISTANCES == 2 * FARTHEST + 1 == 19


def test_a_habit_is_the_mean_weight_at_each_distance_over_all_pairs_of_words():
    back = np.array([[0.2, 0, 0], [0.5, 0.1, 0], [0.3, 0.7, 0]])
    found = measured(maps_of(heads(h4=back), "ash bay cod"), maps_of(heads(), "ash bay cod", "."))
    assert found.weights.shape == (2, 3, 19)
    assert found.at(-1)[1, 1] == pytest.approx((0.5 + 0.7 + 2 / 3) / 4)
    assert found.at(-2)[1, 1] == pytest.approx((0.3 + 1 / 3) / 2)
    assert found.at(0)[1, 1] == pytest.approx((0.2 + 0.1 + 0 + 1) / 6)
    assert found.at(5)[1, 1] == 0  # no two words stand so far apart
    assert found.at(-1)[0, 2] == pytest.approx(1 / 3)
    assert (found.model, found.revision) == ("a", "b")


def test_marks_between_words_are_not_counted_as_steps():
    weights = np.zeros((2, 3, 3, 3), dtype=np.float32)
    weights[1, 2, 2, 0] = 0.8
    tokens = (Token("ash", word=0), Token(","), Token("bay", word=1))
    assert measured(AttentionMaps(weights, tokens)).at(-1)[1, 2] == pytest.approx(0.8)


def test_looks_that_a_mask_hides_or_that_rest_on_the_first_word_are_no_habit():
    weights = np.zeros((2, 3, 5, 5), dtype=np.float32)
    weights[..., 0], weights[1, 1, 3, 2] = 0.7, 0.3
    tokens = tuple(Token(text, word=number) for number, text in enumerate(["ash", "bay", "cod", "dew", "elm"]))
    found = measured(AttentionMaps(weights, tokens, causal=True))
    assert found.at(-1)[1, 1] == pytest.approx(0.3 / 3)
    assert found.at(-4).max() == 0
    assert found.at(1).max() == 0


def test_largest_share_is_a_mean_over_texts():
    far, near = np.full((7, 7), 0.01), np.full((7, 7), 0.01)
    far[6, 0], near[1, 0], near[2, 5] = 0.8, 0.9, 0.4
    one, two = (maps_of([weights] * 6, "ash bay cod dew elm fir gum") for weights in (far, near))
    found = measured(one, two, maps_of(heads(h0=np.eye(3)[::-1]), "ash bay cod"))
    assert found.largest is not None
    assert found.largest == pytest.approx(np.full((2, 3), (0.8 + 0.4) / 2)), "neighbours and short texts do not count"
    assert measured(maps_of(heads(), "ash bay cod")).largest is None


def test_shares_of_looks_worked_out_by_hand():
    back = np.array([[0.2, 0, 0], [0.4, 0.1, 0], [0.1, 0.3, 0]])  # rescaled: 1 / .8, .2 / .25, .75
    maps = maps_of(heads(h4=back), "ash bay cod")
    assert share(maps, "sinks")[4] == pytest.approx((0.8 + 0.5 + 0.6) / 3)
    assert share(maps, "previous_word")[4] == pytest.approx((0.8 + 0.75) / 2)  # the first word has none before it
    assert share(maps, "same_word")[4] == pytest.approx((1 + 0.2 + 0) / 3)
    assert share(maps, "next_word")[4] == 0
    assert share(maps, "one_word")[4] == pytest.approx((1 + 0.8 + 0.25) / 3)
    entropy = [0.0, -(0.8 * np.log(0.8) + 0.2 * np.log(0.2)), -(0.75 * np.log(0.75) + 0.25 * np.log(0.25))]
    assert share(maps, "evenness")[4] == pytest.approx(sum(entropy) / 3 / np.log(3))
    assert share(maps, "evenness")[3] == pytest.approx(1)
    assert np.isnan(share(maps, "elsewhere")).all()  # no word stands there twice


def test_the_same_word_elsewhere_counts_in_rows_that_have_one():
    twice = np.array([[0, 0.5, 0.5], [0.3, 0.3, 0.3], [0.9, 0, 0]])
    assert share(maps_of(heads(h5=twice), "The cod the"), "elsewhere")[5] == pytest.approx((0.5 + 1) / 2)


def test_rows_without_looks_at_words_count_for_sinks_alone():
    maps = maps_of(heads(h3=np.diag([0.005, 0.5, 0])), "ash bay cod")
    assert share(maps, "sinks")[3] == pytest.approx((0.995 + 0.5 + 1) / 3)
    assert share(maps, "same_word")[3] == pytest.approx(1)  # of one row
    nothing = maps_of(heads(h3=np.zeros((3, 3))), "ash bay cod")
    assert all(np.isnan(share(nothing, key)[3]) for key in SHARES if key != "sinks" and "even" not in key)
    no_words = AttentionMaps(np.full((2, 3, 2, 2), 0.5), (Token("[CLS]", special=True), Token(".")))
    assert all(np.isnan(value).all() and value.shape == (2, 3) for value in looking(no_words).values())


def test_a_habit_is_written_and_read_as_it_is_and_known_by_its_revision(tmp_path, monkeypatch):
    monkeypatch.setattr("mha.assets.ASSETS", tmp_path)
    found = measured(maps_of([np.full((7, 7), 1 / 7)] * 6, "ash bay cod dew elm fir gum"))
    write_usual_attention(found, model_file("habit", "org/name"))
    read = habit("org/name")
    assert np.array_equal(read.weights, found.weights)
    assert read.weights.dtype == np.float32
    assert all(np.array_equal(read.shares[key], found.shares[key], equal_nan=True) for key in SHARES)
    assert np.array_equal(read.largest, found.largest)
    assert habit("other") is None
    tokens = (Token("ash", word=0),)
    own = AttentionMaps(np.ones((2, 3, 1, 1)), tokens, revision="b", origin="pretrained")
    duplicate = AttentionMaps(np.ones((2, 3, 1, 1)), tokens, revision="b", origin="scrambled twin")
    assert bundled(own).revision == "b"
    assert bundled(duplicate) is bundled(AttentionMaps(np.ones((2, 3, 1, 1)), tokens, origin="pretrained")) is None
