"""What a page is made of beside sentences and pictures: its headings, places, columns, controls, and the ways on.

A page is a function from a link, and from `mha.engine.asking.Ask`, to blocks: those of `mha.screens.blocks`, and these.
They name words of the link and acts, and hold no callable: what a block says can be compared, kept and sent. Where
blocks stand in a place, that may be a generator, so that what stands first is drawn before what has to be asked for;
`whole` makes a value of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, ClassVar, Literal, Protocol

from mha.brief import brief
from mha.errors import MHAError
from mha.export.provenance import MapsSource
from mha.export.tables import Table
from mha.link.acts import Act
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId
from mha.screens.blocks import Block
from mha.screens.drawing import Drawing

Blocks = Iterable[Block]
Gap = Literal["small", "medium", "large"]
Align = Literal["top", "center", "bottom"]  # which of their lines stand on one height


class Tabled(Protocol):
    """A value that has a table to be taken away, which is made when it is asked for."""

    def table(self) -> Table:
        """Return the table."""


class Written(Protocol):
    """A value that can be written as a text."""

    def text(self) -> bytes:
        """Return it as it is written."""


@dataclass(frozen=True)
class Title:
    """A heading of the page itself, of level 1 to 3."""

    kind: ClassVar[str] = "title"
    text: str
    level: int = 2


@dataclass(frozen=True)
class Notice:
    """One sentence on what could not be done, or was done otherwise; it may repeat the reader's words."""

    kind: ClassVar[str] = "notice"
    text: str


@dataclass(frozen=True)
class Place:
    """Blocks that stand together under a name, by which style sheets know them.

    A place that comes once more takes what it holds then: what it waited for stands where it was left room.
    """

    kind: ClassVar[str] = "place"
    name: str
    blocks: Blocks
    narrow: bool = False  # as wide as what stands in it


@dataclass(frozen=True)
class Together:
    """Sentences and pictures that are one component; ``acts`` are what a click in one is, by what it sends back.

    ``on`` has the acts of what else can be done in them, by what the browser calls it: a field of an act that is a
    `mha.link.sent.Sent` is what the browser says. ``name`` as of a `Place`, where a style sheet knows it; ``room``
    names the style sheet of pictures that only one view has.
    """

    kind: ClassVar[str] = "together"
    blocks: Sequence[Block]
    acts: Mapping[str, tuple[Act, ...]] = field(default_factory=dict)
    name: str = ""
    on: Mapping[str, tuple[Act, ...]] = field(default_factory=dict)
    room: str = ""
    small: bool = False  # for a projector, too


@dataclass(frozen=True)
class Side:
    """Columns of the page, which stand under each other on a phone; ``shares`` of the width, ``gap`` by its name."""

    kind: ClassVar[str] = "side"
    columns: tuple[Blocks, ...]
    shares: tuple[float, ...]
    gap: Gap = "small"
    align: Align = "top"


@dataclass(frozen=True)
class Row:
    """Blocks beside each other, at the right end of the line or at its left; ``name`` as of a `Place`."""

    kind: ClassVar[str] = "row"
    blocks: Blocks
    name: str | None = None
    left: bool = False
    gap: Gap = "small"
    align: Align = "top"


@dataclass(frozen=True)
class ProgressBar:
    """How far something is, as a share of 1, and in words."""

    kind: ClassVar[str] = "bar"
    done: float
    text: str


@dataclass(frozen=True)
class Plain:
    """A line of our own, as it stands."""

    kind: ClassVar[str] = "plain"
    text: str


@dataclass(frozen=True)
class Following:
    """What is drawn again and again by itself while a long question is under way: how far it is, what is known by now.

    ``running`` says that it was under way as the page was made; ``name`` tells it from another one of the page.
    """

    kind: ClassVar[str] = "following"
    name: str
    question: Hashable
    running: bool
    blocks: Blocks
    pace: float = 1.0


@dataclass(frozen=True)
class GivenTexts:
    """The fields in which readers give texts of their own; what they gave is kept for the visit under ``name``."""

    kind: ClassVar[str] = "given"
    name: str
    model: str


@dataclass(frozen=True)
class Listed:
    """Our own sentences as a list; they may hold links as markdown has them, and no word of a reader's."""

    kind: ClassVar[str] = "listed"
    lines: tuple[str, ...]
    points: bool = True


@dataclass(frozen=True)
class Quoted:
    """Text to be copied as it stands."""

    kind: ClassVar[str] = "quoted"
    text: str


@dataclass(frozen=True)
class PageDoor:
    """The way to the first of ``pages`` that there is; ``step`` is where Step by step opens, with the toy's numbers."""

    kind: ClassVar[str] = "door"
    pages: tuple[str, ...]
    step: str = ""
    text: str = ""  # in the place of what a link to that page says
    arrow: bool = True


@dataclass(frozen=True)
class CopyLink:
    """The button that copies the address of this very view."""

    kind: ClassVar[str] = "copy_link"
    label: str = "Copy a link to exactly this view"


@dataclass(frozen=True)
class More:
    """What is looked at rarely, behind a line that opens it; ``late`` where it is made once it is open.

    ``name`` is what a visit keeps under: whether it is open.
    """

    kind: ClassVar[str] = "more"
    title: str
    blocks: Blocks
    open: bool = False
    name: str = ""
    late: bool = False


@dataclass(frozen=True)
class Tabs:
    """Tabs by the options of a word of the link, of which one is open, and ``blocks`` stand in it."""

    kind: ClassVar[str] = "tabs"
    word: str
    open: str
    blocks: Blocks


@dataclass(frozen=True, eq=False)
class ComponentPicture:
    """A picture that is a component of its own, by its ``face``; ``on`` and ``name`` as of a `Together`.

    What follows the ``first`` picture of a page is drawn once it stands on the screen; a ``control`` is of use on the
    page alone.
    """

    kind: ClassVar[str] = "picture"
    face: str
    drawn: Drawing | Mapping[str, Any]
    name: str
    on: Mapping[str, tuple[Act, ...]] = field(default_factory=dict)
    first: bool = False
    control: bool = False

    __repr__ = brief


@dataclass(frozen=True)
class Menu:
    """Controls behind a button, which is as wide as its place, or ``narrow``."""

    kind: ClassVar[str] = "menu"
    title: str
    blocks: Blocks
    narrow: bool = False


@dataclass(frozen=True)
class InView:
    """Controls that stand in the frame's own menu, *View*, or beside its examples."""

    kind: ClassVar[str] = "in_view"
    blocks: Blocks
    beside_examples: bool = False


@dataclass(frozen=True)
class Titled:
    """A heading, and blocks at the end of its line, or below it where there is no room."""

    kind: ClassVar[str] = "titled"
    text: str
    blocks: Blocks


@dataclass(frozen=True)
class OwnField:
    """The field for a file of maps of the reader's own, which no link says."""

    kind: ClassVar[str] = "own_field"


@dataclass(frozen=True)
class Wait:
    """Where the page waits, for what it asks from here on; ``text`` says so meanwhile."""

    kind: ClassVar[str] = "wait"
    text: str


@dataclass(frozen=True)
class End:
    """The page ends here, and what stands around every page is left away: there is nothing to share or to take."""

    kind: ClassVar[str] = "end"


@dataclass(frozen=True)
class Choose:
    """The control of one word of the link, by the word's name; ``bare`` leaves its label out of sight.

    ``hint`` is what it shows while it is empty; what it offers may go over several lines (``wrap``). ``then`` is what
    else another choice does.
    """

    kind: ClassVar[str] = "choose"
    word: str
    bare: bool = False
    wrap: bool = False
    off: bool = False
    hint: str = ""
    format: str = ""  # of a number
    width: int | Literal["stretch"] | None = None  # px
    then: tuple[Act, ...] = ()
    options: tuple[str, ...] = ()  # where they depend on more than the model
    first: int | None = None  # the option that stands there until one is chosen
    label: str = ""


@dataclass(frozen=True)
class Pick:
    """A prettier control of a word whose own stands elsewhere: ``names`` are what is read of each of its options."""

    kind: ClassVar[str] = "pick"
    word: str
    label: str
    options: tuple[Any, ...]
    shows: Any
    names: tuple[str, ...] = ()
    width: int | None = None
    beside: bool = False  # whether they stand beside each other, a button each
    wrap: bool = False
    acts: Mapping[Any, tuple[Act, ...]] = field(default_factory=dict)  # what each does, where that is more


@dataclass(frozen=True)
class Switches:
    """Buttons beside each other of which several are chosen; what is chosen fills the open field of the acts."""

    kind: ClassVar[str] = "switches"
    name: str
    label: str
    options: tuple[str, ...]
    shows: tuple[str, ...]
    acts: tuple[Act, ...]


@dataclass(frozen=True)
class Put:
    """What stands in a word of the link from now on, as if the reader had written it there.

    ``told`` says it in the address too where the word has had no control yet.
    """

    kind: ClassVar[str] = "put"
    word: str
    value: Any
    told: bool = False


@dataclass(frozen=True)
class Remember:
    """What a visit keeps under a name from now on, and no link says."""

    kind: ClassVar[str] = "remember"
    name: str
    value: Any


@dataclass(frozen=True)
class Press:
    """A button, and what it does, as its ``shortcut`` does; a ``faint`` one has no border. ``name`` as of a `Place`."""

    kind: ClassVar[str] = "press"
    text: str
    acts: tuple[Act, ...]
    off: bool = False
    faint: bool = False
    name: str = ""
    shortcut: str = ""
    wide: bool = False  # as wide as its place


@dataclass(frozen=True)
class ArrowKeys:
    """The arrow keys on a focused step go to the next one; what is said of ``step``, from 0, is kept in view."""

    kind: ClassVar[str] = "arrow_keys"
    step: int


@dataclass(frozen=True)
class Offer:
    """Buttons beside each other of which one may be chosen, and what each of them does; ``shows`` stands already."""

    kind: ClassVar[str] = "offer"
    name: str
    label: str
    acts: Mapping[str, tuple[Act, ...]]
    shows: str | None
    wrap: bool = True  # whether they may go over several lines


@dataclass(frozen=True)
class Out:
    """A link to an address, as a button."""

    kind: ClassVar[str] = "out"
    text: str
    address: str


@dataclass(frozen=True)
class Faint:
    """A line of our own that stands back."""

    kind: ClassVar[str] = "faint"
    text: str


@dataclass(frozen=True)
class FirstPicture:
    """What stands above is the first picture: what follows is drawn once it stands on the screen."""

    kind: ClassVar[str] = "first_picture"


@dataclass(frozen=True, eq=False)
class Played:
    """A picture of a training, which plays without the server."""

    kind: ClassVar[str] = "played"
    name: str
    drawing: Drawing

    __repr__ = brief


@dataclass(frozen=True)
class Guess:
    """One of several ``options`` that is kept for this visit, under a name, and stands in no link."""

    kind: ClassVar[str] = "guess"
    name: str
    label: str
    options: tuple[str, ...]
    beside: bool = False  # whether they stand beside each other, a button each
    required: bool = False  # whether one of them always stands, beside the others: the first until another is chosen


@dataclass(frozen=True)
class Entry:
    """A field for what this visit keeps under a name, and stands in no link; ``then`` is what else an entry does.

    It takes a text of ``most`` letters, or a whole ``number`` from 0 to ``most``.
    """

    kind: ClassVar[str] = "entry"
    name: str
    label: str
    most: int
    number: bool = False
    then: tuple[Act, ...] = ()


@dataclass(frozen=True)
class Fixed:
    """A field that shows what nobody can edit; ``name`` as of a `Place`."""

    kind: ClassVar[str] = "fixed"
    label: str
    text: str
    name: str


@dataclass(frozen=True)
class Formula:
    """Lines of LaTeX, in the middle of their place; ``narrow`` ones stand at its left."""

    kind: ClassVar[str] = "formula"
    lines: tuple[str, ...]
    narrow: bool = False


@dataclass(frozen=True, eq=False)
class PlainTable:
    """Columns by name, all of them in sight; ``file`` is what they are called once taken away."""

    kind: ClassVar[str] = "table"
    columns: Mapping[str, Sequence[str]]
    alt: str
    file: str = "parallax-answer"

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class SortableTable:
    """A table that can be sorted; ``formats`` are those of its columns, as ``%.2f``; ``file`` as of a `PlainTable`.

    Columns of text that stand at the right are ``right``.
    """

    kind: ClassVar[str] = "sheet"
    title: str
    columns: Mapping[str, Any]
    formats: Mapping[str, str]
    alt: str
    file: str
    right: tuple[str, ...] = ()
    help: Mapping[str, str] = field(default_factory=dict)
    high: bool = True  # whether it is as high as its rows, up to ten

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Ticked:
    """A table of heads that can be sorted, a row each; those pinned are ticked, and a click on a row pins its head.

    ``told`` has of each column its label, what it means and its format.
    """

    kind: ClassVar[str] = "ticked"
    columns: Mapping[str, Any]
    told: Mapping[str, tuple[str, str, str]]
    heads: tuple[HeadId, ...]
    pins: tuple[HeadId, ...]
    alt: str
    file: str

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class AsFile:
    """One file of several that hold the same: the word of its button, its name, and what is written into it."""

    title: str
    file: str
    mime: str
    of: Written

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Files:
    """Numbers that can be taken away as any of some files."""

    kind: ClassVar[str] = "files"
    title: str
    files: tuple[AsFile, ...]

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class WholePage:
    """The page as a file of its own making: every head can be pinned in it."""

    kind: ClassVar[str] = "whole_page"
    maps: AttentionMaps
    view: View
    source: MapsSource

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Matrices:
    """The matrices of a small layer, to be edited: what is typed goes into ``word`` of the link, which says ``edits``.

    ``seeded`` are its numbers without edits; ``words`` name the rows of X. The tables start anew when what they are
    ``about`` changes.
    """

    kind: ClassVar[str] = "matrices"
    word: str
    seeded: Any  # mha.screens.steps.edits.ToyMatrices
    words: tuple[str, ...]
    edits: str
    about: tuple[Any, ...]

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Chart:
    """A figure by the name that `mha.figures.named` knows, with what it draws."""

    kind: ClassVar[str] = "chart"
    figure: str
    given: Mapping[str, Any]
    alt: str

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers that can be taken away: their title, the file's name, columns of one length, and what they are of.

    ``of`` makes a table that says itself where its numbers come from, in the place of both.
    """

    kind: ClassVar[str] = "numbers"
    title: str
    file: str
    columns: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""
    of: Tabled | None = None

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Download:
    """A button that hands over a text as a file; it is written when it is asked for."""

    kind: ClassVar[str] = "download"
    text: str
    file: str
    mime: str
    of: Written

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Made:
    """A table that is made already."""

    made: Table

    __repr__ = brief

    def table(self) -> Table:
        """Return it."""
        return self.made


def together(*blocks: Block) -> Together:
    """Return blocks as one component."""
    return Together(blocks)


def each(*parts: Callable[[], Iterable[Block]]) -> Iterator[Block]:
    """Yield the blocks of each part; of one that cannot be made, the sentence that says why, and then the others."""
    for part in parts:
        try:
            yield from part()
        except MHAError as error:
            yield Notice(str(error))


def whole(blocks: Blocks) -> tuple[Block, ...]:
    """Return blocks as a value: what stands in places is made now."""
    return tuple(_whole(block) for block in blocks)


def _whole(block: Block) -> Block:
    if isinstance(block, Place | Row | More | Tabs | Menu | InView | Titled | Following):
        return replace(block, blocks=whole(block.blocks))
    if isinstance(block, Side):
        return replace(block, columns=tuple(whole(column) for column in block.columns))
    return block


def every(blocks: Blocks) -> Iterator[Block]:
    """Yield each block in the order in which it is read, those in places and columns in the place of them."""
    for block in blocks:
        if isinstance(block, Place | Row | More | Tabs | Menu | InView | Titled | Following | Together):
            yield from every(block.blocks)
        elif isinstance(block, Side):
            for column in block.columns:
                yield from every(column)
        else:
            yield block


def part(blocks: Blocks, name: str) -> Blocks:
    """Return what stands in the `Following` of a name; nothing is made behind it, or where nobody has opened it."""
    for block in blocks:
        if isinstance(block, Following) and block.name == name:
            return block.blocks
        if isinstance(block, Side):
            inside: Iterable[Block] = chain.from_iterable(block.columns)
        elif isinstance(block, Place | Row | Tabs | Titled) or (isinstance(block, More) and not block.late):
            inside = block.blocks
        else:
            continue
        found = tuple(part(inside, name))
        if found:
            return found
    return ()
