"""What a click on a head, a word or a cell does to the link, and what a browser may say of it."""

import pytest

from mha.link.acts import AskAbout, Lock, OpenCell, Pin, Say
from mha.link.heads import HeadsWords
from mha.link.link import Link
from mha.link.sent import SentName, SentNumber, SentText, filled
from mha.link.view import MAX_PINS, View
from mha.maps import HeadId, heads_of

FIVE = heads_of(1, 5)
PLACES = (1, 2, 5)


def test_a_click_pins_a_second_one_releases_and_the_last_leaves_none():
    def pins(shown, head):
        return Pin(head, tuple(shown)).after(Link()).view.pins

    assert pins((), FIVE[3]) == (FIVE[3],)
    assert pins(FIVE[:2], FIVE[3]) == (FIVE[0], FIVE[1], FIVE[3])
    assert pins(FIVE[:2], FIVE[0]) == (FIVE[1],)
    assert pins(FIVE[:1], FIVE[0]) == ()
    assert "pins=none" in str(Pin(FIVE[0], FIVE[:1]).after(Link()))
    assert pins(FIVE[:MAX_PINS], FIVE[4]) == FIVE[1:], "the oldest makes room"


def test_a_lock_is_written_as_the_place_on_the_full_axis():
    link = Lock(2, "from", PLACES).after(Link())
    assert (link.view.lock, link.view.look) == (5, "from")
    link = Lock(None, "from", PLACES).after(link)
    assert (link.view.lock, link.view.look) == (-1, "at")
    assert Lock(2, "from").after(Link()).view.lock == 2, "a row of another text has its own place"


def test_asking_a_word_locks_it_and_the_same_word_again_closes_the_answers():
    link = AskAbout(2, PLACES, None, asked=False).after(Link())
    assert (link.view.lock, link.view.look) == (5, "ask")
    for again in (2, None):
        link = AskAbout(again, PLACES, 2, asked=True).after(Link())
        assert (link.view.lock, link.view.look) == (5, "from")
    link = AskAbout(0, PLACES, 2, asked=True).after(Link())
    assert (link.view.lock, link.view.look) == (1, "ask")


def test_the_app_chooses_again():
    link = Link().with_(pins=FIVE[:2], lock=3, look="from")
    assert done(link, *CHOOSE_FOR_ME) == Link()


def test_the_head_that_is_followed():
    link = Link("", View(), HeadsWords())
    alone = Say("pins", (SentName("head", FIVE),))
    assert done(link, *filled((alone,), {"head": "L0H1"})).view.pins == (FIVE[1],)
    assert filled((alone,), {"head": "L0H5"}) == ()


HEAD, NUMBER = SentName("head", FIVE[:2]), SentNumber("key", 3, step=4)
CELL = (OpenCell(HEAD, SentNumber("query", 2), NUMBER),)


def test_what_a_browser_says_fills_the_open_fields():
    (act,) = filled(CELL, {"head": "L0H1", "query": 1, "key": 2, "more": "than is asked"})
    assert act == OpenCell(HeadId(0, 1), 1, 8)
    assert filled((Say("lock", SentNumber("head", 3)),), {"head": 0}) == (Say("lock", 0),)
    assert filled((Lock(SentNumber("position", 3, none=True), "at"),), {"position": None}) == (Lock(None, "at"),)
    assert filled((Say("a", SentText("text", 3)),), {"text": "abcdef"}) == (Say("a", "abc"),)


@pytest.mark.parametrize(
    "message",
    [
        None, [], "L0H1", {}, {"head": "L0H1"},
        {"head": "L0H9", "query": 1, "key": 1}, {"head": 1, "query": 1, "key": 1},
        {"head": "L0H1", "query": True, "key": 1}, {"head": "L0H1", "query": -1, "key": 1},
        {"head": "L0H1", "query": 2, "key": 1}, {"head": "L0H1", "query": 0.0, "key": 1},
        {"head": "L0H1", "query": None, "key": 1},
    ],
)  # fmt: skip
def test_what_does_not_fit_is_dropped(message):
    assert filled(CELL, message) == ()


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (SentName("name", ("a",)), {"name": "b"}),
        (SentName("name", ("a",)), {"name": ["a"]}),
        (SentText("text", 3), {"text": 3}),
        (SentNumber("key", 3), {"key": None}),
    ],
)
def test_what_is_too_much_or_of_another_kind_is_dropped(sent, message):
    assert filled((Say("word", sent),), message) == ()


def test_a_cell_is_placed_on_the_axes_that_its_map_was_taken_from():
    assert OpenCell(FIVE[0], 1, 0, 48, rows=(4, 6), columns=(3,)).placed() == OpenCell(FIVE[0], 6, 3, 48)
    assert OpenCell(FIVE[0], named=True).placed() == OpenCell(FIVE[0], named=True)
