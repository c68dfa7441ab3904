"""Step by step without Streamlit: the arithmetic of a weight, percentages, and the toys."""

import numpy as np
import pytest

import mha
from mha.analysis.looks import strongest_look
from mha.core import PRESETS
from mha.engine import Request, record
from mha.engine.experiments import one_cell
from mha.maps import HeadId
from mha.views import models, steps, toy_layer, toy_steps
from mha.views.heads import select

LONG = "I saw antidisestablishmentarianism and unhappiness."
HOSTILE = "*a* <b> | `c` $x$ said"


def case_of(text, model="minilm", place=None):
    maps = record(Request(text, model)).maps
    place = place or steps.place_of(maps, None, None, None, None)
    cells = [one_cell(text, model, None, place.head, token, place.key) for token in steps.query_tokens(maps, place)]
    return steps.CellCase(models.model_row(model), maps, place, tuple(cells))


@pytest.fixture(scope="module")
def long_case():
    return case_of(LONG, place=steps.CellPlace(HeadId(3, 1), 4, 12))


def test_share_between_words_of_several_tokens_is_the_merged_one(long_case):
    merged = mha.attend(LONG).merged()
    names = [token.text for token in merged.tokens]
    query, key = (next(at for at, name in enumerate(names) if name.startswith(start)) for start in ("anti", "unhapp"))
    computed, recorded = long_case.shares
    assert recorded == pytest.approx(float(merged[3, 1][query, key]))
    assert computed == pytest.approx(recorded, abs=1e-5)
    assert len(long_case.cells) == 8
    assert "| as words | 9.2\u00a0% | sum over 4 tokens of *unhappiness*, mean over 8 tokens of" in steps.calculation(
        long_case
    )


def test_softmax_lines_lead_to_the_weight(long_case):
    cell = long_case.cell
    powers = np.exp(cell.scores - cell.scores.max())
    assert powers[cell.key] / powers.sum() == pytest.approx(cell.weight)
    lines = steps.calculation(long_case).splitlines()
    assert lines[2].startswith(f"| q · k | {steps.number(cell.dot)} |")
    assert lines[3].startswith(f"| ÷ √32 | {steps.number(cell.dot / np.sqrt(32))} |")


def test_sink_is_named_as_excluded():
    maps = record(Request(LONG, "minilm")).maps
    case = case_of(LONG, place=steps.CellPlace(HeadId(0, 0), 1, 0))
    assert steps.basis(case) == ("This is a share of all attention. Heads excludes these attention sinks: *\\[CLS\\]*.")
    assert steps.place_of(maps, 3, 1, None, None).head == HeadId(3, 1)


def test_every_word_of_a_text_is_escaped():
    case = case_of(HOSTILE, place=steps.CellPlace(HeadId(0, 0), 5, 8))
    for sentence in (steps.finding(case), steps.calculation(case), steps.contribution(case), steps.basis(case)):
        assert "<b>" not in sentence
        assert "`c`" not in sentence
    rows = steps.calculation(case).splitlines()
    assert {row.replace("\\|", "").count("|") for row in rows} == {4}


def test_pictures_have_a_text_alternative_and_every_token(long_case):
    data = steps.row_data(long_case)
    assert data["label"]
    assert len(data["lines"][1][0]["values"][0]) == len(long_case.maps.tokens)
    assert sum(len(line[0]["values"][0]) for line in steps.products_data(long_case)["lines"]) == 32
    assert steps.sentence_data(long_case.maps, long_case.place).get("attention") is None


@pytest.mark.parametrize("layer", [*toy_layer.LAYERS, *toy_layer.BY_HAND])
def test_every_step_of_every_toy_is_written(layer):
    for switches in ({}, {"is_masked": True, "has_positions": True, "is_scaled": False}):
        case = toy_layer.toy_case(layer, **switches)
        for number in toy_steps.TITLES:
            step = toy_steps.step_of(case, number)
            assert step.title in step.arrays["label"]
            assert step.conclusion.endswith(".")
        weights = case.array_of("weights")[case.query]
        assert weights[case.key] == pytest.approx(case.by_hand.weight)
        assert toy_layer.finding(case).endswith(".")


def test_finding_of_equal_weights_names_no_word():
    case = toy_layer.toy_case("dog or food", cell_choice=(0, 0, None))
    assert toy_layer.finding(case).startswith("In head 0, *A* gives 11\u00a0% to each of 9 words")


def test_first_word_under_a_mask_is_no_finding():
    """It gives itself 100 % by construction."""
    case = toy_layer.toy_case("dog or food", is_masked=True, cell_choice=(None, 0, None))
    assert toy_layer.finding(case) == "*A* sees no other word: the mask hides all later ones."


@pytest.mark.parametrize("head", [HeadId(3, 5), HeadId(4, 9)])
def test_strongest_connection_of_a_head_is_that_of_heads(head):
    """Shares of all attention, not of what sinks leave."""
    maps = mha.attend("No no no no")
    look = strongest_look(select(maps).maps, head)
    assert steps.automatic_place(maps, head) == (head, look.query + 1, look.key + 1)  # [CLS] comes first


def test_eight_heads_have_four_numbers_each():
    heads = PRESETS["eight_heads"].heads()
    assert (heads.n_heads, heads.d_model, heads.d_head) == (8, 32, 4)
    case = toy_layer.toy_case("eight heads", cell_choice=(5, None, None))
    assert case.shown_heads == (0, 5)


def test_stacked_and_separate_matrices_agree():
    assert "difference at most" in toy_steps.stacked_or_separate()
    data, sentence = toy_steps.one_or_two()
    assert sentence.startswith("On *All is well* (random numbers, no positions, no mask), one head gives *well*")
    assert data["label"].startswith("One head against two on All is well")
    assert [item if isinstance(item, str) else item["title"] for item in data["lines"][0]][-1] == "two heads made one"
