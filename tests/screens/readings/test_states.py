"""What each tab says of a sentence: from a sentence to its blocks, without a page."""

import json
from dataclasses import replace

import numpy as np
import pytest

import mha
from mha.analysis.floor import NamingRates
from mha.analysis.readings import leans
from mha.engine import experiments
from mha.engine.experiments import Score
from mha.engine.question import here as ask
from mha.examples import EXAMPLES
from mha.formats import percent
from mha.link.readings import ReadingsWords
from mha.maps import HeadId, Reading, ranked
from mha.screens.blocks import as_data, as_text
from mha.screens.readings.carried import shares_blocks
from mha.screens.readings.effects import head_sets, silenced_block
from mha.screens.readings.leans import lean_said
from mha.screens.readings.look import drawn_said, top_blocks
from mha.screens.readings.recorded import foot_said, moved, shared
from mha.screens.readings.score import SCORE_ROWS, method_blocks, scored
from mha.screens.readings.score_change import score_method
from mha.screens.readings.sentence import contrast_picture
from mha.screens.readings.what_carries import carry_blocks
from tests.said import texts
from tests.screens.readings.cases import DOG, LATE, TELESCOPE, carried, case, kinds, said

ASTRONOMER = "The man saw an astronomer with a telescope."


def every(blocks):
    """Return all blocks, those of disclosures among them."""
    return [one for block in blocks for one in (block, *(block.blocks if block.kind == "more" else ()))]


def block(blocks, kind):
    (found,) = (one for one in blocks if one.kind == kind)
    return found


def test_the_dog_has_everything():
    blocks = carried(case())
    json.dumps(as_data(blocks), allow_nan=False)
    told = said(blocks)
    assert told.startswith(
        "The score changes by 0.15, from +0.11 with hungry to −0.05 with delicious.\n"
        "Score: how much closer it is to dog than to food. Control limit: 0.031.\n"
        "With starving: +0.09. With tasty: +0.01."
    )
    assert (
        "among 92 test pairs both words for A score above both words for B in 54 % and below in 8 %; by chance 17 %"
        in told
    )
    assert "90 of 100 stay under 0.026 (95 % interval 0.023 to 0.031, over sentences and their authors)." in told
    assert (
        "Among changes beyond the control limit, a head passes its own limit in 6 of 11 control swaps and 9 of 15 test "
        "pairs." in told
    )
    order = [kind for kind in kinds(blocks) if kind not in ("said", "heading")]
    assert order == ["second_words", "carried_bars", "more", "more"]
    assert [one.title for one in blocks if one.kind == "more"] == ["Every head as a map", "How is this measured?"]


@pytest.mark.parametrize(
    ("rates", "expected"),
    [
        (None, "is not measured for this model yet."),
        (NamingRates(0, 0, 9, 9), "No control swap passes the control limit, so how often"),
        (NamingRates(5, 3, 0, 0), "in 3 of 5 control swaps. No test pair is among them."),
    ],
)
def test_the_rates_of_naming_are_said_as_far_as_they_are_known(rates, expected):
    this = shared(case(), moved(case(), ask), ask)
    assert this.beyond
    assert expected in said(carry_blocks(this.ambiguity, this.moved, replace(this, naming=rates)))


def test_how_it_is_measured_says_whether_a_full_stop_matters():
    move = moved(case(), ask)
    assert "With or without a final full stop, 96 % of test pairs stay on the same side of it." in said(
        score_method(move)
    )
    never = replace(move, floor=replace(move.floor, full_stop=float("nan")))
    assert "full stop" not in said(score_method(never))


def test_second_words_are_offered_and_can_be_left_out():
    blocks = carried(case(DOG, ReadingsWords(word_a="none")))
    slots = block(blocks, "second_words")
    assert [(slot.side, slot.first, slot.second) for slot in slots.slots] == [
        ("a", "hungry", ""),
        ("b", "delicious", "tasty"),
    ]
    assert slots.slots[0].ask == "another word for dog"
    assert "starving" in slots.slots[0].offered
    assert set(slots.taken) == {"hungry", "delicious", "tasty"}
    assert "\nWith tasty: +0.01." in said(blocks)
    assert "With tasty" not in said(carried(case(DOG, ReadingsWords(word_a="none", word_b="none"))))


def test_he_and_she_have_no_second_word():
    assert "second_words" not in kinds(carried(case("The king thanked the queen because he was kind")))


def test_unequal_lengths_keep_the_score_and_say_why_nothing_is_shared_out():
    blocks = carried(case(DOG, ReadingsWords(contrast=DOG.replace("hungry", "tasty"))))
    told = said(blocks)
    assert told.startswith("The score changes by 0.10, from +0.11 with hungry to +0.01 with tasty.")
    assert "Patching needs versions of equal length in tokens." in told
    assert "Activation patching needs versions with the same number of tokens. The score works without." in told
    assert block(blocks, "buttons").buttons[0].text == "Use “delicious” instead"
    assert not {"carried_bars", "carried_map"} & set(kinds(every(blocks)))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("example", [one for one in EXAMPLES if one.readings], ids=lambda one: one.label)
def test_shares_are_measured_for_changes_beyond_the_control_limit_alone(example):
    this = case(example.sentence)
    beyond = {"the hungry dog", "he or she", "the astronomer"}
    move = moved(this, ask)
    assert move.passes == (example.label in beyond)
    blocks = carried(this)
    assert ("carried_bars" in kinds(blocks)) == move.passes
    within = "Shares of heads are measured for changes beyond the control limit." in said(blocks)
    assert within == (move.floor is not None and not move.passes)
    json.dumps(as_data([*blocks, *top_blocks(this.ambiguity, this.maps)]), allow_nan=False)


@pytest.mark.parametrize(
    ("choices", "text", "value"),
    [
        (ReadingsWords(contrast="none"), "hungry", ""),
        (ReadingsWords(), "hungry", "delicious"),
        (ReadingsWords(contrast=DOG.replace("dog", "robot")), "dog", "robot"),
        (ReadingsWords(contrast="none", cue="3 the"), "the", ""),
    ],
)
def test_one_field_replaces_one_word(choices, text, value):
    picture = contrast_picture(case(choices=choices))
    assert picture.drawn["replaced"] == {"text": text, "value": value}
    assert picture.drawn["contrast"] is None or value


def test_bars_are_in_units_of_the_score_and_hollow_where_directions_disagree():
    bars = block(carried(case()), "carried_bars")
    assert [(bar.name, bar.beyond) for bar in bars.bars] == [
        ("L2H1", True),
        ("L2H8", True),
        ("L3H1", True),
        ("L2H3", False),
    ]
    assert bars.bars[3].ways == "17 one way, 5 the other"
    assert bars.bars[0].ways == "31 and 23"
    assert bars.floor == pytest.approx(0.0132, abs=1e-4)
    assert bars.whole == pytest.approx(0.1527, abs=1e-3)
    assert (len(bars.rest), len(bars.direct)) == (44, 12)
    empty = block(every(carried(case())), "carried_map")
    assert empty.floor == pytest.approx(0.0132 / 0.1527, abs=1e-3)


def test_what_exceeds_the_limit_of_one_head_without_a_bar_is_not_said_to_be_within_it():
    """The limit is 2 % of the change here; a head of 5 % has no bar, as it carries no tenth, nor has one of −30 %."""
    king = case("The king thanked the queen because he was kind")
    this = shared(king, moved(king, ask), ask)
    carries = this.patch.carried.copy()
    carries[0, 0], carries[1, 1] = 0.05, -0.3
    blocks = shares_blocks(replace(this, patch=replace(this.patch, carried=carries)))
    assert block(blocks, "carried_bars").rest_says == "48 heads: 46 within the control range"


def test_no_head_is_within_a_limit_that_is_not_known():
    """Heads that move nothing at all are not said to be within what no swap of equal length has shown."""
    king = case("The king thanked the queen because he was kind")
    this = shared(king, moved(king, ask), ask)
    unknown = replace(this.moved, floor=replace(this.moved.limit, heads=np.zeros(0)))
    nothing = replace(this.patch, carried=np.where(np.isfinite(this.patch.carried), 0.0, np.nan))
    blocks = shares_blocks(replace(this, moved=unknown, patch=nothing))
    assert block(blocks, "carried_bars").rest_says == "48 heads"


def test_several_changed_words_are_not_compared():
    this = case(DOG, ReadingsWords(contrast="A cat ate the food because it was thirsty."))
    assert "more than one word differs" in said(carried(this))


def test_a_change_of_another_word_is_not_held_against_control_swaps():
    told = said(carried(case(DOG, ReadingsWords(contrast=DOG.replace("dog", "robot"), forces="B"))))
    assert "control swaps of this type change another word of the sentence." in told


def test_the_headline_is_about_looking_only():
    this = case()
    told = said(top_blocks(this.ambiguity, this.maps))
    assert told.startswith(
        "Looking from it, two heads give more than half of their attention to dog. No head gives a third to food."
    )
    assert "This shows where heads look, not what the model understands." in told
    looks = block(top_blocks(this.ambiguity, this.maps), "looks")
    assert [(look["name"], look["side"]) for look in looks.looks] == [
        ("L5H11", "a"),
        ("L3H1", "a"),
        ("L2H2", "b"),
        ("L5H5", "b"),
    ]


def test_where_a_mask_hides_the_candidates_no_look_is_drawn():
    chosen = ReadingsWords("0 moon", ("2 table",), ("3 star",))
    this = case("moon fish table star moon fish table", chosen, model="copier")
    headline, _, looks = top_blocks(this.ambiguity, this.maps)
    assert as_text(headline.spans) == (
        "This model reads left to right, so no head looks from moon₁ to table₁ or star, which come later."
    )
    assert (looks.looks, looks.label) == ([], "from moon₁: nothing")
    between = ReadingsWords("3 star", ("2 table",), ("4 moon",))
    this = case("moon fish table star moon fish table", between, model="copier")
    assert {look["side"] for look in block(top_blocks(this.ambiguity, this.maps), "looks").looks} == {"a"}


def test_two_equal_partners_are_told_apart_in_the_headline():
    chosen = ReadingsWords("7 it", ("1 dog",), ("5 dog",))
    this = case("The dog chased the other dog because it was fast", chosen)
    headline, *_ = top_blocks(this.ambiguity, this.maps)
    assert {span for span in headline.spans if span[0] == "word"} == {("word", word) for word in ("it", "dog₁", "dog₂")}


def test_the_looks_of_heads_that_run_the_other_way_are_told_too():
    told = said(top_blocks(case(TELESCOPE).ambiguity, case(TELESCOPE).maps))
    opens = mha.opening(case(TELESCOPE).maps)
    assert [key for _, key in opens.looks] == [opens.word, opens.word]
    (a, b), (one, other) = (percent(weight).replace("\u00a0", " ") for weight in opens.weights), opens.heads
    assert f"The other way, saw gives telescope {a} in {one}, and man gives it {b} in {other}." in told
    assert "The other way" not in said(top_blocks(case().ambiguity, case().maps))
    same = case("The dog chased the other dog because it was fast", ReadingsWords("7 it", ("1 dog",), ("5 dog",)))
    assert "dog gives" not in said(top_blocks(same.ambiguity, same.maps))


def test_heads_that_look_at_a_place_are_named_as_such():
    this = case(LATE)
    assert "L0H2 usually looks at the previous word, whatever the sentence." in said(
        top_blocks(this.ambiguity, this.maps)
    )


def test_where_nothing_is_given_that_is_said():
    this = case()
    empty = np.zeros_like(this.maps.weights)
    empty[..., 0] = 1
    nothing = replace(this.maps, weights=empty)
    told = said(top_blocks(this.ambiguity, nothing))
    assert told.startswith("Looking from it, no head gives a fifth of its attention to dog or to food.")


ILL = "Anna and Peter called the doctors because they were ill."
SEVERAL = ReadingsWords(
    pivot="7 they", a=("0 Anna", "2 Peter"), b=("5 doctors",), contrast=ILL.replace("ill", "free"), forces="B"
)


def test_a_candidate_of_several_words_is_named_with_all_of_them_where_its_number_is_theirs():
    this, head = case(ILL, SEVERAL), HeadId(3, 1)
    here = leaning_of(this).here
    alone = [leans(this.maps, (Reading("A", [(7, one)]), this.ambiguity.readings[1])).a[head] for one in (0, 2)]
    assert here.a[head] == pytest.approx(np.mean(alone))
    average = "A candidate of several words counts by their average."
    assert average in as_text(lean_said(this.ambiguity, False))
    assert average not in as_text(lean_said(case().ambiguity, False))
    carries, matters = carried(this), said(method_blocks(scored(this, SCORE_ROWS["link margin"], Score(at=5), ask)))
    assert average in matters
    assert "vectors of they and Anna and Peter minus" in matters
    assert average in said(every(carries))


def test_looks_at_a_candidate_of_several_words_are_drawn_to_each_of_them():
    this = case(ILL, SEVERAL)
    looks = block(top_blocks(this.ambiguity, this.maps), "looks")
    row, two = this.maps.merged().weights[:, :, 8], [1, 3]  # they, behind [CLS]; Anna and Peter
    for look in (one for one in looks.looks if one["side"] == "a"):
        assert np.allclose(look["parts"], row[HeadId.parse(look["name"])][two])
        assert np.isclose(sum(look["parts"]), look["share"])
    assert "the sum of their shares" in as_text(drawn_said(this.ambiguity, this.maps))
    assert "the sum of their shares" not in as_text(drawn_said(case().ambiguity, this.maps))


def leaning_of(this):
    return experiments.leaning(this.ambiguity.text, this.ambiguity.readings, this.row.name)


def test_sets_of_heads_that_can_be_silenced():
    this = case(pins=(HeadId(0, 1),))
    lean = leaning_of(this).here
    sets = head_sets(this, lean, 5)
    assert list(sets)[:3] == ["the five that lean furthest to A", "the pinned heads", "all of layer 0"]
    assert sets["the pinned heads"] == (HeadId(0, 1),)
    assert len(sets) == 2 + 5 + 60
    assert "No head is pinned." in texts([silenced_block(this, (), "its mean", experiments.LINK_MARGIN, ask)])


def test_heads_are_ranked_with_those_unmeasured_last():
    values = np.array([[0.1, np.nan, 0.3], [0.3, -0.2, 0.0]])
    assert ranked(values)[:2] == (HeadId(0, 2), HeadId(1, 0))
    assert ranked(values)[-1] == HeadId(0, 1)


def test_the_foot_names_the_model_and_the_method_the_even_share():
    told = "".join(span[1] for span in foot_said(case()))
    assert told == "MiniLM, pretrained, 6 layers × 12 heads."
    lean = "".join(span[1] for span in lean_said(case().ambiguity, marked=True)).replace("\u00a0", " ")
    assert "get less than an even spread would give (11 %)." in lean
    eight = as_text(lean_said(case(ASTRONOMER).ambiguity, False))
    assert "would give (13\u00a0%)." in eight  # 12.5, as everywhere
    assert "Arrows mark heads that follow position" in lean
