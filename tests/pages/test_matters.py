"""Looks, adds, matters under AppTest: the guess, the example and its control, any other text, a selected word."""

import time

import pytest

from tests.pages.conftest import opened_at
from tests.pages.test_next import all_data_of, markdown

RUTH = "My grandmother's name is Ruth. Everyone calls her"
CAT = "the dog and the cat"


def press(test, label):
    return next(button for button in test.button if button.label == label).click().run()


def labels(test):
    return [button.label for button in test.button]


def finished(test):
    """Run the page again until every head is ablated."""
    deadline = time.monotonic() + 300
    while "Stop" in labels(test):
        assert time.monotonic() < deadline
        time.sleep(2)  # idle work waits 1.5 s after each run
        test.run()
        assert not test.exception
    return test


def sentences(test):
    return all_data_of(test, "sentence_next")


def test_the_example_asks_before_it_shows():
    test = opened_at("matters.py")
    assert "Which head adds more to *Mary*?" in markdown(test)
    assert "less likely" not in markdown(test)
    assert [data["attention"]["head"] for data in sentences(test)] == ["L23H3", "L24H4"]
    assert not any("select" in data for data in sentences(test))
    press(test, "L24H4")
    assert "makes *Mary* less likely" in markdown(test)
    assert test.query_params["guess"] in ("looks", ["looks"])
    assert "In 200 other sentences of this form" in markdown(test)
    assert "`L24H4` looks hardest, your guess" in markdown(test)
    assert "`L23H3` adds most\n" in markdown(test)
    assert "Stop" not in labels(test)


def test_a_text_is_answered_without_typed_words(tiny_offered):
    test = opened_at("matters.py", model="tiny-causal", text=CAT)
    if "Show without guessing" in labels(test):
        press(test, "Show without guessing")
    test = finished(test)
    assert "adds" in test.title[0].value
    assert "not measured yet" not in markdown(test)
    assert "matters most" in markdown(test)
    assert "no head is called special" in markdown(test)


def test_a_selected_word_is_looked_at_and_leaves_with_the_text(tiny_offered):
    test = finished(opened_at("matters.py", model="tiny-causal", text=CAT, look_at="3", guess="none"))
    assert sentences(test)[0]["select"]["selected"] == [False, False, False, True, False]
    assert "at *the* " in test.title[0].value
    test.text_area(key="text").set_value("the cat and the dog").run()
    assert test.session_state["look_at"] is None
    wrong = opened_at("matters.py", model="tiny-causal", text=CAT, look_at="7")
    assert [warning.value for warning in wrong.warning] == ["Problem in this link: there is no word “7” here."]


def test_typed_words_are_compared_and_a_wrong_one_costs_one_sentence(tiny_offered):
    test = opened_at("matters.py", model="tiny-causal", text=CAT, word="and", versus="dog", guess="none")
    assert "over *dog*" in markdown(test)
    assert "minus logit of *dog*" in markdown(test)
    test = opened_at("matters.py", word="Timbuktu", guess="none")
    assert "“Timbuktu” is 4 tokens to SmolLM2" in "\n".join(text.value for text in test.text)
    assert test.title


@pytest.mark.parametrize("text", ["the", "the dog"])
def test_a_text_without_a_word_to_look_at_says_so(tiny_offered, text):
    test = opened_at("matters.py", model="tiny-causal", text=text, guess="none")
    assert "the text has no word to look at" in markdown(test)
    assert "looks hardest" not in markdown(test)
    assert "attention" not in sentences(test)[0] or "adds most" in markdown(test)


@pytest.mark.parametrize("model", ["minilm", "tiny-masked", "tiny-encoder-decoder"])
def test_a_model_that_predicts_no_next_word_offers_another(tiny_offered, model):
    test = opened_at("matters.py", model=model)
    assert len(test.title) == 1
    press(test, "Use SmolLM2")
    assert "Which head adds more to *Mary*?" in markdown(test)
