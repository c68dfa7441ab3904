"""The sentences and numbers of the tabs: spans, signs, states; what is sent to the browser is always plain JSON."""

import json
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from mha.analysis.calibration import Gate
from mha.analysis.floor import Floor
from mha.analysis.leaning import Leaning
from mha.analysis.readings import Leans
from mha.engine import experiments
from mha.engine.experiments import Score
from mha.export.provenance import without_maps
from mha.export.tables import table_csv
from mha.intervention.outcomes import NAMED_FROM as PATCHING_NAMES_FROM
from mha.intervention.sweep import Sweep
from mha.link.readings import ReadingsWords
from mha.maps import HeadId
from mha.screens.blocks import as_data, as_text, head, joined, say
from mha.screens.readings.choices import resolved
from mha.screens.readings.effects import correlation_blocks, kept_block, set_block, stopped_block, sweep_blocks
from mha.screens.readings.leans import lean_rows, lean_table
from mha.screens.readings.pairs import NAMED_FROM, pairs_blocks
from mha.screens.readings.score import SCORE_ROWS, Scored, method_blocks, score_blocks
from mha.screens.readings.sentence import sentence_spec
from mha.screens.readings.states import MovedScore
from mha.theme import component_tokens
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


@dataclass(frozen=True)
class Row:
    from_: float
    to: float | None
    carries: str | None = None


@dataclass(frozen=True)
class Table:
    kind: ClassVar[str] = "table"
    digits: ClassVar[int] = 2
    rows: tuple[Row, ...]
    values: np.ndarray


def test_a_block_travels_with_its_kind_and_without_what_may_be_missing():
    assert as_data(Table((Row(0.5, None), Row(1.0, 2.0, "x")), np.array([0.126]))) == {
        "kind": "table",
        "rows": [{"from": 0.5, "to": None}, {"from": 1.0, "to": 2.0, "carries": "x"}],
        "values": [0.13],
    }


def test_a_head_is_named_from_the_same_part_as_in_patching():
    assert NAMED_FROM == PATCHING_NAMES_FROM


def test_the_tokens_have_both_readings_in_both_themes():
    for theme in component_tokens().values():
        assert {"graphic", "text", "wash"} == set(theme["a"]) == set(theme["b"])
        assert len(theme["diverging"]) == 11


@pytest.mark.parametrize("kind", ["attachment", "pronoun", "he/she", "relative clause"])
def test_what_the_pairs_show_is_plain_json_for_every_kind(kind):
    known = experiments.calibration_of_kind(kind)
    blocks = pairs_blocks(known)
    json.dumps(as_data(blocks), allow_nan=False)
    kinds = {block.kind for block in blocks}
    assert "calibration_strip" in kinds if known.carrying.carrying else "calibration_strip" not in kinds


@pytest.mark.parametrize(
    ("at", "share", "why"),
    [
        (1, 0.3, "All heads before the score are of the scored layer"),  # of a model of one layer or two
        (5, np.nan, "No test pair has as many tokens in both versions"),
        (5, 0.02, "Across these pairs no head carries more than 2 % of the score change."),
    ],
)
def test_where_no_head_carries_the_change_it_is_said_how_much_or_why(at, share, why):
    known = experiments.calibration_of_kind("attachment")
    carrying = replace(known.carrying, at=at, share=np.full_like(known.carrying.share, share))
    assert why in as_text(pairs_blocks(replace(known, carrying=carrying))[-1].spans).replace("\u00a0", " ")


def test_the_sentence_has_its_roles_and_its_key():
    spec = sentence_spec(DOG)
    json.dumps(spec, allow_nan=False)
    assert [piece["roles"] for piece in spec["pieces"] if piece["roles"]] == [["a"], ["b"], ["pivot"], ["cue"]]
    assert spec["next"] is None
    assert ["".join(span[1] for span in spans) for _, spans in spec["key"]] == [
        "the dog was hungry: it goes with dog",
        "the food was hungry: it goes with food",
    ]


def scored(gate: Gate | None, margin=0.11, other: float | None = -0.05, move=True) -> Scored:
    class Known:
        class scores:
            gates = (gate,) * 6
            a = np.zeros((6, 3))
            b = np.ones((6, 3))
            shuffled = np.zeros((6, 3))

    valid = gate is None or gate.tells
    here = MovedScore(
        ("hungry", "delicious"),
        (margin, other or 0.0),
        ("dog", "food"),
        "it",
        "pronoun",
        "MiniLM",
        "B",
        floor=FLOOR,
        valid=valid,
    )
    moved = here if move and other is not None else None
    return Scored(DOG, margin, other, SCORE_ROWS["link margin"], Score(at=5), Known() if gate else None, moved)


FLOOR = Floor(np.linspace(0.001, 0.029, 150), 0.021, 0.037, np.array([0.01]))
YES = Gate(82, 62, (0.65, 0.84), 0.63, (0.04, 0.21))


def test_a_sentence_from_right_to_left_says_so_once():
    hebrew = resolved("הכלב אכל את האוכל כי הוא היה רעב", ReadingsWords())
    said = [piece.get("rtl") for piece in sentence_spec(hebrew)["pieces"]]
    assert said == [True] + [None] * (len(said) - 1)
    assert not any("rtl" in piece for piece in sentence_spec(DOG)["pieces"])


def test_whether_the_score_may_be_believed_is_what_the_tab_says_first():
    said = texts(score_blocks(scored(YES)))
    assert said.startswith("The score moves in the expected direction in 62 of 82 test pairs.")
    said = texts(score_blocks(scored(Gate(82, 43, (0.42, 0.63), 0.5, (-0.1, 0.1)))))
    assert said.startswith(
        "Do not trust this score here: it moves in the expected direction in 43 of 82 test pairs, not clearly"
    )
    said = texts(score_blocks(scored(Gate(82, 62, (0.65, 0.84), 0.75, (-0.05, 0.06)))))
    assert "not clearly more often than with shuffled words (75\u00a0%)." in said
    said = texts(score_blocks(scored(None)))
    assert said.startswith(
        "It is unknown whether this score can be trusted here: this model has not been tested on the pairs yet.\n"
        "Here it changes by 0.16"
    )


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (
            -0.05,
            "Here it changes by 0.16, from +0.11 with hungry to −0.05 with delicious. "
            "That is more than all 150 control swaps.",
        ),
        (
            0.10,
            "Here it changes by 0.01, from +0.11 with hungry to +0.10 with "
            "delicious. That is within the control limit.",
        ),
        (
            0.21,
            "Here it changes by 0.10, from +0.11 with hungry to +0.21 with "
            "delicious. That is the unexpected direction.",
        ),
    ],
)
def test_the_tab_says_how_far_the_score_moves_here_without_the_other_tabs_verdict(other, said):
    told = texts(score_blocks(scored(YES, other=other)))
    assert said in told
    assert "towards food" not in told.splitlines()[0]


def test_a_score_that_is_read_elsewhere_has_no_floor():
    assert (
        "Here it changes by 0.16, from +0.11 with hungry to −0.05 with delicious. Control swaps are not measured for "
        "this score."
    ) in texts(score_blocks(scored(YES, move=False)))


def test_the_gate_prints_both_hit_rates():
    said = texts(score_blocks(scored(YES)))
    columns = next(block for block in score_blocks(scored(YES)) if block.kind == "columns")
    questions = next(block for block in columns.columns[0] if block.kind == "questions")
    assert [row.answer for row in questions.rows] == ["Yes", "Yes"]
    assert "62 of 82 test pairs (76\u00a0%); guessing gives 50\u00a0%." in said
    assert "+13 points against shuffled words." in said
    assert "65\u00a0% to 84\u00a0% of the test pairs; +4 to +21 points" in texts(method_blocks(scored(YES)))


def test_an_interval_that_touches_zero_is_not_shown_and_never_nothing():
    """“The order of the words adds nothing.” was said of +8 points, −1 to +17."""
    this = scored(Gate(82, 62, (0.65, 0.84), 0.68, (-0.01, 0.17)))
    columns = next(block for block in score_blocks(this) if block.kind == "columns")
    questions = next(block for block in columns.columns[0] if block.kind == "questions")
    assert [(row.ask, row.answer) for row in questions.rows][1] == ("Does word order count?", "Not shown")
    told = texts([*score_blocks(this), *method_blocks(this)])
    assert "nothing." not in told
    assert "adds nothing" not in told
    assert "not clearly more often than with shuffled words" in told
    assert "touches guessing, or zero, shows nothing either way" in told
    unsure = scored(Gate(82, 43, (0.42, 0.63), 0.5, (-0.1, 0.1)))
    columns = next(block for block in score_blocks(unsure) if block.kind == "columns")
    assert next(block for block in columns.columns[0] if block.kind == "questions").rows[0].answer == "Not shown"


def sweep(effect, direct_layer=1) -> Sweep:
    effect = np.array(effect, dtype=float)
    direct = np.zeros(effect.shape, dtype=bool)
    direct[direct_layer] = True
    return Sweep(text="", kind="mean", at=2, untouched=0.1, effect=effect, direct=direct, reach=2)


def small_leans() -> Leans:
    lean = np.array([[0.3, -0.2, 0.1], [0, 0.05, -0.1], [0.2, 0.2, 0.2]])
    return Leans(0.3 + lean / 2, 0.3 - lean / 2, 0.2)


def test_the_sweep_says_who_moves_the_score_and_who_leans():
    found = sweep([[-0.005, 0.02, 0.001], [0.01, 0.002, -0.003], [np.nan] * 3])
    blocks = sweep_blocks(found, small_leans(), "done")
    json.dumps(as_data(blocks), allow_nan=False)
    said = texts(blocks)
    more = texts(correlation_blocks(found, small_leans()))
    assert "Of 3 heads, ablating L0H1 changes the score most, by +0.020 (median head: 0.005)." in more
    assert "Of them L0H0 has the largest lean (+0.30); ablating it changes the score by −0.005 (rank 2 of 3)." in more
    assert "Too few heads differ in lean and effect for a comparison." in said
    assert texts(sweep_blocks(found, small_leans(), "preview")).startswith("Preview (gradient estimate): ")


def test_a_sweep_without_any_number_is_a_hatched_map():
    (block,) = sweep_blocks(sweep(np.full((3, 3), np.nan)), small_leans(), "stopped")
    assert block.kind == "effect_map"
    assert block.label.endswith("No head that can act on the score is measured yet.")


def test_heads_of_the_scored_layer_alone_are_measured_and_none_is_named():
    found = sweep([[0.02, 0.01, 0.03], [np.nan] * 3], direct_layer=0)
    more = texts(correlation_blocks(found, Leans(np.full((2, 3), 0.3), np.full((2, 3), 0.2), 0.2)))
    assert more.startswith("All measured heads are of the scored layer")
    picture = sweep_blocks(found, Leans(np.full((2, 3), 0.3), np.full((2, 3), 0.2), 0.2), "done")[1].columns[1][0]
    assert picture.label.endswith(more)


def test_a_stopped_sweep_counts_what_is_measured():
    effect = np.full((6, 12), np.nan)
    assert "No layer is measured" in texts([stopped_block(effect, 5)])
    effect[:3] = 0.1
    assert texts([stopped_block(effect, 5)]) == (
        "Stopped after 36 of 60 heads. Layers 0 to 2 are measured. Hatched heads are not."
    )


def test_sets_of_heads_and_what_is_kept():
    heads = (HeadId(2, 1), HeadId(2, 3))
    assert texts([set_block(heads, "its mean", 0.106, 0.09)]) == (
        "Ablating L2H1 and L2H3 together (each replaced with its average) moves the score from +0.106 to "
        "+0.090, by −0.016 towards B."
    )
    assert texts([set_block(heads[:1], "zero", 0.106, 0.1063)]).endswith("to +0.106, by less than 0.001.")
    assert "42\u00a0% of the score change remains" in texts([kept_block(heads, 0.42, np.array([0.93, 1.11]))])


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
