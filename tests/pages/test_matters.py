"""Looks, adds, matters under AppTest: the guess, the example's control, any other text."""

from tests.pages.conftest import opened_at
from tests.pages.test_next import markdown


def press(test, label):
    return next(button for button in test.button if button.label == label).click().run()


def test_the_example_asks_before_it_shows():
    test = opened_at("matters.py")
    assert "Which head adds more to *Mary*?" in markdown(test)
    assert "less likely" not in markdown(test)
    press(test, "L24H4")
    assert "makes *Mary* less likely" in markdown(test)
    assert test.query_params["guess"] == ["looks"] or test.query_params["guess"] == "looks"
    assert "other sentences of this form" in markdown(test)
    assert "`L24H4`, your guess" in markdown(test)
    assert "`L23H3`, your guess" not in markdown(test)


def test_another_text_names_no_head():
    test = opened_at("matters.py", text="The dog saw the cat and the cat saw the")
    assert "Set two words of the text" in markdown(test)


def test_a_model_that_fills_gaps_offers_another():
    test = opened_at("matters.py", model="minilm")
    assert "MiniLM predicts no words" in markdown(test)
    press(test, "Use SmolLM2")
    assert "Which head adds more to *Mary*?" in markdown(test)
