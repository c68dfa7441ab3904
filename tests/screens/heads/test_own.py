"""Maps from a file: drawn like a model's, refused with a sentence where the page cannot draw them."""

import dataclasses
import io

import numpy as np
import pytest

import mha
from mha.errors import MHAError
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId, Token
from mha.saved import save_maps
from mha.screens.blocks import as_text
from mha.screens.heads import own
from mha.screens.heads.overview import overview_of
from mha.screens.heads.picture import foot, measured


def written(maps):
    buffer = io.BytesIO()
    save_maps(maps, buffer)
    return buffer.getvalue()


def some(count=5, layers=2, heads=3):
    weights = np.random.default_rng(0).dirichlet(np.ones(count), size=(layers, heads, count)).astype(np.float32)
    return mha.from_arrays(weights, [f"w{n}" for n in range(count)])


@pytest.mark.parametrize("maps", [some(), mha.attend("Red apples"), mha.attend("All is well", "toy"), some(1, 1, 1)])
def test_a_file_comes_back_as_it_was_and_is_drawn(maps):
    found = own.own_maps(written(maps))
    assert np.array_equal(found.weights, maps.weights)
    picture = own.own_picture(View(), found, "{mine}*.npz")
    assert overview_of(picture.shown, picture.scale).header["layers"] == maps.n_layers
    said = as_text((*measured(picture), *foot(picture)))
    assert "from the file {mine}*.npz" in said
    assert maps.origin in said


def test_what_a_link_says_of_heads_that_are_not_there_is_left():
    view = View(pins=(HeadId(5, 3), HeadId(1, 2)), lock=40)
    picture = own.own_picture(view, some(), "mine.npz")
    assert picture.shown.pins == (HeadId(1, 2),)
    assert picture.view.lock is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a file of saved maps"),
        (b"PK\x03\x04 not a zip", "not a file of saved maps"),
        (written(some(513, 1, 1)), "up to 512 tokens"),
        (written(some(2, 25, 50)), "1,250 heads; the limit is 1,024"),
        (written(mha.from_arrays(np.ones((1, 1, 1, 1)), ["x" * 10_001])), "have 20,002 letters; the limit is 20,000"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_sentence(content, said):
    with pytest.raises(MHAError, match=said):
        own.own_maps(content)


def test_maps_from_one_text_to_another_are_refused():
    weights = np.full((1, 1, 2, 3), 1 / 3, np.float32)
    queries, keys = (tuple(Token(f"w{n}", word=n) for n in range(count)) for count in (2, 3))
    with pytest.raises(MHAError, match="connect two texts"):
        own.own_maps(written(AttentionMaps(weights, queries, keys)))
    with pytest.raises(MHAError, match="connect two texts"):
        own.own_maps(written(dataclasses.replace(some(), kind="cross")))


def test_a_file_that_says_how_large_it_is_is_not_read_beyond_the_room(monkeypatch):
    monkeypatch.setattr(own, "MOST_BYTES", 100)
    with pytest.raises(MHAError):
        own.own_maps(written(some()))


def test_a_long_text_and_a_long_name_are_cut_where_they_are_said():
    maps = mha.from_arrays(np.ones((1, 1, 1, 1)), ["x"], text="x" * 5000, model="m" * 5000)
    assert len(own.drawn_instead("mine.npz", maps)) < 450
    assert len(own.own_picture(View(), maps, "mine.npz").row.short) == 60


def test_what_cannot_be_shown_is_a_mark_of_the_same_length():
    names = ["I", "\u202eevil", "\x1b[31m", "well\n", "a\u200db"]
    maps = mha.from_arrays(np.full((1, 1, 5, 5), 0.2), names, model="mi\u2067ne")
    found = own.own_maps(written(maps))
    assert found.text == "I �evil �[31m well\n a\u200db"
    assert [token.text for token in found.tokens] == ["I", "�evil", "�[31m", "well↵", "a\u200db"]
    assert [(token.start, token.end) for token in found.tokens] == [(token.start, token.end) for token in maps.tokens]
    picture = own.own_picture(View(), found, "my\u202e.npz")
    assert (picture.row.short, picture.row.title) == ("mi�ne", "my�.npz")
    assert "my�.npz" in own.drawn_instead("my\u202e.npz", found)
