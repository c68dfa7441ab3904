"""A page as a value, in the order in which it is read: what comes to a place later stands where it was left room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from mha.engine.question import Ask, Kept, here
from mha.errors import MHAError
from mha.link.link import Link
from mha.navigation import page_row
from mha.screens import places
from mha.screens.blocks import Block
from mha.screens.places import remade


@dataclass(frozen=True, eq=False)
class ReadPage:
    """A page as a value: its link, its blocks in reading order, and its address (by default its link)."""

    link: Link
    blocks: tuple[Block, ...]
    address: str = ""

    @property
    def title(self) -> str:
        """Title of the page."""
        return page_row(self.link.page).title


def settled(blocks: places.Blocks, ask: Ask = here) -> tuple[Block, ...]:
    """Return the blocks of a page, all of them made; an error for the reader is a sentence at its end.

    What is made once it is open is left out unless the visit that ``ask`` knows has opened it.
    """
    late: dict[str, tuple[Block, ...]] = {}
    return tuple(_in_place(_made(blocks, late, ask), late, set()))


def _made(blocks: places.Blocks, late: dict[str, tuple[Block, ...]], ask: Ask) -> list[Block]:
    """Return blocks with all that they hold, and note what each place holds at last."""
    found: list[Block] = []
    try:
        for block in blocks:
            if isinstance(block, places.More) and block.late and not ask(Kept(block.name)):
                block = replace(block, blocks=())
            else:
                block = remade(block, partial(_made, late=late, ask=ask))
            if isinstance(block, places.Place):
                late[block.name] = (*late.get(block.name, ()), *block.blocks)
            found.extend(block.blocks if isinstance(block, places.TakenAway) else (block,))
    except MHAError as error:
        found.append(places.Notice(str(error)))
    return found


def _in_place(blocks: Iterable[Block], late: dict[str, tuple[Block, ...]], drawn: set[str]) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, places.Place):
            if block.name in drawn:
                continue
            drawn.add(block.name)
            yield replace(block, blocks=tuple(_in_place(late[block.name], late, drawn)))
        else:
            yield remade(block, lambda held: _in_place(held, late, drawn))
