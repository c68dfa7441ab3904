"""Two readings without a browser: every screen of the three tabs."""

import pytest

from tests.pages.readings import DOG, TELESCOPE, Readings


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
    assert "more than all 194 control swaps" in Readings(text=DOG).blocks()


def test_what_carries_it():
    page = Readings(tab="What carries it")
    said = page.blocks()
    assert "moves the score from dog towards food, more than all 194 control swaps." in said
    assert "Three heads in layer 2 look from it at the changed word. Their outputs move L3H1’s attention." in said
    assert "No head is named. Among changes beyond the control limit, a head passes its own limit in 6 of 11" in said
    assert "No link found between distinguishing the versions and carrying the change." in said
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
    assert [*typed["turn"]["a"], *typed["turn"]["b"]] == pytest.approx([0.56, 0.05], abs=0.01)
    assert [*changed["turn"]["a"], *changed["turn"]["b"]] == pytest.approx([0.11, 0.27], abs=0.01)


def test_below_the_floor_nothing_is_shared_out_until_pairs_are_asked_for():
    page = Readings(text="We met the friend of the sisters who was late")
    assert "within the control limit." in page.blocks()
    assert not {"carried_bars", "path_strip", "calibration_strip"} & set(page.kinds())


def test_a_typed_contrast_asks_which_word_means_what_and_the_answer_stands_in_the_link():
    contrast = DOG.replace("hungry", "late")
    assert "Which of the two fits dog?" in Readings(text=DOG, readings_contrast=contrast).blocks()
    told = Readings(text=DOG, readings_contrast=contrast, readings_forces="B")
    assert "Which of the two fits" not in told.blocks()
    assert told.test.session_state["readings_forces"] == "B"


def test_second_words_stand_in_the_link():
    said = Readings(text=DOG, readings_word_a="thirsty", readings_word_b="none").blocks()
    assert "Add a second word for each reading." in said


@pytest.mark.parametrize(("side", "place"), [("readings_left", 0), ("readings_right", 1)])
def test_any_head_can_be_put_in_either_place(side, place):
    page = Readings(text=DOG, tab="Where they look", **{side: "L2H8"})
    names = [
        b["name"] for data in page.components("blocks") for b in _all(data["blocks"]) if b["kind"] == "mini_sentence"
    ]
    assert names[place] == "L2H8"
    assert len(names) == 2


def _all(blocks):
    for block in blocks:
        yield block
        for column in block["columns"] if block["kind"] == "columns" else ():
            yield from _all(column)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("measure", ["both directions, sinks kept", "from the pivot, sinks aside"])
def test_a_lean_can_be_measured_in_other_ways(measure):
    sentence = Readings(text=DOG, tab="Where they look", readings_measure=measure).blocks()
    assert "has the largest lean" in sentence
    assert "L3H1 has the largest lean, 0.31." not in sentence


def test_the_page_asks_for_the_deciding_word_and_offers_those_of_an_example():
    page = Readings(text=DOG, readings_contrast="none")
    (spec,) = page.part("contrast")
    assert [(one["side"], one["text"]) for one in spec["door"]["offered"]] == [
        ("b", "delicious"),
        ("b", "expensive"),
        ("b", "fresh"),
        ("b", "tasty"),
    ]
    assert spec["door"]["long"][8] == "1 token"
    assert spec["door"]["best"][8].startswith("Best: a word of one token, like “hungry”.")
    assert "What you will see" in page.blocks()


def test_what_grammar_gives_is_offered_ready_and_what_it_settled_is_said():
    page = Readings(text="The nephew of the lawyers who was late paid the bill")
    assert "was fits only A." in page.said()
    (spec,) = page.part("contrast")
    assert spec["door"]["sides"] == ["b"]
    assert [(one["side"], one["text"]) for one in spec["door"]["offered"]] == [("b", "were")]
    king = Readings(text="The king thanked the guest because he waited")
    assert [one["text"] for one in king.part("contrast")[0]["door"]["offered"]] == ["she"]
    assert "fits only" not in king.said()


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


def test_he_or_she_has_its_pairs():
    page = Readings(text="The king thanked the queen because he was kind")
    assert "Across 40 test pairs" in page.blocks()


def test_versions_of_unequal_length_in_tokens():
    page = Readings(text=DOG, readings_contrast=DOG.replace("hungry", "tasty"))
    said = page.blocks()
    assert (
        "Patching needs versions of equal length in tokens. “hungry” is one token for this model, “tasty” two." in said
    )
    assert "The 5 heads whose lean changes most." in said
    assert "carried_map" not in page.kinds()


def test_does_it_matter():
    page = Readings(tab="Does it matter?")
    page.waits_for_the_sweep()
    said = page.blocks()
    assert "The score moves in the expected direction in 62 of 82 test pairs." in said
    assert "from +0.11 with hungry to −0.05 with delicious. That is more than all 194 control swaps." in said
    assert "62 of 82 test pairs (76 %); guessing gives 50 %." in said
    assert "No link found here between where heads lean and what ablating them does." in said
    assert "of the score change remains" not in said  # no head may be named
    assert "Score change with L2H8 off: 0.12; normal: 0.15; doubled: 0.17." in said
    assert {"pair_dots", "scatter", "effect_map", "steer"} <= set(page.kinds())


def test_a_score_that_goes_by_words_says_so_in_the_verdict():
    said = Readings(text=TELESCOPE, tab="Does it matter?").blocks()
    assert "not clearly more often than with shuffled words" in said
    assert "adds nothing" not in said, "an interval that touches zero shows nothing either way"


def test_a_kind_without_pairs_gets_no_verdict():
    said = Readings(text=DOG, readings_kind="other", tab="Does it matter?").blocks()
    assert "It is unknown whether this score can be trusted here: there are no test pairs of this type." in said
    assert "Choose a type of ambiguity under Edit readings if one of the four fits." in said


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


def test_pictures_of_looks_can_be_of_what_they_bring():
    page = Readings(text=DOG, tab="Where they look", readings_weights="What it brings")
    told = page.blocks()
    assert "of what it receives" in told
    assert "‖weight · value · W_O‖" in page.said()
    assert "In this head dog supplies " in told
    assert "has the largest lean" in told, "leans stay there, of attention"
    assert page.test.query_params["readings_weights"] == "What it brings"
    page.test.segmented_control(key="readings_weights").set_value("Attention")
    page.run()
    assert "Looking from it, two heads give more than half of their attention to dog." in page.blocks()


def test_where_it_is_not_told_what_looks_bring_attention_is_drawn(monkeypatch):
    from mha.engine.answers import Experiment
    from mha.engine.experiments import all_brought
    from mha.errors import AttentionUnavailable

    def untold(asked, answer=Experiment.answer):
        if asked.experiment is all_brought:
            raise AttentionUnavailable("It applies another step between its heads and W_O.")
        return answer(asked)

    monkeypatch.setattr(Experiment, "answer", untold)
    page = Readings(text=DOG, tab="Where they look", readings_weights="What it brings")
    assert "It applies another step between its heads and W_O. Showing attention instead." in page.said()
    assert "Looking from it, two heads give more" in page.blocks()


def test_what_stands_in_a_box_until_one_is_chosen_is_there_and_in_no_address():
    page = Readings(text=DOG, tab="Does it matter?")
    assert page.test.selectbox(key="readings_at").value == "after layer 4"
    assert "readings_at" not in page.test.query_params
    page.test.selectbox(key="readings_at").select("after layer 2")
    page.run()
    assert page.test.query_params["readings_at"] == "after layer 2"
