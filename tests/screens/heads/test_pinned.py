"""The pinned heads' spec: full maps, one caption each."""

import dataclasses

import numpy as np
import pytest
from mha.readers.envelope import seal

from mha.maps import AttentionMaps, HeadId, Token
from mha.screens.heads import pinned
from mha.screens.heads.pinned import Pins, pooled_labels
from tests.unsealed import unseal

CLS, SEP = Token("[CLS]", special=True), Token("[SEP]", special=True)
PINS = (HeadId(0, 1), HeadId(1, 2))


def pinned_spec(maps, share, heads, *, mass=None, sinks=(), lock=None, look="at", **drawn):
    return pinned.pinned_spec(Pins(maps, heads, share, mass, sinks, lock, look), **drawn)


def said(sentence):
    return "".join(text for _, text in sentence).replace("\u00a0", " ")


@pytest.fixture
def mass():
    """What was set aside of each row, [layer, head, query]."""
    return np.linspace(0, 0.58, 2 * 3 * 5).reshape(2, 3, 5)


def test_full_maps_of_the_pins_travel(shown, share, mass):
    header, arrays = unseal(seal(pinned_spec(shown, share, PINS, mass=mass, sinks=(CLS, SEP))))
    assert [head["name"] for head in header["heads"]] == ["L0H1", "L1H2"]
    assert arrays["weights"].shape == (2, 5, 5)
    np.testing.assert_allclose(arrays["weights"][1] / 65535, shown[1, 2], atol=1e-5)
    np.testing.assert_allclose(arrays["mass"][0] / 65535, mass[0, 1], atol=1e-5)
    assert header["heads"][0]["badge"] == "40\u00a0% excluded"


def test_captions_say_what_a_look_was_before_rescaling(shown, share, mass):
    mass[0, 1, 2] = 0.37
    locked = pinned_spec(shown, share, PINS, mass=mass, lock=4).header["heads"][0]["caption"]
    assert said(locked) == "Strongest: saw → cat, 68 % of its attention to words (43 % of all its attention)."
    free = pinned_spec(shown, share, PINS, mass=mass).header["heads"][0]["caption"]
    assert said(free) == said(locked)
    plain = pinned_spec(shown, share, PINS, lock=4).header["heads"][0]["caption"]
    assert said(plain) == "Strongest: saw → cat, 68 % of its attention."


def test_one_row_and_one_column_are_singular():
    one = AttentionMaps(np.ones((1, 1, 1, 1)), (Token("Run", word=0),))
    assert (
        Pins(one, [HeadId(0, 0)], np.zeros((1, 1)))
        .alternative(HeadId(0, 0))
        .startswith("Attention map of L0H0, 1 row by 1 column. ")
    )


def test_from_a_word_captions_are_about_its_row(shown, share, mass):
    heads = pinned_spec(shown, share, PINS, mass=mass, lock=2, look="from").header["heads"]
    assert said(heads[0]["caption"]).startswith("Strongest: saw → cat, 68 % of its attention to words (")
    assert "Strongest: saw to cat, 68\u00a0%." in heads[0]["label"]
    thin = dataclasses.replace(shown, weights=np.zeros((2, 3, 5, 5)))
    for lock, look, expected in (
        (None, "at", "No word gives another word as much as 1 % of its attention."),
        (1, "at", "No other word gives dog as much as 1 % of its attention."),
        (1, "ask", "dog gives less than 1 % of its attention to any other word."),
    ):
        assert said(pinned_spec(thin, share, PINS, lock=lock, look=look).header["heads"][0]["caption"]) == expected


def test_the_line_above_says_scale_and_lock(shown, share, mass):
    about = pinned_spec(shown, share, PINS, mass=mass, lock=4, sinks=(CLS, SEP)).header["about"]
    assert said(about) == (
        "Each row adds up to 100 % without [CLS] and [SEP]. Faded row: more than half went there. Highlighted: the "
        "column of cat."
    )
    row = pinned_spec(shown, share, PINS, lock=4, look="from").header["about"]
    assert said(row) == " Highlighted: the row of cat."
    rows = pinned_spec(shown, share, PINS[:1], scale="row").header
    assert said(rows["about"]) == ("Colour scale: each row’s own maximum. ")
    assert rows["title"] == "Pinned head"


def test_a_cell_has_both_its_numbers_where_something_was_set_aside(shown, share, mass):
    cells = pinned_spec(shown, share, PINS, mass=mass).header["say"]
    assert said(cells["cell"] + cells["faded"]) == (
        "{query} gives {share} of its attention to words to {key}; that is {all} of all its attention. {aside} of the "
        "row is excluded. Faded, since most of this row is excluded."
    )
    plain = pinned_spec(shown, share, PINS).header["say"]
    assert said(plain["itself"]) == "{query} → itself: {share} of its attention."
    assert "faded" not in plain


def test_sinks_that_are_shown_leave_no_bars(shown, share):
    spec = pinned_spec(shown, share, PINS, sinks=(CLS, SEP))
    assert "mass" not in spec.arrays
    assert spec.header["heads"][0]["badge"] == "40\u00a0% to [CLS] and [SEP]"


def test_rows_from_which_nothing_was_excluded_are_not_said_to_add_up(shown, share):
    thin = dataclasses.replace(shown, weights=shown.weights * 0.7)
    assert "adds up" not in said(pinned_spec(thin, share, PINS).header["about"])


def test_a_head_that_was_picked_for_a_reading_has_its_letter(shown, share):
    heads = pinned_spec(shown, share, PINS, sides={"L1H2": "b"}).header["heads"]
    assert [head["side"] for head in heads] == ["", "b"]


def test_long_maps_are_pooled_and_say_so():
    n = 131
    words = tuple(Token(f"w{i}", word=i) for i in range(n))
    weights = np.zeros((1, 1, n, n), dtype=np.float32)
    weights[0, 0, 129, 7] = 0.9
    maps = AttentionMaps(weights, words, units="words")
    spec = pinned_spec(maps, np.zeros((1, 1)), [HeadId(0, 0)], lock=7)
    assert spec.arrays["weights"].shape == (1, 66, 66)
    assert spec.arrays["weights"][0, 64, 3] == round(0.9 * 65535)
    assert spec.header["lock"] == 3
    assert spec.header["keys"][3] == "w6 … w7"
    assert spec.header["keys"][-1] == "w130"
    assert "largest of 2 × 2 words" in said(spec.header["about"])


def test_labels_of_blocks():
    assert pooled_labels(["a", "b", "c"], 1) == ["a", "b", "c"]
    assert pooled_labels(["a", "b", "c", "d", "e"], 3) == ["a … c", "d … e"]
