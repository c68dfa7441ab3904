"""Two readings without a browser: links, choices, every screen, and a sentence for each thing that cannot be."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from mha import permalink
from mha.ui.readings_blocks import texts
from tests.pages.conftest import FRAME, Page

DOG = "A dog ate the food because it was hungry."
TELESCOPE = "I saw the man with the telescope"
OWN = "The nurse helped the singer because she was kind"
CHOSEN = {"readings_pivot": "6 she", "readings_a": ["1 nurse"], "readings_b": ["4 singer"]}


class Readings(Page):
    """A visitor of this page."""

    def __init__(self, **link):
        self.test = AppTest.from_file(FRAME, default_timeout=120)
        for name, value in link.items():
            self.test.query_params[name] = value
        self.test.switch_page("readings.py")
        self.run()

    def blocks(self):
        """Return every sentence of the tabs."""
        return "\n".join(texts(data["blocks"]) for data in self.components("readings")).replace("\u00a0", " ")

    def kinds(self):
        """Return the kinds of all blocks, columns opened."""

        def walk(blocks):
            for block in blocks:
                yield block["kind"]
                for column in block.get("columns", ()) if block["kind"] == "columns" else ():
                    yield from walk(column)

        return [kind for data in self.components("readings") for kind in walk(data["blocks"])]

    def roles(self):
        """Return the words with a role, as the sentence was sent to the browser."""
        (spec,) = self.components("ambiguity")
        return {role: piece["text"] for piece in spec["pieces"] for role in piece["roles"]}


def test_the_bare_page_opens_with_the_dog_on_what_carries_it():
    page = Readings()
    assert page.test.session_state["text"] == DOG
    assert page.roles() == {"pivot": "it", "a": "dog", "b": "food", "cue": "hungry"}
    (contrast,) = page.components("contrast")
    assert contrast["contrast"]["forces"] == "B"
    said = page.blocks()
    assert "Three heads of layer 2 look from it to the word that was changed. One layer later, L3H1 turns" in said
    assert "L2H1 carries 27 % of the difference between the two versions; three other heads of its layer, 1 %." in said
    assert "The three of layer 2 together carry 61 %." in said
    assert "Looking and carrying are different sets of heads" in said
    assert {"story", "carried_map", "slopes", "slopes_table", "calibration_strip"} <= set(page.kinds())


def test_the_story_is_told_with_its_shares():
    (data, *_) = [data for data in Readings().components("readings") if data["blocks"][0]["style"] == "verdict"]
    story = next(block for block in data["blocks"] if block["kind"] == "story")
    typed, changed = story["versions"]
    assert [look["name"] for look in typed["looks"]] == ["L2H8", "L2H1", "L2H3"]
    assert [look["share"] for look in typed["looks"]] == pytest.approx([0.84, 0.51, 0.45], abs=0.01)
    assert (typed["turn"]["a"], typed["turn"]["b"]) == pytest.approx((0.56, 0.05), abs=0.01)
    assert (changed["turn"]["a"], changed["turn"]["b"]) == pytest.approx((0.11, 0.27), abs=0.01)


def test_a_link_with_a_text_is_taken_as_it_is():
    assert Readings(text=TELESCOPE).roles()["pivot"] == "telescope"
    assert Readings(readings_kind="attachment").roles()["pivot"] == "telescope"


def test_the_telescope_writes_its_kind_so_that_its_link_is_its_own():
    assert Readings(text=TELESCOPE).test.session_state["readings_kind"] == "attachment"


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
    names = [
        b["name"] for data in page.components("readings") for b in _all(data["blocks"]) if b["kind"] == "head_line"
    ]
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


def test_the_doorway_offers_words_with_their_length_and_one_click_takes_one():
    page = Readings(text=DOG, readings_contrast="none")
    (buttons,) = [b for data in page.components("readings") for b in data["blocks"] if b["kind"] == "buttons"]
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


def test_a_contrast_in_two_words_is_allowed_and_said():
    page = Readings(text=DOG, readings_contrast="A cat ate the food because it was thirsty.")
    assert "2 words differ between the versions." in page.said()
    assert "story" not in page.kinds()
    assert "carried_map" in page.kinds()


def test_a_contrast_that_is_the_text():
    page = Readings(text=DOG, readings_contrast=DOG)
    assert "Both versions are the same. Change one word." in page.said()


def test_does_it_matter():
    page = Readings(tab="Does it matter?")
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


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ({"readings_pivot": "6 he"}, "The pivot “6 he” is not in this text at that place"),
        ({"readings_a": "9 moon"}, "The partner in reading A “9 moon” is not in this text"),
        ({"readings_cue": "0 the"}, "The cue “0 the” is not in this text"),
        ({"readings_pivot": "1 dog"}, "In reading A the pivot “dog” is joined with itself"),
        ({"readings_b": "1 dog"}, "Both readings join the same words"),
        ({"readings_contrast": "A dog ate."}, "The contrast has 3 words, the sentence 9"),
    ],
)
def test_what_a_link_asks_for_and_cannot_have(link, sentence):
    assert sentence in Readings(text=DOG, **link).said()


def test_own_text_asks_for_its_readings_and_shows_no_tabs():
    page = Readings(text=OWN)
    (spec,) = page.components("ambiguity")
    assert spec["next"] == "pivot"
    assert page.components("readings") == []


def test_own_text_with_its_readings_in_the_link():
    page = Readings(text=OWN, **CHOSEN)
    assert page.roles() == {"pivot": "she", "a": "nurse", "b": "singer"}
    assert "Change one word so that it must be singer." in page.blocks()


def test_an_edit_keeps_what_stands_where_it_stood_and_says_what_is_gone():
    page = Readings()
    page.test.text_input(key="text").set_value("A cat ate the food because it was hungry.")
    page.run()
    assert "The partner in reading A “1 dog” is gone with the edit; choose it again." in page.said()
    assert page.roles() == {"pivot": "it", "b": "food", "cue": "hungry"}
    (contrast,) = page.components("contrast")
    assert "".join(piece["text"] for piece in contrast["contrast"]["pieces"]).endswith("wasdelicious.")


def test_another_example_brings_its_own_readings():
    page = Readings(readings_pivot="7 was", text=DOG)
    page.test.text_input(key="text").set_value("The old man the boat")
    page.run()
    assert page.roles()["pivot"] == "man"


def test_a_word_beyond_the_length_limit():
    page = Readings(text="😀 " * 600 + "it ate", readings_pivot="600 it", readings_a="601 ate", readings_b="0 😀")
    assert "was cut away: this model reads only the first" in page.said()


def test_nothing_to_look_at_keeps_the_dog():
    page = Readings(text="...")
    assert "The hungry dog stays until then." in page.said()
    assert page.roles()["pivot"] == "it"


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


@pytest.mark.parametrize("tab", ["Where they look", "What carries it", "Does it matter?"])
def test_every_word_of_this_page_in_the_link_is_listed(tab):
    test = Readings(tab=tab).test
    boxes = [*test.selectbox, *test.multiselect, *test.text_input, *test.slider]
    found = {box.key for box in boxes if box.key and box.key.startswith("readings_")}
    assert {"readings_pivot", "readings_a", "readings_contrast"} <= found
    assert found - {"readings_kind_shown"} <= set(permalink.READINGS)
    document = (permalink_root() / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert [name for name in permalink.READINGS if f"`{name}`" not in document] == []


def permalink_root():
    return Path(permalink.__file__).parents[1]


@pytest.mark.parametrize("text", ["<b>dog</b> & **food** $x$ [a](b)", "[[lean]] {pivot} {a}", "‘’ \\ `x` :smile:"])
def test_hostile_words_stay_words(text):
    page = Readings(text=f"{text} ate it", tab="Where they look")
    (spec,) = page.components("ambiguity")
    assert "".join(piece["text"] for piece in spec["pieces"]) == f"{text} ate it".replace(" ", "")


def test_a_link_that_asks_for_what_is_not_there_says_so_until_something_is_chosen():
    page = Readings(text=DOG, tab="Does it matter?", readings_at="after layer 99")
    assert "In this link, readings_at is “after layer 99”" in page.said()
    page.test.selectbox(key="readings_cue").set_value("none")
    page.run()
    assert "after layer 99" not in page.said()
