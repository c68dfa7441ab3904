"""From a number of Heads to its arithmetic: from a thumbnail, by the pointer or by what is named of its head."""

import numpy as np
import pytest

from mha import engine
from mha.link.sent import filled
from mha.link.view import View
from mha.maps import HeadId
from mha.screens.heads.one_cell import clicked_cell, has_steps, steps_link
from mha.screens.heads.overview import clicks_on_cells, overview_of
from mha.screens.heads.picture import picture_of

DOG = "A dog ate the food because it was hungry."
LONG = " ".join(f"dog{number} ate food" for number in range(20))  # more words than a thumbnail has cells


def picture(text, **view):
    recording = engine.record(engine.Request(text, "minilm"))
    return picture_of(View(text=text, **view), recording, text)


def opened(drawn, name, **message):
    """Return the cell that a browser's message opens."""
    (act,) = filled(clicks_on_cells(drawn.shown)[name], message)
    return clicked_cell(drawn, act.placed())


def test_the_cell_of_a_thumbnail_is_that_of_its_words():
    drawn = picture(DOG)
    words = [token.text for token in drawn.shown.maps.tokens]
    place = opened(drawn, "cell", head="L2H8", query=words.index("it"), key=words.index("hungry"))
    assert place == ((2, 8), 7, 9), "among tokens, [CLS] first"


def test_of_neighbours_that_share_a_cell_the_largest_weight_opens():
    drawn = picture(LONG, units="tokens", sinks=False)
    maps, head = drawn.shown.maps, HeadId(3, 1)
    step = -(-maps.n_keys // 48)
    assert step > 1
    _, query, key = opened(drawn, "cell", head=str(head), query=5, key=7)
    block = maps[head][5 * step : 6 * step, 7 * step : 8 * step]
    assert maps[head][query, key] == block.max()
    assert (query // step, key // step) == (5, 7)


@pytest.mark.parametrize("view", [{}, {"lock": 7}, {"lock": 6, "look": "from"}])
def test_without_a_pointer_the_cell_opens_that_is_named_of_the_head(view):
    drawn = picture(DOG, **view)
    header = overview_of(drawn.shown, "all").header
    for number, look in enumerate(header["looks"]):
        head = HeadId(*divmod(number, header["heads"]))
        of, query, key = opened(drawn, "one_cell", head=str(head))
        assert of == head
        if look is not None:
            assert [query - 1, key - 1] == look[:2], "words are tokens here, behind [CLS]"


def test_a_head_of_which_nothing_is_named_opens_all_the_same():
    drawn = picture("Dog")
    assert drawn.shown.maps.n_keys == 1
    assert opened(drawn, "one_cell", head="L0H0") == ((0, 0), 1, 1)


def test_only_what_can_be_opened_is_offered():
    shown = picture(DOG).shown
    assert overview_of(shown, "all", cells=True).header["cells"]
    header = overview_of(shown, "all").header
    assert not header["cells"]
    assert np.prod(header["steps"]) == 1


def test_link_has_the_sentence_the_model_and_the_lesson():
    drawn = picture(DOG, lesson="who-is-it", stop=3)
    (act,) = filled(clicks_on_cells(drawn.shown)["cell"], {"head": "L2H8", "query": 6, "key": 8})
    assert steps_link(drawn, act) == {
        "v": "1", "text": DOG, "model": "minilm", "layer": "2", "head": "8", "query": "7", "key": "9",
        "lesson": "who-is-it", "stop": "3",
    }  # fmt: skip


def test_two_texts_have_no_arithmetic():
    recording = engine.record(engine.Request(DOG, "minilm", "It ate."))
    assert not has_steps(picture_of(View(text=DOG), recording, DOG))
    assert has_steps(picture(DOG))
