"""The three attentions of an encoder–decoder as Heads draws them, and their contributions."""

import dataclasses

import numpy as np
import pytest

from mha.errors import AttentionUnavailable
from mha.link.heads import CROSS, DECODER, ENCODER
from mha.link.view import View
from mha.maps import HeadId
from mha.models.files.loading import load_snapshot
from mha.models.watch.any_cell import cell
from mha.models.watch.attending import record_text
from mha.models.watch.generating import generate
from mha.models.watch.output import brought
from mha.screens.blocks import as_text
from mha.screens.heads.overview import overview_of
from mha.screens.heads.picture import picture_of
from mha.screens.heads.pinned import pinned_spec
from mha.screens.heads.side_by_side import pins_of
from mha.screens.heads.stacks import brought_of, stack_picture
from tests.models.tiny import SIDES, THROUGH_THE_INTERFACE, Tiny

LIST = "river boat lamp garden bread"
BART = Tiny("BartForConditionalGeneration", SIDES | {"decoder_attention_heads": 7}, "metaspace", stacks=())
T5 = next(row for row in THROUGH_THE_INTERFACE if row.architecture == "T5ForConditionalGeneration")


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
    rows = range(9) if stack == DECODER else [row for row, token in enumerate(written.written) if not token.special]
    for drawn in (1, 2):
        row = rows[drawn]
        one = cell(LIST, (1, 2), row, 1, "reverser", target=recording.target, stack=stack.lower())
        norms = one.weights * one.through
        assert maps[1, 2][drawn][one.key] == pytest.approx(norms[one.key] / norms.sum(), abs=1e-5)
    pins = pins_of(picture.shown, picture.view, maps)
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


def test_cross_attention_has_rows_of_the_output_and_columns_of_the_text(written):
    picture = stack_picture(picture_of(View(model="reverser"), written, LIST), written, CROSS)
    shown = picture.shown
    assert [token.text for token in shown.maps.tokens] == LIST.split()[::-1]
    assert [token.text for token in shown.maps.key_tokens] == LIST.split(), "the end mark is excluded"
    assert [pin.layer for pin in shown.pins] == [1, 0]
    assert shown.chosen_pins
    assert "cross-attention, from target to source" in picture.row.source
    header = overview_of(dataclasses.replace(shown, lock=None, look="at"), "all", asks=False).header
    assert [piece["text"] for piece in header["pieces"]] == LIST.split()
    assert header["queries"] == tuple(LIST.split()[::-1])
    assert not header["links"]


def test_a_selected_word_is_a_row_of_the_output(written):
    view = View(model="reverser", lock=2, look="from", pins=(HeadId(0, 1),))
    picture = stack_picture(picture_of(view, written, LIST), written, CROSS)
    assert (picture.shown.lock, picture.shown.pins, picture.shown.chosen_pins) == (2, (HeadId(0, 1),), False)
    pinned = pinned_spec(pins_of(picture.shown, picture.view))
    assert "Highlighted: the row of lamp." in as_text(pinned.header["about"])
    beyond = dataclasses.replace(view, lock=99)
    assert stack_picture(picture_of(beyond, written, LIST), written, CROSS).shown.lock is None


def test_the_decoder_attends_to_its_own_output(written):
    picture = picture_of(View(model="reverser"), written, LIST)
    decoder = stack_picture(picture, written, DECODER)
    assert decoder.shown.full.causal
    assert decoder.shown.full.text == " ".join(LIST.split()[::-1])
    assert "attention of its decoder" in decoder.row.source
    assert stack_picture(picture, written, ENCODER) is picture


@pytest.fixture(scope="module", params=[BART, T5], ids=lambda row: row.architecture)
def random(request, tmp_path_factory):
    sides = {"d_model": 70} if request.param is BART else {}
    row = dataclasses.replace(request.param, settings=request.param.settings | sides)
    return load_snapshot(row.save(tmp_path_factory.mktemp(row.architecture)))


@pytest.mark.parametrize("units", ["words", "tokens"])
@pytest.mark.parametrize("sinks", [True, False])
def test_any_encoder_decoder_is_drawn_with_heads_that_it_has(random, units, sinks):
    recordings = [
        generate("the man saw it", random, n_tokens=7).recording,
        record_text("it", random, target="the man saw it"),
    ]
    for recording in recordings:
        view = View(model="reverser", units=units, sinks=sinks, pins=(HeadId(1, 4), HeadId(9, 9)))
        text = picture_of(view, recording, recording.maps.text)
        for stack in (DECODER, CROSS):
            picture = stack_picture(dataclasses.replace(text, row=random.row), recording, stack)
            assert picture.shown.pins == (HeadId(1, 4),)
            overview_of(dataclasses.replace(picture.shown, lock=None, look="at"), "all", asks=False)
