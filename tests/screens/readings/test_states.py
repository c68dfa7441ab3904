"""Which state each tab is in, and what it says there: from a sentence to its blocks, without a page."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mha.engine import experiments
from mha.engine.question import here as ask
from mha.errors import AttentionUnavailable, InputError
from mha.examples import EXAMPLES
from mha.link.readings import ReadingsWords
from mha.maps import HeadId
from mha.screens.blocks import as_data
from mha.screens.readings.carried import carry_blocks
from mha.screens.readings.look import nothing_blocks, top_blocks, two_heads_blocks
from mha.screens.readings.path import path_over_pairs
from mha.screens.readings.recorded import foot_said, ranked
from mha.screens.readings.states import State, state_of
from mha.screens.readings.sweep import head_sets, kept, silenced_block, steer_blocks, turned
from mha.screens.readings.two_versions import calibration_of, carrying, moved, shared
from mha.screens.readings.what_carries import door_blocks, doorway
from tests.said import texts
from tests.screens.readings.cases import DOG, LATE, TELESCOPE, carried, case, kinds, said

KNIFE = "The knife could not cut the bread because it was too blunt."
ASTRONOMER = "The man saw an astronomer with a telescope."


def block(blocks, kind):
    (found,) = (one for one in blocks if one.kind == kind)
    return found


def test_the_dog_has_everything():
    blocks = carried(case())
    json.dumps(as_data(blocks), allow_nan=False)
    told = said(blocks)
    assert told.startswith(
        "One word moves the score from dog towards food, further than any of 150 that keep the reading."
    )
    assert (
        "It falls by 0.15 when hungry becomes delicious; the 150 changes that keep the reading reach 0.09 at most."
        in told
    )
    assert "Over 70 pairs that happens in 53 %, the wrong way round in 7 %; four words that are alike would" in told
    assert "band: 90 of 100 of them, up to 0.026 (0.021 to 0.037)." in told
    assert "Three heads look from it to the changed word. What they bring turns L3H1." in told
    assert "L2H1 carries 27 %, L2H8 23 %, L3H1 15 %: each more than the largest head does in 90 of 100" in told
    order = [kind for kind in kinds(blocks) if kind not in ("said", "heading", "columns")]
    assert order == [
        "second_words",
        "score_line",
        "path_strip",
        "story",
        "carried_bars",
        "carried_map",
        "carried_legend",
    ]


def test_the_score_line_of_the_dog():
    line = block(carried(case()), "score_line")
    assert [(mark.word, mark.side, mark.first) for mark in line.marks] == [
        ("hungry", "a", True),
        ("delicious", "b", True),
        ("starving", "a", False),
        ("tasty", "b", False),
    ]
    assert [mark.score for mark in line.marks] == pytest.approx([0.106, -0.047, 0.093, 0.008], abs=0.001)
    assert (line.order, line.further, line.beyond) == ("both words agree", "further than all 150", True)
    assert line.span == (0.21, 0.25)
    assert len(line.sizes) == 150


def test_second_words_are_offered_and_can_be_left_out():
    slots = block(carried(case(DOG, ReadingsWords(word_a="none"))), "second_words")
    assert [(slot.side, slot.first, slot.second) for slot in slots.slots] == [
        ("a", "hungry", ""),
        ("b", "delicious", "tasty"),
    ]
    assert slots.slots[0].ask == "another word for dog"
    assert "starving" in slots.slots[0].offered
    assert set(slots.taken) == {"hungry", "delicious", "tasty"}
    told = said(carried(case(DOG, ReadingsWords(word_a="none", word_b="none"))))
    assert "So far these are two words." in told
    assert "path_strip" in kinds(carried(case(DOG, ReadingsWords(word_a="none", word_b="none"))))


def test_bars_are_in_units_of_the_score_and_hollow_where_directions_disagree():
    bars = block(carried(case()), "carried_bars")
    assert [(bar.name, bar.named) for bar in bars.bars] == [
        ("L2H1", True),
        ("L2H8", True),
        ("L3H1", True),
        ("L2H3", False),
    ]
    assert bars.bars[3].ways == "one way 17, the other 5: not named"
    assert bars.bars[0].ways == "31 and 23"
    assert bars.floor == pytest.approx(0.0129, abs=1e-4)
    assert bars.whole == pytest.approx(0.1527, abs=1e-3)
    assert (len(bars.rest), len(bars.direct)) == (44, 12)
    empty = block(carried(case()), "carried_map")
    assert empty.floor == pytest.approx(0.0129 / 0.1527, abs=1e-3)
    assert [str(one) for one in empty.named] == ["L2H1", "L2H8", "L3H1"]


def test_the_tested_arrow_of_the_dog():
    strip = block(carried(case()), "path_strip")
    assert (strip.share, strip.direct) == pytest.approx((0.945, 0.711), abs=0.001)
    assert len(strip.control) == 84
    assert strip.others.replace("\u00a0", " ") == "any three others: at most 3 %"
    assert (strip.own.share, strip.own.direct) == pytest.approx((0.812, 0.544), abs=0.001)
    assert strip.own_says.replace("\u00a0", " ") == "this sentence; any three others −2 to 7 %"
    assert [line.replace("\u00a0", " ") for line in strip.looks] == [
        "L2H8 84 → 72 %",
        "L2H1 51 → 80 %",
        "L2H3 45 → 26 %",
    ]


def test_unequal_lengths_keep_the_score_and_say_why_nothing_is_shared_out():
    blocks = carried(case(DOG, ReadingsWords(contrast=DOG.replace("hungry", "tasty"))), ask)
    told = said(blocks)
    assert told.startswith("One word moves the score from dog towards food")
    assert "Patching needs versions of equal length in tokens." in told
    assert "Sharing out needs versions of equal length in tokens; the score does not." in told
    assert block(blocks, "buttons").buttons[0].text == "Use “delicious” instead"
    assert block(blocks, "path_strip").own is None
    assert block(blocks, "path_strip").own_says == "this sentence: not tested"
    assert "This sentence was not tested. Patching needs versions of equal length" in told
    assert not {"carried_bars", "carried_map", "story"} & set(kinds(blocks))
    assert carrying(case(DOG, ReadingsWords(contrast=DOG.replace("hungry", "tasty"))), ask) == ()


def test_below_the_floor_there_are_three_ways_on():
    ways = block(carried(case(LATE)), "ways")
    assert [way.title for way in ways.ways] == ["The order still says something", "Over pairs", "Another word"]
    assert "Over 40 pairs of this kind the four fall this way in 70 %, the wrong way in none." in said([ways])
    assert "path_strip" not in kinds(carried(case(LATE)))
    over = carried(case(LATE), over_pairs=True)
    assert "Over 40 pairs three heads look from the pivot to the changed word." in said(over)
    assert block(over, "path_strip").own is None
    assert "story" not in kinds(over)
    assert block(over, "ways").ways[1].button.text == "Hide what holds over pairs"
    assert ways.ways[1].button.text == "What carries it over 40 pairs"


def test_words_that_do_not_agree_name_no_head():
    chosen = ReadingsWords(
        "8 it",
        ("1 knife",),
        ("6 bread",),
        contrast=KNIFE.replace("blunt", "hard"),
        forces="B",
        word_a="dull",
        word_b="stale",
    )
    blocks = carried(case(KNIFE, chosen))
    told = said(blocks)
    assert told.startswith("The two words for each reading do not agree.")
    assert "But dull, a word for knife, ends up nearer to bread than hard does." in told
    assert "Over 70 pairs: 53 % agree, 7 % agree the wrong way round, 40 % do not." in told
    assert "No head is named for this sentence. Over pairs the path holds." in told
    assert block(blocks, "score_line").order == "the words overlap: they do not agree"
    assert not {"carried_bars", "path_strip"} & set(kinds(blocks))


def test_the_astronomer_moves_the_other_way():
    blocks = carried(case(ASTRONOMER))
    assert said(blocks).startswith(
        "The score moves the other way: telescope → beard takes telescope towards man, not astronomer. This model does "
        "not tell these apart."
    )
    line = block(blocks, "score_line")
    assert line.order == "both words agree, the wrong way round"
    assert line.span[0] > 0.8  # a wide line, said in the caption
    assert "of the score wide; most are 0.21" in said(blocks)


def test_a_kind_without_path_says_so():
    blocks = carried(case("The king thanked the queen because he was kind"))
    assert "No heads bring the difference over the pairs of this kind." in said(blocks)
    assert "No head stands out from a change of any word." in said(blocks)
    assert "He and she have no second word." in said(blocks)
    assert "second_words" not in kinds(blocks)
    assert texts(path_over_pairs(experiments.calibration_of_kind("attachment"))).startswith("No heads bring")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("example", [one for one in EXAMPLES if one.readings], ids=lambda one: one.label)
def test_every_example_has_its_state_and_its_screen(example):
    this = case(example.sentence)
    states = {
        "the hungry dog": State.ABOVE,
        "he or she": State.ONE_WORD,
        "the astronomer": State.WRONG_WAY,
        "the pie": State.BELOW,
        "the piano": State.BELOW,
        "the window": State.BELOW,
        "who was late": State.BELOW,
    }
    state = state_of(moved(this, ask))
    if example.label == "the telescope":
        assert state in (State.BARELY, State.DISAGREE)
    else:
        assert state is states.get(example.label, State.NO_KIND)
    json.dumps(as_data([*carried(this), *top_blocks(this.ambiguity, this.maps)]), allow_nan=False)


def test_several_changed_words_are_not_compared():
    this = case(DOG, ReadingsWords(contrast="A cat ate the food because it was thirsty."))
    assert said(carried(this)).startswith("The score moves by ")
    assert "Several words differ" in said(carried(this))


def test_a_head_that_hardly_turns_is_not_followed():
    this = case()
    move = moved(this, ask)
    found = shared(this, move, ask)
    still = replace(found, own=None, why_not_own="L3H1 hardly turns here (0.01 of lean).")
    blocks = carry_blocks(this.ambiguity, move, still, calibration_of(this))
    assert "This sentence was not tested. L3H1 hardly turns here (0.01 of lean)." in said(blocks)
    assert "story" not in kinds(blocks)


def test_a_toy_is_not_patched():
    with pytest.raises(AttentionUnavailable, match="cannot be taken from another version"):
        moved(case(model="toy"), ask)


@pytest.mark.parametrize(("model", "tasty"), [("minilm", "Use “tasty”, two tokens"), ("toy", "Use “tasty”")])
def test_without_a_contrast_there_is_a_doorway(model, tasty):
    door = doorway(case(choices=ReadingsWords(contrast="none"), model=model), ask)
    (buttons,) = (one for one in door_blocks(door) if one.kind == "buttons")
    assert buttons.buttons[-1].text == tasty
    assert door.acts[buttons.buttons[-1].act] == "tasty"


def test_the_headline_is_about_looking_only():
    this = case()
    told = said(top_blocks(this.ambiguity, this.maps))
    assert told.startswith("From it, two heads give dog more than half of their attention. None gives food a third.")
    assert "dog: L5H11 62 % and L3H1 56 %; food: at most 27 %, L2H2." in told
    assert "which reading is meant cannot be told from it" in told
    looks = block(top_blocks(this.ambiguity, this.maps), "looks")
    assert [(look["name"], look["side"]) for look in looks.looks] == [
        ("L5H11", "a"),
        ("L3H1", "a"),
        ("L2H2", "b"),
        ("L5H5", "b"),
    ]


def test_two_equal_partners_are_told_apart_in_the_headline():
    chosen = ReadingsWords("7 it", ("1 dog",), ("5 dog",))
    this = case("The dog chased the other dog because it was fast", chosen)
    headline, line, *_ = top_blocks(this.ambiguity, this.maps)
    assert {span for span in headline.spans if span[0] == "word"} == {("word", word) for word in ("it", "dog₁", "dog₂")}
    assert "dog₁ (the 2nd word): " in said([line])
    assert "dog₂ (the 6th word): " in said([line])


def test_heads_that_look_at_a_place_are_named_as_such():
    this = case(LATE)
    assert "L0H2 100 % (one word back, whatever it is)" in said(top_blocks(this.ambiguity, this.maps))


def test_where_nothing_is_given_there_is_little_to_see_and_ways_on():
    this = case()
    empty = np.zeros_like(this.maps.weights)
    empty[..., 0] = 1
    nothing = replace(this.maps, weights=empty)
    told = said(top_blocks(this.ambiguity, nothing))
    assert told.startswith("No head gives dog or food a fifth of the attention of it.")
    ways = said(nothing_blocks(this.ambiguity, nothing, scored=True))
    assert "see how far the score moves" in ways
    assert "In MiniLM a few heads" not in ways  # it is this sentence
    elsewhere = replace(this.ambiguity, text="A dog ate the food because it was loud.")
    assert "In MiniLM a few heads" in said(nothing_blocks(elsewhere, nothing, scored=True))
    assert "score" not in said(nothing_blocks(this.ambiguity, nothing, scored=False))  # a toy has none
    assert nothing_blocks(this.ambiguity, this.maps, scored=True) == []


def test_the_chosen_head_is_drawn_in_its_place():
    this = case()
    here = leaning_of(this).here
    (columns,) = two_heads_blocks(this.ambiguity, this.maps, here, (HeadId(2, 8), HeadId(5, 6)))
    assert [column[0].name for column in columns.columns] == ["L2H8", "L5H6"]
    assert "".join(piece["text"] for piece in columns.columns[0][1].pieces) == DOG.replace(" ", "")


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


def test_what_is_kept_only_where_heads_may_be_named():
    assert "Those that carry it: L2H1, L2H8 and L3H1 silenced" in texts(
        kept(case(), "its mean", experiments.LINK_MARGIN, ask)
    )
    one = silenced_block(case(), (HeadId(2, 1),), "another sentence’s", experiments.LINK_MARGIN, ask)
    assert "L2H1, silenced alone (another sentence’s): the score goes from +0.106 to " in said([one])
    for unknown in (case(LATE), case(TELESCOPE), case(choices=ReadingsWords(contrast="none"))):
        assert kept(unknown, "its mean", experiments.LINK_MARGIN, ask) == []


def test_one_head_turned_beside_the_others_of_its_layer():
    this = turned(case(), HeadId(2, 8), experiments.LINK_MARGIN, ask)
    line, told = steer_blocks(this, 2.0)
    assert [version.word for version in line.versions] == ["hungry", "delicious"]
    assert line.versions[0].others.shape == (11, 7)
    assert "At 0 the two versions are 0.12 apart" in texts(told)


def test_a_word_that_was_cut_away_has_its_sentence():
    with pytest.raises(InputError, match="was cut away: this model reads only the first"):
        case("😀 " * 600 + "it ate", ReadingsWords("600 it", ("601 ate",), ("0 😀",)))


def test_heads_are_ranked_with_those_unmeasured_last():
    values = np.array([[0.1, np.nan, 0.3], [0.3, -0.2, 0.0]])
    assert ranked(values, 2) == (HeadId(0, 2), HeadId(1, 0))
    assert ranked(values)[-1] == HeadId(0, 1)


def test_the_foot_says_the_even_share_of_this_sentence():
    told = "".join(span[1] for span in foot_said(case()))
    assert "6 layers × 12 heads. Lean: attention exchanged by pivot and partner" in told
    assert "would give (11 %)" in told
    assert "199 orders of the same words, seed 7." in told
