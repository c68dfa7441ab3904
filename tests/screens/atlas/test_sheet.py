"""The sheet of a head, without Streamlit: what stands out, its looks, what it carries, what may not be concluded."""

from dataclasses import replace

import numpy as np
import pytest

from mha.analysis.roles import MIXED
from mha.analysis.whole import Extreme, rank
from mha.engine.atlas import bundled_atlas, silenced_of
from mha.intervention.calibrated import calibration
from mha.intervention.outcomes import Threes
from mha.link.atlas import AtlasWords
from mha.link.view import View
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.models.watch.output import brought
from mha.pairs import KINDS, corpus
from mha.screens.atlas import sheet
from mha.screens.atlas.one_head import brings, sheet_tables
from mha.screens.atlas.sheet import HeadSheet
from mha.screens.atlas.whole_model import WholeModel
from mha.words import words
from tests.screens.atlas import cases
from tests.screens.atlas.cases import atlas_of, case_of, of_kind
from tests.screens.told import told

HEADS = [HeadId(layer, head) for layer in range(6) for head in range(12)]


def of_minilm(head, **more):
    return profile_of("minilm", head, **more)


def profile_of(model, head, **more):
    case = WholeModel(View(), AtlasWords(), model_row(model), bundled_atlas(model), None, None, silenced_of(model))
    return HeadSheet(case, head, calibration(model), more.get("threes"))


def whole(one):
    return [
        *sheet.opening_blocks(one), *sheet.habit_blocks(one), *sheet.looks_blocks(one), *sheet.middle_blocks(one),
        *sheet.not_blocks(one),
    ]  # fmt: skip


def test_the_sheet_of_a_head_that_looks_ahead():
    text = told(whole(of_minilm(HeadId(2, 8))))
    assert "Head L2H8" in text
    assert "L2H8 looks at the next word: 34\u00a0% of its attention, the second most of 72 heads." in text
    assert "Its ten most unusual connections all point forward, by 2 to 3 words (7 start at it)." in text
    assert "That it is the pronoun head: L2H3 carries more." not in text  # in lines, not in spans
    (nots,) = of_kind(whole(of_minilm(HeadId(2, 8))), "sheet_not")
    lines = ["".join(span[1] for span in line) for line in nots["lines"]]
    assert "That it is the pronoun head: L2H3 carries more." in lines
    assert "That the model needs it: ablating it changes less than for most heads." in lines


@pytest.mark.parametrize("head", [HeadId(0, 8), HeadId(9, 3), HeadId(23, 4), HeadId(29, 0)])
def test_profile_of_smollm2_states_no_direction(head):
    text = told(whole(profile_of("smollm2", head)))
    assert f"Head {head}" in text
    assert "most unusual connections reach back by" in text or "None of its connections" in text
    assert not any(f" {word}" in text for word in ("point back", "forward", "nan"))


@pytest.mark.parametrize("head", HEADS[::5])
def test_every_sentence_of_every_sheet_is_one_of_its_numbers(head):
    one = of_minilm(head)
    atlas, text = one.case.atlas, told(whole(one))
    pattern = sheet.stands_out(one)
    if pattern is None:
        usual = one.case.patterns[head.layer][head.head]
        mostly = f"{head} mostly looks at attention sinks." if usual.key == "sinks" else f"Usual pattern: {usual.name}."
        assert ("No clear pattern." in text) == (usual is MIXED)
        assert usual is MIXED or mostly in text
        assert all(rank(atlas.mean[key], head) > 10 or atlas.mean[key][head] < 0.2 for key in sheet.STANDS_OUT)
    else:
        assert rank(atlas.mean[pattern], head) <= 10
        assert atlas.mean[pattern][head] >= 0.2  # less describes no head
    (looks,) = of_kind(whole(one), "sheet_looks")
    for drawn, look in zip(looks["looks"], atlas.looks[one.index], strict=True):
        own = words(corpus()[look.text])
        places = {piece["at"]: piece["text"] for piece in drawn["pieces"]}
        assert (places[drawn["query"]], places[drawn["key"]]) == (own[look.query], own[look.key])
        assert look.weight > look.habit
    (nots,) = of_kind(whole(one), "sheet_not")
    assert len(nots["lines"]) >= 4
    below = one.case.silenced.moved[head] < np.median(one.case.silenced.moved)
    assert any("needs it" in span[1] for line in nots["lines"] for span in line) == below
    assert not any(word in text.casefold() for word in ("important", "specialised", "redundant"))


def test_what_it_carries_is_drawn_open_where_the_interval_reaches_zero_and_beside_three_others():
    draws = np.array([[[0, 1, 2], [3, 4, 5]]] * 6)
    share = np.broadcast_to(np.array([0.01, 0.03]), (len(KINDS), 6, 2))
    one = of_minilm(HeadId(2, 3), threes=Threes(draws, share))
    (found,) = of_kind(sheet.carries_blocks(one), "row_chart")
    carrying = calibration("minilm").of("pronoun").carrying
    row = next(row for row in found["rows"] if row["name"] == "Pronoun")
    marks = {mark["shape"]: mark for mark in row["marks"]}
    assert marks["dot"]["at"] == pytest.approx(carrying.share[2, 3], abs=1e-4)
    assert (marks["range"]["at"], marks["range"]["to"]) == pytest.approx(
        (carrying.low[2, 3], carrying.high[2, 3]), abs=1e-4
    )
    others = [marks["grey"]["at"], marks["tick"]["at"], marks["grey"]["to"]]
    assert others == [0.01, 0.01, 0.01]  # the other draw has the head itself in it
    assert marks["dashed"]["name"] == "L2H3"
    opens = [[mark["shape"] for mark in row["marks"] if mark["shape"] in ("dot", "open")] for row in found["rows"]]
    lows = [float(calibration("minilm").of(kind).carrying.low[2, 3]) for kind in KINDS]
    assert opens == [["open" if low <= 0 else "dot"] for low in lows]
    assert "three other heads together" in told(sheet.carries_blocks(one))
    late = sheet.carries_blocks(of_minilm(HeadId(5, 0)))
    assert "comes later" in told(late)
    assert not of_kind(late, "row_chart")


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (3, 5)])
def test_models_without_pairs_or_silencing_get_four_true_lines(shape):
    case = case_of(atlas_of(shape=shape), shape=shape)
    one = HeadSheet(case, HeadId(0, 0), None, None)
    text = told(whole(one))
    assert "Measure this model on Two readings" in text
    assert "not measured for this model" in text
    assert "None is above the usual share." in text
    (nots,) = of_kind(whole(one), "sheet_not")
    assert len(nots["lines"]) >= 4
    assert ("Most similar heads" in text) == (shape != (1, 1))


@pytest.mark.parametrize("count", [1, 2])
def test_few_looks_are_counted_as_they_are(count):
    looks = (Extreme(0, 1, 2, 0.5, 0.1), Extreme(1, 4, 2, 0.5, 0.1))[:count]
    atlas = replace(atlas_of(), looks=(looks,) * 6)
    one = HeadSheet(case_of(atlas, silenced=cases.silenced_of()), HeadId(0, 0), None, None)
    text = told(sheet.opening_blocks(one))
    assert (
        "Its most unusual connection points forward, by 1 word"
        if count == 1
        else "connections, one points forward and one back"
    ) in text


def test_causal_models_have_no_strip_for_what_cannot_be():
    one = HeadSheet(case_of(atlas_of(causal=True)), HeadId(0, 0), None, None)
    (found,) = of_kind(sheet.habit_blocks(one), "sheet_place")
    assert "Next word" not in [strip["title"] for strip in found["strips"]]
    assert sheet.stands_out(one) != "next_word"


def test_a_look_says_what_it_brings_beside_what_it_looks():
    head = HeadId(2, 8)
    plain = of_minilm(head)
    shares = brings(plain.looks, head, "minilm")
    one = replace(plain, brings=shares)
    (drawn,) = of_kind(sheet.looks_blocks(one), "sheet_looks")
    look = plain.looks[0]
    maps = brought(corpus()[look.text]).as_maps().merged()
    place = {token.word: at for at, token in enumerate(maps.tokens) if token.word is not None}
    assert drawn["looks"][0]["brought"] == pytest.approx(maps[head][place[look.query], place[look.key]], abs=1e-3)
    assert "it supplies" in drawn["looks"][0]["label"]
    assert "then contribution." in told(sheet.looks_blocks(one))
    why = replace(plain, brings="MiniLM does something of its own.")
    assert "No contributions available: MiniLM does something of its own." in told(sheet.looks_blocks(why))
    assert "contribution" not in told(sheet.looks_blocks(plain))


def test_the_numbers_of_a_sheet_are_those_it_says():
    one = of_minilm(HeadId(2, 8))
    tables = {title: table.columns for title, (_, table) in sheet_tables(one, "http://here/atlas").items()}
    assert list(tables) == [
        "Its numbers and ranks",
        "Usual shares by distance",
        "Most unusual connections",
        "Share of score changes it carries",
    ]
    ranks = tables["Its numbers and ranks"]
    at = ranks["number"].index("Next word")
    assert (round(ranks["mean"][at], 2), ranks["rank"][at], ranks["of_heads"][at]) == (0.34, 2, 72)
    assert ranks["low"][at] < ranks["mean"][at] < ranks["high"][at]
    assert ranks["number"][-1] == "Ablation turns sentence vectors by"
    assert np.isnan(ranks["low"][-1])
    looks = tables["Most unusual connections"]
    assert len(looks["sentence"]) == 10
    for sentence, word, place in zip(looks["sentence"], looks["looking_word"], looks["looking_place"], strict=True):
        assert words(sentence)[place] == word
    assert (looks["share"] > looks["habit"]).all()
    assert tables["Share of score changes it carries"]["kind"] == list(KINDS)
    (_, table) = sheet_tables(one, "http://here/atlas")["Usual shares by distance"]
    assert "L2H8" in table.provenance.scale
    assert table.provenance.link == "http://here/atlas"


def test_what_is_not_known_of_a_head_is_no_table():
    found = HeadSheet(case_of(shape=(1, 1)), HeadId(0, 0), None, None)
    assert list(sheet_tables(found, "")) == ["Its numbers and ranks", "Usual shares by distance"]


def test_profile_of_sink_head_names_sinks():
    """ "No clear pattern" would contradict the caption, which names the sinks."""
    heads = [HeadId(layer, head) for layer in range(30) for head in range(9)]
    one = next(one for head in heads if (one := profile_of("smollm2", head)).case.atlas.mean["sink_share"][head] > 0.9)
    text = told(sheet.opening_blocks(one))
    assert "mostly looks at attention sinks." in text
    assert "No clear pattern." not in text
    assert "[CLS]" not in text


def test_colour_of_causal_model_can_occur():
    case = profile_of("smollm2", HeadId(0, 0)).case
    assert case.shade.key == "previous_word"
    assert np.isfinite(case.values).all()
    assert of_minilm(HeadId(0, 0)).case.shade.key == "next_word"
