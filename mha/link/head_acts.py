"""What a click on a head, a word or a cell of Heads does to the link."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mha.link.acts import Act, Sent
from mha.link.link import Link
from mha.maps import HeadId

ONLY_ONE = "before_only"  # under this name a visit keeps which head was shown alone, and what was pinned before
CELL_ASKED = "heads_cell_asked"  # and the cell that was clicked, until the page says which one it is in the link


def switched(link: Link, heads: Sequence[HeadId], off: Collection[HeadId]) -> Link:
    """Return the link with these of all heads switched off; it says which are, or which are left on, if fewer."""
    away = tuple(head for head in heads if head in off)
    left = tuple(head for head in heads if head not in off)
    return link.with_(off=(), on=left) if len(left) < len(away) else link.with_(off=away, on=None)


def all_heads(n_layers: int, n_heads: int) -> tuple[HeadId, ...]:
    """Return every head of a model."""
    return tuple(HeadId(layer, head) for layer in range(n_layers) for head in range(n_heads))


@dataclass(frozen=True)
class Lock(Act):
    """Lock the word at a position of what is drawn, by its column ("at") or its row ("from"); None releases it.

    ``places`` are those of the positions on the full axis; none where they are the same.
    """

    position: int | Sent | None
    look: str
    places: tuple[int, ...] = ()

    def after(self, link: Link) -> Link:
        if self.position is None:
            return link.with_(lock=-1, look="at")
        assert isinstance(self.position, int)
        return link.with_(lock=self.places[self.position] if self.places else self.position, look=self.look)


@dataclass(frozen=True)
class LockPlace(Act):
    """Lock the word at a place of the full axis by its row; -1 is none, None leaves it to the app."""

    place: int | None

    def after(self, link: Link) -> Link:
        return link.with_(lock=self.place, look="at" if self.place is None or self.place < 0 else "from")


@dataclass(frozen=True)
class AskAbout(Act):
    """Ask about the word at a position of what is drawn; None, or the same word again, closes the answers.

    ``lock`` is the position that is locked, and ``asked`` whether it is asked about.
    """

    position: int | Sent | None
    places: tuple[int, ...]
    lock: int | None
    asked: bool

    def after(self, link: Link) -> Link:
        assert not isinstance(self.position, Sent)
        again = self.asked and self.position == self.lock
        at = self.lock if self.position is None or again else self.position
        look = "from" if self.position is None or again else "ask"
        return link.with_(lock=None if at is None else self.places[at], look=look)


@dataclass(frozen=True)
class Only(Act):
    """Switch every head but one off, and pin that one alone."""

    head: HeadId | Sent
    n_layers: int
    n_heads: int

    def after(self, link: Link) -> Link:
        assert isinstance(self.head, HeadId)
        every = all_heads(self.n_layers, self.n_heads)
        return switched(link, every, [head for head in every if head != self.head]).with_(pins=(self.head,))

    def keeps(self, link: Link) -> tuple[str, Any]:
        return ONLY_ONE, (self.head, link.view.pins)


@dataclass(frozen=True)
class AllBack(Act):
    """Switch all heads on, and pin what was pinned before one was shown alone, unless that was changed since."""

    before: tuple[HeadId, tuple[HeadId, ...] | None] | None

    def after(self, link: Link) -> Link:
        link = link.with_(off=(), on=None)
        if self.before is not None and link.view.pins == (self.before[0],):
            return link.with_(pins=self.before[1])
        return link

    def keeps(self, link: Link) -> tuple[str, Any]:
        return ONLY_ONE, None


@dataclass(frozen=True)
class KeepOn(Act):
    """Switch the heads of a layer off that are not among the kept ("H3"); other layers stay as they are."""

    kept: Collection[str] | Sent
    layer: int
    n_layers: int
    n_heads: int

    def after(self, link: Link) -> Link:
        assert not isinstance(self.kept, Sent)
        every = all_heads(self.n_layers, self.n_heads)
        off = {head for head in link.view.switched_off(every) if head.layer != self.layer}
        own = (HeadId(self.layer, head) for head in range(self.n_heads))
        return switched(link, every, off | {head for head in own if f"H{head.head}" not in self.kept})


@dataclass(frozen=True)
class ChooseForMe(Act):
    """Give the choice of pins, layer and locked word back to the app."""

    def after(self, link: Link) -> Link:
        return link.with_(pins=None, layer=None, lock=None, look="at")


@dataclass(frozen=True)
class OpenCell(Act):
    """Open a cell of a head by its positions on the drawn map, of which neighbours share one in ``step``.

    Without positions it is the head's strongest look, or with ``named`` the one that the overview names. Which cell of
    the recording that is, the page says: ``rows`` and ``columns`` are the positions of the axes that the map was taken
    from.
    """

    head: HeadId | Sent
    query: int | Sent | None = None
    key: int | Sent | None = None
    side: int | None = None
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    named: bool = False

    def keeps(self, link: Link) -> tuple[str, Any]:
        return CELL_ASKED, self

    def placed(self) -> OpenCell:
        """Return it with positions on the axes that its map was taken from."""
        if self.query is None or self.key is None or not self.rows:
            return self
        assert isinstance(self.query, int)
        assert isinstance(self.key, int)
        return replace(self, query=self.rows[self.query], key=self.columns[self.key], rows=(), columns=())


@dataclass(frozen=True)
class WalkTo(Act):
    """Go to Step by step, to one cell of a head; ``ways`` has the words of that page for each head."""

    head: HeadId | Sent
    ways: tuple[tuple[HeadId, tuple[tuple[str, Any], ...]], ...]
    follows: tuple[str, Any]  # under which name that page keeps whose cell is followed, and whose it is

    @property
    def words(self) -> dict[str, Any]:
        """The words of the page's link."""
        return dict(next((words for head, words in self.ways if head == self.head), ()))


@dataclass(frozen=True)
class PinAlone(Act):
    """Look at one head alone."""

    head: HeadId | Sent

    def after(self, link: Link) -> Link:
        assert isinstance(self.head, HeadId)
        return link.with_(pins=(self.head,))


@dataclass(frozen=True)
class GoToStep(Act):
    """Look at a written token, counted from 0; None leaves it to the app."""

    step: int | Sent | None

    def after(self, link: Link) -> Link:
        assert not isinstance(self.step, Sent)
        return link.with_(heads_step=None if self.step is None else self.step + 1)
