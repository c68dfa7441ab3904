"""Pictures of looks on Two readings that are of what the looks bring: every sentence under them is about that."""

from dataclasses import replace

import numpy as np

import mha
from mha.analysis.readings import leans
from mha.formats import counted, percent
from mha.maps import HeadId
from mha.screens.blocks import as_text
from mha.screens.readings.look import drawn_said, given, top_blocks, two_heads_blocks
from tests.screens.readings.cases import LATE, case, said

HEADS = (HeadId(2, 8), HeadId(5, 6))


def pictures(this, maps):
    (columns,) = two_heads_blocks(this.ambiguity, maps, leans(this.maps, this.ambiguity.readings), HEADS)
    return columns


def test_pictures_of_looks_can_be_of_what_they_bring():
    this = case()
    maps = mha.brought(this.ambiguity.text).as_maps()
    told = said(top_blocks(this.ambiguity, maps))
    shares = given(this.ambiguity, maps)
    row = maps.merged().weights[:, :, 7]  # it, behind [CLS]
    assert np.allclose(shares["a"], row[..., 2]), "of dog"
    assert np.allclose(row.sum(axis=-1), 1, atol=1e-6)
    halves = [int((one > 0.5).sum()) for one in (shares["a"], shares["b"])]
    assert told.startswith(f"In {counted(max(halves))} head" if any(halves) else "In no head does ")
    strongest = HeadId(*divmod(int(shares["a"].argmax()), 12))
    assert "This shows how much arrives, not what the model understands." in told
    assert "attention" not in told
    assert "whatever the sentence" not in said(top_blocks(case(LATE).ambiguity, mha.brought(LATE).as_maps()))
    (looks,) = (one for one in top_blocks(this.ambiguity, maps) if one.kind == "looks")
    assert looks.label.startswith("to it: ")
    assert f"in {strongest} dog supplies {percent(float(shares['a'].max()))}" in looks.label
    assert "usual" not in looks.looks[0], "it is measured of attention"
    assert "‖weight · value · W_O‖" in as_text(drawn_said(this.ambiguity, maps))


def test_two_heads_of_what_they_bring_keep_their_lean_of_attention():
    this = case()
    maps = mha.brought(this.ambiguity.text).as_maps()
    columns = pictures(this, maps)
    told = said([columns])
    share = percent(float(given(this.ambiguity, maps)["b"][2, 8])).replace("\u00a0", " ")
    assert "In this head dog supplies " in told
    assert f"of what it receives, and food {share}. it shares " in told
    picture = columns.columns[0][0]
    assert np.allclose(picture.weights.sum(axis=-1), 1, atol=1e-6)
    assert not np.allclose(picture.weights, pictures(this, this.maps).columns[0][0].weights, atol=0.01)


def test_where_little_arrives_that_is_said():
    this = case()
    empty = np.zeros_like(this.maps.weights)
    empty[..., 0] = 1
    nothing = replace(this.maps, weights=empty, measure="brought")
    assert said(top_blocks(this.ambiguity, nothing)).startswith(
        "In no head does dog or food supply a fifth of what it receives."
    )
