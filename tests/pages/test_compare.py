"""Change a word under AppTest: what it opens with, and that whatever stands on its sides gets a true sentence."""

import re

import pytest

from mha.screens.compare.page import EARLY_EXAMPLES, EXAMPLES
from mha.ui.bound import models

SECOND = "I saw the man with the beard"
EXAMPLE = "I saw the man with the telescope"


@pytest.fixture
def compare(visit):
    def opened(**link):
        class Compare(visit):
            def run(self):
                self.test.switch_page("compare.py")
                return super().run()

        return Compare(**link)

    return opened


def verdict(page):
    return [
        "".join(span[1] for span in block["spans"]) for block in page.of_kind("said") if block["style"] == "verdict"
    ]


def told(page):
    blocks = [block for data in page.components("blocks") for block in data["blocks"]]
    texts = ["".join(span[1] for span in block["spans"]) for block in blocks if "spans" in block]
    return "\n".join(texts)


def test_it_opens_with_the_beard(compare):
    page = compare()
    assert verdict(page) == ["No head stands out from what control words do."]
    assert (
        "The largest change is shown. In head L1H0, man gives 2\u00a0% of its attention to telescope, and 43\u00a0% to "
        "beard in its place." in told(page)
    )
    rank = str(page.components("blocks")).replace("\u00a0", " ")
    assert (
        "heads exceed their control limit (by chance about 8), 1 twofold. One of the 8 control words moves four heads "
        "that far beyond the limits of the others, so no head is named." in rank
    )
    (pin,) = page.of_kind("change_pin")
    assert pin["head"] == "L1H0"
    assert pin["cell"] == [3, 6]
    (hero,) = page.of_kind("change_hero")
    assert [column["second"] for column in hero["columns"]] == SECOND.split()
    (variants,) = page.of_kind("change_variants")
    assert [one["word"] for one in variants["variants"]] == ["telescope", "beard", "binoculars", "mirror", "museum"]
    assert round(100 * variants["variants"][1]["share"]) == 43
    assert page.test.session_state["compare_second"] == EXAMPLES["I saw the man with the telescope"]


def test_heads_are_named_where_more_of_them_move_than_with_any_control_word(compare):
    page = compare(text="The dog slept", compare_second="The dog barked")
    assert re.search(
        r"None of the \d+ control words moves (more than \w+ heads?|any head) that far beyond the limits of the "
        r"others, so these heads are named\.",
        str(page.components("blocks")),
    )
    (said,) = verdict(page)
    assert said.startswith("In head L")


def test_a_pronoun_has_no_neutral_words(compare):
    page = compare(text="The king met her when he was late", compare_second="The king met her when she was late")
    assert "No control word found for this place. Type your own under Options." in told(page).replace("*", "")


def test_another_sentence_is_copied_to_be_edited(compare):
    page = compare(text="All is well")
    assert page.test.session_state["compare_second"] == "All is well"
    assert verdict(page) == ["Both sentences are identical, so nothing changes."]
    page.test.session_state["compare_second"] = "All is lost"
    page.run()
    assert "stayed" in told(page) or "named" in told(page) or "In head" in told(page)


def test_words_without_a_partner_are_said_and_no_head_is_named(compare):
    page = compare(text="I saw the man", compare_second="I saw the very old man in town")
    assert "Without a match: very, old, in and town." in told(page) + page.said()
    assert "A control limit needs exactly one changed word." in told(page)
    assert "Heads that changed most" not in told(page)
    assert not page.of_kind("row_chart")
    page.test.session_state["pins"] = ["L2H1"]
    page.run()
    (pin,) = page.of_kind("change_pin")
    assert pin["head"] == "L2H1"


def test_nothing_in_common_is_said(compare):
    page = compare(text="one two", compare_second="three four five")
    assert verdict(page) == ["The two sentences have no words in common to compare."]


def test_where_two_sides_cannot_be_compared_the_page_keeps_its_question(compare):
    page = compare(text="dog " * 200)
    assert verdict(page) == ["Which heads change when one word changes?"]
    assert "compares texts of up to" in page.said()


def test_the_twin_has_no_floor_and_names_no_head(compare):
    page = compare(compare_against="the scrambled twin", compare_seed="3")
    (said,) = verdict(page)
    assert said.startswith("In the scrambled copy, heads look elsewhere (change up to 0.")
    (drawn,) = page.of_kind("head_discs")
    assert "floor" not in drawn or drawn["floor"] is None
    assert "scrambled copy of seed 3" in page.said()


def test_words_are_paired_by_hand(compare):
    page = compare(text="a b c", compare_second="a c b", compare_paired="1-2 2-1")
    assert "3 of 3 words stayed." in page.said() + told(page)
    wrong = compare(text="a b c", compare_second="a c b", compare_paired="9-9")
    assert "The pairs chosen by hand were left out." in wrong.said()


def test_of_typed_control_words_only_those_that_can_stand_there_count(compare):
    page = compare(text="The dog slept", compare_second="The dog barked", compare_swaps="two words, sat, ran, !, ate")
    drawn = str(page.components("blocks"))
    assert "None of the 3 control words moves" in drawn
    assert "Your control words: " in drawn
    assert all(word in drawn for word in ("'sat'", "'ran'", "'ate'"))


@pytest.mark.parametrize("model", list(models()))
def test_every_model_on_offer_says_something(compare, model):
    page = compare(model=model, text="All is well")
    assert verdict(page) or page.said()


@pytest.mark.parametrize(
    "link",
    [
        {"text": "?", "compare_second": "!!"},
        {"text": "word", "compare_second": "other"},
        {"text": "a " * 60},
        {"text": "<b>bold</b> [SEP] 漢字", "compare_second": "=1+1 <script>x</script> 漢字"},
        {"compare_swaps": "a b, , 7, <i>", "compare_variants": ",".join(map(str, range(40)))},
        {"pins": "none"},
    ],
)
def test_anything_gets_a_sentence(compare, link):
    page = compare(**link)
    assert verdict(page) or page.said()


def test_variants_can_be_whole_sentences_with_a_head_of_their_own(compare):
    page = compare(compare_variants="I saw the man with the hat\nShe heard a dog\nI saw", compare_head="L2H1")
    (drawn,) = page.of_kind("change_variants")
    assert [one["word"] for one in drawn["variants"]] == ["I saw the man with the hat", "She heard a dog", "I saw"]
    assert [len(one["cells"]) for one in drawn["variants"]] == [7, 4, 2]
    assert all(0 <= one["share"] <= 1 and " → " in one["at"] for one in drawn["variants"])
    assert "framed row to another word, in L2H1" in told(page)
    assert page.test.query_params["compare_head"] == "L2H1"


def test_two_models_are_matched_by_depth_and_no_head_by_number(compare, tiny_offered):
    page = compare(compare_against="another model", compare_other="tiny-causal", text="I saw the man")
    (said,) = verdict(page)
    assert said.startswith("Of all heads of MiniLM, L")
    assert "from its nearest head there" in said
    first, second = page.of_kind("head_discs")
    assert (len(first["values"]), len(second["values"])) == (6, models()["tiny-causal"].n_layers)
    assert second["pins"] == []
    assert len(page.of_kind("change_variants")) == 2
    assert not page.of_kind("change_pin"), "heads of two models have no difference"


def test_maps_of_heads_can_be_of_what_they_bring(compare, tiny_offered):
    page = compare(pins="L5H3", compare_weights="What it brings")
    assert all(pin["brought"] for pin in page.of_kind("change_pin"))
    assert "Percentages: contribution of each word" in told(page)
    sentences = compare(pins="L5H3", compare_weights="What it brings", compare_variants="I saw her\nI saw him")
    assert "largest contribution of another word to the framed row" in told(sentences)
    two = compare(
        compare_against="another model", compare_other="tiny-causal", text="I saw the man",
        compare_weights="What it brings",
    )  # fmt: skip
    assert "In attention the heads differ by " in told(two)
    twin = compare(pins="L5H3", compare_against="the scrambled twin", compare_weights="What it brings")
    assert "Contributions are not available for a scrambled copy. Showing attention instead." in twin.said()
    assert "Per cent of all attention" in told(twin)


def test_one_model_beside_itself_is_refused_with_a_sentence(compare):
    page = compare(compare_against="another model")
    assert "Both models are the same" in page.said()
    assert not page.of_kind("head_discs")


def test_last_word_of_a_causal_model_is_not_comparable(compare, tiny_offered):
    page = compare(model="tiny-causal", compare_second=SECOND)
    assert "Not comparable: tiny-causal reads from left to right" in page.said()
    assert "the changed word “telescope” comes after" in page.said()
    assert not page.of_kind("head_discs"), "a zero that the mask forces is no finding"
    assert "by chance about" not in page.said()
    opened = compare(model="tiny-causal")
    assert opened.test.session_state["compare_second"] == EARLY_EXAMPLES[EXAMPLE]
    assert "Not comparable" not in opened.said()
    assert "control limit" in opened.said()
