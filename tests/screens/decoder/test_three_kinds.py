"""The three attentions of an encoder–decoder side by side: each text keeps its side, and lengths may differ."""

import json

import numpy as np
import pytest

from mha.link.view import View
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.models.watch.attending import record_text
from mha.models.watch.generating import generate
from mha.screens.blocks import as_data
from mha.screens.heads import stacks
from mha.screens.heads.picture import picture_of
from tests.said import texts

LIST = "river boat lamp garden"


def drawn(recording, **view):
    """Return the blocks, and the maps among them."""
    import dataclasses

    picture = picture_of(View(model="reverser", **view), recording, recording.maps.text)
    blocks = stacks.kinds_blocks(dataclasses.replace(picture, row=model_row("reverser")), recording)
    json.dumps(as_data(blocks), allow_nan=False)
    return blocks, [block for column in blocks[-1].columns for block in column if block.kind == "kind_map"]


def test_each_text_keeps_its_side():
    recording = generate(LIST, "reverser", n_tokens=20).recording
    blocks, (encoder, decoder, cross) = drawn(recording)
    source, target = tuple(LIST.split()), tuple(LIST.split()[::-1])
    assert (encoder.rows, encoder.columns) == (source, source)
    assert decoder.rows == decoder.columns == target
    assert (cross.rows, cross.columns) == (target, source)
    assert [one.causal for one in (encoder, decoder, cross)] == [False, True, False]
    assert np.allclose(np.triu(decoder.weights, 1), 0)
    for one in (encoder, decoder, cross):
        np.testing.assert_allclose(one.weights.sum(axis=-1)[one.left], 1, atol=1e-5)
    said = texts(blocks)
    assert "Input looks at input." in said
    assert "Output looks at earlier output." in said
    assert "Hatched: later words" in said
    assert said.count("Strongest: ") == 3


@pytest.mark.parametrize("target", ["bread", "bread lamp river boat kite moon"])
def test_a_typed_target_may_have_another_length(target):
    _, (encoder, decoder, cross) = drawn(record_text(LIST, "reverser", target=target), pins=(HeadId(0, 2),))
    assert cross.weights.shape == (len(target.split()), 4)
    assert decoder.weights.shape[0] == len(decoder.rows)
    assert encoder.label.startswith("Encoder, L0H2: input looks at input; each row")
    assert cross.label.startswith("Cross, L0H2: ")


def test_words_can_be_tokens_and_sinks_be_kept():
    blocks, (encoder, _, _) = drawn(record_text(LIST, "reverser", target="bread"), units="tokens", sinks=False)
    assert encoder.columns[-1] == "[END]"
    assert "excluded" not in texts(blocks)


def test_long_texts_are_told_and_not_drawn(monkeypatch):
    monkeypatch.setattr(stacks, "LONGEST", 3)
    blocks, maps = drawn(record_text(LIST, "reverser", target="bread"))
    assert len(maps) == 1
    assert "need 3 words or fewer on each side; here there are 4 and 4." in texts(blocks)
