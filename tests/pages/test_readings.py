"""Two readings under AppTest: its three tabs, links of 0.2, clicks on words, refusals, models, guess first, lessons."""

import time
from unittest.mock import patch

import pytest

from mha.app import downloads, jobs
from mha.engine import followers
from mha.lesson import offered as lessons
from mha.models.files.catalog import offered_on_pages
from tests.pages.conftest import opened_at
from tests.pages.test_next import all_data_of, data_of, markdown

DOG = "A dog ate the food because it was hungry."
CLERK = "The clerk thanked the guest because he waited"
JOHN = "John told Bill that he was late"
LOOK, CHANGE, MATTER = "Where they look", "What carries it", "Does it matter?"


@pytest.fixture(autouse=True)
def idle_work_at_once(monkeypatch):
    monkeypatch.setattr(followers, "AFTER_RUN", 0.0)
    monkeypatch.setattr(followers, "AFTER_REQUEST", 0.0)


LOOKS = 240  # at a job, half a second or more apart: a busy machine needs many


def measured(**link):
    """Return the page, drawn again after its job has ended.

    What the page shows does not say so: between the scores and the first head it has neither a question nor *Stop*.
    """
    with patch.object(jobs, "follow", wraps=jobs.follow) as follow:
        test = opened_at("readings.py", **link)
        for _ in range(LOOKS):
            run = follow.call_args.args[0].run if follow.called else None  # a busy machine first says that it is
            if run is None:
                time.sleep(0.5)
            is_over = run is not None and run.wait(0.5) and run.state == "done"
            test.run()
            assert not test.exception
            if is_over:
                return test
    raise AssertionError((notices(test), run and (run.state, run.error)))


def press(test, label):
    next(button for button in test.button if button.label == label).click().run()
    assert not test.exception
    return test


def notices(test):
    return "\n".join([*(text.value for text in test.text), *(warning.value for warning in test.warning)])


def test_it_opens_with_the_shuffled_test_in_the_headline():
    test = measured()
    assert test.title[0].value == "Nothing unusual: 132 of 199 shuffled copies lean as far."
    assert len(test.title) == 1
    assert "Does *it* refer to *dog* or *food*?" in markdown(test)
    text = data_of(test, "sentence_next")
    assert [(arc["head"], arc["side"]) for arc in text["arcs"]] == [
        ("L5H11", "a"), ("L3H1", "a"), ("L2H2", "b"), ("L5H5", "b")
    ]  # fmt: skip
    assert text["arcs"][0]["share"] == pytest.approx(0.62, abs=0.01)
    assert all(0 <= arc["usual"] < 0.1 for arc in text["arcs"])
    grid = data_of(test, "heads_grid")
    assert (grid["layers"], grid["heads"], grid["texts"][3 * 12 + 1]) == (6, 12, "+31")
    assert dict(test.query_params) == {}


def test_no_finding_says_more_than_the_copies_measured_so_far():
    test = opened_at("readings.py", text="The nurse helped the singer because she was kind")
    assert "leans furthest" in test.title[0].value
    assert "Nothing unusual" not in test.title[0].value


def test_leans_can_be_downloaded_before_the_shuffled_copies(monkeypatch):
    monkeypatch.setattr(jobs, "follow", lambda job, draw, start: draw())  # nothing is measured
    tables = []
    monkeypatch.setattr(downloads, "button", lambda title, source, of_page: tables.extend(of_page.values()))
    test = opened_at("readings.py", text="The nurse helped the singer because she was glad")
    assert "Next: how many of 199 shuffled copies" in test.title[0].value
    (make,) = tables
    table = make()
    assert len(table.columns["head"]) == 72
    assert (table.provenance.controls, "mean_of_orders" in table.columns) == ("none", False)
    opened_at("readings.py", text="The nurse helped the singer because she was glad", tab=MATTER)
    assert len(tables) == 1, "of the other tabs nothing is measured yet"


def test_a_pinned_head_has_the_arcs():
    test = opened_at("readings.py", pins="L3H1")
    arcs = data_of(test, "sentence_next")["arcs"]
    assert {(arc["head"], arc["side"]) for arc in arcs} == {("L3H1", "a"), ("L3H1", "b")}
    assert data_of(test, "heads_grid")["pinned"] == ["L3H1"]
    assert data_of(measured(tab=CHANGE, pins="L3H1"), "heads_grid")["pinned"] == ["L3H1"]


def test_the_change_is_compared_with_control_swaps():
    test = measured(tab=CHANGE)
    assert test.title[0].value == (
        "Changing *hungry* to *delicious* moves the score by 0.15 towards *food*, more than all 194 "
        "control swaps, but no head is named."
    )
    text = markdown(test)
    assert "It is +0.11 with *hungry* and −0.05 with *delicious*." in text
    assert "in 9 of 15 test pairs (hits) and in 6 of 11 control swaps (false namings)" in text
    assert "With *starving*: +0.09. With *tasty*: +0.01. Both words for *dog* score above both" in text
    grid = data_of(test, "heads_grid")
    texts = {f"L{n // 12}H{n % 12}": text for n, text in enumerate(grid["texts"]) if text}
    assert texts == {"L2H1": "27", "L2H3": "11", "L2H8": "23", "L3H1": "15"}
    assert grid["states"][2 * 12 + 3] == "outlined"
    assert set(grid["states"][48:60]) == {"scored"}
    assert set(grid["states"][60:]) == {"cannot"}
    assert not grid["special"]


def test_a_word_is_replaced_in_one_field():
    test = measured(tab=CHANGE)
    test.text_input(key="replace_by").set_value("starving").run()
    assert test.query_params["readings_contrast"] == "A dog ate the food because it was starving."
    test = measured(tab=CHANGE, readings_contrast=test.query_params["readings_contrast"])
    assert "within what control swaps do. There is nothing to share among heads." in test.title[0].value
    assert not all_data_of(test, "heads_grid")
    test.text_input(key="replace_by").set_value("").run()
    assert test.query_params["readings_contrast"] == "none"
    assert "Replace one word so that only *food* can be meant." in test.title[0].value


def test_every_head_is_ablated_and_chosen_heads_together():
    test = measured(tab=MATTER)
    assert test.title[0].value == (
        "Without `L2H8`, the score moves from +0.106 to +0.080, towards *food*, the largest change of 48 heads."
    )
    assert "This score has no control limit" in markdown(test)
    both = opened_at("readings.py", tab=MATTER, ablate=["L2H8", "L3H1"])
    assert both.title[0].value.startswith("Without `L2H8` and `L3H1`, the score moves from +0.106 to ")
    assert data_of(both, "heads_grid")["ablated"] == ["L2H8", "L3H1"]
    assert "Measured with all heads on." in markdown(opened_at("readings.py", ablate="L2H8"))


NAMES = "score at kind forces word_a say_a name_b silenced set steered strength left measure weights"


@pytest.mark.parametrize("name", NAMES.split())
def test_a_removed_name_costs_one_sentence(name):
    test = opened_at("readings.py", **{f"readings_{name}": "x"})
    (warning,) = test.warning
    assert "0.3" in warning.value
    assert "Does *it* refer to" in markdown(test)


def test_a_suggestion_is_written_to_the_link():
    test = opened_at("readings.py", text=CLERK)
    assert "suggested] Does *he* refer to *clerk* or *guest*?" in markdown(test)
    assert test.query_params["readings_pivot"] == "6 he"
    assert test.query_params["readings_by"] == "suggested"
    press(test, "Not ambiguous")
    assert test.title[0].value.startswith("Which word is ambiguous? Click it. Words such as *he* often are.")
    assert test.query_params["readings_by"] == "not ambiguous"
    press(test, "Undo")
    assert "Does *he* refer to *clerk* or *guest*?" in markdown(test)


def test_a_link_keeps_its_words_whatever_is_suggested():
    chosen = {"readings_pivot": "6 he", "readings_a": "4 guest", "readings_b": "2 thanked", "readings_by": "suggested"}
    assert "Does *he* refer to *guest* or *thanked*?" in markdown(opened_at("readings.py", text=CLERK, **chosen))


def test_an_edit_keeps_what_is_still_in_place():
    test = opened_at("readings.py")
    test.text_area(key="text").set_value("A cat ate the food because it was hungry.").run()
    assert "Does *it* refer to *cat* or *food*?" in markdown(test)
    test.text_area(key="text").set_value("The blue paint on the door dried").run()
    assert test.title[0].value == "Which word is ambiguous? Click it."
    assert test.session_state["readings_contrast"] == ""


def test_words_that_a_text_lacks_cost_one_sentence():
    test = opened_at("readings.py", text=CLERK, readings_pivot="6 it")
    assert "there is no word “6 it” here" in notices(test)


def test_other_texts_have_ways_out():
    test = opened_at("readings.py", text="Ik zag de man met de verrekijker")
    assert "Suggestions work for English." in markdown(test)
    assert [link.proto.label for link in test.get("page_link")] == ["Heads", "Change a word"]
    test = opened_at("readings.py", text="Hello")
    assert test.title[0].value.endswith("This text has one.")


def test_the_first_word_of_a_causal_model_is_not_counted_and_a_word_is_offered(tiny_offered):
    test = opened_at("readings.py", text=JOHN, model="tiny-causal")
    assert test.title[0].value == "No attention to *John* is counted: it is the first word."
    assert not all_data_of(test, "heads_grid")
    press(test, "Put “Yesterday” in front")
    assert test.session_state["text"] == f"Yesterday {JOHN}"
    assert "Does *he* refer to *John* or *Bill*?" in markdown(test)
    assert all_data_of(test, "heads_grid")


def test_the_first_tab_that_a_model_supports_is_open():
    test = opened_at("readings.py", text=JOHN, model="smollm2")
    assert "SmolLM2’s own answer to “The word *he* refers to the …”" in markdown(test)
    assert "tab" not in test.query_params
    test = opened_at("readings.py", text=JOHN, model="smollm2", tab=LOOK)
    assert test.title[0].value == "No attention to *John* is counted: it is the first word."


def test_a_causal_model_has_not_read_a_later_word(tiny_offered):
    test = opened_at("readings.py", model="tiny-causal")
    assert "*hungry* comes later still, so no attention shown here depends on it." in markdown(test)
    test = opened_at("readings.py", model="tiny-causal", tab=CHANGE)
    assert test.title[0].value == "In tiny-causal, this change cannot move the score."
    assert "Not comparable: tiny-causal reads from left to right" in notices(test)
    assert "0.00" not in markdown(test)


def test_no_head_looks_at_a_later_candidate(tiny_offered):
    words = {"readings_pivot": "1 he", "readings_a": "4 clerk", "readings_b": "7 guest"}
    test = opened_at("readings.py", text="Before he left the clerk thanked the guest", model="tiny-causal", **words)
    assert data_of(test, "sentence_next")["arcs"] == []
    assert "No head looks ahead from *he* at *clerk* or *guest*: tiny-causal reads left to right." in markdown(test)


def test_without_a_calibration_no_share_is_shown(tiny_offered):
    test = measured(model="tiny-masked", tab=CHANGE)
    assert "There are no control swaps for this change in this model, so no share of a head is shown." in markdown(test)
    assert not all_data_of(test, "heads_grid")


@pytest.mark.parametrize("tab", [CHANGE, MATTER])
def test_the_toy_offers_another_model(tab):
    test = opened_at("readings.py", model="toy", tab=tab)
    assert test.title[0].value.startswith("Toy has no layers in which")
    press(test, "Use MiniLM")
    assert test.session_state["model"] == "minilm"


@pytest.mark.parametrize("model", [row.name for row in offered_on_pages()])
def test_every_model_on_offer_answers_on_the_first_tab(model):
    test = opened_at("readings.py", model=model, text=CLERK)
    assert "`" in test.title[0].value or notices(test)


def test_guess_first_shows_two_questions_and_no_number():
    test = opened_at("readings.py", reveal="0")
    assert not any(letter.isdigit() for letter in markdown(test))
    assert "arcs" not in data_of(test, "sentence_next")
    press(test, "food")
    assert "Your guess: food." in markdown(test)
    assert all_data_of(test, "heads_grid")


@pytest.mark.parametrize(
    "link",
    [
        {"text": "?"},
        {"text": "<b>dog</b> & **food** $x$ ate it", "readings_pivot": "4 it"},
        {"text": ":smile: [a](b) `x` it ate", "tab": CHANGE},
        {"readings_contrast": "x" * 3000},
        {"readings_contrast": "one two"},
        {"readings_a": ["6 it", "1 dog"], "readings_b": "1 dog"},
        {"text": "😀 " * 600 + "it ate", "readings_pivot": "600 it", "readings_a": "601 ate", "readings_b": "0 😀"},
    ],
)
def test_anything_gets_a_sentence(link):
    test = opened_at("readings.py", **link)
    assert len(test.title) == 1 or notices(test)


STOPS = [stop for plan in lessons().values() for stop in plan.stops if stop.page == "readings"]


@pytest.mark.parametrize("stop", STOPS, ids=lambda stop: stop.title)
def test_a_stop_of_a_lesson_opens_what_its_text_says(stop):
    """Both stops ask where heads look; the findings are connections and a control."""
    test = measured(**dict(stop.words))
    assert test.session_state["text"].rstrip(".") == stop.text.rstrip(".")
    assert not test.warning
    assert data_of(test, "sentence_next")["arcs"]
    assert "199 shuffled copies" in test.title[0].value
