"""The walk with a model's numbers: by hand and recorded agree, for toys and for the bundled model."""

import dataclasses
import re

import numpy as np
import pytest

from mha.link.steps import STEPS, StepsWords
from mha.link.view import View
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.models.watch.any_cell import cell
from mha.models.watch.attending import record_text
from mha.models.watch.output import added_by_heads
from mha.screens.arrays import arrays
from mha.screens.blocks import as_text, say
from mha.screens.shown import shown_for
from mha.screens.steps import model_texts
from mha.screens.steps.model import WalkedCell, chosen_cell, hero, lengths, token_of, units
from mha.screens.steps.model_texts import visible
from tests.models.conftest import tiny  # noqa: F401
from tests.models.tiny import TEXT as TINY_TEXT
from tests.models.tiny import THROUGH_THE_INTERFACE

TEXT = "The man saw an astronomer with a telescope"
KEEP = ("query", "key", "value", "hidden")
ROWS = {row.architecture: row for row in THROUGH_THE_INTERFACE}


def cell_of(recording, layer=None, view=None, **choices):
    shown = shown_for(view or View(), recording.maps)
    place, _ = chosen_cell(recording, shown, StepsWords(in_layer=layer, **choices))
    model = "toy" if recording.maps.model == "Toy" else "minilm"
    return WalkedCell(cell(recording.maps.text, *place, model), recording.maps, model_row(model))


def said(made, number):
    return model_texts.said(dataclasses.replace(made, number=number))


@pytest.fixture
def toy():
    return record_text(TEXT, "toy")


@pytest.fixture(scope="module")
def minilm():
    return record_text("Playing footballers sat on the mat.", keep=KEEP)


def test_the_toy_by_hand_is_what_was_recorded(toy):
    made = cell_of(toy, head=0, query=7, key=1)
    assert made.cell.head == HeadId(0, 0)
    assert made.cell.weight == pytest.approx(made.weight, abs=1e-5)
    assert made.weight == pytest.approx(69.6 / 76.6, abs=1e-3)
    assert "91\u00a0%" in [line[1] for line in said(made, 7).by_hand.root.lines]


def test_a_text_of_one_token_is_told_in_the_singular():
    made = cell_of(record_text("man", "toy"), head=0, query=0, key=0)
    told = [repr(said(made, number)) for number in range(1, len(STEPS) + 1)]
    assert [number for number, text in enumerate(told, 1) if re.search(r"\b1\W+(text\{)?tokens", text)] == []
    assert "over the 1 token turns the scores into shares" in told[6]


def test_the_tokens_of_a_text_from_right_to_left_run_that_way_behind_a_special_one():
    recording = record_text("הכלב אכל", keep=KEEP)
    assert recording.maps.tokens[0].special
    assert hero(recording, cell_of(recording).place).root.parts[0].rtl


@pytest.mark.parametrize("head", [HeadId(0, 1), HeadId(2, 3), HeadId(5, 11)])
def test_every_cell_of_a_recorded_head_agrees_with_the_recorded_weights(minilm, head):
    n = minilm.maps.n_keys
    for query in range(n):
        made = cell_of(minilm, layer=head.layer, head=head.head, query=query, key=n // 2)
        np.testing.assert_allclose(made.cell.weights, minilm.maps[head][query], atol=1e-5)
        assert "the calculation is complete" in text_of(said(made, 7).so.root.spans)


def test_what_is_gathered_is_the_weighted_sum_of_values(minilm):
    made = cell_of(minilm, layer=3, head=2, query=2, key=4)
    expected = minilm.maps[3, 2][2] @ minilm.value[3, 2]
    np.testing.assert_allclose(made.cell.findings[2], expected, atol=1e-5)
    found = arrays(said(made, 8).arrays.root)
    np.testing.assert_allclose(found["value_16"].values[1], expected[16:], atol=1e-5)
    assert [name for name, one in found.items() if one.now] == ["value_0", "value_16"]


def test_the_products_add_up_to_the_score(minilm):
    made = cell_of(minilm, layer=1, head=4, query=1, key=2)
    found = arrays(said(made, 4).arrays.root)
    products = sum(sum(found[f"vectors_{start}"].values[2]) for start in (0, 16))
    assert products == pytest.approx(made.cell.dot, abs=1e-4)
    assert found["row"].values[0][2] == pytest.approx(made.cell.dot, abs=1e-4)


def test_without_a_choice_it_is_the_strongest_look_of_the_first_pinned_head(toy):
    made = cell_of(toy, view=View(pins=(HeadId(0, 1),)))
    assert made.cell.head == HeadId(0, 1)
    assert {as_text((made.query,)), as_text((made.key,))} == {"astronomer", "telescope"}


def test_a_word_on_the_axis_leads_to_its_first_token(minilm):
    shown = shown_for(View(), minilm.maps)
    for place, piece in enumerate(shown.maps.tokens):
        token = minilm.maps.tokens[token_of(shown, place, minilm.maps)]
        assert (token.start, token.word) == (piece.start, piece.word)


def test_a_head_or_token_that_is_not_there_gets_a_sentence(minilm):
    place, notes = chosen_cell(minilm, shown_for(View(), minilm.maps), StepsWords(in_layer=9, head=0, query=500, key=0))
    assert "L0H0 to L5H11, not L9H0" in notes[0]
    assert "tokens, counted from 0" in notes[1]
    assert place.query == minilm.maps.n_keys - 1


@pytest.mark.parametrize("architecture", ["Gemma2ForCausalLM", "T5ForConditionalGeneration", "GptOssForCausalLM"])
def test_what_a_model_does_to_its_scores_is_part_of_the_walk(architecture, tiny):  # noqa: F811
    loaded = tiny(ROWS[architecture])
    maps = record_text(TINY_TEXT, loaded).maps
    found = cell(TINY_TEXT, (1, 3), 5, 2, loaded)
    made = WalkedCell(found, maps, loaded.row)
    assert found.weight == pytest.approx(maps[1, 3][5, 2], abs=1e-5)
    so = text_of(said(made, 7).so.root.spans)
    assert "the calculation is complete" in so
    lines = {
        what if isinstance(what, str) else as_text(what): value for what, value, _ in said(made, 7).by_hand.root.lines
    }
    assert ("→ soft cap" in lines) == (found.cap is not None)
    assert ("+ position bias" in lines) == (found.position is not None)
    row = arrays(said(made, 7).arrays.root)["row"]
    assert row.values[-1][2] == pytest.approx(found.scores[2], abs=1e-5)
    for number in range(1, len(STEPS) + 1):
        step = said(made, number)
        assert say(step.idea)
        assert "<" not in step.idea + step.formula
        assert step.formula.count("{") == step.formula.count("}")
    assert ("e^{s_0}" in said(made, 7).formula) == (found.sink is not None)


def test_a_share_that_is_not_quite_the_models_is_said(minilm):
    made = cell_of(minilm)
    made = dataclasses.replace(made, cell=dataclasses.replace(made.cell, weights=made.cell.weights + 0.02))
    assert "differs by 2.0 points" in text_of(said(made, 7).so.root.spans)


def text_of(spans):
    return "".join(span[1] for span in spans)


def test_the_first_number_that_a_head_adds_follows_from_the_arrays_above_it(minilm):
    made = cell_of(minilm, layer=3, head=10, query=2, key=4)
    added = added_by_heads(minilm.maps.text, "minilm", made.cell.head, made.cell.query)
    made = dataclasses.replace(made, w_o=added)
    found = arrays(said(made, 10).arrays.root)
    products = [found[f"through_{start}"].values[2] for start in (0, 16)]
    rows = dict(zip(found["mixed"].rows, found["mixed"].values, strict=True))
    assert sum(map(sum, products)) == pytest.approx(rows["L3H10 adds"][0], abs=1e-4)
    np.testing.assert_allclose(rows["came in"], minilm.hidden[3][2][:16], atol=1e-5)
    np.testing.assert_allclose(rows["heads and bias"], added.total[:16], atol=1e-5)
    assert found["through_0"].values[0] == pytest.approx(list(made.cell.findings[10][:16]), abs=1e-5)
    assert found["lengths"].cell == (0, 10)
    lines = {what: number for what, number, _ in said(made, 10).by_hand.root.lines}
    parts = [float(lines[what].replace("−", "-")) for what in ("L3H10 adds", "other heads", "bias")]
    assert sum(parts) == pytest.approx(float(lines["first number"].replace("−", "-")), abs=0.002)


def test_the_sentence_of_w_o_ranks_what_the_head_adds_and_sets_it_beside_what_came_in(minilm):
    made = cell_of(minilm, layer=3, head=10, query=2, key=4)
    added = added_by_heads(minilm.maps.text, "minilm", made.cell.head, made.cell.query)
    made = dataclasses.replace(made, w_o=added)
    place = 1 + sorted(-lengths(added)).index(-lengths(added)[10])
    said_of_it = text_of(said(made, 10).so.root.spans)
    assert f"{lengths(added)[10]:.2f} long, number {place} of the 12 heads" in said_of_it
    assert f"came in is {np.linalg.norm(minilm.hidden[3][2]):.2f} long" in said_of_it


def test_without_what_is_added_the_last_step_still_has_its_arrays(minilm):
    made = cell_of(minilm)
    assert "found" in arrays(said(made, 10).arrays.root)
    assert said(made, 10).so.root.spans == said(made, 7).so.root.spans


def test_every_step_has_arrays_and_the_mixture_adds_up(minilm):
    made = cell_of(minilm, layer=2, head=11, query=1, key=3)
    for step in range(1, 11):
        assert arrays(said(made, step).arrays.root)
    found = arrays(said(made, 9).arrays.root)["found"]
    assert found.rows[-1] == "L2H11"
    assert found.values[-1] == pytest.approx(list(made.cell.findings[11][:8]), abs=1e-5)
    assert float(said(made, 8).by_hand.root.lines[-1][1].replace("−", "-")) == pytest.approx(
        made.cell.findings[11][0], abs=0.005
    )
    assert "the largest part" in text_of(said(made, 8).so.root.spans)
    assert "9 tokens come in, each as 384 numbers" in text_of(said(made, 1).so.root.spans)
    assert "uses 32 numbers per token" in text_of(said(made, 3).so.root.spans)
    assert "12 heads, 384 numbers" in text_of(said(made, 9).so.root.spans)


def test_a_recording_without_rows_goes_on_without_them(minilm):
    made = cell_of(minilm)
    made = dataclasses.replace(made, cell=dataclasses.replace(made.cell, incoming=None))
    assert list(arrays(said(made, 2).arrays.root)) == ["weights"]
    assert made.d_model == 384


def test_what_the_tokens_are_and_why_heads_shows_another_share(minilm, toy):
    def said_of(recording, **choices):
        made, shown = cell_of(recording, **choices), shown_for(View(), recording.maps)
        return text_of(say(units(recording.maps, made.place, shown))), units(recording.maps, made.place, shown)

    said_of_them, _ = said_of(minilm, layer=0, head=1)  # its strongest look
    on_heads = int(said_of_them.split("this number is ")[1].split("\u00a0")[0])
    assert on_heads > 100 * cell_of(minilm, layer=0, head=1).weight
    assert "Its 9 here are 6 whole words, 1 punctuation mark and 2 special tokens." in said_of_them
    assert "On Heads this number is" in said_of_them
    _, split = said_of(record_text("The snorkelers sat", keep=KEEP), layer=0, head=1)
    assert "are 2 whole words, 4 pieces of words and 2 special tokens." in split
    assert split.endswith("because there word pieces are joined and attention sinks are [[excluded]].")
    assert "8 whole words." in said_of(toy)[1]
    assert "Heads shows" not in said_of(toy)[1]


def test_what_is_mixed_is_of_the_tokens_that_can_be_seen_and_a_tie_is_one(toy):
    lists = record_text("moon fish table star moon fish", "copier")
    found = cell(lists.maps.text, HeadId(1, 2), 3, 1, "copier")
    causal = text_of(model_texts._mixture_so(WalkedCell(found, lists.maps, model_row("copier"))))
    assert causal.startswith("L1H2 mixes the values of the 4 of 7 tokens that it can see for table; the largest part, ")
    even = text_of(model_texts._mixture_so(cell_of(toy, head=0, query=0, key=0)))
    assert even.endswith("for The; eight parts are the largest, 13\u00a0% of the attention each.")


def test_a_row_adds_up_over_the_tokens_it_may_look_at():
    assert visible(np.array([0.25, 1.0])) == "2 tokens"
    assert visible(np.array([0.25, 1.0, 0.0])) == "the 2 of 3 tokens that it can see"
