"""What Whole model says and shows, without Streamlit: its number beside its twin, the map, the row, who is alike."""

import csv
import io
import re
from dataclasses import replace

import numpy as np
import pytest

from mha.analysis.between import equally_apart
from mha.engine.atlas import bundled_atlas, silenced_of
from mha.export.tables import table_csv
from mha.link.atlas import BY_VALUE, HERE, TITLES, AtlasWords
from mha.link.view import View
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.screens.atlas import across_heads, findings
from mha.screens.atlas.whole_model import WholeModel, distances_table, numbers_table
from mha.screens.blocks import as_text
from tests.screens.atlas import cases
from tests.screens.atlas.cases import atlas_of, case_of, of_kind
from tests.screens.told import told

BAD = ("important", "understand", "specialised", "redundant", "amber", "teal")


def everything(case):
    return [
        *findings.opening_blocks(case), *findings.map_blocks(case), *findings.row_blocks(case),
        *across_heads.alike_blocks(case), *across_heads.like_blocks(case),
    ]  # fmt: skip


@pytest.fixture
def minilm():
    return WholeModel(
        View(), AtlasWords(), model_row("minilm"), bundled_atlas("minilm"), None, None, silenced_of("minilm")
    )  # fmt: skip


def test_it_opens_with_the_number_of_heads_beside_its_controls(minilm):
    text = told(findings.opening_blocks(minilm))
    assert "Counting similar heads as one, the 72 heads look in 3.9 different ways." in text
    _, bound = equally_apart(minilm.atlas.alike.distance**2)
    assert round(bound, 1) == 5.3
    assert "If every two heads differed equally: 5.3. Without attention sinks: 4.7. Scrambled copy: 2.4." in text
    assert "Average over 300 sample sentences." in text
    assert f"{int((minilm.atlas.mean['sink_share'] >= 0.5).sum())} of 72 heads give half or more" in text


def test_without_a_twin_no_number_of_different_heads_is_said():
    text = told(everything(case_of(atlas_of(twin=False))))
    assert "different ways" not in text
    assert "there is no scrambled copy" in text
    assert "How many different heads" not in text
    assert "Average distance between two heads" in text


def test_one_sentence_says_that_it_is_one():
    case = case_of(over=HERE)
    text = told(everything(case))
    assert text.startswith("In this sentence, counting similar heads as one, the 6 heads look in")
    assert "One sentence is not a pattern." in text
    assert "usually" not in text
    assert "in this sentence" in text


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("causal", [False, True])
def test_whatever_it_is_coloured_by_is_true_of_the_numbers(title, causal):
    case = case_of(atlas_of(causal=causal), colour=title)
    (found,) = of_kind(findings.map_blocks(case), "atlas_map")
    values = case.values
    assert found["attention"] == case.shade.attention
    assert np.array(found["values"], dtype=float).shape == values.shape
    if np.isfinite(values).any():
        best = HeadId(*np.unravel_index(np.nanargmax(values), values.shape))
        assert f"highest in {best}" in found["label"]
        assert np.nanmax(np.array(found["values"], dtype=float)) <= 1
        assert case.focus == best
    else:
        assert "cannot occur" in found["label"]
        assert "cannot occur" in told(findings.row_blocks(case))
    assert not any(word in told(everything(case)).casefold() for word in BAD)


@pytest.mark.parametrize(("title", "unit"), [("Next word", "%"), ("Entropy", "bits"), ("Mean distance", "places")])
def test_a_cell_is_named_with_the_unit_of_its_number(title, unit):
    (found,) = of_kind(findings.map_blocks(case_of(colour=title)), "atlas_map")
    for told_of, text in zip(np.ravel(found["told"]), np.ravel(found["texts"]), strict=True):
        assert told_of == (f"{text}\u00a0{unit}" if text != "–" else "–")


def test_a_range_fades_heads_and_counts_them():
    case = case_of(least=30.0)
    kept = case.values >= 0.3 - 5e-4
    (found,) = of_kind(findings.map_blocks(case), "atlas_map")
    assert found["kept"] == kept.tolist()
    assert f"{int((~kept).sum())} of 6 heads" in told(findings.map_blocks(case))
    assert case_of(least=0.0).kept.all()
    between = case_of(least=10.0, most=30.0)
    assert (between.kept == ((between.values >= 0.0995) & (between.values <= 0.3005))).all()


def test_heads_are_sorted_within_their_layers():
    case = case_of(order=BY_VALUE)
    (found,) = of_kind(findings.map_blocks(case), "atlas_map")
    for layer, order in enumerate(found["order"]):
        values = case.values[layer][order]
        assert (np.diff(values) <= 0).all()


def test_the_row_is_sorted_has_its_intervals_and_the_typed_sentence():
    case = case_of(colour="Same word")
    (row,) = of_kind(findings.row_blocks(case), "row_chart")
    rows = [{mark["shape"]: mark for mark in one["marks"]} for one in row["rows"]]
    means = [one["dot"]["at"] for one in rows]
    assert means == sorted(means, reverse=True)
    first = HeadId.parse(row["rows"][0]["name"])
    assert rows[0]["ring"]["at"] == pytest.approx(case.here.mean["same_word"][first], abs=1e-4)
    assert row["top"] >= max(one["ring"]["at"] for one in rows)
    assert all(one["range"]["at"] <= one["dot"]["at"] <= one["range"]["to"] for one in rows)
    assert re.search(r"highest in L\dH\d, .+, 95\s% interval \S+ to \S+; lowest in L\dH\d\.$", row["label"])
    assert "Ring: your sentence." in told(findings.row_blocks(case))
    alone = case_of(colour="Same word", over=HERE)
    assert "Ring" not in told(findings.row_blocks(alone))


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (2, 1), (1, 3), (3, 5)])
def test_models_of_any_shape_get_true_sentences(shape):
    case = case_of(atlas_of(shape=shape), shape=shape)
    text = told(everything(case))
    n = shape[0] * shape[1]
    if n == 1:
        assert "This model has one head." in text
        assert "Similar heads" in text
        return
    assert f"the {n} heads look in" in text
    (different,) = of_kind(across_heads.like_blocks(case), "row_chart")
    assert len(different["rows"]) == (1 + shape[0] if shape[0] > 1 and shape[1] > 1 else 1)
    (like,) = of_kind(across_heads.like_blocks(case), "atlas_like")
    assert len(like["heads"]) == min(6, n)
    assert like["heads"][0]["text"] == "itself"


def test_the_head_that_is_looked_at_is_chosen_pinned_or_the_one_with_most():
    assert case_of(like="L1H2").focus == (1, 2)
    assert case_of(pins=(HeadId(0, 1),)).focus == (0, 1)
    assert case_of(pins=(HeadId(9, 9),)).focus != (9, 9)
    assert case_of(pins=(HeadId(0, 1),), layer=1).layer == 1


@pytest.mark.parametrize(
    ("goes", "says"),
    [
        (0.24, "only weakly linked to affecting the same"),
        (0.02, "hardly linked to affecting the same"),
        (-0.5, "partly linked to affecting different"),
    ],
)
def test_looking_or_doing_is_one_number_with_its_reservation(goes, says):
    text = as_text(across_heads.linked(case_of(shape=(2, 5), silenced=cases.silenced_of(goes, (2, 5))))[0])
    assert f"Looking alike is {says} sentences when ablated" in text
    assert "over 45 pairs of heads, not independent" in text


def test_c5_a_correlation_that_is_undefined_or_of_few_heads_is_not_printed():
    unknown = case_of(shape=(2, 5), silenced=cases.silenced_of(float("nan"), (2, 5)))
    few = case_of(shape=(3, 3), silenced=cases.silenced_of(0.9, (3, 3)))
    for case in (unknown, few):
        assert across_heads.linked(case) == []


def test_all_numbers_can_be_taken_along():
    case = case_of(silenced=cases.silenced_of())
    rows = list(
        csv.DictReader(io.StringIO(table_csv(numbers_table(case, "http://x/atlas")).decode().split("\r\n\r\n")[0]))
    )
    assert len(rows) >= 6
    table = numbers_table(case)
    np.testing.assert_allclose(table.columns["next_word_mean"], case.atlas.mean["next_word"].ravel())
    assert "scrambled copy" in table.provenance.controls
    over_many = numbers_table(case_of(here=False)).provenance
    assert over_many.texts == ("2 sample sentences",)
    assert over_many.weights_sha256 == "", "these are no maps of one text"
    assert numbers_table(case_of(over=HERE)).provenance.weights_sha256


def test_the_distances_of_all_pairs_can_be_taken_away():
    case = case_of()
    table = distances_table(case)
    assert table.columns["head"] == list(table.columns)[1:]
    grid = np.stack([table.columns[name] for name in table.columns["head"]])
    np.testing.assert_array_equal(grid, case.atlas.alike.distance)
    assert distances_table(case_of(shape=(1, 1))) is None


def test_the_foot_says_what_was_left_out():
    assert "7 could not be read" in as_text(findings.measured(case_of(replace(atlas_of(), n_left_out=7)))[0])
    assert "skipped" not in as_text(findings.measured(case_of())[0])


def test_nothing_is_said_of_a_scrambled_copy_that_there_is_not():
    def told(atlas):
        return " ".join(as_text(one) for one in findings.measured(case_of(atlas)))

    assert "The scrambled copy has seed 1." in told(atlas_of())
    assert "copy" not in told(atlas_of(twin=False))
    assert "Distance: square root" in told(atlas_of(twin=False))
