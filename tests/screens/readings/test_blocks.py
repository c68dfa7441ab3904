"""The sentences and numbers of the tabs: spans, signs, states; what is sent to the browser is always plain JSON."""

import json

import numpy as np
import pytest

from mha.analysis.leaning import Leaning
from mha.analysis.readings import Leans
from mha.engine import experiments
from mha.engine.experiments import Score
from mha.export.provenance import without_maps
from mha.export.tables import table_csv
from mha.intervention.sweep import Sweep
from mha.link.readings import ReadingsWords
from mha.maps import HeadId
from mha.screens.blocks import as_data, head, joined, say
from mha.screens.readings.choices import resolved
from mha.screens.readings.effects import set_block, stopped_block, sweep_blocks
from mha.screens.readings.leans import lean_rows, lean_table
from mha.screens.readings.score import SCORE_ROWS, Scored, method_blocks, score_blocks
from mha.screens.readings.sentence import sentence_spec
from tests.said import texts

DOG = resolved("A dog ate the food because it was hungry.", ReadingsWords())


def test_hostile_words_in_a_sentence_are_never_slots():
    assert say("{a} and {b}", a=("word", "{b}"), b="[[x]]") == (("word", "{b}"), ("plain", " and [[x]]"))


def test_enumerations():
    assert joined([head(HeadId(0, 1))]) == (("head", "L0H1"),)
    assert "".join(span[1] for span in joined([("head", name) for name in "abc"])) == "a, b and c"


def test_numbers_without_a_value_are_null():
    assert as_data(np.array([[0.12346, np.nan]])) == [[0.1235, None]]
    assert json.dumps(as_data(np.array([np.nan, 1.0])), allow_nan=False) == "[null, 1.0]"
    assert json.dumps(as_data({"a": float("nan"), "b": (np.int64(2), np.bool_(True))}), allow_nan=False) == (
        '{"a": null, "b": [2, true]}'
    )


def test_the_sentence_has_its_roles_and_its_key():
    spec = sentence_spec(DOG)
    json.dumps(spec, allow_nan=False)
    assert [piece["roles"] for piece in spec["pieces"] if piece["roles"]] == [["a"], ["b"], ["pivot"], ["cue"]]
    assert spec["next"] is None
    assert ["".join(span[1] for span in spans) for _, spans in spec["key"]] == [
        "the dog was hungry: it goes with dog",
        "the food was hungry: it goes with food",
    ]


def test_a_sentence_from_right_to_left_says_so_once():
    hebrew = resolved("הכלב אכל את האוכל כי הוא היה רעב", ReadingsWords())
    said = [piece.get("rtl") for piece in sentence_spec(hebrew)["pieces"]]
    assert said == [True] + [None] * (len(said) - 1)
    assert not any("rtl" in piece for piece in sentence_spec(DOG)["pieces"])


def sweep(effect, direct_layer=1) -> Sweep:
    effect = np.array(effect, dtype=float)
    direct = np.zeros(effect.shape, dtype=bool)
    direct[direct_layer] = True
    return Sweep(text="", kind="mean", at=2, untouched=0.1, effect=effect, direct=direct, reach=2)


def small_leans() -> Leans:
    lean = np.array([[0.3, -0.2, 0.1], [0, 0.05, -0.1], [0.2, 0.2, 0.2]])
    return Leans(0.3 + lean / 2, 0.3 - lean / 2, 0.2)


def test_the_sweep_names_the_head_that_moves_the_score_most():
    found = sweep([[-0.005, 0.02, 0.001], [0.01, 0.002, -0.003], [np.nan] * 3])
    blocks = sweep_blocks(found)
    json.dumps(as_data(blocks), allow_nan=False)
    assert "Of 3 heads, ablating L0H1 changes the score most, by +0.020 (median head: 0.005)." in texts(blocks)
    assert texts(blocks[-1:]) == (
        "Score change × 1,000 with the head ablated: amber towards A, teal towards B. Dashed: scored layer, which "
        "mixes the compared words itself."
    )
    assert texts(sweep_blocks(found, preview=True)).startswith("Preview (gradient estimate): of 3 heads, ablating L0H1")


def test_a_sweep_without_any_number_is_a_hatched_map():
    (block,) = sweep_blocks(sweep(np.full((3, 3), np.nan)))
    assert block.kind == "effect_map"
    assert block.label.endswith("No head that can act on the score is measured yet.")


def test_heads_of_the_scored_layer_alone_are_measured_and_none_is_named():
    (block,) = sweep_blocks(sweep([[0.02, 0.01, 0.03], [np.nan] * 3], direct_layer=0))
    assert block.label.split(". ", 1)[1].startswith("All measured heads are of the scored layer")


def test_a_stopped_sweep_counts_what_is_measured():
    effect = np.full((6, 12), np.nan)
    assert "No layer is measured" in texts([stopped_block(effect, 5)])
    effect[:3] = 0.1
    assert texts([stopped_block(effect, 5)]) == (
        "Stopped after 36 of 60 heads. Layers 0 to 2 are measured. Hatched heads are not."
    )


def test_a_score_without_control_swaps_says_so():
    row, score = SCORE_ROWS["continuations"], Score("continuations", "it barked", "it rotted")
    told = texts(score_blocks(Scored(DOG, 0.11, -0.05, row, score)))
    assert told.startswith(
        "The score changes by 0.16, from +0.11 with hungry to −0.05 with delicious.\n"
        "Control swaps are not measured for this score."
    )
    assert method_blocks(Scored(DOG, 0.11, None, row, score)) == []


def test_sets_of_heads():
    heads = (HeadId(2, 1), HeadId(2, 3))
    assert texts([set_block(heads, "its mean", 0.106, 0.09)]) == (
        "Ablating L2H1 and L2H3 together (each replaced with its average) moves the score from +0.106 to "
        "+0.090, by −0.016 towards B."
    )
    assert texts([set_block(heads[:1], "zero", 0.106, 0.1063)]).endswith("to +0.106, by less than 0.001.")


def test_the_table_has_one_row_a_head_and_the_same_numbers_in_its_file():
    leans = small_leans()
    rows = lean_rows(Leaning(leans, (leans, leans)), None)
    assert rows["Head"][:2] == ["L0H0", "L0H1"]
    assert rows["lean"][0] == pytest.approx(0.3)
    assert "AUC" not in rows
    source = without_maps(("=1+1",), ("MiniLM", "abc", "pretrained"), "words", link="http://here/readings")
    table = lean_table(rows, source)
    lines = table_csv(table).decode().splitlines()
    assert len(lines) == 10
    assert lines[1].startswith("L0H0,0.45,0.15,0.3,")
    assert table.provenance == source
    assert "AUC" in lean_rows(experiments.leaning(DOG.text, DOG.readings), experiments.calibration_of_kind("pronoun"))
