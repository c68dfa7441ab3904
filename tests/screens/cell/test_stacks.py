"""One cell of a decoder beside an encoder, and of cross-attention: two texts, each word of one of them."""

import json

import numpy as np
import pytest

from mha.link.heads import CROSS, DECODER, ENCODER
from mha.link.view import View
from mha.models.files.catalog import model_row
from mha.models.watch.any_cell import cell
from mha.models.watch.generating import generate
from mha.screens.blocks import as_data
from mha.screens.cell import keys, page, score
from mha.screens.cell.recorded import RecordedCell
from mha.screens.heads.picture import picture_of
from mha.screens.heads.stacks import as_read_again, every_row, row_of, stack_picture

LIST = "river boat lamp garden bread"


@pytest.fixture(scope="module")
def written():
    return generate(LIST, "reverser", n_tokens=20).recording


def stacked(recording, stack):
    return stack_picture(picture_of(View(model="reverser"), recording, recording.maps.text), recording, stack)


@pytest.mark.parametrize("stack", [DECODER, CROSS])
def test_the_cell_of_a_drawn_row_is_that_of_its_word(written, stack):
    picture = stacked(written, stack)
    maps = every_row(picture)
    assert picture.source == LIST
    for drawn in range(len(LIST.split())):
        row = row_of(picture, drawn)
        assert maps.tokens[row] == picture.recording.maps.tokens[drawn]
        found = cell(LIST, (1, 2), row, 1, "reverser", target=written.target, stack=stack.lower())
        read = as_read_again(maps, found.tokens, row)
        np.testing.assert_allclose(found.weights, read[1, 2][row], atol=1e-5)
        np.testing.assert_allclose(found.weights, picture.recording.maps[1, 2][drawn][: read.n_keys], atol=1e-5)
    assert as_read_again(maps, found.tokens, maps.n_queries) is None
    assert as_read_again(maps, found.tokens[1:], 0) is None


def test_of_two_texts_every_word_stands_once_and_a_click_is_about_its_own(written):
    picture = stacked(written, CROSS)
    found = cell(LIST, (1, 2), 1, 2, "reverser", target=written.target, stack="cross")
    maps = as_read_again(every_row(picture), found.tokens, 1)
    case = RecordedCell(found, maps, model_row("reverser"))
    drawn = page.hero(case)
    names = [piece["text"] for piece in drawn.pieces if piece["at"] is not None]
    assert names[:5] == LIST.split()
    assert names[len(maps.key_tokens) :][:5] == LIST.split()[::-1]
    assert [piece["text"] for piece in drawn.pieces if piece["at"] == drawn.query] == [maps.tokens[1].text]
    ways = {f"{way} {at}": (query, key) for way, at, query, key in case.ways()}
    n_keys = len(maps.key_tokens)
    assert ways["from 3"] == ways["at 3"] == (1, 3)
    assert ways[f"from {n_keys + 4}"] == ways[f"at {n_keys + 4}"] == (4, 2)
    alone = RecordedCell(
        cell(LIST, (1, 2), 1, 2, "reverser"), stacked(written, ENCODER).recording.maps, model_row("reverser")
    )
    assert {f"{way} {at}": (query, key) for way, at, query, key in alone.ways()}["from 3"] == (3, 2)
    blocks = [drawn, page.finding(case), *page.parts(case), *score.score_steps(case), *keys.keys(case)]
    json.dumps([as_data(block) for block in [*blocks, keys.arrives(case)]], allow_nan=False)
