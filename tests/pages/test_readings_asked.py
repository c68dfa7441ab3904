"""Two readings without a browser: what a link, an edit or a choice can ask for, and a sentence for what cannot be."""

import pytest

from tests.pages.readings import CHOSEN, OWN, TELESCOPE, Readings


def test_a_link_with_a_text_is_taken_as_it_is():
    assert Readings(text=TELESCOPE).roles()["pivot"] == "telescope"
    assert Readings(readings_kind="attachment").roles()["pivot"] == "telescope"


def test_the_telescope_writes_its_kind_so_that_its_link_is_its_own():
    assert Readings(text=TELESCOPE).test.session_state["readings_kind"] == "attachment"


def test_own_text_asks_for_its_readings_and_shows_no_tabs():
    page = Readings(text="The blue paint on the door dried")
    (spec,) = page.part("ambiguity")
    assert spec["next"] == "pivot"
    assert page.columns() == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "asks", "roles"),
    [
        (
            "The clerk thanked the guest because he waited",
            "Does he refer to A clerk or B guest?",
            ("he", "clerk", "guest"),
        ),
        ("I hit the thief with the stick", "Does with the stick go with A hit or B thief?", ("stick", "hit", "thief")),
        ("I met the son of the actors who was late", "Does who refer to A son or B actors?", ("who", "son", "actors")),
    ],
)
def test_what_a_sentence_suggests_is_taken_and_stands_in_the_link(text, asks, roles):
    page = Readings(text=text)
    assert f"suggested {asks}" in page.said().replace("\u00a0", " ")
    assert page.roles() == dict(zip(("pivot", "a", "b"), roles, strict=True))
    assert page.test.query_params["tab"] == "Where they look"
    assert page.test.session_state["readings_by"] == "suggested"


def test_nobody_suggests_twice_what_is_not_ambiguous():
    page = Readings(text=OWN)

    def press(label):
        next(button for button in page.test.button if button.label == label).click()
        page.run()

    press("Not ambiguous")
    assert "Marked as not ambiguous." in page.said()
    assert page.part("ambiguity")[0]["next"] == "pivot"
    link = page.test.query_params
    assert link["readings_by"] == "not ambiguous"
    again = Readings(text=OWN, readings_by="not ambiguous")
    assert again.part("ambiguity")[0]["next"] == "pivot"
    press("Undo")
    assert "suggested Does" in page.said()
    page.test.text_area(key="text").set_value("The blue paint on the door dried")
    page.run()
    assert "suggested Does" not in page.said()
    assert page.part("ambiguity")[0]["next"] == "pivot"


def test_what_was_said_of_a_text_on_heads_holds_here_too():
    page = Readings(text=OWN)
    assert page.test.session_state["readings_by"] == "suggested"
    page.test.switch_page("heads.py")
    page.run()
    page.test.text_area(key="text").set_value("The clerk thanked the guest because he waited")
    page.run()
    assert page.test.session_state["readings_pivot"] == "6 he"
    next(button for button in page.test.button if button.label == "Not ambiguous").click()
    page.run()
    page.test.switch_page("readings.py")
    page.run()
    assert page.test.session_state["readings_by"] == "not ambiguous"
    assert "Marked as not ambiguous." in page.said()
    assert "suggested Does" not in page.said()


def test_words_that_are_cleared_to_choose_others_are_not_suggested_again():
    page = Readings(text=OWN)

    def press(label):
        next(button for button in page.test.button if button.label == label).click()
        page.run()

    suggested = page.roles()
    press("Change words")
    assert page.part("ambiguity")[0]["next"] == "pivot"
    assert page.roles() == {}
    assert "suggested Does" not in page.said()
    assert page.test.query_params["readings_by"] == "to choose"
    assert Readings(text=OWN, readings_by="to choose").part("ambiguity")[0]["next"] == "pivot"
    press("Back to the suggestion")
    assert page.roles() == suggested
    assert "suggested Does" in page.said()
    taken = Readings(text=OWN, readings_pivot="4 singer")  # a word that somebody clicked
    page.test = taken.test
    press("Choose another word")
    assert page.part("ambiguity")[0]["next"] == "pivot"
    page.test.text_area(key="text").set_value("The clerk thanked the guest because he waited")
    page.run()
    assert page.roles() == {"pivot": "he", "a": "clerk", "b": "guest"}


def test_another_language_is_told_that_nothing_is_suggested_for_it():
    assert "Suggestions work for English." in Readings(text="Ik zag de man met de verrekijker").said()
    assert "Suggestions work for English." not in Readings(text="The blue paint on the door dried").said()


def test_a_link_keeps_its_words_whatever_is_suggested():
    page = Readings(
        text=OWN, readings_by="suggested", readings_pivot="6 she", readings_a="4 singer", readings_b="0 The"
    )
    assert page.roles() == {"pivot": "she", "a": "singer", "b": "The"}
    assert "suggested Does she refer to A singer or B The?" in page.said().replace("\u00a0", " ")


def test_own_text_with_its_readings_in_the_link():
    page = Readings(text=OWN, **CHOSEN)
    assert page.roles() == {"pivot": "she", "a": "nurse", "b": "singer"}
    assert page.part("contrast")[0]["replaced"] == {"text": "kind", "value": ""}


def test_an_edit_keeps_what_stands_where_it_stood():
    page = Readings()
    page.test.text_area(key="text").set_value("A cat ate the food because it was hungry.")
    page.run()
    assert "suggested Does it refer to A cat or B food?" in page.said().replace("\u00a0", " ")
    assert page.roles() == {"pivot": "it", "a": "cat", "b": "food", "cue": "hungry"}
    (contrast,) = page.part("contrast")
    assert "".join(piece["text"] for piece in contrast["contrast"]["pieces"]).endswith("wasdelicious.")


def test_a_word_beyond_the_length_limit():
    page = Readings(text="😀 " * 600 + "it ate", readings_pivot="600 it", readings_a="601 ate", readings_b="0 😀")
    assert "is beyond the first 512 tokens, the limit of this model." in page.said()


def test_nothing_to_look_at_keeps_the_dog():
    page = Readings(text="...")
    assert "Until then the page shows the hungry dog." in page.said()
    assert page.roles()["pivot"] == "it"


@pytest.mark.parametrize("text", ["<b>dog</b> & **food** $x$ [a](b)", "[[lean]] {pivot} {a}", "‘’ \\ `x` :smile:"])
def test_hostile_words_stay_words(text):
    page = Readings(text=f"{text} ate it", tab="Where they look")
    spec = [*page.part("ambiguity"), *page.part("contrast")][0]
    assert "".join(piece["text"] for piece in spec["pieces"]) == f"{text} ate it".replace(" ", "")
