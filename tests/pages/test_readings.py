"""Two readings without a browser: every screen of the three tabs."""

import re

import pytest

from tests.pages.readings import DOG, TELESCOPE, Readings


def test_the_bare_page_opens_with_the_dog_on_where_they_look():
    page = Readings()
    assert page.test.session_state["text"] == DOG
    assert page.roles() == {"pivot": "it", "a": "dog", "b": "food", "cue": "hungry"}
    (contrast,) = page.part("contrast")
    assert contrast["contrast"]["forces"] == "B"
    said = page.blocks()
    assert "From it, two heads give dog more than half of their attention. None gives food a third." in said
    assert "some head leans as far in 132 of 199 orders" in said
    assert {"looks", "lean_map", "maxima"} <= set(page.kinds())
    assert page.test.dataframe[0].value.shape[0] == 72


def test_a_link_that_names_no_tab_still_means_what_carries_it():
    assert "further than any of 150 that keep the reading" in Readings(text=DOG).blocks()


def test_what_carries_it():
    page = Readings(tab="What carries it")
    said = page.blocks()
    assert "One word moves the score from dog towards food, further than any of 150 that keep the reading." in said
    assert "Three heads look from it to the changed word. What they bring turns L3H1." in said
    assert "L2H1 carries 27 %, L2H8 23 %, L3H1 15 %" in said
    assert "Telling apart and carrying are not shown to go together here." in said
    expected = {"second_words", "score_line", "path_strip", "story", "carried_bars", "carried_map", "slopes"}
    assert expected | {"slopes_table", "calibration_strip"} <= set(page.kinds())


def test_the_story_is_told_with_its_shares():
    (data, *_) = [
        data
        for data in Readings(tab="What carries it").components("blocks")
        if data["blocks"][0].get("style") == "verdict"
    ]
    story = next(block for block in data["blocks"] if block["kind"] == "story")
    typed, changed = story["versions"]
    assert [look["name"] for look in typed["looks"]] == ["L2H8", "L2H1", "L2H3"]
    assert [look["share"] for look in typed["looks"]] == pytest.approx([0.84, 0.51, 0.45], abs=0.01)
    assert (typed["turn"]["a"], typed["turn"]["b"]) == pytest.approx((0.56, 0.05), abs=0.01)
    assert (changed["turn"]["a"], changed["turn"]["b"]) == pytest.approx((0.11, 0.27), abs=0.01)


def test_below_the_floor_nothing_is_shared_out_until_pairs_are_asked_for():
    page = Readings(text="We met the friend of the sisters who was late")
    assert ", no more than when a word is changed that keeps the reading" in page.blocks()
    assert not {"carried_bars", "path_strip", "calibration_strip"} & set(page.kinds())
    assert page.test.session_state["readings_kind_shown"] == "relative clause"


def test_a_typed_contrast_asks_which_word_means_what_and_the_answer_stands_in_the_link():
    contrast = DOG.replace("hungry", "late")
    assert "Which of them means dog?" in Readings(text=DOG, readings_contrast=contrast).blocks()
    told = Readings(text=DOG, readings_contrast=contrast, readings_forces="B")
    assert "Which of them means" not in told.blocks()
    assert told.test.session_state["readings_forces"] == "B"


def test_second_words_stand_in_the_link():
    said = Readings(text=DOG, readings_word_a="thirsty", readings_word_b="none").blocks()
    assert "So far these are two words." in said


@pytest.mark.parametrize(("side", "place"), [("readings_left", 0), ("readings_right", 1)])
def test_any_head_can_be_put_in_either_place(side, place):
    page = Readings(text=DOG, tab="Where they look", **{side: "L2H8"})
    names = [b["name"] for data in page.components("blocks") for b in _all(data["blocks"]) if b["kind"] == "head_line"]
    assert names[place] == "L2H8"
    assert len(names) == 2


def _all(blocks):
    for block in blocks:
        yield block
        for column in block["columns"] if block["kind"] == "columns" else ():
            yield from _all(column)


@pytest.mark.parametrize("measure", ["both directions, sinks kept", "from the pivot, sinks aside"])
def test_a_lean_can_be_measured_in_other_ways(measure):
    sentence = Readings(text=DOG, tab="Where they look", readings_measure=measure).blocks()
    assert "leans furthest of all heads here" in sentence
    assert "L3H1 leans furthest of all heads here, by 0.31." not in sentence


def test_the_doorway_offers_words_with_their_length():
    page = Readings(text=DOG, readings_contrast="none")
    (buttons,) = [b for data in page.components("blocks") for b in data["blocks"] if b["kind"] == "buttons"]
    assert [button["text"] for button in buttons["buttons"]] == [
        "Use “delicious”",
        "Use “expensive”",
        "Use “fresh”",
        "Use “tasty”, two tokens",
    ]
    assert "A word that is one token long, like hungry, allows every panel." in page.blocks()


def test_the_pills_of_this_page_are_those_with_forced_pairs():
    assert list(Readings().test.pills[0].options) == [
        "the hungry dog",
        "he or she",
        "the telescope",
        "who was late",
    ]


def test_he_or_she_has_its_pairs():
    page = Readings(text="The king thanked the queen because he was kind")
    assert re.search("(O|o)ver 40 pairs of this kind", page.blocks())
    assert page.test.session_state["readings_kind_shown"] == "he/she"


def test_without_a_contrast_there_is_a_doorway():
    said = Readings(text=DOG, readings_contrast="none").blocks()
    assert "Change one word so that only the food can be meant." in said


def test_versions_of_unequal_length_in_tokens():
    page = Readings(text=DOG, readings_contrast=DOG.replace("hungry", "tasty"))
    said = page.blocks()
    assert "Patching needs versions of equal length in tokens. hungry is one token for this model, tasty two." in said
    assert "Where heads look, with each word" in said
    assert "carried_map" not in page.kinds()


def test_does_it_matter():
    page = Readings(tab="Does it matter?")
    assert page.test.session_state["readings_sweep"].wait(60)
    page.run()  # on a busy machine the rest waited for the sweep
    said = page.blocks()
    assert "Between forced versions the score moves the right way in 62 of 82 forced pairs." in said
    assert "further than any of 150 that keep the reading: +0.11 with hungry, −0.05 with delicious." in said
    assert "62 of 82 pairs, 76 %; interval 65 % to 84 %, above a coin toss." in said
    assert "Leaning and moving the score are not shown to go together here." in said
    assert "L2H1, L2H8 and L3H1 silenced" in said
    assert "At 0 the two versions are 0.12 apart, as it is 0.15, at double strength 0.17." in said
    assert {"pair_dots", "scatter", "effect_map", "steer"} <= set(page.kinds())


def test_a_score_that_goes_by_words_says_so_in_the_verdict():
    said = Readings(text=TELESCOPE, tab="Does it matter?").blocks()
    assert "It goes by which words stand there, not by how they are put together." in said
    assert "The order of the words adds nothing." in said


def test_a_kind_without_pairs_gets_no_verdict():
    said = Readings(text=DOG, readings_kind="other", tab="Does it matter?").blocks()
    assert "Whether this score can be believed here is not known: of this kind no forced pairs are known." in said
    assert "Choose a kind above if it is one of the four and fits the pivot." in said


def test_the_toy_leans_but_carries_nothing():
    page = Readings(text=DOG, model="toy", tab="Where they look")
    assert "orders of the same words" in page.blocks()
    assert "Beside scrambled twins" not in [part.label for part in page.test.expander]
    assert "cannot be taken from another version" in Readings(text=DOG, model="toy").said()


def test_the_toy_matters_to_nothing_that_could_be_measured():
    assert "cannot be silenced here" in Readings(text=DOG, model="toy", tab="Does it matter?").said()


def test_guess_first_says_no_number():
    page = Readings(reveal="0")
    said = page.blocks()
    assert "Guess first: where will heads look from it?" in said
    assert not any(character.isdigit() for character in said)
    page.test.button(key="show_findings").click()
    page.run()
    assert "two heads give dog more than half" in page.blocks()


def test_a_sentence_without_a_pivot_has_ways_on_and_a_wrong_click_a_way_back():
    page = Readings(text="They are hunting dogs")
    assert "If no word of it can, there are no two readings to compare." in page.said()
    assert [link.label for link in page.test.get("page_link")] == ["Heads", "Change a word"]
    assert [part["part"] for part in page.components("sentence")] == ["ambiguity"], "one thing is asked for at a time"
    page = Readings(text="They are hunting dogs", readings_pivot="3 dogs")
    assert "If dogs was not meant:" in page.said()
    next(button for button in page.test.button if button.label == "Choose another word").click()
    page.run()
    assert page.test.session_state["readings_pivot"] is None
    assert "If no word of it can" in page.said()


def test_pictures_of_looks_can_be_of_what_they_bring():
    page = Readings(text=DOG, tab="Where they look", readings_weights="What it brings")
    told = page.blocks()
    assert "what is brought to it" in told
    assert "‖weight · value · W_O‖" in told
    assert "Of all that this head brings to it, " in told
    assert "leans furthest of all heads here" in told, "leans stay there, of attention"
    assert page.test.query_params["readings_weights"] == "What it brings"
    page.test.segmented_control(key="readings_weights").set_value("Attention")
    page.run()
    assert "From it, two heads give dog more than half of their attention." in page.blocks()


def test_where_it_is_not_told_what_looks_bring_attention_is_drawn(monkeypatch):
    from mha.engine.answers import EXPERIMENTS
    from mha.errors import AttentionUnavailable

    def untold(**_asked):
        raise AttentionUnavailable("It does something between its heads and W_O.")

    monkeypatch.setitem(EXPERIMENTS, "all_brought", untold)
    page = Readings(text=DOG, tab="Where they look", readings_weights="What it brings")
    assert "It does something between its heads and W_O. So attention is drawn." in page.said()
    assert "From it, two heads give dog" in page.blocks()
