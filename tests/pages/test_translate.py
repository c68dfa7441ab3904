"""Translation under AppTest: the switch, examples that the model gets wrong, own sentences, no package."""

import pytest

import mha
from mha.examples import TRANSLATION_EXAMPLES
from mha.models.files import translator
from mha.views import translation
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
    assert "O professor fechou" in markdown(test)
    test.toggle[0].set_value(False).run()
    assert test.query_params["without"] == ["E0H7", "E2H1"]
    assert data_of(test, "versions")["lines"][1][:2] == ["O", "professor"]
    assert "Without `E0H7` and `E2H1`, the translator writes *O professor*" in test.title[0].value
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
    assert test.title[0].value == "Without `E0H7` and `E2H1`, the translation stays the same."
    assert data_of(test, "next_words")["title"] == "After “Eu amo”"
    assert data_of(test, "heads_grid")["special"] == []
    assert not any("Past the control limit" in caption.value for caption in test.caption)
    test.text_area[0].set_value("…").run()
    assert "word" in test.title[0].value
    assert "written" not in test.query_params


@needs_package
def test_a_cut_link_changes_the_word_and_its_button_restores_it():
    test = opened_at("translate.py", cut="E0H7:1-6")
    assert test.title[0].value == (
        "With the link *teacher → she* of `E0H7` cut, the translator writes *O professor* in place of *A professora*."
    )
    assert mha.translate(TRANSLATION_EXAMPLES["the teacher"], cut=["E0H7:1-6"]).text.startswith("O professor")
    assert "*A* falls from 88 to 45" in markdown(test)
    data = data_of(test, "versions")
    assert (data["cut"], data["links"][0]["cut"], data["links"][0]["is_cut"]) == (
        "E0H7 teacher → she", "E0H7:1-6", True
    )  # fmt: skip
    assert data["links"][1]["weight"] == pytest.approx(0.67, abs=0.01)  # of the pass with the cut; 0.58 without
    assert data_of(test, "next_words")["candidates"][0]["after"] == pytest.approx(0.45, abs=0.01)
    next(button for button in test.button if button.key == "cut_E0H7:1-6").click().run()
    assert "cut" not in test.query_params
    assert data_of(test, "versions")["lines"][1][0] == "A"


@needs_package
def test_the_switch_restores_links_of_its_heads():
    test = opened_at("translate.py", cut=["E0H7:1-6", "C1H2:0-1"])
    test.toggle[0].set_value(False).run()
    assert test.session_state["cut"] == ["C1H2:0-1"]
    assert test.title[0].value.startswith("Without `E0H7` and `E2H1` and with the link *A → teacher* of `C1H2` cut,")


@needs_package
@pytest.mark.parametrize(
    ("cut", "sentence"),
    [
        ("E0H7:1-60", "reads this text as tokens 0 to 10; there is no link E0H7:1-60"),
        ("C1H2:50-1", "writes tokens 0 to 10 here; there is no link C1H2:50-1"),
        ("L0H7:1-6", "there is no link “L0H7:1\\-6” here"),
        ("C7H0:1-6", "you asked for C7H0"),
        ("E0H7", "cut cannot be “E0H7”"),
    ],
)
def test_a_wrong_cut_costs_one_sentence(cut, sentence):
    test = opened_at("translate.py", cut=cut)
    sentences = [element.value.replace("\u2060", "") for element in (*test.text, *test.warning)]
    assert sum(sentence in each.replace("\\:", ":") for each in sentences) == 1, sentences
    assert test.session_state["cut"] == []
    assert test.title[0].value.startswith("English does not say")


@needs_package
def test_a_wrong_cut_leaves_the_others():
    test = opened_at("translate.py", cut=["E0H7:1-66", "E0H7:1-6"])
    assert test.session_state["cut"] == ["E0H7:1-6"]
    assert any("there is no link E0H7:1-66" in text.value for text in test.text)
    assert test.title[0].value.startswith("With the link *teacher → she* of `E0H7` cut,")


@needs_package
def test_a_link_that_writes_a_later_word_does_not_move_the_selected_one():
    test = opened_at("translate.py", cut="C1H2:1-1")
    assert data_of(test, "next_words")["candidates"][0]["after"] is None
    assert test.title[0].value == (
        "With the link *professora → teacher* of `C1H2` cut, the translation stays the same."
    )


@needs_package
@pytest.mark.parametrize(
    "text", ["先生は窓を閉めた。", "I $x^2$ think she is :smile: cold.", "<b>she</b> a→b", "She", "word " * 90]
)
def test_odd_texts_have_a_page(text):
    """Pieces without letters, markup, one word, a translation of more than 64 tokens."""
    test = opened_at("translate.py", text=text)
    data = data_of(test, "versions")
    places = [(side, piece) for link in data["links"] for side, piece in (link["from"], link["to"])]
    assert all(0 <= piece < len(data["lines"][side]) for side, piece in places)
    assert "␣" not in data["label"]
    assert any("stops after 64 tokens" in note.value for note in test.text) == (text.count("word") == 90)


@needs_package
def test_how_often_has_a_line():
    test = opened_at("translate.py")
    assert any(caption.value == translation.study_sentence() != "" for caption in test.caption)


@needs_package
def test_guess_first_hides_the_translation():
    test = opened_at("translate.py", reveal="0")
    assert "Make a guess" in test.title[0].value
    assert [token["text"] for token in data_of(test, "sentence_next")["tokens"]][:2] == ["The", "teacher"]


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
