"""What the tabs are put together from: the shapes of pictures, headings with boxes beside them, and parts.

Arrays are [layer, head] unless said otherwise. A name that travels as "from" is ``from_`` here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType

from mha.examples import OPENS_TWO_READINGS
from mha.link.acts import Act, Say
from mha.screens.blocks import Block, Span
from mha.screens.places import More, Place, PlainTable, Side, Title, Together

Spans = tuple[Span, ...]
Range = tuple[float, float]


class LabelledPicture(Block, arrays=True):
    """A picture; ``label`` is its text alternative."""

    label: str = field(kw_only=True)


class PlacedPicture(LabelledPicture):
    """A picture of the sentence: where the pivot and the partners of both readings stand on its axis."""

    pivot: int = field(kw_only=True)
    a: tuple[int, ...] = field(kw_only=True)
    b: tuple[int, ...] = field(kw_only=True)


TAKE_DOG = Say("text", OPENS_TWO_READINGS), Say("lock", None), Say("look", "at")
Acts = Mapping[str, tuple[Act, ...]]
NO_ACTS: Acts = MappingProxyType({})


def in_parts(blocks: Sequence[Block], acts: Acts, on: Acts = NO_ACTS) -> Iterator[Block]:
    """Yield sentences and pictures as components, and between them disclosures with theirs, and tables."""
    run: list[Block] = []
    for block in (*blocks, None):
        if block is not None and not isinstance(block, More | PlainTable):
            run.append(block)
            continue
        if run:
            yield Together(tuple(run), acts, on=on)
            run = []
        if isinstance(block, More):
            yield replace(block, blocks=tuple(in_parts(tuple(block.blocks), acts, on)))
        elif block is not None:
            yield block


def section(title: str, large: bool, *boxes: Block, shares: tuple[float, ...] = ()) -> Place:
    """Return a section's heading; with ``shares`` of a row, its own the first, boxes stand beside it."""
    name = f"section_readings_{title.split()[-1]}{'_large' if large else ''}"
    heading = Title(title)
    if not boxes:
        return Place(name, (heading,))
    return Place(name, (Side(((heading,), *((box,) for box in boxes)), shares, align="bottom"),))
