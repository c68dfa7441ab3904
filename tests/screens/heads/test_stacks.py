"""What looks bring from a source to its target, and within a target: the picture's weights × lengths of its keys."""

import numpy as np
import pytest

from mha.errors import AttentionUnavailable
from mha.link.heads import CROSS, DECODER
from mha.link.view import View
from mha.models.watch.any_cell import cell
from mha.models.watch.attending import record_text
from mha.models.watch.generating import generate
from mha.models.watch.output import brought
from mha.screens.heads.picture import picture_of
from mha.screens.heads.side_by_side import pins_of
from mha.screens.heads.stacks import brought_of, row_of, stack_picture

LIST = "river boat lamp garden bread"


@pytest.fixture(scope="module")
def written():
    return generate(LIST, "reverser", n_tokens=20).recording


@pytest.mark.parametrize("stack", [DECODER, CROSS])
def test_each_share_is_that_of_its_cell(written, stack):
    recording = record_text(LIST, "reverser", target="garden lamp river") if stack == DECODER else written
    picture = stack_picture(picture_of(View(model="reverser"), recording, LIST), recording, stack)
    found = brought(LIST, "reverser", target=recording.target, stack=stack.lower())
    maps = brought_of(picture, found)
    assert maps.weights.shape == picture.recording.maps.weights.shape
    assert maps.tokens == picture.recording.maps.tokens
    for drawn in (1, 2):
        row = row_of(picture, drawn)
        one = cell(LIST, (1, 2), row, 1, "reverser", target=recording.target, stack=stack.lower())
        norms = one.weights * one.through
        assert maps[1, 2][drawn][one.key] == pytest.approx(norms[one.key] / norms.sum(), abs=1e-5)
    pins = pins_of(picture.shown, picture.view, maps, all_can=False)
    assert pins.brought
    assert "The other pictures still show attention." in pins.note
    assert pins.maps.weights.shape == picture.shown.maps.weights.shape


def test_of_other_keys_it_is_not_told(written):
    picture = stack_picture(picture_of(View(model="reverser"), written, LIST), written, DECODER)
    other = brought(LIST, "reverser", target="lamp boat", stack="decoder")
    with pytest.raises(AttentionUnavailable, match="other tokens when read again"):
        brought_of(picture, other)
    cross = stack_picture(picture_of(View(model="reverser"), written, LIST), written, CROSS)
    same = brought_of(cross, brought(LIST, "reverser", target="lamp boat", stack="cross"))
    own = brought_of(cross, brought(LIST, "reverser", target=written.target, stack="cross"))
    assert np.allclose(same.weights, own.weights, atol=1e-6), "what a source word brings hangs on no target"
