"""Translation under AppTest: the switch, examples that the model gets wrong, own sentences, no package."""

import pytest

from mha.examples import TRANSLATION_EXAMPLES
from mha.models.files import translator
from tests.pages.conftest import opened_at
from tests.pages.test_next import data_of, markdown

needs_package = pytest.mark.skipif(translator.folder() is None, reason=translator.MISSING)


@needs_package
def test_the_switch_changes_the_word():
    test = opened_at("translate.py", model="smollm2")  # the page has its own model
    assert test.title[0].value == (
        "English does not say whether *the teacher* is a woman. Two of 48 heads look from *teacher* to *she*; without "
        "them the translator writes *O professor*."
    )
    assert data_of(test, "versions")["lines"][1][:2] == ["A", "professora"]
    assert "**O** **professor** fechou" in markdown(test)
    assert data_of(test, "heads_grid")["special"] == ["E0H7", "E2H1"]
    test.toggle[0].set_value(False).run()
    assert test.query_params["without"] == ["E0H7", "E2H1"]
    assert data_of(test, "versions")["lines"][1][:2] == ["O", "professor"]
    assert "Without `E0H7` and `E2H1` the translator writes *O professor*" in test.title[0].value
    assert data_of(test, "next_words")["candidates"][0]["after"] < 0.5
    test.toggle[0].set_value(True).run()
    assert "without" not in test.query_params


@needs_package
@pytest.mark.parametrize("label", [label for label in TRANSLATION_EXAMPLES if "wrong" in label])
def test_wrong_examples_are_said_to_be_wrong(label):
    test = opened_at("translate.py", text=TRANSLATION_EXAMPLES[label])
    assert test.title[0].value.startswith("The model is wrong:")
    written = " ".join(data_of(test, "versions")["lines"][1])
    assert written.startswith("O médico" if "doctor" in label else "O gato não bebeu a água porque estava cansada")


@needs_package
def test_an_own_sentence_has_its_translation_and_a_word_can_be_selected():
    test = opened_at("translate.py", text="I love music.", written="2")
    assert data_of(test, "versions")["lines"][1] == ["Eu", "amo", "música."]
    assert test.title[0].value == "Without `E0H7` and `E2H1` the translation stays the same."
    assert data_of(test, "next_words")["title"] == "After “Eu amo”"
    assert data_of(test, "heads_grid")["special"] == []
    assert not any("Past the control limit" in caption.value for caption in test.caption)
    test.text_area[0].set_value("…").run()
    assert "word" in test.title[0].value
    assert "written" not in test.query_params


@needs_package
def test_guess_first_hides_the_translation():
    test = opened_at("translate.py", reveal="0")
    assert "Make a guess" in test.title[0].value
    assert data_of(test, "versions")["lines"] == [TRANSLATION_EXAMPLES["the teacher"].split()]


def test_without_the_package_it_shows_the_command(monkeypatch):
    monkeypatch.setattr(translator, "folder", lambda: None)
    test = opened_at("translate.py")
    assert test.code[0].value == translator.COMMAND
    assert not test.exception


def page_links(test):
    return [each.proto.label for each in test.get("page_link")]


def test_two_readings_links_to_it_for_one_she_or_he():
    assert "Translation" in page_links(opened_at("readings.py", text="John told Bill that he was late"))
    assert "Translation" not in page_links(opened_at("readings.py", text="I saw the man with the telescope"))
