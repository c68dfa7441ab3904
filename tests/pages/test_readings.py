"""Two readings without a browser: every screen of the three tabs."""

import re

import pytest

from tests.pages.readings import DOG, TELESCOPE, Readings


def test_the_bare_page_opens_with_the_dog_on_what_carries_it():
    page = Readings()
    assert page.test.session_state["text"] == DOG
    assert page.roles() == {"pivot": "it", "a": "dog", "b": "food", "cue": "hungry"}
    (contrast,) = page.part("contrast")
    assert contrast["contrast"]["forces"] == "B"
    said = page.blocks()
    assert "Three heads of layer 2 look from it to the word that was changed. One layer later, L3H1 turns" in said
    assert "L2H1 carries 27 % of the difference between the two versions; three other heads of its layer, 1 %." in said
    assert "The three of layer 2 together carry 61 %." in said
    assert "Looking and carrying are different sets of heads" in said
    assert {"story", "carried_map", "slopes", "slopes_table", "calibration_strip"} <= set(page.kinds())


def test_the_story_is_told_with_its_shares():
    (data, *_) = [data for data in Readings().components("blocks") if data["blocks"][0].get("style") == "verdict"]
    story = next(block for block in data["blocks"] if block["kind"] == "story")
    typed, changed = story["versions"]
    assert [look["name"] for look in typed["looks"]] == ["L2H8", "L2H1", "L2H3"]
    assert [look["share"] for look in typed["looks"]] == pytest.approx([0.84, 0.51, 0.45], abs=0.01)
    assert (typed["turn"]["a"], typed["turn"]["b"]) == pytest.approx((0.56, 0.05), abs=0.01)
    assert (changed["turn"]["a"], changed["turn"]["b"]) == pytest.approx((0.11, 0.27), abs=0.01)


def test_no_head_carries_where_the_pivot_itself_changes():
    page = Readings(text=TELESCOPE)
    said = page.blocks()
    assert "No head carries the difference." in said
    assert "The changed word is the pivot itself: telescope and beard start out as different words" in said
    assert "forest" in page.kinds()
    assert "story" not in page.kinds()


def test_where_they_look():
    page = Readings(tab="Where they look")
    said = page.blocks()
    assert "No head leans further here than on the same words shuffled." in said
    assert "Furthest to A: L3H1, +0.31; in 13 of 20 shuffles some head leans as far." in said
    assert "None of 72 heads lies outside all its own shuffles; about 3 would by chance." in said
    assert "it and dog exchange 39 % of attention, it and food 8 %: a lean of +0.31." in said
    kinds = page.kinds()
    assert kinds.count("mini_sentence") == kinds.count("mini_heatmap") == 2
    assert kinds.count("lean_map") == 3
    assert page.test.dataframe[0].value.shape[0] == 72


def test_any_head_can_be_put_in_either_place():
    page = Readings(text=DOG, tab="Where they look", readings_left="L2H8")
    names = [b["name"] for data in page.components("blocks") for b in _all(data["blocks"]) if b["kind"] == "head_line"]
    assert names == ["L2H8", "L5H6"]


def _all(blocks):
    for block in blocks:
        yield block
        for column in block["columns"] if block["kind"] == "columns" else ():
            yield from _all(column)


@pytest.mark.parametrize("measure", ["both directions, sinks kept", "from the pivot, sinks aside"])
def test_a_lean_can_be_measured_in_other_ways(measure):
    sentence = Readings(text=DOG, tab="Where they look", readings_measure=measure).blocks()
    assert "Furthest to A:" in sentence
    assert "L3H1, +0.31; in 13" not in sentence


def test_no_head_separates_without_a_contrast_and_three_ways_on():
    page = Readings(text=TELESCOPE, readings_contrast="none", tab="Where they look")
    said = page.blocks()
    assert "No head separates these readings here." in said
    assert "That is a result, not a fault. All 72 heads were measured" in said
    assert "Furthest to A: L0H1, +0.32; in 12 of 20 shuffles some head leans as far." in said
    assert "Four of 72 heads lie outside all their own shuffles; about 3 would by chance." in said
    assert "Over 82 pairs of this kind L1H0 tells the forced versions apart in 82 %" in said


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
        "the telescope",
        "he or she",
        "who was late",
    ]


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("The king thanked the queen because he was kind", "he/she", "No head carries the difference."),
        ("We met the friend of the sisters who was late", "relative clause", "L3H1"),
    ],
)
def test_the_other_kinds_with_forced_pairs_have_an_example(text, kind, said):
    page = Readings(text=text)
    assert re.search("(O|o)ver 40 pairs of this kind", page.blocks())
    assert said in page.blocks()
    assert page.test.session_state["readings_kind_shown"] == kind


def test_without_a_contrast_there_is_a_doorway():
    said = Readings(text=DOG, readings_contrast="none").blocks()
    assert "Change one word so that it must be food." in said


def test_versions_of_unequal_length_in_tokens():
    page = Readings(text=DOG, readings_contrast=DOG.replace("hungry", "tasty"))
    said = page.blocks()
    assert "Patching needs versions of equal length in tokens. hungry is one token for this model, tasty two." in said
    assert "Where heads look, with each word" in said
    assert "Not measured: hatched, not zero." in said


def test_does_it_matter():
    page = Readings(tab="Does it matter?")
    assert page.test.session_state["readings_sweep"].wait(60)
    page.run()  # on a busy machine the rest waited for the sweep
    said = page.blocks()
    assert "The score goes to A with hungry (+0.11) and to B with delicious (−0.05)." in said
    assert "It points the right way in 62 of 82 forced pairs." in said
    assert "62 of 82 pairs, 76 %; interval 65 % to 84 %, above a coin toss." in said
    assert "Leaning and moving the score hardly go together here" in said
    assert "L2H1, L2H8 and L2H3 silenced" in said
    assert "At 0 the two versions are 0.12 apart, as it is 0.15, at double strength 0.17." in said
    assert {"pair_dots", "scatter", "effect_map", "steer"} <= set(page.kinds())


def test_a_score_that_goes_by_words_says_so_in_the_verdict():
    said = Readings(text=TELESCOPE, tab="Does it matter?").blocks()
    assert "from which words stand there, not from how they are put together" in said
    assert "The order of the words adds nothing." in said


def test_a_kind_without_pairs_gets_no_verdict():
    said = Readings(text=DOG, readings_kind="other", tab="Does it matter?").blocks()
    assert "No verdict: of this kind no forced pairs are known." in said
    assert "Choose a kind above if it is one of the four." in said


def test_the_toy_leans_but_carries_nothing():
    assert "A toy has no scrambled twin" in Readings(text=DOG, model="toy", tab="Where they look").blocks()
    assert "cannot be taken from another version" in Readings(text=DOG, model="toy").said()


def test_the_toy_matters_to_nothing_that_could_be_measured():
    assert "cannot be silenced here" in Readings(text=DOG, model="toy", tab="Does it matter?").said()


def test_guess_first_says_no_number():
    page = Readings(reveal="0")
    said = page.blocks()
    assert "Guess first: where will heads look from it?" in said
    assert not any(character.isdigit() for character in said)
    page.test.button[-1].click()
    page.run()
    assert "L2H1 carries 27 %" in page.blocks()
