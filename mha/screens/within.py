"""What stands within a block: blocks of blocks, walked through in the order in which they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain

from mha.errors import MHAError
from mha.screens.blocks import Block
from mha.screens.places import Blocks, Following, InView, Menu, More, Notice, Place, Row, Side, Tabs, Together

HOLDS = (Place, Row, More, Tabs, Menu, InView, Following)


def inside(block: Block) -> Blocks:
    """Return the blocks within one, of columns one after the other; none where it holds none."""
    if isinstance(block, Side):
        return chain.from_iterable(block.columns)
    return block.blocks if isinstance(block, (*HOLDS, Together)) else ()


def remade(block: Block, make: Callable[[Blocks], Iterable[Block]]) -> Block:
    """Return a block with what it holds as ``make`` makes it."""
    if isinstance(block, Side):
        return replace(block, columns=tuple(tuple(make(column)) for column in block.columns))
    return replace(block, blocks=tuple(make(block.blocks))) if isinstance(block, HOLDS) else block


def every(blocks: Blocks) -> Iterator[Block]:
    """Yield each block in the order in which it is read, those in places and columns in the place of them."""
    for block in blocks:
        if isinstance(block, (*HOLDS, Side, Together)):
            yield from every(inside(block))
        else:
            yield block


def whole(blocks: Blocks) -> tuple[Block, ...]:
    """Return blocks as a value: what stands in places is made now."""
    return tuple(remade(block, whole) for block in blocks)


def part(blocks: Blocks, name: str) -> Blocks:
    """Return what stands in the `Following` of a name; nothing is made behind it, or where nobody has opened it."""
    for block in blocks:
        if isinstance(block, Following) and block.name == name:
            return block.blocks
        if isinstance(block, Side | Place | Row | Tabs) or (isinstance(block, More) and not block.late):
            found = tuple(part(inside(block), name))
            if found:
                return found
    return ()


def each(*parts: Callable[[], Iterable[Block]]) -> Iterator[Block]:
    """Yield the blocks of each part; of one that cannot be made, the sentence that says why, and then the others."""
    for part in parts:
        try:
            yield from part()
        except MHAError as error:
            yield Notice(str(error))
