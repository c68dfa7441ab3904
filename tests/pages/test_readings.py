"""Two readings without a browser: every screen of the three tabs."""

import pytest

from mha.lesson import offered
from tests.pages.readings import DOG, Readings


def test_the_bare_page_opens_with_the_dog_on_where_they_look():
    page = Readings()
    assert page.test.session_state["text"] == DOG
    assert page.roles() == {"pivot": "it", "a": "dog", "b": "food", "cue": "hungry"}
    (contrast,) = page.part("contrast")
    assert contrast["contrast"]["forces"] == "B"
    said = page.blocks()
    assert (
        "Looking from it, two heads give more than half of their attention to dog. No head gives a third to food."
        in said
    )
    assert "some head leans at least as far in 132 of 199 sentences: nothing unusual." in said
    assert {"looks", "lean_map", "maxima"} <= set(page.kinds())
    assert page.test.dataframe[0].value.shape[0] == 72


def test_a_link_that_names_no_tab_still_means_what_carries_it():
    assert "What single heads carry" in Readings(text=DOG).blocks()


def test_second_words_stand_in_the_link():
    said = Readings(text=DOG, readings_word_a="thirsty", readings_word_b="none").blocks()
    assert "With thirsty: " in said


def test_a_removed_parameter_costs_one_sentence_and_the_page_opens():
    page = Readings(text=DOG, tab="Where they look", readings_steered="L2H8", readings_measure="?")
    assert "Other measures of a lean left Two readings in 0.3;" in page.said()
    assert "The strength of a head left Two readings in 0.3; chosen heads are ablated together." in page.said()
    assert "two heads give more than half of their attention to dog" in page.blocks()


def test_what_grammar_settles_is_said():
    assert "was fits only A." in Readings(text="The nephew of the lawyers who was late paid the bill").said()
    assert "fits only" not in Readings(text="The king thanked the guest because he waited").said()


def test_looks_control_and_maps_stand_there_with_no_click():
    page = Readings(text="The clerk thanked the guest because he waited")
    assert {"looks", "lean_map", "maxima"} <= set(page.kinds())
    assert page.part("ambiguity") == [], "one sentence, not two"
    assert page.part("contrast")[0]["contrast"] is None
    looks = next(b for data in page.components("blocks") for b in data["blocks"] if b["kind"] == "looks")
    assert all(0 <= look["usual"] < 1 for look in looks["looks"])


def test_the_pills_of_this_page_are_those_with_forced_pairs():
    assert list(Readings().test.pills[0].options) == [
        "the hungry dog",
        "he or she",
        "the telescope",
        "who was late",
    ]


def test_does_it_matter():
    page = Readings(tab="Does it matter?")
    page.waits_for_the_sweep()
    said = page.blocks()
    assert "The score changes by 0.15, from +0.11 with hungry to −0.05 with delicious." in said
    assert "Control limit: 0.031." in said
    assert "heads, ablating L" in said
    assert "effect_map" in page.kinds()


def test_the_toy_leans_but_carries_nothing():
    page = Readings(text=DOG, model="toy", tab="Where they look")
    assert "With the words shuffled" in page.blocks()
    assert "Against scrambled copies" not in [part.label for part in page.test.expander]
    assert "does not support activation patching here" in Readings(text=DOG, model="toy").said()


def test_the_toy_matters_to_nothing_that_could_be_measured():
    assert "does not support ablation here" in Readings(text=DOG, model="toy", tab="Does it matter?").said()


def test_guess_first_says_no_number():
    page = Readings(reveal="0")
    said = page.blocks()
    assert "Guess first: where do heads look from it?" in said
    assert not any(character.isdigit() for character in said)
    page.test.button(key="show_findings").click()
    page.run()
    assert "reveal" not in page.test.query_params
    assert "two heads give more than half of their attention to dog" in page.blocks()


def test_a_sentence_without_a_pivot_has_ways_on_and_a_wrong_click_a_way_back():
    page = Readings(text="They are hunting dogs")
    assert "If no word is ambiguous, there are no readings to compare." in page.said()
    assert [link.label for link in page.test.get("page_link")] == ["Heads", "Change a word"]
    assert [part["part"] for part in page.components("sentence")] == ["ambiguity"], "one thing is asked for at a time"
    page = Readings(text="They are hunting dogs", readings_pivot="3 dogs")
    assert "Not dogs?" in page.said()
    next(button for button in page.test.button if button.label == "Choose another word").click()
    page.run()
    assert page.test.session_state["readings_pivot"] is None
    assert "If no word is ambiguous" in page.said()


def test_what_stands_in_a_box_until_one_is_chosen_is_there_and_in_no_address():
    page = Readings(text=DOG, tab="Does it matter?")
    assert page.test.selectbox(key="readings_at").value == "after layer 4"
    assert "readings_at" not in page.test.query_params
    page.test.selectbox(key="readings_at").select("after layer 2")
    page.run()
    assert page.test.query_params["readings_at"] == "after layer 2"


STOPS = [stop for plan in offered().values() for stop in plan.stops if stop.page == "readings"]


@pytest.mark.parametrize("stop", STOPS, ids=lambda stop: stop.title)
def test_a_stop_of_a_lesson_opens_what_its_text_says(stop):
    """Both stops ask where heads look; the findings are connections, a control, and the changed version."""
    page = Readings(**dict(stop.words))
    assert page.test.session_state["text"] == stop.text
    assert not page.test.warning
    assert {"looks", "lean_map", "maxima"} <= set(page.kinds())
    if "hungry" in stop.text:
        assert page.part("contrast")[0]["replaced"] == {"text": "hungry", "value": "delicious"}
