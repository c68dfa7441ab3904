"""What a reader can do on a page: each act is a value, and makes of a link another one.

What comes back from a browser names an act by its row in `ACTS` and its fields; it is read by them, and its link by the
one parser, so that a click cannot say what a link may not.
"""

from __future__ import annotations

from dataclasses import dataclass

from mha.link.link import Link


@dataclass(frozen=True)
class Act:
    """Something that a reader can do."""

    def after(self, link: Link) -> Link:
        """Return the link of the page once it is done."""
        return link


@dataclass(frozen=True)
class Open(Act):
    """Open one of the ten questions, by its name."""

    question: str

    def after(self, link: Link) -> Link:
        return link.with_(questions_open=self.question)


@dataclass(frozen=True)
class Keep(Act):
    """Keep under a name, for this visit, what was guessed under another one; it stands in no link."""

    name: str
    guess: str


@dataclass(frozen=True)
class Forget(Act):
    """Forget what was kept under a name."""

    name: str


@dataclass(frozen=True)
class TakeText(Act):
    """Take a text in the place of the sentence, with every head's strongest look drawn, whatever the word."""

    text: str

    def after(self, link: Link) -> Link:
        changed = link.with_(text=self.text, lock=-1, look="at")
        return changed.with_(heads_cell="") if link.own.has("heads_cell") else changed
