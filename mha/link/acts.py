"""What a reader can do on a page: each act is a value, and makes of a link another one.

What comes back from a browser names an act that the page has offered; what it says of the link is checked as every link
is, so that a click cannot say what a link may not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mha.link.kinds import NONE, Shape
from mha.link.link import Link
from mha.link.view import MAX_PINS
from mha.link.word import Words
from mha.maps import HeadId
from mha.words import with_word


class Unfit(Exception):
    """What was sent does not fit."""


class Sent(ABC):
    """A field that a browser fills."""

    @abstractmethod
    def read(self, message: Mapping[str, Any]) -> Any:
        """Return what a message says of it; raise `Unfit` where that cannot be."""


@dataclass(frozen=True)
class Act:
    """Something that a reader can do; what changes no link (`KeepGuess` and those below it) `mha.ui.acting` does."""

    def after(self, link: Link) -> Link:
        """Return the link of the page once it is done."""
        return link

    def said(self, link: Link) -> str:
        """Return what has to be said of it, for it did more than was asked; "" where it did not."""
        return ""

    def keeps(self, link: Link) -> tuple[str, Any] | None:
        """Return a name and what a visit keeps under it from now on, which stands in no link; None for nothing."""
        return None


@dataclass(frozen=True)
class Say(Act):
    """Say something else in one word of the link, by its name in the address."""

    word: str
    value: Any

    def after(self, link: Link) -> Link:
        return link.with_(**{self.word: self.value})


@dataclass(frozen=True)
class GoOn(Act):
    """Say another one of what a word of the page can be, so many on; the first and the last are ends."""

    word: str
    by: int

    def after(self, link: Link) -> Link:
        word = next(word for word in link.own.table() if word.name == self.word)
        options = list(word.kind.options(Shape("", 0, 0)))
        at = options.index(getattr(link.own, word.field)) + self.by
        return link.with_(**{self.word: options[min(max(at, 0), len(options) - 1)]})


@dataclass(frozen=True)
class SayAll(Act):
    """Say something else in all words of the page, as these words of it do."""

    words: Words

    def after(self, link: Link) -> Link:
        return replace(link, own=self.words)


@dataclass(frozen=True)
class Pin(Act):
    """Pin a head or release it; ``shown`` are those on the screen, chosen by the app or by the reader.

    Pinned heads that what is drawn has not belong to other attention of the model, and stay pinned for it as far as
    there is room.
    """

    head: HeadId | Sent
    shown: tuple[HeadId, ...]

    def after(self, link: Link) -> Link:
        assert isinstance(self.head, HeadId)
        here = [pin for pin in self.shown if pin != self.head]
        if self.head not in self.shown:
            here = [*self.shown, self.head][-MAX_PINS:]
        elsewhere = [pin for pin in link.view.pins or () if pin not in (*self.shown, *here)]
        return link.with_(pins=(*here, *elsewhere)[:MAX_PINS])

    def said(self, link: Link) -> str:
        if self.head in self.shown or len(self.shown) < MAX_PINS:
            return ""
        return f"{MAX_PINS} heads can be pinned; {self.shown[0]} was released."


@dataclass(frozen=True)
class ToHeads(Act):
    """Go to Heads, where a head is pinned beside those that are."""

    head: HeadId

    def after(self, link: Link) -> Link:
        others = [pin for pin in link.view.pins or () if pin != self.head]
        return Link("", link.view).with_(pins=(*others[1 - MAX_PINS :], self.head))


@dataclass(frozen=True)
class TakeText(Act):
    """Take a text in the place of the sentence, with every head's strongest look drawn, whatever the word."""

    text: str

    def after(self, link: Link) -> Link:
        changed = link.with_(text=self.text, lock=-1, look="at")
        return changed.with_(heads_cell="") if link.own.has("heads_cell") else changed


@dataclass(frozen=True)
class ChangeWord(Act):
    """Make the other version of a text by one other word; what it forces, and second words, are asked for anew."""

    text: str
    number: int | Sent
    other: str | Sent

    def after(self, link: Link) -> Link:
        assert isinstance(self.number, int)
        assert isinstance(self.other, str)
        return other_version(link, with_word(self.text, self.number, self.other))


def other_version(link: Link, text: str) -> Link:
    """Return the link with another contrast."""
    return link.with_(readings_contrast=text, readings_forces=None, readings_word_a="", readings_word_b="")


@dataclass(frozen=True)
class SayContrast(Act):
    """Take another contrast as it stands: "" the example's, none at all."""

    text: str

    def after(self, link: Link) -> Link:
        return other_version(link, self.text)


@dataclass(frozen=True)
class GiveRole(Act):
    """Give a word its role in two readings; the cue a second time takes it away. ``labels`` are those of all words."""

    role: str | Sent
    number: int | Sent
    labels: tuple[str, ...]
    cue: int | None = None

    def after(self, link: Link) -> Link:
        assert isinstance(self.number, int)
        label, name = self.labels[self.number], f"readings_{self.role}"
        if self.role == "cue" and self.cue == self.number:
            label = NONE
        return link.with_(**{name: (label,) if self.role in ("a", "b") else label})


@dataclass(frozen=True)
class SecondWord(Act):
    """Give a second word for a reading; nothing leaves it out."""

    side: str | Sent
    text: str | Sent

    def after(self, link: Link) -> Link:
        assert isinstance(self.text, str)
        return link.with_(**{f"readings_word_{self.side}": self.text.strip() or NONE})


@dataclass(frozen=True)
class Keep(Act):
    """Keep something under a name for this visit; it stands in no link."""

    name: str
    value: Any

    def keeps(self, link: Link) -> tuple[str, Any]:
        return self.name, self.value


@dataclass(frozen=True)
class KeepGuess(Act):
    """Keep under a name, for this visit, what was guessed under another one."""

    name: str
    guess: str


@dataclass(frozen=True)
class Forget(Act):
    """Forget what was kept under a name."""

    name: str


@dataclass(frozen=True)
class Begin(Act):
    """Begin what is long, or go on with it: a question of `mha.engine.question`."""

    question: Any


@dataclass(frozen=True)
class Stop(Act):
    """Stop what is under way; what was done is kept."""

    question: Any


@dataclass(frozen=True)
class BeginAnew(Act):
    """Do what is long from its beginning, here and now, whatever is known of it."""

    question: Any
