"""One head against two, and the growth of q·k, as the page shows them."""

import numpy as np
import pytest

from mha.core import PRESETS, average_weights, trace, width_effect
from mha.screens.arrays import arrays
from mha.screens.steps.ways import one_against_two, stacked_or_separate, widths, widths_said


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


def test_stacked_and_separate_matrices_give_the_same_output():
    assert float(stacked_or_separate().removesuffix(").").rpartition(" ")[2]) < 1e-12
