"""A link as a value, and what acts make of it."""

from dataclasses import is_dataclass

import pytest

from mha.examples import DEFAULT_TEXT
from mha.link import acts
from mha.link.acts import Act, Keep, Pin, Say
from mha.link.link import Link
from mha.maps import HeadId
from mha.navigation import PAGES
from mha.ui.bound import models

ADDRESSES = (
    "?v=1",
    "readings?v=1&text=Dogs+bark&pins=L1H2&pins=L5H3",
    "about?v=1&units=tokens",
)


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_read_and_written_as_it_was(address):
    link, complaints = Link.read(address, models())
    assert (str(link), complaints) == (address, ())
    assert Link.read(str(link), models())[0] == link
    assert len({link, Link.read(address, models())[0]}) == 1


@pytest.mark.parametrize("page", [*PAGES])
def test_what_a_link_does_not_say_is_the_default_on_every_page(page):
    link, complaints = Link.read(page, models())
    assert (link.view.text, str(link), complaints) == (DEFAULT_TEXT, f"{page}?v=1", ())


def test_what_cannot_be_is_said_and_left_out():
    link, complaints = Link.read("readings?tab=banana&pins=L99H99", models())
    assert str(link) == "readings?v=1"
    assert [one.partition(" (")[0] for one in complaints] == [
        "Problem in this link: pins",
        "Problem in this link: tab",
    ]


def test_another_choice_is_another_link_and_an_unknown_word_is_none():
    link = Link()
    assert link.with_(pins=(HeadId(5, 3),)).view.pins == (HeadId(5, 3),)
    assert link.view.pins is None
    with pytest.raises(KeyError, match="tab"):
        link.with_(tab="Does it matter?")


def test_every_act_is_a_value_that_makes_a_link_of_a_link():
    kinds = [one for one in vars(acts).values() if isinstance(one, type) and issubclass(one, Act)]
    assert len(kinds) > 5
    assert all(is_dataclass(one) and one.__dataclass_params__.frozen for one in kinds)
    assert len({Say("text", "a"), Say("text", "a"), Keep("a", ""), Pin(HeadId(0, 1), ()), Pin(HeadId(0, 1), ())}) == 3


def test_what_a_visit_keeps_is_in_no_link():
    link = Link.read("readings", models())[0]
    for act in (Keep("shown scaling", ""), Keep("shown scaling")):
        assert act.after(link) == link


def heads(*numbers):
    return tuple(HeadId(0, number) for number in numbers)


def test_of_five_heads_the_oldest_makes_room_and_that_is_said():
    full = Pin(HeadId(0, 5), heads(1, 2, 3, 4))
    assert full.after(Link()).view.pins == heads(2, 3, 4, 5)
    assert full.said(Link()) == "4 heads can be pinned; L0H1 was released."
    assert Pin(HeadId(0, 4), heads(1, 2, 3, 4)).said(Link()) == Pin(HeadId(0, 4), heads(1)).said(Link()) == ""


def test_pins_of_other_attention_stay_as_far_as_there_is_room():
    link = Link().with_(pins=(HeadId(9, 9), *heads(1)))
    assert Pin(HeadId(0, 2), heads(1)).after(link).view.pins == (*heads(1, 2), HeadId(9, 9))
    assert Pin(HeadId(0, 4), heads(1, 2, 3)).after(link).view.pins == heads(1, 2, 3, 4)
    assert Pin(HeadId(9, 9), (HeadId(9, 9),)).after(Link().with_(pins=(HeadId(9, 9),))).view.pins == ()


def test_pages_of_no_sentence_are_those_whose_numbers_are_of_none_and_that_open_with_none():
    assert {path for path, row in PAGES.items() if row.of_no_sentence} == {"training", "questions", "lesson", "atlas"}
