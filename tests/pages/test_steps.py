"""Step by step without a browser: a weight of the model as Heads shows it, the toys, and links of 0.2."""

import numpy as np
import pytest

import mha
from mha.core import PRESETS, trace
from mha.examples import OPENS_HEADS
from mha.formats import percent
from tests.pages.conftest import opened_at, pictures

PAGE = "steps.py"
DOG = "A dog ate the food because it was hungry."


def texts(test):
    """Return all Markdown of the page."""
    elements = (*test.title, *test.header, *test.subheader, *test.markdown, *test.caption, *test.warning)
    return "\n".join(element.value for element in elements)


def titles(test):
    """Return the titles of all matrices."""
    return [
        item["title"] for data in pictures(test, "arrays") for line in data["lines"] for item in line if "title" in item
    ]


def matrix(test, title):
    """Return the numbers of a matrix."""
    found = [
        item
        for data in pictures(test, "arrays")
        for line in data["lines"]
        for item in line
        if not isinstance(item, str) and item["title"] == title
    ]
    return np.array(found[0]["values"], dtype=float)


def test_page_opens_with_the_percentage_of_heads():
    test = opened_at(PAGE)
    maps = mha.attend(OPENS_HEADS).merged()
    labels = [token.text for token in maps.tokens]
    share = percent(maps[0, 6][labels.index("they"), labels.index("crew")])
    assert f"`L0H6`, *they* gives {share} of its attention to *crew*" in test.title[0].value


def test_link_names_layer_head_query_and_key():
    test = opened_at(PAGE, text=DOG, layer="2", head="8", query="7", key="9")
    weight = mha.attend(DOG)[2, 8][7, 9]
    assert test.title[0].value == "In head `L2H8`, *it* gives 84\u00a0% of its attention to *hungry*."
    assert f"| recorded | {100 * weight:.1f}\u00a0% | in the model |" in texts(test)
    np.testing.assert_allclose(matrix(test, "softmax over the row")[0], mha.attend(DOG)[2, 8][7], atol=1e-5)
    assert [box.value for box in test.selectbox[1:]] == [2, 8, 7, 9]
    test.selectbox(key="pick_cell_key").set_value(2).run()
    assert test.query_params["key"] == "2"
    assert test.query_params["head"] == "8"
    assert "to *dog*" in test.title[0].value


def test_sink_has_a_share_of_all_attention():
    test = opened_at(PAGE, text=DOG, layer="0", head="0", query="7", key="0")
    weight = percent(mha.attend(DOG)[0, 0][7, 0])
    assert test.title[0].value == f"In head `L0H0`, *it* gives {weight} of its attention to *\\[CLS\\]*."
    assert "Heads excludes these attention sinks: *\\[CLS\\]*." in texts(test)


def test_masked_key_has_exactly_no_share(tiny_offered):
    test = opened_at(PAGE, model="tiny-causal", text="a dog ate the food", layer="1", head="2", query="1", key="3")
    assert "a mask hides" in test.title[0].value
    assert "later token, hidden in this model" in texts(test)


def test_first_word_of_a_causal_model_sees_no_other(tiny_offered):
    test = opened_at(PAGE, model="tiny-causal", text="a dog ate the food", layer="1", head="2", query="0", key="0")
    assert test.title[0].value == "In head `L1H2`, *a* sees no other word: it can only attend to itself."


def test_position_that_the_text_lacks_costs_one_sentence():
    test = opened_at(PAGE, text=DOG, layer="9", head="8", query="7", key="99")
    assert [warning.value for warning in test.warning] == [
        "Problem in this link: there is no layer “9” here.",
        "Problem in this link: there is no token number “99” here.",
    ]
    assert "H8`" in test.title[0].value


def test_another_text_makes_the_cell_automatic_again():
    test = opened_at(PAGE, text=DOG, layer="2", head="8", query="7", key="9")
    test.text_area(key="text").set_value("I saw the man with the telescope").run()
    assert test.session_state["cell_key"] is None
    assert "L2H8" not in test.title[0].value
    assert not test.exception


@pytest.mark.parametrize(
    ("link", "head", "weights"),
    [
        ({"toy": "dog or food"}, "in head 0, *it* looks most at *dog* (90\u00a0%)", (0.897, 0.0129)),
        ({"toy": "man or astronomer"}, "*telescope* looks most at *man* (91\u00a0%)", (0.9086, 0.01305)),
    ],
)
def test_toy_set_by_hand_joins_its_words(link, head, weights):
    """69.6 stands against 1 for each other word: 69.6 / (69.6 + 8) of nine words, 69.6 / (69.6 + 7) of eight."""
    test = opened_at(PAGE, toy_step="7", **link)
    assert head.lower() in test.title[0].value.lower()
    row = matrix(test, "weights of head 0")[6 if "dog" in head else 7]
    np.testing.assert_allclose(sorted(row)[-1:-3:-1], weights, atol=5e-4)
    assert "numbers set by hand" in texts(test)


def test_money_bank_goes_from_two_by_four_to_two_by_eight_and_back():
    test = opened_at(PAGE, toy="Money Bank, full", toy_step="10")
    shapes = [
        (item["title"], item["shape"])
        for line in pictures(test, "arrays")[0]["lines"]
        for item in line
        if not isinstance(item, str)
    ]
    assert shapes == [("output", "2\u00a0×\u00a04"), ("side by side", "2\u00a0×\u00a08"), ("W_O", "8\u00a0×\u00a04")]


@pytest.mark.parametrize("step", range(1, 11))
def test_steps_of_a_toy_show_the_numbers_of_core_trace(step):
    bank = PRESETS["money_bank"]
    steps = trace(bank.heads(), bank.embeddings())
    shown = {
        1: ("X", steps["input"]), 2: ("E", steps["embeddings"]), 3: ("Q = X × W_Q", steps["query"][1]),
        4: ("scores", steps["scores"][1]), 5: ("scaled", steps["scaled"][1]), 6: ("with the mask", steps["masked"][1]),
        7: ("weights of head 1", steps["weights"][1]), 8: ("result of head 1", steps["heads"][1]),
        9: ("side by side", steps["concatenation"]), 10: ("output", steps["output"]),
    }  # fmt: skip
    title, values = shown[step]
    np.testing.assert_allclose(
        matrix(opened_at(PAGE, toy="Money Bank, full", toy_step=str(step)), title), values, atol=1e-6
    )


def test_switches_change_the_numbers():
    plain = matrix(opened_at(PAGE, toy="Money Bank, full", toy_step="2"), "X")
    test = opened_at(PAGE, toy="Money Bank, full", toy_step="2", toy_positions="true")
    assert np.abs(matrix(test, "X") - plain).max() > 0.5
    test = opened_at(PAGE, toy="Money Bank, full", toy_step="7", toy_mask="true")
    assert matrix(test, "weights of head 1")[0].tolist() == [1, 0]


def test_one_head_or_two_names_the_sentence_that_it_is_about():
    test = opened_at(PAGE, toy="dog or food")
    (sentence,) = [text.value for text in test.markdown if "heads give it two" in text.value]
    assert sentence.startswith("On *All is well* (random numbers, no positions, no mask), one head gives ")


def test_class_guesses_before_it_sees_a_share():
    for link in ({}, {"toy": "dog or food"}):
        test = opened_at(PAGE, reveal="0", **link)
        assert not pictures(test, "arrays")
        assert "attention" not in pictures(test, "sentence_next")[0]
        assert "uess" in test.title[0].value
        assert "%" not in texts(test).replace("100 %", "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"steps_step": "7 Weights"}, {"toy": "Money Bank, full", "toy_step": 7, "cell_head": None}),
        ({"steps_layer": "dog or food", "steps_scale": "false"}, {"toy": "dog or food", "toy_scale": False}),
        ({"steps_head": "0", "steps_key": "1"}, {"toy": "Money Bank, full", "cell_head": 0, "cell_key": 1}),
        ({"steps_seed": "3"}, {"toy_seed": 3}),
        ({"steps_numbers": "model", "steps_in_layer": "2", "steps_head": "8"},
         {"toy": "", "cell_layer": 2, "cell_head": 8, "text": "I saw the man with the telescope"}),
    ],
)  # fmt: skip
def test_links_of_0_2_open_as_before(old, new):
    test = opened_at(PAGE, v="1", **old)
    assert {name: test.session_state[name] for name in new} == new
    assert not test.warning


def test_removed_parameters_get_one_sentence():
    test = opened_at(PAGE, steps_edits="1", steps_words="2", toy_mine="true", layer="2")
    assert [warning.value for warning in test.warning] == [
        "Problem in this link: this page does not read “steps\\_edits\\, steps\\_words\\, toy\\_mine”; "
        "parameters changed in 0.3."
    ]
    assert test.session_state["cell_layer"] == 2


def test_toy_is_one_click_away_and_the_model_comes_back():
    test = opened_at(PAGE, text=DOG, layer="2", head="8", query="7", key="9")
    test.pills(key="toy").set_value("dog or food").run()
    assert not test.exception
    assert test.session_state["cell_head"] is None
    assert "*it* looks most at *dog*" in test.title[0].value
    test.select_slider(key="toy_step").set_value(8).run()
    assert test.header[0].value == "8 Values"
    test.selectbox(key="toy").set_value("").run()
    assert not test.exception
    assert test.text_area(key="text").value == DOG
    assert "its attention to" in test.title[0].value
