"""How the heads of a stack are laid out, as it is said under the overview."""

from mha.maps import Layout
from mha.screens.heads.layouts import laid_out


def test_layers_with_windows_are_told_apart_from_those_without():
    assert laid_out(None) == laid_out(Layout(4, 4, (None, None))) == ""
    assert laid_out(Layout(4, 4, (8, 8))).startswith("Each layer sees the last 8")
    some = laid_out(Layout(6, 3, (8, None, 8)))
    assert "Every two neighbouring heads share a key" in some
    assert "Layers 0, 2 see " in some
    assert "Layer 1 sees" in laid_out(Layout(2, 2, (None, 5)))
    both = laid_out(Layout(2, 2, (None, 5)), causal=False)
    assert both == "Layer 1 sees 4 tokens at most to either side (sliding window); the others see all tokens."
