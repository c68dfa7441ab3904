"""An encoder–decoder's three attentions, as they are shown: the reverser, and tiny random models of two kinds."""

import dataclasses

import numpy as np
import pytest

from mha.link.heads import CROSS, DECODER, ENCODER
from mha.link.view import View
from mha.maps import HeadId, Token
from mha.models.files.catalog import model_row
from mha.models.files.loading import load_snapshot
from mha.models.watch.attending import record_text
from mha.models.watch.generating import generate
from mha.readers.envelope import seal
from mha.screens.blocks import as_text
from mha.screens.decoder import crossing, looking_back
from mha.screens.heads.overview import overview_of
from mha.screens.heads.picture import picture_of
from mha.screens.heads.pinned import Pins, pinned_spec
from mha.screens.heads.stacks import stack_picture
from tests.models.tiny import SIDES, THROUGH_THE_INTERFACE, Tiny
from tests.unsealed import unseal

LIST = "river boat lamp garden bread candle kite moon"
BART = Tiny("BartForConditionalGeneration", SIDES | {"decoder_attention_heads": 7}, "metaspace", stacks=())
T5 = next(row for row in THROUGH_THE_INTERFACE if row.architecture == "T5ForConditionalGeneration")


def picture_for(recording, row, stack, **view):
    view = View(model="reverser", **view)
    picture = picture_of(view, recording, recording.maps.text)
    return stack_picture(dataclasses.replace(picture, row=row), recording, stack)


@pytest.fixture(scope="module")
def reversed_list():
    return generate(LIST, "reverser", n_tokens=20).recording


@pytest.fixture(scope="module", params=[BART, T5], ids=lambda row: row.architecture)
def random(request, tmp_path_factory):
    sides = {"d_model": 70} if request.param is BART else {}
    row = dataclasses.replace(request.param, settings=request.param.settings | sides)
    return load_snapshot(row.save(tmp_path_factory.mktemp(row.architecture)))


def test_the_reverser_s_lines_all_cross_and_its_rows_are_named_by_the_word_to_be_written(reversed_list):
    picture = picture_for(reversed_list, model_row("reverser"), CROSS)
    assert [token.text for token in picture.shown.maps.tokens] == LIST.split()[::-1]
    assert [token.text for token in picture.shown.maps.key_tokens] == LIST.split(), "the end mark is set aside"
    assert picture.shown.pins[0].layer == 1
    assert picture.shown.pins[1].layer == 0
    made = crossing.alignment_of(picture)
    assert made.lock is not None
    assert as_text(crossing.finding(made, 0)).startswith("To write moon, L1H")
    assert " gives moon " in as_text(crossing.finding(made, 0))
    told = as_text(crossing.about(made))
    assert "In 8 of 8 positions it looks most at the word it writes." in told
    assert "All strong lines cross: this head reads the input backwards." in told
    assert "goes to [END] and is excluded." in told
    marks = tuple(Token(text, special=True) for text in ("<s>", ".", "</s>"))
    many = dataclasses.replace(made, shown=dataclasses.replace(made.shown, sinks=marks))
    assert "goes to <s>, . and </s> and is excluded." in as_text(crossing.about(many))
    header, arrays = unseal(seal(crossing.drawing(made)))
    assert header["targets"] == LIST.split()[::-1]
    assert arrays["shares"].shape == (8, 8)
    np.testing.assert_allclose(arrays["shares"] / 100, made.weights, atol=0.0051)
    assert len(header["findings"]) == 8


def test_words_can_be_locked_by_row_or_column_and_heads_be_chosen(reversed_list):
    row = model_row("reverser")
    made = crossing.alignment_of(picture_for(reversed_list, row, CROSS, lock=2, look="from", pins=(HeadId(0, 1),)))
    assert (made.lock, made.head, made.chosen) == (2, HeadId(0, 1), False)
    column = picture_for(reversed_list, row, CROSS, lock=2)
    assert column.shown.lock == 2
    assert crossing.alignment_of(column).lock is None
    assert crossing.alignment_of(picture_for(reversed_list, row, CROSS, lock=-1)).lock is None
    assert crossing.alignment_of(picture_for(reversed_list, row, CROSS, lock=99, look="from")).lock is None


def test_a_typed_target_need_not_be_as_long_as_its_source():
    recording = record_text(LIST, "reverser", target="bread lamp")
    picture = picture_for(recording, model_row("reverser"), CROSS)
    made = crossing.alignment_of(picture)
    assert (picture.shown.maps.n_queries, picture.shown.maps.n_keys) == (2, 8)
    assert "To write lamp, L" in as_text(crossing.finding(made, 1))
    shown = dataclasses.replace(picture.shown, lock=None, look="at")
    drawing = looking_back.alone(overview_of(shown, "all", asks=False), crossing.grid_about(shown.maps))
    assert drawing.header["size"] == [2, 8]
    assert not drawing.header["causal"]
    pins = Pins(shown.maps, shown.pins, shown.share, shown.mass, shown.sinks, lock=1, look="from")
    pinned = pinned_spec(pins)
    assert pinned.header["queries"] == ["bread", "lamp"]
    assert "Highlighted: the row of lamp." in as_text(pinned.header["about"]["heatmaps"])


def test_the_decoder_looks_back_in_its_own_target_and_the_encoder_is_as_it_was(reversed_list):
    row = model_row("reverser")
    decoder = picture_for(reversed_list, row, DECODER)
    assert decoder.shown.full.causal
    assert decoder.shown.full.text == " ".join(LIST.split()[::-1])
    assert not picture_for(reversed_list, row, ENCODER).shown.full.causal
    assert "attention of its decoder" in decoder.row.source
    assert "cross-attention, from target to source" in picture_for(reversed_list, row, CROSS).row.source
    overview_of(decoder.shown, "all")


@pytest.mark.parametrize("units", ["words", "tokens"])
@pytest.mark.parametrize("sinks", [True, False])
def test_any_encoder_decoder_is_drawn_with_heads_that_it_has(random, units, sinks):
    recordings = [
        generate("the man saw it", random, n_tokens=7).recording,
        record_text("it saw the man", random, target="the dog"),
        record_text("it", random, target="the man saw it"),
    ]
    for recording in recordings:
        view = {"units": units, "sinks": sinks, "pins": (HeadId(1, 4), HeadId(9, 9)), "layer": 5}
        for stack in (DECODER, CROSS):
            picture = picture_for(recording, random.row, stack, **view)
            assert picture.shown.pins == (HeadId(1, 4),)
            assert picture.shown.layer == 1
            overview_of(dataclasses.replace(picture.shown, lock=None, look="at"), "all", asks=False)
        made = crossing.alignment_of(picture)
        header, _ = unseal(seal(crossing.drawing(made)))
        assert all("set aside" not in as_text(line) for line in header["findings"]) or sinks
        for place in range(picture.shown.maps.n_queries):
            told = as_text(crossing.finding(made, place))
            assert ("hardly looks at" in told) == (not made.left[place])
            assert ("to input words" in told) == (sinks and bool(picture.shown.sinks) and bool(made.left[place]))


def test_a_share_that_rounds_to_nothing_is_told_in_words(reversed_list):
    made = crossing.alignment_of(picture_for(reversed_list, model_row("reverser"), CROSS))
    told = as_text(crossing.about(made))
    assert "0\u00a0% of this head" not in told
