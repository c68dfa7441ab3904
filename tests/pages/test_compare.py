"""Change a word under AppTest: what it opens with, links of 0.2, refusals, ablation, and any two texts."""

import pytest

from mha.models.files.catalog import offered_on_pages
from tests.pages import test_next
from tests.pages.conftest import opened_at
from tests.pages.test_next import data_of

BEARD, STAR = "I saw the man with the beard", "I saw the star with the telescope"


def markdown(test):
    return "\n".join([*(title.value for title in test.title), test_next.markdown(test)])


def notices(test):
    return "\n".join([*(text.value for text in test.text), *(warning.value for warning in test.warning)])


def press(test, label):
    return next(button for button in test.button if button.label == label).click().run()


def test_it_opens_with_a_named_head():
    test = opened_at("compare.py")
    assert test.title[0].value.startswith("In head `L5H4`, *telescope* gives ")
    assert "No head stands out" not in markdown(test)
    grid = data_of(test, "heads_grid")
    assert (grid["layers"], grid["heads"], grid["pinned"]) == (6, 12, ["L5H4"])
    assert [column[1] for column in data_of(test, "versions")["columns"]] == STAR.split()
    assert any("32 of 72 heads exceed their control limit" in caption.value for caption in test.caption)
    assert any("One control word changes at most 3 heads" in each.value for each in test.caption)
    assert "second" not in test.query_params


def test_no_head_stands_out_and_a_head_are_never_together():
    test = opened_at("compare.py", second=BEARD)
    assert test.title[0].value == "No head stands out from what control words do."
    assert "head" not in data_of(test, "versions")
    assert data_of(test, "heads_grid")["pinned"] == []
    assert "`L" not in markdown(test)
    pinned = opened_at("compare.py", second=BEARD, pins="L1H0")
    assert "`L1H0`, *man* gives 2\xa0% of its attention to *telescope*, and 43\xa0% to *beard*" in markdown(pinned)
    assert "No head stands out" not in markdown(pinned)
    assert data_of(pinned, "arrays")["lines"][0][2]["cell"] == [3, 6]
    test.session_state["options"] = True
    assert test.run().multiselect[0].placeholder == "the head that stands out"


def test_names_of_0_2_are_read():
    test = opened_at("compare.py", text="The dog slept", compare_second="The dog barked", pins="none")
    assert test.session_state["second"] == "The dog barked"
    assert not test.warning


@pytest.mark.parametrize("name", ["against", "other", "seed", "paired", "variants", "swaps", "head", "weights"])
def test_a_removed_name_costs_one_sentence(name):
    test = opened_at("compare.py", **{f"compare_{name}": "x"})
    (warning,) = test.warning
    assert "0.3" in warning.value
    assert "*star*" in markdown(test)


def test_pins_of_a_link_are_drawn_and_unpinned_in_the_grid():
    test = opened_at("compare.py", pins=["L2H1", "L2H1", "L5H3"])
    assert data_of(test, "heads_grid")["pinned"] == ["L2H1", "L5H3"]
    assert data_of(test, "versions")["head"] == "L5H4", "arcs stay those of the head that changed most"
    wrong = opened_at("compare.py", pins="L9H9")
    assert "there is no head “L9H9” here" in notices(wrong)


def test_the_second_sentence_follows_the_first_until_it_is_edited():
    test = opened_at("compare.py")
    test.text_area(key="text").set_value("All is well").run()
    assert test.session_state["second"] == "All is well"
    assert "Both sentences are identical" in markdown(test)
    test.text_area(key="second").set_value("All is lost").run()
    test.text_area(key="text").set_value("All was well").run()
    assert test.session_state["second"] == "All is lost"
    test.text_area(key="second").set_value("  ").run()
    assert test.session_state["second"] == "All was well"


def test_an_example_sets_both_sentences():
    test = opened_at("compare.py")
    test.pills[0].set_value("slept or barked").run()
    assert (test.session_state["text"], test.session_state["second"]) == ("The dog slept", "The dog barked")
    assert "In head `L" in markdown(test)


def test_guess_first_hides_numbers():
    test = opened_at("compare.py", reveal="0")
    assert "rows" not in data_of(test, "versions")
    assert "%" not in markdown(test)
    press(test, "Show results")
    assert "L5H4" in markdown(test)


def test_ablated_heads_are_stated_and_marked():
    test = opened_at("compare.py", ablate="L0H1")
    assert "The model runs without `L0H1`" in markdown(test)
    assert data_of(test, "heads_grid")["ablated"] == ["L0H1"]


def test_a_causal_model_refuses_a_change_of_the_last_word_and_offers_another(tiny_offered):
    test = opened_at("compare.py", model="tiny-causal", second=BEARD)
    assert test.title[0].value == "In tiny-causal, this change reaches no word that stayed."
    assert "Not comparable: tiny-causal reads from left to right" in notices(test)
    assert "the changed word “telescope” comes after" in notices(test)
    assert "bits" not in markdown(test)
    press(test, "Show an earlier change")
    assert "Not comparable" not in test.title[0].value
    assert test.session_state["second"] == "I saw the star with the telescope"


@pytest.mark.parametrize("model", [row.name for row in offered_on_pages()])
def test_every_model_on_offer_shows_a_sentence(model):
    test = opened_at("compare.py", model=model, text="All is well", second="All was well")
    assert "Heads change by up to" in markdown(test) or notices(test)


@pytest.mark.parametrize(
    "link",
    [
        {"text": "?", "second": "!!"},
        {"text": "a " * 60},
        {"text": "<b>bold</b> [SEP] 漢字", "second": "=1+1 <script>x</script> 漢字"},
        {"second": "x" * 3000},
        {"text": "x" * 3000},
    ],
)
def test_anything_gets_a_sentence(link):
    test = opened_at("compare.py", **link)
    assert len(test.title) == 1 or notices(test)
