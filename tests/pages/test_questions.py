"""Questions as a visitor sees it: predict, show the answer, walk on; what can be concluded."""

import subprocess
import sys
from pathlib import Path

import pytest

from mha.navigation import page_row
from mha.views.questions import GUESS, NOT_EXPLANATIONS, claims, names, question, questions
from tests.pages.conftest import opened_at

PAGE = "questions.py"
QUICK = [name for name in names() if name not in ("one head", "ambiguity")]


def click(test, label, index=0):
    [button for button in test.button if button.label == label][index].click().run()
    assert not test.exception
    return test


def shown(name, **link):
    """Return the page with the answer to a question shown."""
    test = opened_at(PAGE, questions_open=name, **link)
    test.button(key=f"show_{name}").click().run()
    assert not test.exception
    return test


def said(test):
    return "\n".join(element.value for element in (*test.markdown, *test.caption, *test.text, *test.warning))


def link_labels(test):
    return [element.proto.label for element in test.main.get("page_link")]


def test_the_page_opens_with_the_three_claims_and_every_section():
    test = opened_at(PAGE)
    assert [row.value for row in test.subheader][:3] == [row.ask for row in claims()]
    assert [row.value for row in test.header] == [
        "Three claims. Do they hold?",
        "Ten questions on multi-head attention",
        "What can I conclude?",
    ]
    assert len(test.title) == 1
    assert "L24H4" not in said(test)
    assert "@software{parallax" in test.code[0].value


@pytest.mark.parametrize("claim", claims(), ids=lambda claim: claim.name)
def test_a_claim_is_tested_in_two_clicks(claim):
    test = opened_at(PAGE)
    test.radio(key=f"guess_{claim.name}").set_value(claim.options[1])
    test.button(key=f"show_{claim.name}").click().run()
    assert not test.exception
    assert f"You guessed “{claim.options[1]}”." in said(test)
    assert page_row(next(iter(claim.links))).door in link_labels(test)


def test_a_text_without_an_experiment_has_no_verdict():
    test = opened_at(PAGE, questions_open="many heads", model="toy", text="the the the the")
    test.button(key="show_many heads").click().run()
    assert "nearly equal attention" in said(test)
    assert "In this experiment" not in said(test)


@pytest.mark.slow
def test_no_model_is_loaded_for_the_claims():
    code = (
        "import sys\nfrom streamlit.testing.v1 import AppTest\n"
        "test = AppTest.from_file('pages/frame.py', default_timeout=60)\n"
        "test.switch_page('questions.py')\ntest.run()\n"
        "for name in ('looks and uses', 'a meaning', 'similarity'):\n"
        "    test.button(key=f'show_{name}').click().run()\n"
        "assert not test.exception\n"
        "print('torch' in sys.modules, sum('In this experiment' in m.value for m in test.markdown))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.splitlines()[-1] == "False 3"


def test_the_page_asks_before_it_answers():
    test = opened_at(PAGE, questions_open="scaling")
    assert "variance" in test.radio(key="guess_scaling").label
    assert "adds its variance" not in said(test)
    test.radio(key="guess_scaling").set_value("√d")
    test.button(key="show_scaling").click().run()
    assert "adds its variance" in said(test)
    assert "You guessed “√d”. The answer is “d”." in said(test)
    click(test, "Guess again")
    assert "adds its variance" not in said(test)


def test_next_and_back_walk_all_ten_and_the_link_holds_the_place():
    test = opened_at(PAGE)
    for name in names()[1:]:
        click(test, "Next")
        assert test.session_state["questions_open"] == name
    assert next(button for button in test.button if button.label == "Next").disabled
    click(test, "Back")
    assert test.session_state["questions_open"] == names()[-2]


def test_a_question_that_there_is_not_is_said_so():
    test = opened_at(PAGE, questions_open="banana")
    assert "questions_open cannot be “banana”" in test.warning[0].value
    assert test.session_state["questions_open"] == names()[0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", QUICK)
def test_every_answer_shows_its_text_its_source_and_its_pages(name):
    test, row = shown(name), question(name)
    assert [page_row(page).door for page in row.links] == link_labels(test)
    assert row.answer.split("[[")[0] in said(test)
    assert "](https://" in said(test)
    assert len(test.latex) == {"formula": 8, "self-attention": 3, "Q K V": 2, "output matrix": 2}.get(name, 0)


def test_the_readers_sentence_and_model_are_the_ones_that_are_measured():
    test = shown("redundancy", text="A dog ate the food because it was hungry", model="toy")
    assert "Your sentence: 2 heads look in" in said(test)
    test.text_area(key="text").set_value(" ").run()
    assert "Type a sentence or choose an example." in said(test)
    assert [row.value for row in test.header][-1] == "What can I conclude?"


def test_one_head_is_answered_at_once_from_the_runs_that_come_with_the_app():
    text = said(shown("one head"))
    assert "On new pairs one head gets both nouns in 53\u00a0% of sentences, two heads in 100\u00a0%" in text
    assert "In this experiment: “About every second time”." in text


def test_a_link_opens_what_can_be_concluded_first():
    test = opened_at(PAGE, section="limits")
    assert test.header[0].value == "What can I conclude?"
    assert [element.value for element in test.markdown].index(NOT_EXPLANATIONS) < len(test.markdown) / 4


def test_a_class_writes_before_it_reads_what_can_be_concluded():
    test = opened_at(PAGE, section="limits", reveal="0")
    assert GUESS in said(test)
    assert NOT_EXPLANATIONS not in said(test)
    click(test, "Show results")
    assert NOT_EXPLANATIONS in said(test)


def test_names_in_the_link_are_those_of_the_questions():
    for row in questions():
        test = opened_at(PAGE, questions_open=row.name)
        assert not test.warning
        assert test.session_state["questions_open"] == row.name


def test_a_download_has_data_only_of_shown_answers():
    """The picture of the conclusions can be downloaded before that."""
    dialogs = [click(test, "Download") for test in (opened_at(PAGE), shown("scaling"))]
    titles = [[caption.value for caption in test.caption] for test in dialogs]
    assert ["Data (with source)" in captions for captions in titles] == [False, True]
    assert not any("No data" in text.value for test in dialogs for text in test.text)
