"""Three ways to make heads, one head against two, and the growth of q·k, as the page shows them."""

import numpy as np
import pytest

from mha.core import PRESETS, MultiHead, attend, average_weights, count, trace, width_effect
from mha.screens.arrays import arrays
from mha.screens.steps.ways import (
    WAYS,
    costs,
    one_against_two,
    three_ways,
    way,
    way_arrays,
    widths,
    widths_said,
)

X = PRESETS["money_bank"].embeddings()


def test_the_money_bank_comes_out_of_its_preset_and_the_loop_agrees():
    full, slices, overlap = three_ways(2)
    np.testing.assert_array_equal(full.output, attend(PRESETS["money_bank"].heads(), X)[0])
    for one in (full, slices, overlap):
        assert one.loop_difference < 1e-12
    assert full.heads.w_output.shape == (8, 4)
    assert slices.heads.w_output.shape == (4, 4)


def test_overlap_takes_any_number_of_heads_and_slices_say_which_they_take():
    full, slices, overlap = three_ways(3)
    assert slices.heads is None
    assert "cannot be cut into 3 equal slices" in slices.refused
    assert overlap.heads.n_heads == 3
    assert way_arrays(slices).label == "slices: not possible"
    assert full.loop_difference < 1e-12


def test_what_a_head_does_not_read_is_not_there():
    made = way("overlap", X, 2, seed=131)
    shown = arrays(way_arrays(made).root)["reads_overlap"].values
    assert [[value is not None for value in row] for row in shown] == made.heads.reads.tolist()


def test_costs_are_counted():
    rows = costs(2, 2, 4)
    assert [row[5] for row in rows] == ["128", "64", "52"]
    assert [row[6] for row in rows] == [f"{count(split, 4, 2, 2).n_multiplications:,}" for split in WAYS]
    assert costs(3, 2, 4)[1][5] == "–"
    original = costs(8, 10, 512)[1]
    assert original[2:6] == ("3 × (512 × 64)", "10 × 512", "512 × 512", f"{4 * 512 * 512:,}")


def test_one_head_keeps_one_weighting_and_two_keep_two():
    node, sentence = one_against_two()
    found = arrays(node.root)
    double = PRESETS["two_heads"]
    steps = trace(double.heads(), double.embeddings())
    mean = (np.array(found["two_heads_0"].values) + found["two_heads_1"].values) / 2
    np.testing.assert_allclose(found["shared"].values, mean, atol=1e-6)
    said = "".join(span[1] for span in sentence.root.spans)
    for head in (0, 1):  # every share and the difference stand in the arrays above
        assert f"({100 * max(found[f'two_heads_{head}'].values[0]):.0f}\u00a0%)" in said
    away = np.abs(np.array(found["shared_out"].values) - found["two_out"].values).max()
    assert f"changes by up to {away:.2f}" in said
    moved = np.abs(steps["weights"] - average_weights(double.heads(), steps)[0]).max(axis=(0, 2))
    assert found["shared"].rows == (f"{double.text.split()[moved.argmax()]} looks at",)


@pytest.mark.parametrize("d_head", [1, 37, 512])
def test_the_slider_shows_the_variance_it_computes(d_head):
    found = arrays(widths(d_head).root)["variance"]
    at = found.columns.index(str(d_head))
    assert found.cell == (0, at)
    effect = width_effect(d_head)
    assert found.values[0][at] == pytest.approx(effect.variance, abs=1e-6)
    assert f"Variance {effect.variance:.1f}" in widths_said(d_head)


def test_one_head_of_random_numbers_is_a_way_too():
    made = way("slices", X, 1, seed=3)
    np.testing.assert_array_equal(made.output, attend(MultiHead.random(4, 1, "slices", 3, decimals=1), X)[0])
