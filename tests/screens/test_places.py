"""A page as a value: it holds nothing that can be called but functions of modules, is the same twice, and says the
parts that can be made."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass

import pytest

from mha.engine.question import Kept, here
from mha.errors import InputError
from mha.link.link import Link
from mha.screens.blocks import Heading, as_data, as_text, caption, heading
from mha.screens.pages import PAGES, blocks_of
from mha.screens.places import (
    Following,
    More,
    Notice,
    Place,
    Row,
    Side,
    Tabs,
    each,
    every,
    part,
    whole,
)
from mha.ui.bound import models


def asked(question):
    """Answer as this process does, for a visitor who has asked for every answer."""
    return "" if isinstance(question, Kept) and question.name.startswith("shown") else here(question)


LINKS = [
    "readings",
]


def values(block) -> Iterator[object]:
    """Yield everything in a block, however deep."""
    yield block
    if is_dataclass(block):
        for own in fields(block):
            yield from values(getattr(block, own.name))
    elif isinstance(block, Mapping):
        for own in block.values():
            yield from values(own)
    elif isinstance(block, Sequence) and not isinstance(block, str):
        for own in block:
            yield from values(own)


def is_a_value(one) -> bool:
    """Return whether it can be compared and sent: a function only where its module has it under its name."""
    if isinstance(one, Iterator):
        return False
    if not callable(one) or is_dataclass(one):  # the numbers of a toy's layer are called, too
        return True
    return getattr(sys.modules[one.__module__], one.__qualname__, None) is one


@pytest.mark.parametrize("address", LINKS)
def test_a_page_is_a_value(address):
    link = Link.read(address, models())[0]
    blocks = whole(blocks_of(link, asked))
    assert link.page in PAGES
    assert len(list(every(blocks))) > 5
    assert all(map(is_a_value, values(blocks)))
    again = whole(blocks_of(link, asked))
    assert [as_data(one) for one in every(blocks) if hasattr(one, "spans")] == [
        as_data(one) for one in every(again) if hasattr(one, "spans")
    ]


def test_a_part_that_cannot_be_made_says_why_and_the_others_are_said():
    def broken():
        yield heading("Whole")
        raise InputError("corpus.txt is missing or damaged.")

    made = list(each(broken, lambda: [heading("Behind it")]))
    assert made == [heading("Whole"), Notice("corpus.txt is missing or damaged."), heading("Behind it")]


def test_blocks_are_read_in_their_order_wherever_they_stand():
    blocks = (heading("a"), Side(((heading("b"),), iter([Place("c", [heading("c")])])), (1, 2)), caption("d"))
    found = whole(blocks)
    assert [as_text(one.spans) for one in every(found) if isinstance(one, Heading)] == ["a", "b", "c"]
    assert found == whole(found)


def test_a_part_that_is_drawn_again_is_found_wherever_it_stands_and_nothing_behind_it_is_made():
    def page():
        yield heading("Above")
        yield Side(((), (Row((heading("beside"),)),)), (1, 1))
        yield More("rarely", unopened(), late=True)
        yield Tabs("tab", "first", (Place("place", (Following("sweep", None, True, (heading("now"),)),)),))
        raise AssertionError("what stands behind it is not made")

    def unopened():
        raise AssertionError("nobody has opened it")
        yield

    assert part(page(), "sweep") == (heading("now"),)
    assert part((heading("Above"),), "sweep") == ()
