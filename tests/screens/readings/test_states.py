"""Which state each tab is in, and what it says there: from a sentence to its blocks, without a page."""

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
from mha.errors import AttentionUnavailable, InputError
from mha.examples import EXAMPLES
from mha.formats import percent
from mha.intervention.outcomes import Path
from mha.link.readings import ReadingsWords
from mha.maps import HeadId, Reading, ranked
from mha.screens.blocks import as_data, as_text
from mha.screens.readings.carried import shares_blocks
from mha.screens.readings.effects import head_sets, kept, silenced_block, steer_blocks, turned
from mha.screens.readings.leans import lean_said
from mha.screens.readings.look import drawn_said, top_blocks, two_heads_blocks
from mha.screens.readings.path import path_blocks
from mha.screens.readings.recorded import calibration_of, carrying, foot_said, moved, path_of, shared
from mha.screens.readings.score import SCORE_ROWS, method_blocks, scored
from mha.screens.readings.score_line import score_method
from mha.screens.readings.sentence import door, likeliest
from mha.screens.readings.states import State
from mha.screens.readings.what_carries import carry_blocks
from tests.said import texts
from tests.screens.readings.cases import DOG, LATE, TELESCOPE, carried, case, kinds, said

KNIFE = "The knife could not cut the bread because it was too blunt."
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
        "Changing hungry to delicious moves the score from dog towards food, more than all 194 control swaps."
    )
    assert (
        "Score: how much closer it is to dog than to food. It changes by 0.15; control swaps change it by 0.09 at most."
        in told
    )
    assert "Among 92 test pairs this happens in 54 % and reversed in 8 %; by chance 17 % each." in told
    assert "90 of 100 stay under 0.026 (95 % interval 0.023 to 0.031, over sentences and their authors)." in told
    assert "The path is not specific to readings: in 181 control swaps, which keep the reading, it" in told
    assert "Three heads in layer 2 look from it at the changed word. Their outputs move L3H1’s attention." in told
    assert (
        "No head is named. Among changes beyond the control limit, a head passes its own limit in 6 of 11 control "
        "swaps and 9 of 15 test pairs." in told
    )
    order = [kind for kind in kinds(blocks) if kind not in ("said", "heading", "columns")]
    assert order == [
        "second_words",
        "score_line",
        "path_strip",
        "story",
        "carried_bars",
        "more",
        "more",
        "more",
    ]
    assert [one.title for one in blocks if one.kind == "more"] == [
        "Every head as a map",
        "Leans in both versions",
        "How is this measured?",
    ]


def test_heads_are_named_where_pairs_name_them_more_often_than_control_swaps(monkeypatch):
    monkeypatch.setattr(NamingRates, "shown", True)
    told = said(carried(case()))
    assert (
        "Alone, L2H1 carries 27 % of the score change, L2H8 23 % and L3H1 15 %. In 90 of 100 control swaps, no single "
        "head moves the score that far. Among changes beyond the control limit, a head passes its own limit in 6 of 11 "
        "control swaps" in told
    )


@pytest.mark.parametrize(
    ("rates", "expected"),
    [
        (None, "is not measured for this model yet."),
        (NamingRates(0, 0, 9, 9, 1.0), "No control swap passes the control limit, so how often"),
        (NamingRates(5, 3, 0, 0, 1.0), "in 3 of 5 control swaps. No test pair is among them."),
    ],
)
def test_without_a_rate_no_head_is_named(monkeypatch, rates, expected):
    this = shared(case(), moved(case(), ask), ask)
    this = replace(this, naming=rates)
    assert this.beyond
    assert this.named == ()
    assert expected in said(carry_blocks(this.ambiguity, this.moved, this, None))


def test_how_it_is_measured_says_whether_a_full_stop_matters():
    told = said(score_method(moved(case(), ask)))
    assert "moves the score by 0.153, more than all 194 control swaps." in told
    assert "With or without a final full stop, 96 % of test pairs stay on the same side of it." in told
    never = moved(case(), ask)
    assert "full stop" not in said(score_method(replace(never, floor=replace(never.floor, full_stop=float("nan")))))


def test_the_score_line_of_the_dog():
    line = block(carried(case()), "score_line")
    assert [(mark.word, mark.side, mark.first) for mark in line.marks] == [
        ("hungry", "a", True),
        ("delicious", "b", True),
        ("starving", "a", False),
        ("tasty", "b", False),
    ]
    assert [mark.score for mark in line.marks] == pytest.approx([0.106, -0.047, 0.093, 0.008], abs=0.001)
    assert (line.order, line.further, line.beyond) == ("both words agree", "larger than all 194", True)
    assert line.span == (0.21, 0.25)
    assert len(line.sizes) == 194


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
    assert "Add a second word for each reading." in told
    assert "path_strip" in kinds(carried(case(DOG, ReadingsWords(word_a="none", word_b="none"))))


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
    assert empty.named == ()


def test_what_exceeds_the_limit_of_one_head_without_a_bar_is_not_said_to_be_within_it():
    """The limit is 2 % of the change here; a head of 5 % has no bar, as it carries no tenth, nor has one of −30 %."""
    king = case("The king thanked the queen because he was kind")
    this = shared(king, moved(king, ask), ask)
    carries = this.patch.carried.copy()
    carries[0, 0], carries[1, 1] = 0.05, -0.3
    blocks = shares_blocks(replace(this, patch=replace(this.patch, carried=carries)))
    assert block(blocks, "carried_bars").rest_says == "48 heads: 46 within the control range"
    assert "No single head carries a tenth of the score change in both directions." in said(blocks)


def test_no_head_is_within_a_limit_that_is_not_known():
    """Heads that move nothing at all are not said to be within what no swap of equal length has shown."""
    king = case("The king thanked the queen because he was kind")
    this = shared(king, moved(king, ask), ask)
    unknown = replace(this.moved, floor=replace(this.moved.limit, heads=np.zeros(0)))
    nothing = replace(this.patch, carried=np.where(np.isfinite(this.patch.carried), 0.0, np.nan))
    blocks = shares_blocks(replace(this, moved=unknown, patch=nothing))
    assert block(blocks, "carried_bars").rest_says == "48 heads"
    assert "No single head carries a tenth of the score change in both directions." in said(blocks)


def test_the_tested_arrow_of_the_dog():
    strip = block(carried(case()), "path_strip")
    assert (strip.share[0], strip.direct) == pytest.approx((0.945, 0.711), abs=0.001)
    assert len(strip.control) == 84
    assert strip.kept == pytest.approx([0.747, 0.683, 0.809], abs=0.001)
    assert strip.kept_says == "181 control swaps, reading kept"
    assert strip.others.replace("\u00a0", " ") == "any other three: 3 % at most"
    assert (strip.own[0], strip.own_direct) == pytest.approx((0.812, 0.544), abs=0.001)
    assert strip.own_says.replace("\u00a0", " ") == "this sentence (any other three: −2 to 7 %)"
    assert [line.replace("\u00a0", " ") for line in strip.looks] == [
        "L2H8 84 → 72 %",
        "L2H1 51 → 80 %",
        "L2H3 45 → 26 %",
    ]


def test_unequal_lengths_keep_the_score_and_say_why_nothing_is_shared_out():
    blocks = carried(case(DOG, ReadingsWords(contrast=DOG.replace("hungry", "tasty"))), ask)
    told = said(blocks)
    assert told.startswith("Changing hungry to tasty moves the score from dog towards food")
    assert "Patching needs versions of equal length in tokens." in told
    assert "Activation patching needs versions with the same number of tokens. The score works without." in told
    assert block(blocks, "buttons").buttons[0].text == "Use “delicious” instead"
    assert block(blocks, "path_strip").own is None
    assert block(blocks, "path_strip").own_says == "this sentence: not tested"
    assert "This sentence could not be tested. Patching needs versions of equal length" in told
    assert not {"carried_bars", "carried_map", "story"} & set(kinds(every(blocks)))
    assert carrying(case(DOG, ReadingsWords(contrast=DOG.replace("hungry", "tasty"))), ask) == ()


def test_below_the_floor_there_are_three_ways_on():
    ways = block(carried(case(LATE)), "ways")
    assert [way.title for way in ways.ways] == ["The order fits", "Test pairs", "Another word"]
    assert "Among 64 test pairs this order appears in 70 %, the reverse in none." in said([ways])
    assert "path_strip" not in kinds(carried(case(LATE)))
    over = carried(case(LATE), over_pairs=True)
    assert "Across 40 test pairs, three heads look from the ambiguous word at the changed word." in said(over)
    assert block(over, "path_strip").own is None
    assert "story" not in kinds(over)
    assert block(over, "ways").ways[1].button.text == "Hide test pairs"
    assert ways.ways[1].button.text == "Show test pairs"


def test_a_change_that_passes_the_limit_of_one_author_alone_names_no_head():
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
    assert told.startswith("The score changes by 0.03, not clearly beyond the control limit.")
    assert "The limit is known only roughly (0.02 to 0.03), so no head is named." in told
    assert "control limit, the upper end" in told
    assert block(blocks, "score_line").order == ""
    assert not {"carried_bars", "path_strip"} & set(kinds(blocks))


def test_the_astronomer_moves_the_other_way():
    blocks = carried(case(ASTRONOMER))
    assert said(blocks).startswith(
        "The score moves in the unexpected direction: changing telescope to beard "
        "moves telescope towards man, although "
        "astronomer should fit.\nThis model does not separate these readings."
    )
    line = block(blocks, "score_line")
    assert line.order == "both agree, but reversed"
    assert line.span[0] > 0.8  # a wide line


def test_a_kind_without_path_says_so():
    blocks = carried(case("The king thanked the queen because he was kind"))
    assert "For this type of ambiguity, no path was found across the test pairs." in said(blocks)
    assert "No single head exceeds the control swaps in both directions." in said(blocks)
    assert "He and she have no second word." in said(blocks)
    assert "second_words" not in kinds(blocks)
    assert texts(path_blocks(path_of(experiments.calibration_of_kind("attachment")))).startswith(
        "For this type of ambiguity, no path"
    )


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
        "the trophy": State.BELOW,
        "the telescope": State.BELOW,
        "the window": State.BELOW,
        "who was late": State.BELOW,
    }
    state = moved(this, ask).state
    assert state is states.get(example.label, State.NO_KIND)
    json.dumps(as_data([*carried(this), *top_blocks(this.ambiguity, this.maps)]), allow_nan=False)


def test_several_changed_words_are_not_compared():
    this = case(DOG, ReadingsWords(contrast="A cat ate the food because it was thirsty."))
    assert said(carried(this)).startswith("The score changes by ")
    assert "more than one word differs" in said(carried(this))


def test_a_change_of_another_word_is_not_held_against_control_swaps():
    told = said(carried(case(DOG, ReadingsWords(contrast=DOG.replace("dog", "robot"), forces="B"))))
    assert "control swaps of this type change another word of the sentence." in told
    assert "more than" not in told


def test_a_head_that_hardly_turns_is_not_followed():
    this = case()
    move = moved(this, ask)
    found = shared(this, move, ask)
    still = replace(found, own=None, why_not_own="L3H1’s lean hardly changes here (0.01).")
    blocks = carry_blocks(this.ambiguity, move, still, calibration_of(this))
    assert "This sentence could not be tested. L3H1’s lean hardly changes here (0.01)." in said(blocks)
    assert "story" not in kinds(blocks)


def test_a_toy_is_not_patched():
    with pytest.raises(AttentionUnavailable, match="does not support activation patching here"):
        moved(case(model="toy"), ask)


@pytest.mark.parametrize(("model", "tokens"), [("minilm", "1 token"), ("toy", None)])
def test_without_a_changed_version_one_word_is_asked_for(model, tokens):
    this = door(case(choices=ReadingsWords(contrast="none"), model=model).ambiguity, model, ask)
    assert (this["slot"], this["side"]) == (8, "b")
    assert [one["text"] for one in this["offered"]] == ["delicious", "expensive", "fresh", "tasty"]
    assert (this["long"][8] if this["long"] else None) == tokens


@pytest.mark.parametrize(
    ("text", "pivot", "a", "b", "slot", "side", "offered"),
    [
        ("The clerk thanked the guest because he waited", "6 he", "1 clerk", "4 guest", 7, "b", ()),
        ("The king thanked the guest because he waited", "6 he", "1 king", "4 guest", 6, "b", (("b", 6, "she"),)),
        ("The nephew of the lawyers who was late", "5 who", "1 nephew", "4 lawyers", 6, "b", (("b", 6, "were"),)),
        ("The nephews of the lawyer who was late", "5 who", "1 nephews", "4 lawyer", 6, "a", (("a", 6, "were"),)),
        ("The queen met the clerk because he waved", "6 he", "1 queen", "4 clerk", 7, "a", ()),
        ("I saw the man with the telescope in bed", "6 telescope", "1 saw", "3 man", 8, "b", ()),
    ],
)
def test_where_grammar_gives_the_other_version_it_is_offered(text, pivot, a, b, slot, side, offered):
    found = case(text, ReadingsWords(pivot, (a,), (b,))).ambiguity
    this = door(found, "minilm", ask)
    ready = tuple((one["side"], one["word"], one["text"]) for one in this["offered"])
    assert (this["slot"], this["side"], ready) == (slot, side, offered)


def test_what_grammar_has_decided_is_not_asked_for_again():
    found = case(
        "The nephew of the lawyers who was late", ReadingsWords("5 who", ("1 nephew",), ("4 lawyers",))
    ).ambiguity
    this = door(found, "minilm", ask)
    assert this["sides"] == (this["side"],)
    assert likeliest(found) == 7, "late, behind the relative"


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


def test_the_chosen_head_is_drawn_in_its_place():
    this = case()
    here = leaning_of(this).here
    (columns,) = two_heads_blocks(this.ambiguity, this.maps, here, (HeadId(2, 8), HeadId(5, 6)))
    assert [column[0].name for column in columns.columns] == ["L2H8", "L5H6"]
    assert "".join(piece["text"] for piece in columns.columns[0][0].pieces) == DOG.replace(" ", "")


ILL = "Anna and Peter called the doctors because they were ill."
SEVERAL = ReadingsWords(
    pivot="7 they", a=("0 Anna", "2 Peter"), b=("5 doctors",), contrast=ILL.replace("ill", "free"), forces="B"
)


def test_a_candidate_of_several_words_is_named_with_all_of_them_where_its_number_is_theirs():
    this, head = case(ILL, SEVERAL), HeadId(3, 1)
    here = leaning_of(this).here
    alone = [leans(this.maps, (Reading("A", [(7, one)]), this.ambiguity.readings[1])).a[head] for one in (0, 2)]
    assert here.a[head] == pytest.approx(np.mean(alone))
    told = said(two_heads_blocks(this.ambiguity, this.maps, here, (head, head)))
    shares = f"they shares {percent(np.mean(alone))} of attention with Anna and Peter on average and"
    assert shares.replace("\u00a0", " ") in told
    average = "A candidate of several words counts by their average."
    assert average in as_text(lean_said(this.ambiguity, False))
    assert average not in as_text(lean_said(case().ambiguity, False))
    carries, matters = carried(this), said(method_blocks(scored(this, SCORE_ROWS["link margin"], Score(at=5), ask)))
    assert average in matters
    assert "vectors of they and Anna and Peter minus" in matters
    assert average in said(every(carries))
    titles = [as_text(column.title) for column in block(_table(carries), "slopes_table").columns]
    assert "they → Anna and Peter A" in titles


def test_looks_at_a_candidate_of_several_words_are_drawn_to_each_of_them():
    this = case(ILL, SEVERAL)
    looks = block(top_blocks(this.ambiguity, this.maps), "looks")
    row, two = this.maps.merged().weights[:, :, 8], [1, 3]  # they, behind [CLS]; Anna and Peter
    for look in (one for one in looks.looks if one["side"] == "a"):
        assert np.allclose(look["parts"], row[HeadId.parse(look["name"])][two])
        assert np.isclose(sum(look["parts"]), look["share"])
    assert "the sum of their shares" in as_text(drawn_said(this.ambiguity, this.maps))
    assert "the sum of their shares" not in as_text(drawn_said(case().ambiguity, this.maps))
    found = shared(this, moved(this, ask), ask)
    own = Path(*this.versions, found.path.senders, found.path.receiver, (0.2, 0.1), (0.1, 0.1), (0.1, 0.1), np.zeros(1))
    first, _ = block(path_blocks(found.path, replace(found, own=own)), "story").versions
    assert np.allclose(first.turn["a"], row[3, 1][two])


def _table(blocks):
    return [one for part in every(blocks) if part.kind == "columns" for column in part.columns for one in column]


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


def test_what_is_kept_only_where_heads_may_be_named(monkeypatch):
    assert kept(case(), "its mean", experiments.LINK_MARGIN, ask) == []
    monkeypatch.setattr(NamingRates, "shown", True)
    assert "Without L2H1, L2H8 and L3H1, " in texts(kept(case(), "its mean", experiments.LINK_MARGIN, ask))
    one = silenced_block(case(), (HeadId(2, 1),), "another sentence’s", experiments.LINK_MARGIN, ask)
    assert "Ablating L2H1 (replaced with another sentence’s output) moves the score from +0.106 to " in said([one])
    for unknown in (case(LATE), case(TELESCOPE), case(choices=ReadingsWords(contrast="none"))):
        assert kept(unknown, "its mean", experiments.LINK_MARGIN, ask) == []


def test_one_head_turned_beside_the_others_of_its_layer():
    this = turned(case(), HeadId(2, 8), experiments.LINK_MARGIN, ask)
    line, told = steer_blocks(HeadId(2, 8), this, 2.0)
    assert [version.word for version in line.versions] == ["hungry", "delicious"]
    assert line.versions[0].others.shape == (11, 7)
    assert "Score change with L2H8 off: 0.12; normal: 0.15" in texts(told)


def test_a_word_that_was_cut_away_has_its_sentence():
    with pytest.raises(InputError, match="is beyond the first"):
        case("😀 " * 600 + "it ate", ReadingsWords("600 it", ("601 ate",), ("0 😀",)))


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
    raw, one_way = (as_text(lean_said(case().ambiguity, False, one)) for one in ("raw", "one direction"))
    assert "attention sinks included." in raw
    assert "Lean: attention from it to dog minus attention from it to food; attention sinks excluded" in one_way
    assert "both directions" not in one_way
