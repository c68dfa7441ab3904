"""What a page is made of beside sentences and pictures: its headings, places, columns, tables and pictures.

A page is a function from a link, and from an `mha.engine.question.Ask`, to blocks: those of `mha.screens.blocks`, and
these. What can be chosen and done has its blocks in `mha.screens.inputs`, what leaves the page in
`mha.screens.takings`. They name words of the link and acts, and hold no callable: what a block says can be compared,
kept and sent. Where blocks stand in a place, that may be a generator, so that what stands first is drawn before what
has to be asked for; `mha.screens.within.whole` makes a value of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from mha.brief import brief
from mha.link.acts import Act
from mha.screens.blocks import Block
from mha.screens.drawing import Drawing

Blocks = Iterable[Block]
BY_PYTHON = {f"mha.screens.{name}" for name in ("places", "inputs", "takings")}  # what each reader draws by itself
Gap = Literal["small", "medium", "large"]
Align = Literal["top", "center", "bottom"]  # which of their lines stand on one height


@dataclass(frozen=True)
class Title:
    """A heading of the page itself, of level 1 to 3."""

    kind: ClassVar[str] = "title"
    asks: ClassVar[bool] = True
    text: str
    level: int = 2


@dataclass(frozen=True)
class Notice:
    """One sentence on what could not be done, or was done otherwise; it may repeat the reader's words."""

    kind: ClassVar[str] = "notice"
    asks: ClassVar[bool] = True
    text: str


@dataclass(frozen=True)
class Place:
    """Blocks that stand together under a name, by which style sheets know them.

    A place that comes once more takes what it holds then: what it waited for stands where it was left room.
    """

    kind: ClassVar[str] = "place"
    asks: ClassVar[bool] = True
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
    asks: ClassVar[bool] = True
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
    asks: ClassVar[bool] = True
    columns: tuple[Blocks, ...]
    shares: tuple[float, ...]
    gap: Gap = "small"
    align: Align = "top"


@dataclass(frozen=True)
class Row:
    """Blocks beside each other, at the right end of the line or at its left; ``name`` as of a `Place`."""

    kind: ClassVar[str] = "row"
    asks: ClassVar[bool] = True
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
    asks: ClassVar[bool] = True
    name: str
    question: Hashable
    running: bool
    blocks: Blocks
    pace: float = 1.0


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
class More:
    """What is looked at rarely, behind a line that opens it; ``late`` where it is made once it is open.

    What is quickly made, and costs a rerun more than that, is drawn ``while_open`` alone: files have it all the same.
    ``name`` is what a visit keeps under: whether it is open.
    """

    kind: ClassVar[str] = "more"
    asks: ClassVar[bool] = True
    title: str
    blocks: Blocks
    open: bool = False
    name: str = ""
    late: bool = False
    while_open: bool = False


@dataclass(frozen=True)
class Tabs:
    """Tabs by the options of a word of the link, of which one is open, and ``blocks`` stand in it.

    ``label`` is what a reader sees in the place of that option, where it is not the same.
    """

    kind: ClassVar[str] = "tabs"
    asks: ClassVar[bool] = True
    word: str
    open: str
    blocks: Blocks
    label: str = ""


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
    asks: ClassVar[bool] = True
    title: str
    blocks: Blocks
    narrow: bool = False


@dataclass(frozen=True)
class InView:
    """Controls that stand in the frame's own menu, *View*, or beside its examples."""

    kind: ClassVar[str] = "in_view"
    asks: ClassVar[bool] = True
    blocks: Blocks
    beside_examples: bool = False


@dataclass(frozen=True)
class Titled:
    """A heading, and blocks at the end of its line, or below it where there is no room."""

    kind: ClassVar[str] = "titled"
    asks: ClassVar[bool] = True
    text: str
    blocks: Blocks


@dataclass(frozen=True)
class Wait:
    """Where the page waits, for what it asks from here on; ``text`` says so meanwhile."""

    kind: ClassVar[str] = "wait"
    asks: ClassVar[bool] = True
    text: str


@dataclass(frozen=True)
class End:
    """The page ends here, and what stands around every page is left away: there is nothing to share or to take."""

    kind: ClassVar[str] = "end"
    asks: ClassVar[bool] = True


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
class Chart:
    """A figure by the name that `mha.figures.named` knows, with what it draws."""

    kind: ClassVar[str] = "chart"
    figure: str
    given: Mapping[str, Any]
    alt: str

    __repr__ = brief


def together(*blocks: Block) -> Together:
    """Return blocks as one component."""
    return Together(blocks)
