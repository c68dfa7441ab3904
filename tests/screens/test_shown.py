"""From a view to what is drawn: units, sinks, the app's own choices, and a lock that means the same word throughout."""

import dataclasses

import numpy as np
import pytest

from mha.analysis.opening import opening_heads
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId, Reading, Token
from mha.screens.shown import shown_for

CLS, SEP = Token("[CLS]", special=True), Token("[SEP]", special=True)
TEXT = "Unseen dogs ran."
TOKENS = (
    CLS,
    Token("Un", "un", word=0, start=0, end=2),
    Token("seen", "##seen", word=0, start=2, end=6),
    Token("dogs", "dogs", word=1, start=7, end=11),
    Token("ran", "ran", word=2, start=12, end=15),
    Token(".", ".", start=15, end=16),
    SEP,
)  # merged: [CLS] Unseen dogs ran . [SEP]


@pytest.fixture
def maps() -> AttentionMaps:
    """Two layers of three heads on seven tokens, every row 60 % on [SEP] and the rest even; L1H2 has dogs at ran."""
    weights = np.full((2, 3, 7, 7), 0.4 / 6, dtype=np.float32)
    weights[..., 6] = 0.6
    weights[1, 2, 3] = (0, 0, 0, 0, 0.9, 0, 0.1)
    return AttentionMaps(weights, TOKENS, text=TEXT, model="MiniLM", origin="pretrained")


def texts(tokens):
    return [token.text for token in tokens]


def test_words_without_sinks_are_the_default(maps):
    shown = shown_for(View(), maps)
    assert texts(shown.maps.key_tokens) == ["Unseen", "dogs", "ran"]
    assert texts(shown.full.key_tokens) == ["[CLS]", "Unseen", "dogs", "ran", ".", "[SEP]"]
    assert texts(shown.sinks) == ["[CLS]", ".", "[SEP]"]
    assert shown.aside
    assert np.allclose(shown.maps.weights.sum(axis=-1), 1)
    assert np.allclose(shown.mass[0, 0], 0.6 + 2 * 0.4 / 6)
    assert np.allclose(shown.mass[1, 2], [0.6 + 2 * 0.4 / 6, 0.1, 0.6 + 2 * 0.4 / 6])
    assert np.allclose(shown.maps[1, 2][1], [0, 0, 1])
    assert shown.mass.shape == (2, 3, 3)
    assert shown.empty is not None
    assert not shown.empty.any()


def test_sinks_can_be_shown(maps):
    shown = shown_for(View(sinks=False), maps)
    assert not shown.aside
    assert shown.maps is shown.full
    assert shown.kept == tuple(range(6))
    assert shown.empty is None
    assert shown.mass.shape == (2, 3, 6)
    assert texts(shown.sinks) == ["[CLS]", ".", "[SEP]"]  # what would be set aside is still named
    assert np.allclose(shown.share, shown_for(View(), maps).share)


def test_tokens_are_one_toggle_away(maps):
    shown = shown_for(View(units="tokens"), maps)
    assert texts(shown.maps.tokens) == ["Un", "seen", "dogs", "ran"]
    assert shown.kept == (1, 2, 3, 4)


def test_the_app_chooses_pins_layer_and_lock_and_says_so(maps):
    shown = shown_for(View(), maps)
    assert shown.pins == opening_heads(maps)
    assert shown.pins[0] == HeadId(1, 2)
    assert shown.lock is None  # one head alone sends no word to two others
    assert (shown.chosen_pins, shown.chosen_lock) == (True, True)


def test_without_readings_the_word_that_two_heads_send_to_two_others_is_locked_as_the_one_that_looks(maps):
    weights = maps.weights.copy()
    weights[0, 1, 1:3] = (0, 0, 0, 0, 0.8, 0, 0.2)  # Unseen at ran
    weights[0, 2, 1:3] = (0, 0, 0, 0.7, 0, 0, 0.3)  # Unseen at dogs
    both = dataclasses.replace(maps, weights=weights)
    shown = shown_for(View(), both)
    assert (shown.lock, shown.look) == (0, "from")
    assert [key for _, key in shown.opening.looks] == [2, 3]
    assert shown.pins == (HeadId(0, 2), HeadId(0, 1))  # as one reads: dogs stands before ran
    assert shown_for(View(units="tokens"), both).lock == 0  # its first token
    assert shown_for(View(pins=(HeadId(1, 0),)), both).lock == 0, "pinning another head does not move it"
    assert shown_for(View(lock=3), both).look == "at", "an old link frames a column"
    assert shown_for(View(lock=3, look="ask"), both).locked == {"query": 1 + 1}
    readings = (Reading("the dogs ran", ((1, 2),)), Reading("the unseen ran", ((0, 2),)))
    assert (shown_for(View(), both, readings).lock, shown_for(View(), both, readings).look) == (1, "from")


def test_with_readings_the_pivot_is_locked_as_the_one_that_looks_where_its_looks_chose_the_heads(maps):
    weights = maps.weights.copy()
    weights[0, 1, 3] = (0, 0, 0, 0, 0.8, 0, 0.2)  # dogs at ran
    weights[0, 2, 3] = (0, 0.5, 0.3, 0, 0, 0, 0.2)  # dogs at Unseen
    both = dataclasses.replace(maps, weights=weights)
    readings = (Reading("the dogs ran", ((1, 2),)), Reading("the unseen dogs", ((1, 0),)))
    shown = shown_for(View(), both, readings)
    assert (shown.lock, shown.look) == (1, "from")
    assert [key for _, key in shown.opening.looks] == [3, 1]
    pinned = shown_for(View(pins=(HeadId(0, 1),)), both, readings)
    assert pinned.look == "at", "the reader's own heads were not chosen by the pivot"


def test_the_maps_before_rescaling_are_kept_beside_those_that_are_drawn(maps):
    shown = shown_for(View(), maps)
    assert np.allclose(shown.raw[1, 2][1], [0, 0, 0.9])
    assert np.allclose(shown.raw.weights.sum(axis=-1) + shown.mass, 1)
    assert shown_for(View(sinks=False), maps).raw is shown_for(View(sinks=False), maps).full


def test_readings_decide_which_heads_open(maps):
    weights = maps.weights.copy()
    weights[0, 1, 4] = (0, 0, 0, 0.8, 0, 0, 0.2)  # ran at dogs
    weights[0, 2, 4] = (0, 0.5, 0.3, 0, 0, 0, 0.2)  # ran at Unseen
    both = dataclasses.replace(maps, weights=weights)
    readings = (Reading("the dogs ran", ((1, 2),)), Reading("the unseen ran", ((0, 2),)))
    assert shown_for(View(), both, readings).pins == opening_heads(both, readings)
    assert shown_for(View(), both, readings).opening.sides == ("a", "b")
    assert HeadId(0, 2) in shown_for(View(), both, readings).pins


def test_the_reader_s_choices_are_kept(maps):
    view = View(pins=(HeadId(0, 1), HeadId(1, 0)), lock=2)
    shown = shown_for(view, maps)
    assert shown.pins == view.pins
    assert shown.lock == 1  # place 2 on the full axis is dogs, the second of the words shown
    assert (shown.chosen_pins, shown.chosen_lock) == (False, False)


def test_no_pin_is_a_choice(maps):
    shown = shown_for(View(pins=()), maps)
    assert shown.pins == ()
    assert not shown.chosen_pins
    assert shown.lock is None


@pytest.mark.parametrize("place", [-1, 0, 4, 5, 99])
def test_a_lock_on_nothing_that_is_shown_is_no_lock(maps, place):
    assert shown_for(View(lock=place), maps).lock is None


@pytest.mark.parametrize("view", [View(), View(sinks=False), View(units="tokens"), View(units="tokens", sinks=False)])
def test_a_position_goes_to_the_link_and_comes_back(maps, view):
    shown = shown_for(view, maps)
    for position in range(shown.maps.n_keys):
        place = shown.position(position)
        assert shown.full.key_tokens[place].text == shown.maps.key_tokens[position].text
        assert shown_for(dataclasses.replace(view, lock=place), maps).lock == position


def test_with_sinks_shown_a_chosen_lock_is_still_a_word(maps):
    readings = (Reading("the dogs ran", ((1, 2),)), Reading("the unseen ran", ((0, 2),)))
    shown = shown_for(View(sinks=False), maps, readings)
    assert shown.maps.key_tokens[shown.lock].text == "dogs"


def test_a_text_of_nothing_but_sinks_is_shown_with_them():
    tokens = (CLS, Token("!", start=0, end=1), SEP)
    maps = AttentionMaps(np.full((1, 2, 3, 3), 1 / 3), tokens, text="!")
    shown = shown_for(View(), maps)
    assert not shown.aside
    assert shown.maps is shown.full
    assert shown.lock is None
    assert len(shown.sinks) == 3
    assert np.allclose(shown.share, 1)


def test_in_a_causal_model_the_first_word_is_a_sink_and_the_mask_stays():
    words = tuple(Token(text, word=i, start=3 * i, end=3 * i + 2) for i, text in enumerate(("ab", "cd", "ef")))
    rows = np.array([[1, 0, 0], [0.7, 0.3, 0], [0.5, 0.3, 0.2]])
    maps = AttentionMaps(np.tile(rows, (1, 2, 1, 1)), words, text="ab cd ef", causal=True)
    shown = shown_for(View(), maps)
    assert texts(shown.maps.tokens) == ["cd", "ef"]
    assert shown.maps.causal
    assert np.allclose(shown.maps[0, 0], [[1, 0], [0.6, 0.4]])
    assert np.allclose(shown.mass[0, 0], [0.7, 0.5])
    assert texts(shown.sinks) == ["ab"]


def test_a_row_with_nothing_left_is_empty_not_made_up(maps):
    weights = maps.weights.copy()
    weights[0, 0, 3] = (0, 0, 0, 0, 0, 0, 1)
    shown = shown_for(View(), dataclasses.replace(maps, weights=weights))
    assert shown.empty[0, 0].tolist() == [False, True, False]
    assert shown.maps[0, 0][1].tolist() == [0, 0, 0]


def test_a_model_of_one_head_opens_with_one_pin():
    words = tuple(Token(text, word=i, start=3 * i, end=3 * i + 2) for i, text in enumerate(("ab", "cd", "ef")))
    maps = AttentionMaps(np.full((1, 1, 3, 3), 1 / 3), words, text="ab cd ef")
    assert shown_for(View(), maps).pins == (HeadId(0, 0),)
