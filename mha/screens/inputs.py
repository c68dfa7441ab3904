"""What can be chosen, written and done on a page: its controls, by the words of the link and the acts that they name.

They hold no callable. `mha.screens.places` has what they stand in; what a browser draws and does alone (a link that is
copied, arrow keys) are blocks of `mha.screens.blocks`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from mha.link.acts import Act
from mha.maps import HeadId
from mha.screens.blocks import Block


class PageDoor(Block, kind="door", asks=True):
    """The way to the first of ``pages`` that there is."""

    pages: tuple[str, ...]
    text: str = ""  # in the place of what a link to that page says
    arrow: bool = True


class Leave(Block, kind="leave", asks=True):
    """Another page opens instead, by its path and the parameters of its link."""

    page: str
    words: Mapping[str, str]


class Choose(Block, kind="choose", asks=True):
    """The control of one word of the link, by the word's name; ``bare`` leaves its label out of sight.

    ``hint`` is what it shows while it is empty; what it offers may go over several lines (``wrap``). ``then`` is what
    else another choice does.
    """

    word: str
    bare: bool = False
    wrap: bool = False
    hint: str = ""
    format: str = ""  # of a number
    width: int | Literal["stretch"] | None = None  # px
    then: tuple[Act, ...] = ()
    options: tuple[str, ...] = ()  # where they depend on more than the model
    first: int | None = None  # the option that stands there until one is chosen
    label: str = ""


class Pick(Block, kind="pick", asks=True):
    """A prettier control of a word whose own stands elsewhere: ``names`` are what is read of each of its options."""

    word: str
    label: str
    options: tuple[Any, ...]
    shows: Any
    names: tuple[str, ...] = ()
    look: Literal["list", "segments", "pills"] = "list"  # of the last two a button each, beside each other
    width: int | None = None


class Put(Block, kind="put", asks=True):
    """What stands in a word of the link from now on, as if the reader had written it there."""

    word: str
    value: Any


class Remember(Block, kind="remember", asks=True):
    """What a visit keeps under a name from now on, and no link says."""

    name: str
    value: Any


class Press(Block, kind="press", asks=True):
    """A button, and what it does, as its ``shortcut`` does; a ``faint`` one has no border. ``name`` as of a `Place`."""

    text: str
    acts: tuple[Act, ...]
    off: bool = False
    faint: bool = False
    name: str = ""
    shortcut: str = ""


class Out(Block, kind="out", asks=True):
    """A link to an address, as a button, or ``faint``."""

    text: str
    address: str
    faint: bool = True


class Guess(Block, kind="guess", asks=True):
    """One of several ``options`` about the sentence, kept for this visit under `guess_kept`, and in no link."""

    name: str
    label: str
    options: tuple[str, ...]


def guess_kept(name: str) -> str:
    """Return where a visit keeps a guess about a sentence: its ``text`` and the ``word`` that was chosen."""
    return f"{name}_kept"


class Ticked(Block, kind="ticked", arrays=True):
    """A table of heads that can be sorted, a row each; those pinned are ticked, and a click on a row pins its head.

    ``told`` has of each column its label, what it means and its format.
    """

    columns: Mapping[str, Any]
    told: Mapping[str, tuple[str, str, str]]
    heads: tuple[HeadId, ...]
    pins: tuple[HeadId, ...]
    alt: str
    file: str
