"""What a page is made of beside sentences and pictures: its headings, places, columns, tables and pictures.

A page is a function from a link, and from an `mha.engine.question.Ask`, to blocks: those of `mha.screens.blocks`, and
these. What can be chosen and done has its blocks in `mha.screens.inputs`, what leaves the page in
`mha.screens.takings`. They name words of the link and acts, and hold no callable but functions of modules: what a
block says can be compared, kept and sent. Where blocks stand in a place, that may be a generator, so that what stands
first is drawn before what has to be asked for; `whole` makes a value of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from typing import Any, Literal

from mha.errors import MHAError
from mha.link.acts import Act
from mha.screens.blocks import Block, Drawing

Blocks = Iterable[Block]
VIEW = "View"  # the menu of the frame, by its title
Gap = Literal["small", "medium", "large"]
Align = Literal["top", "center", "bottom"]  # which of their lines stand on one height


class Notice(Block, kind="notice", asks=True):
    """One sentence on what could not be done, or was done otherwise; it may repeat the reader's words.

    ``of`` is the text that the page is about then, where that is not the one of its link.
    """

    text: str
    of: str = ""


class Place(Block, kind="place", asks=True):
    """Blocks that stand together under a name, by which style sheets know them.

    A place that comes once more takes what it holds then: what it waited for stands where it was left room.
    """

    name: str
    blocks: Blocks


class Together(Block, kind="together", asks=True):
    """Sentences and pictures that are one component; ``acts`` are what a click in one is, by what it sends back.

    ``on`` has the acts of what else can be done in them, by what the browser calls it: a field of an act that is a
    `mha.link.sent.Sent` is what the browser says. ``name`` as of a `Place`, where a style sheet knows it; ``room``
    names the style sheet of pictures that only one view has.
    """

    blocks: Sequence[Block]
    acts: Mapping[str, tuple[Act, ...]] = field(default_factory=dict)
    name: str = ""
    on: Mapping[str, tuple[Act, ...]] = field(default_factory=dict)
    room: str = ""
    small: bool = False  # for a projector, too


class Side(Block, kind="side", asks=True):
    """Columns of the page, which stand under each other on a phone; ``shares`` of the width, ``gap`` by its name."""

    columns: tuple[Blocks, ...]
    shares: tuple[float, ...]
    gap: Gap = "small"
    align: Align = "top"


class Row(Block, kind="row", asks=True):
    """Blocks beside each other, at the right end of the line or at its left; ``name`` as of a `Place`."""

    blocks: Blocks
    name: str | None = None
    left: bool = False
    gap: Gap = "small"
    align: Align = "top"


class ProgressBar(Block, kind="bar"):
    """How far something is, as a share of 1, and in words."""

    done: float
    text: str


class Plain(Block, kind="plain"):
    """A line of our own, as it stands; a "faint" one stands back, one that is "quoted" is to be copied."""

    text: str
    style: Literal["", "faint", "quoted"] = ""


class Following(Block, kind="following", asks=True):
    """What is drawn again and again by itself while a long question is under way: how far it is, what is known by now.

    ``running`` says that it was under way as the page was made; ``name`` tells it from another one of the page.
    """

    name: str
    question: Hashable
    running: bool
    blocks: Blocks
    pace: float = 1.0


class More(Block, kind="more", asks=True):
    """What is looked at rarely, behind a line that opens it; ``late`` where it is made once it is open.

    What is quickly made, and costs a rerun more than that, is drawn ``while_open`` alone: files have it all the same.
    ``name`` is what a visit keeps under: whether it is open.
    """

    title: str
    blocks: Blocks
    open: bool = False
    name: str = ""
    late: bool = False
    while_open: bool = False


class TakenAway(Block, kind="taken_away", asks=True):
    """What leaves the page by Download: made when somebody takes it, and drawn nowhere.

    A page that was read has its blocks in its place.
    """

    blocks: Blocks


class Tabs(Block, kind="tabs", asks=True):
    """Tabs by the options of a word of the link, of which one is open, and ``blocks`` stand in it.

    ``label`` is what a reader sees in the place of that option, where it is not the same.
    """

    word: str
    open: str
    blocks: Blocks
    label: str = ""


class ComponentPicture(Block, kind="picture", arrays=True):
    """A picture that is a component of its own, by its ``face``; ``on`` and ``name`` as of a `Together`.

    What follows the ``first`` picture of a page is drawn once it stands on the screen.
    """

    face: str
    drawn: Drawing | Mapping[str, Any]
    name: str
    on: Mapping[str, tuple[Act, ...]] = field(default_factory=dict)
    first: bool = False


class Menu(Block, kind="menu", asks=True):
    """Controls behind a button as wide as its place, or ``narrow``; or in the frame's own `VIEW`."""

    title: str
    blocks: Blocks
    narrow: bool = False


class Wait(Block, kind="wait", asks=True):
    """Where the page waits, for what it asks from here on; ``text`` says so meanwhile."""

    text: str


class Formula(Block, kind="formula"):
    """Lines of LaTeX, one below the other, at the left."""

    lines: tuple[str, ...]


class PageTable(Block, kind="table", arrays=True):
    """Columns by name, sorted by a click; ``title`` and ``file`` name it in Download, ``formats`` are as ``%.2f``."""

    columns: Mapping[str, Any]
    alt: str
    file: str
    title: str
    formats: Mapping[str, str] = field(default_factory=dict)


def together(*blocks: Block) -> Together:
    """Return blocks as one component."""
    return Together(blocks)


HOLDS = (Place, Row, More, TakenAway, Tabs, Menu, Following)


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
