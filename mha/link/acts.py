"""What a reader can do on a page: each act is a value, and makes of a link another one.

What comes back from a browser names an act that the page has offered, and fills the fields that it has left open
(`mha.link.sent`); what it says of the link is checked as every link is, so that a click cannot say what a link may not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mha.link.link import Link
from mha.link.view import MAX_PINS
from mha.maps import HeadId

CELL_ASKED = "heads_cell_asked"  # under this name a visit keeps the cell that was clicked, until its page opens


@dataclass(frozen=True)
class Act:
    """Something that a reader can do; what begins or stops work (`Begin`, `Stop`) `mha.ui.acting` does."""

    def after(self, link: Link) -> Link:
        """Return the link of the page once it is done."""
        return link

    def said(self, link: Link) -> str:
        """Return what has to be said of it, for it did more than was asked; "" where it did not."""
        return ""

    def keeps(self, link: Link) -> Mapping[str, Any]:
        """Return what a visit keeps from now on, which stands in no link, by its name."""
        return {}


@dataclass(frozen=True)
class Say(Act):
    """Say something else in one word of the link, by its name in the address."""

    word: str
    value: Any

    def after(self, link: Link) -> Link:
        return link.with_(**{self.word: self.value})


@dataclass(frozen=True)
class Keep(Act):
    """Keep something under a name for this visit; it stands in no link. None forgets what was kept."""

    name: str
    value: Any = None

    def keeps(self, link: Link) -> dict[str, Any]:
        return {self.name: self.value}


# ---- the sentence and its words


@dataclass(frozen=True)
class Lock(Act):
    """Lock the word at a position of what is drawn, by its column ("at") or its row ("from"); None releases it.

    ``places`` are those of the positions on the full axis; none where they are the same.
    """

    position: int | None
    look: str
    places: tuple[int, ...] = ()

    def after(self, link: Link) -> Link:
        if self.position is None:
            return link.with_(lock=-1, look="at")
        return link.with_(lock=self.places[self.position] if self.places else self.position, look=self.look)


@dataclass(frozen=True)
class AskAbout(Act):
    """Ask about the word at a position of what is drawn; None, or the same word again, closes the answers.

    ``lock`` is the position that is locked, and ``asked`` whether it is asked about.
    """

    position: int | None
    places: tuple[int, ...]
    lock: int | None
    asked: bool

    def after(self, link: Link) -> Link:
        again = self.asked and self.position == self.lock
        at = self.lock if self.position is None or again else self.position
        look = "from" if self.position is None or again else "ask"
        return link.with_(lock=None if at is None else self.places[at], look=look)


# ---- heads


RELEASED = f"{MAX_PINS} heads can be pinned; {{head}} was released."


@dataclass(frozen=True)
class Pin(Act):
    """Pin a head or release it; ``shown`` are those on the screen, chosen by the app or by the reader.

    Pinned heads that what is drawn has not belong to other attention of the model, and stay pinned for it as far as
    there is room.
    """

    head: HeadId
    shown: tuple[HeadId, ...]

    def after(self, link: Link) -> Link:
        here = [pin for pin in self.shown if pin != self.head]
        if self.head not in self.shown:
            here = [*self.shown, self.head][-MAX_PINS:]
        elsewhere = [pin for pin in link.view.pins or () if pin not in (*self.shown, *here)]
        return link.with_(pins=(*here, *elsewhere)[:MAX_PINS])

    def said(self, link: Link) -> str:
        if self.head in self.shown or len(self.shown) < MAX_PINS:
            return ""
        return RELEASED.format(head=self.shown[0])


@dataclass(frozen=True)
class OpenCell(Act):
    """Open the arithmetic of a cell by its positions on the drawn map, of which neighbours share one in ``step``.

    Without positions it is the head's strongest look, or with ``named`` the one that the overview names. Which cell of
    the recording that is, the page says: ``rows`` and ``columns`` are the positions of the axes that the map was taken
    from.
    """

    head: HeadId
    query: int | None = None
    key: int | None = None
    side: int | None = None
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    named: bool = False

    def keeps(self, link: Link) -> dict[str, Any]:
        return {CELL_ASKED: self}

    def placed(self) -> OpenCell:
        """Return it with positions on the axes that its map was taken from."""
        if self.query is None or self.key is None or not self.rows:
            return self
        return replace(self, query=self.rows[self.query], key=self.columns[self.key], rows=(), columns=())


# ---- what changes no link


@dataclass(frozen=True)
class Begin(Act):
    """Begin what is long, or go on with it: a question of `mha.engine.question`."""

    question: Any


@dataclass(frozen=True)
class Stop(Act):
    """Stop what is under way; what was done is kept."""

    question: Any
