"""Three ways to make heads, one head against two, and the growth of q·k, as the page shows them."""

import numpy as np
import pytest

from mha.core import PRESETS, MultiHead, attend, average_weights, count, trace, width_effect
from mha.screens.arrays import arrays
from mha.screens.blocks import as_text
from mha.screens.steps.ways import (
    WAYS,
    costs,
    one_against_two,
    way,
    widths,
    widths_said,
)

X = PRESETS["money_bank"].embeddings()


def ways(n_heads):
    """What each way draws, and what is said under it."""
    found = {}
    for split in WAYS:
        _, drawn, *said = way(split, n_heads)
        (flow,) = drawn.blocks
        found[split] = flow, [as_text(one.spans) for one in said]
    return found


def test_the_money_bank_comes_out_of_its_preset_and_the_loop_agrees():
    found = ways(2)
    output = arrays(found["full"][0].root)["output_full"].values
    np.testing.assert_allclose(output, attend(PRESETS["money_bank"].heads(), X)[0], atol=1e-6)
    for _, (said,) in found.values():
        assert float(said.removesuffix(").").rpartition(" ")[2]) < 1e-12
    shapes = {split: {what: how for what, _, how in flow.root.parts[1].lines} for split, (flow, _) in found.items()}
    assert (shapes["full"]["× W_O"], shapes["slices"]["× W_O"]) == ("8 × 4", "4 × 4")


def test_overlap_takes_any_number_of_heads_and_slices_say_which_they_take():
    found = ways(3)
    slices, said = found["slices"]
    assert not said
    assert slices.label == "slices: not possible"
    assert "cannot be cut into 3 equal slices" in as_text(slices.root.parts[0].spans)
    assert len(arrays(found["overlap"][0].root)["reads_overlap"].values) == 3


def test_what_a_head_does_not_read_is_not_there():
    heads = MultiHead.random(4, 2, "overlap", PRESETS["money_bank"].seed, decimals=1)
    shown = arrays(ways(2)["overlap"][0].root)["reads_overlap"].values
    assert [[value is not None for value in row] for row in shown] == heads.reads.tolist()


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
    output = arrays(ways(1)["slices"][0].root)["output_slices"].values
    heads = MultiHead.random(4, 1, "slices", PRESETS["money_bank"].seed, decimals=1)
    np.testing.assert_allclose(output, attend(heads, X)[0], atol=1e-6)
