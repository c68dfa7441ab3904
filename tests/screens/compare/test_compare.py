"""What Change a word says, without Streamlit: columns, pairs, floors, and when no head is named."""

import csv
import dataclasses
import io
import json

import numpy as np
import pytest

import mha
from mha.analysis.changes import align
from mha.analysis.swaps import Neutral
from mha.engine.question import here
from mha.export.tables import table_csv
from mha.formats import percent
from mha.link.compare import TWIN, CompareWords
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId, Token
from mha.models.files.catalog import model_row
from mha.screens.blocks import as_data, as_text
from mha.screens.compare import every_head, findings
from mha.screens.compare.comparison import aligned, brings, compare, largest_look, listed, pairs_of, weighed
from mha.screens.compare.every_head import changes_table, table_columns
from mha.screens.compare.over_variants import variants_table
from mha.words import words
from tests.screens.told import told

LAYERS, HEADS = 2, 3


def maps_of(text: str, seed: int = 0, sharp: float = 1.0) -> AttentionMaps:
    own = words(text)
    tokens = (Token("[CLS]", special=True), *(Token(word, word=n) for n, word in enumerate(own)))
    weights = np.random.default_rng(seed).dirichlet(np.full(len(tokens), sharp), size=(LAYERS, HEADS, len(tokens)))
    return AttentionMaps(weights, tokens, text=text, units="words", origin="pretrained")


def case_of(first: str, second: str, swaps=(), seeds=(0, 1), **choices):
    chosen = CompareWords(**choices)
    alignment, _ = aligned(first, second, chosen)
    swapped = [maps_of(first, seed) for seed in swaps]
    neutral = Neutral(tuple(f"swap{seed}" for seed in swaps), ("with", "the"))
    maps = maps_of(first, seeds[0]), maps_of(second, seeds[1])
    return compare(View(), chosen, model_row("minilm"), maps, alignment, swapped, neutral)


def every_block(case):
    return [
        *findings.hero_blocks(case),
        *every_head.map_blocks(case),
        *every_head.pin_blocks(case),
        *findings.words_block(case, (0, 0)),
    ]


def test_equal_words_share_a_column_and_none_is_dropped():
    columns, place = findings.columns_of(case_of("a b c d", "a x y d e"))
    assert [(one.first, one.second, one.same) for one in columns] == [
        ("a", "a", True), ("b", None, False), ("c", None, False), (None, "x", False), (None, "y", False),
        ("d", "d", True), (None, "e", False),
    ]  # fmt: skip
    assert place == {0: 0, 1: 5}


@pytest.mark.parametrize("paired", ["", "0-1", "0-2 2-0", "1-0 0-1", "2-0 1-1 0-2"])
def test_pairs_that_cross_stand_apart_and_every_pair_has_its_place(paired):
    case = case_of("a b c", "c b a", paired=paired)
    columns, place = findings.columns_of(case)
    assert sorted(place) == list(range(len(case.alignment.pairs)))
    assert sorted(one.first for one in columns if one.first) == ["a", "b", "c"]
    assert sorted(one.second for one in columns if one.second) == ["a", "b", "c"]
    for pair, (i, _) in enumerate(case.alignment.pairs):
        assert columns[place[pair]].first == case.words[0][i]


def test_a_head_is_named_only_beside_three_swaps():
    case = case_of("a b c d", "a b c x", swaps=(0, 0, 0))  # the swaps change nothing: every floor is zero
    assert case.floor is not None
    assert case.floor.named.all()
    head, query, key = largest_look(case)
    assert told(findings.hero_blocks(case)).startswith(f"In head {head}, {case.words[0][query]} gives ")
    assert case.pins == tuple(HeadId(*one) for one in case.floor.ranked[:2])
    assert "6 of 6 heads exceed their control limit" in told(every_head.map_blocks(case))
    assert key < 4
    without = case_of("a b c d", "a b c x", swaps=(0, 0))
    assert without.floor is None
    assert largest_look(without) is None
    assert "Only two of three control words found" in told(findings.hero_blocks(without))
    assert "Without a control limit no head is named" in told(findings.hero_blocks(without))
    assert without.pins == ()


def test_a_word_that_stayed_is_in_no_place_of_another_though_its_number_goes(monkeypatch):
    case = case_of("a b a c", "a b x c", swaps=(0, 0, 0))
    monkeypatch.setattr(findings, "largest_look", lambda _: (HeadId(1, 0), 1, 0))
    fact = told(findings.hero_blocks(case))
    assert "In head L1H0, b gives a₁ " in fact
    assert "in its place" not in fact


def test_where_no_word_stayed_nothing_is_said_of_those_that_did():
    case = case_of("a b", "x y", paired="0-0 1-1")
    assert told(every_head.pin_blocks(case)) == "", "there is no map in which a head could be clicked"
    assert "averaged over the words that stayed" in as_text(findings.measured(case)[0])
    head = HeadId(1, 2)
    apart = np.abs(case.found.second - case.found.first)[head][:, :-1]
    assert apart[case.found.strongest(head)] == apart.max()


def test_of_a_head_that_hardly_moves_it_is_said_that_others_move_further():
    case = case_of("a b c d", "a b c x", swaps=(0, 0, 0))
    assert "That is a small change" not in told(findings.hero_blocks(case))
    high = dataclasses.replace(case, floor=dataclasses.replace(case.floor, floor=np.full((LAYERS, HEADS), 99.0)))
    assert "with one of the control words, 6 of 6 heads change more." in told(findings.hero_blocks(high))


def test_of_one_named_head_the_picture_says_the_head(monkeypatch):
    monkeypatch.setattr(every_head, "SHOWN", 1)
    assert "The head furthest beyond" in str(every_head.map_blocks(case_of("a b c d", "a b c x", swaps=(0, 0, 0))))


def test_none_beyond_twice_the_floor_is_a_result():
    case = case_of("a b c d", "a b c x", swaps=(5, 6, 7), seeds=(0, 5))
    assert told(findings.hero_blocks(case)).startswith("No head changes more than twice its control limit.")
    assert "Heads that changed most" in told(every_head.map_blocks(case))


def test_the_same_twice_says_so():
    assert "Both sentences are identical" in told(findings.hero_blocks(case_of("a b", "a b", seeds=(0, 0))))
    assert (
        told(findings.hero_blocks(case_of("a b", "a c", seeds=(0, 0)))) == "No head changes on the words that stayed."
    )


def test_the_twin_is_said_to_be_one():
    case = case_of("a b", "a b", against=TWIN, seed=4)
    assert "scrambled copy" in told(findings.hero_blocks(case))
    assert "seed 4" in as_text(findings.foot_said(case))
    same = case_of("a b", "a b", seeds=(0, 0), against=TWIN)
    assert told(findings.hero_blocks(same)) == "In the scrambled copy, every head looks at the same words."


@pytest.mark.parametrize(
    ("first", "second"),
    [("a", "b"), ("a", "a"), ("a b", "c d"), ("a", "a a a"), ("<b> =1+1", "<b> [SEP]"), ("漢字", "漢")],
)
def test_whatever_the_sides_every_block_is_drawn_or_said(first, second):
    case = case_of(first, second)
    assert told(every_block(case)) or case.found is None
    pinned = dataclasses.replace(case, view=View(pins=(HeadId(1, 2),)))
    as_data(every_block(pinned))
    assert told([*findings.hero_blocks(case)])
    assert as_text(findings.pairs_said(case)).endswith(".")


def test_what_the_link_has_is_read_loosely():
    assert pairs_of("6-5 x 2-2 9999-1 -") == [(6, 5), (2, 2)]
    assert listed("hat,  old   dog ,,?, hat", 12) == ["hat", "old dog"]
    assert len(listed(",".join(map(str, range(40))), 12)) == 12
    alignment, complaint = aligned("a b", "a c", CompareWords(paired="7-7"))
    assert alignment == align(["a", "b"], ["a", "c"])
    assert "were left out" in complaint


def test_the_numbers_go_along_with_where_they_come_from():
    case = case_of("a b c d", "a b c =x", swaps=(5, 6, 7))
    table = changes_table(case, "https://example.org/compare")
    rows = list(csv.DictReader(io.StringIO(table_csv(table).decode(), newline="")))
    assert [row["head"] for row in rows] == [f"L{layer}H{head}" for layer in range(LAYERS) for head in range(HEADS)]
    assert float(rows[4]["change_bits_mean"]) == case.found.mean[1, 1]
    assert float(rows[4]["floor_bits"]) == case.floor.floor[1, 1]
    assert json.loads(rows[0]["text_json"]) == ["a b c d", "a b c =x"]
    assert "swap5, swap6, swap7; heads that each moves" in rows[0]["controls"]
    assert rows[0]["link"].startswith("https://example.org/compare?v=1")
    assert case_of("a b", "c d").found is None  # of which no table is offered
    assert "floor_bits" not in changes_table(case_of("a", "b")).columns
    twin = changes_table(case_of("a b", "a b", against=TWIN, seed=4)).provenance
    assert twin.texts[1].endswith("(scrambled copy, seed 4)")


def test_the_largest_change_says_what_it_brings_on_both_sides():
    texts = "I saw the man with the telescope", "I saw the man with the beard"
    maps = [mha.attend(text) for text in texts]
    alignment, _ = aligned(*texts, CompareWords())
    case = compare(View(pins=(HeadId(5, 3),)), CompareWords(), model_row("minilm"), tuple(maps), alignment, [],
                   Neutral((), ("with", "the")))  # fmt: skip
    found = brings(case, here)
    text = told(every_head.pin_blocks(case, found))
    query, key = case.found.strongest(HeadId(5, 3))
    shares = []
    for side, sentence in enumerate(texts):
        own = mha.brought(sentence).as_maps().merged()
        place = {token.word: at for at, token in enumerate(own.tokens) if token.word is not None}
        pairs = alignment.pairs
        shares.append(percent(float(own[5, 3][place[pairs[query][side]], place[pairs[key][side]]])))
    assert f"Contribution: {shares[0]} before, {shares[1]} after, of what" in text
    assert "Contribution" not in told(every_head.pin_blocks(case))
    assert "No contributions available: It has its own way." in told(every_head.pin_blocks(case, "It has its own way."))
    assert brings(dataclasses.replace(case, choices=CompareWords(against=TWIN)), here) is None


def test_maps_of_heads_can_be_of_what_they_bring():
    texts = "I saw the man with the telescope", "I saw the man with the beard"
    maps = [mha.attend(text) for text in texts]
    alignment, _ = aligned(*texts, CompareWords())
    head, swaps = HeadId(5, 3), Neutral((), ("with", "the"))
    case = compare(View(pins=(head,)), CompareWords(), model_row("minilm"), tuple(maps), alignment, [], swaps)
    found = brings(case, here)
    assert weighed(found, "Attention") == (None, "")
    drawn, why = weighed(found, "What it brings")
    assert not why
    (pin,) = [block for block in every_head.pin_blocks(case, found, drawn) if block.kind == "change_pin"]
    own = mha.brought(texts[0]).as_maps().merged()
    places = [place for place, token in enumerate(own.tokens) if token.word is not None]
    assert np.allclose(pin.first, own[head][np.ix_(places, places)], atol=1e-6)
    assert np.allclose(pin.first.sum(axis=1) + pin.rest_first, 1)
    assert pin.brought
    differs = np.abs(pin.second - pin.first)[[number for number, same in enumerate(alignment.same) if same]]
    assert abs(pin.second - pin.first)[pin.cell] == differs.max()
    text = told(every_head.pin_blocks(case, found, drawn))
    looks = [percent(float(side[head][pin.cell])) for side in (case.found.first, case.found.second)]
    assert f"In attention: {looks[0]} before, {looks[1]} after." in text
    assert "Changes and limits above still use attention." in text
    assert "Per cent of all attention" not in text
    assert weighed("It has its own way.", "What it brings") == (None, "It has its own way. Showing attention instead.")
    assert "scrambled copy" in weighed(None, "What it brings")[1]


def test_the_table_has_every_head_the_furthest_moved_first():
    case = case_of("a b c d", "a x c d", swaps=(3, 4, 5))
    columns = table_columns(case)
    assert sorted(columns["head"]) == sorted(str(HeadId(layer, head)) for layer in range(2) for head in range(3))
    assert (np.diff(columns["mean change"]) <= 0).all()
    assert (columns["largest row"] >= columns["mean change"]).all()
    first = HeadId.parse(columns["head"][0])
    assert columns["control limit"][0] == case.floor.floor[first]
    counted = np.where(case.found.counted, case.found.bits[first], -1)
    assert columns["its word"][0] == "abcd"[case.alignment.pairs[int(counted.argmax())][0]]
    assert "control limit" not in table_columns(case_of("a b c d", "a x c d"))
    assert table_columns(case_of("a b", "x y")) == {}


def test_the_looks_over_variants_can_be_taken_away_row_by_row():
    case = case_of("a b a", "a x a")
    rows = np.random.default_rng(0).dirichlet(np.ones(4), size=3)
    table = variants_table(case, HeadId(0, 1), [("a b a", rows)], "http://here/compare")
    assert table.columns["looking_word"][:4] == ["a₁"] * 4
    assert table.columns["looked_at_word"][:4] == ["a₁", "b", "a₂", "everything else"]
    np.testing.assert_array_equal(table.columns["share"], rows.ravel())
    assert table.provenance.link.startswith("http://here/compare?")
    assert "L0H1" in table.provenance.controls
