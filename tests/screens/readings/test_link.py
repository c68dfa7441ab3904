"""A link to the readings page: every value that the boxes offer passes, every other one gets a sentence."""

import pytest

from mha.link import view as permalink
from mha.screens.readings.ambiguity import ALL_KINDS
from mha.screens.readings.link import RULES, link_notes
from mha.screens.readings.options import MEASURES, SILENCED, TABS
from mha.screens.readings.scores import SCORE_ROWS

BY_WORD = {"readings_pivot", "readings_a", "readings_b", "readings_cue", "readings_contrast"}  # need the text


def test_every_word_of_the_link_is_checked_here_or_against_the_text():
    assert set(RULES) | BY_WORD == set(permalink.READINGS)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("tab", TABS),
        ("readings_kind", ALL_KINDS),
        ("readings_measure", MEASURES),
        ("readings_score", SCORE_ROWS),
        ("readings_silenced", SILENCED),
        ("readings_at", ["after layer 0", "after layer 5"]),
        ("readings_left", ["L0H0", "L5H11"]),
        ("readings_set", ["the pinned heads", "all of layer 4", "only L4H11"]),
        ("readings_steered", ["L4H11"]),
        ("readings_strength", ["0", "2.5", "3"]),
        ("readings_say_a", ["", "x" * 120]),
    ],
)
def test_what_the_boxes_offer_passes(name, values):
    for value in values:
        assert link_notes({name: [value]}, 6, 12) == ()


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"tab": ["<b>"]}, "In this link, tab is “<b>”; it takes “Where they look”"),
        ({"readings_at": ["after layer 6"]}, "“after layer 0” to “after layer 5”. Shown: the last layer but one."),
        ({"readings_right": ["L0H12"]}, "it takes heads from L0H0 to L5H11. Shown: the head that leans furthest to B."),
        ({"readings_strength": ["nan"]}, "it takes numbers from 0 to 3. Shown: 2."),
        ({"readings_strength": ["much"]}, "it takes numbers from 0 to 3. Shown: 2."),
        ({"readings_name_a": ["x" * 61]}, "it takes up to 60 characters."),
        # the default score is read after layer 4: heads of layer 5 cannot act on it
        ({"readings_set": ["only L5H0"]}, "or what can act on the score, up to “only L4H11”"),
        ({"readings_steered": ["L2H0"], "readings_at": ["after layer 1"]}, "up to L1H11"),
    ],
)
def test_what_cannot_be_gets_a_sentence(query, sentence):
    (note,) = link_notes(query, 6, 12)
    assert sentence in note


def test_all_layers_act_on_a_score_of_two_texts():
    assert link_notes({"readings_set": ["only L5H0"], "readings_score": ["fills"]}, 6, 12) == ()
