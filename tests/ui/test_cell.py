"""The ways in to one cell: from a thumbnail, by the pointer or by what is named of its head."""

import numpy as np
import pytest

from mha import engine
from mha.link.view import View
from mha.maps import HeadId
from mha.screens.heads.overview import overview_of
from mha.screens.heads.picture import picture_of
from mha.ui.heads import cell

DOG = "A dog ate the food because it was hungry."
LONG = " ".join(f"dog{number} ate food" for number in range(20))  # more words than a thumbnail has cells


@pytest.fixture
def opened(monkeypatch):
    """Places that were opened."""
    places = []
    monkeypatch.setattr(cell, "_open", places.append)
    return places


def picture(text, **view):
    recording = engine.record(engine.Request(text, "minilm"))
    return picture_of(View(text=text, **view), recording, text)


def test_the_cell_of_a_thumbnail_is_that_of_its_words(opened):
    drawn = picture(DOG)
    words = [token.text for token in drawn.shown.maps.tokens]
    cell.events(drawn)["on_cell"](HeadId(2, 8), words.index("it"), words.index("hungry"))
    assert [str(place) for place in opened] == ["L2H8 7 9"], "among tokens, [CLS] first"


def test_of_neighbours_that_share_a_cell_the_largest_weight_opens(opened):
    drawn = picture(LONG, units="tokens", sinks=False)
    maps, head = drawn.shown.maps, HeadId(3, 1)
    step = -(-maps.n_keys // 48)
    assert step > 1
    cell.events(drawn)["on_cell"](head, 5 * step, 7 * step)
    block = maps[head][5 * step : 6 * step, 7 * step : 8 * step]
    ((_, query, key),) = opened
    assert maps[head][query, key] == block.max()
    assert (query // step, key // step) == (5, 7)


@pytest.mark.parametrize("view", [{}, {"lock": 7}, {"lock": 6, "look": "from"}])
def test_without_a_pointer_the_cell_opens_that_is_named_of_the_head(opened, view):
    drawn = picture(DOG, **view)
    header = overview_of(drawn.shown, "all").header
    for number, look in enumerate(header["looks"]):
        head = HeadId(*divmod(number, header["heads"]))
        cell.events(drawn)["on_one_cell"](head)
        place = opened[-1]
        assert place.head == head
        if look is not None:
            assert [place.query - 1, place.key - 1] == look[:2], "words are tokens here, behind [CLS]"


def test_a_head_of_which_nothing_is_named_opens_all_the_same(opened):
    drawn = picture("Dog")
    assert drawn.shown.maps.n_keys == 1
    cell.events(drawn)["on_one_cell"](HeadId(0, 0))
    assert [str(place) for place in opened] == ["L0H0 1 1"]


def test_only_what_can_be_opened_is_offered():
    shown = picture(DOG).shown
    assert overview_of(shown, "all", cells=True).header["cells"]
    header = overview_of(shown, "all").header
    assert not header["cells"]
    assert np.prod(header["steps"]) == 1
