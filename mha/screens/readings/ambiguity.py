"""Two readings of a text as far as they are chosen, for Heads; leaves with the old page of Heads."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from mha.errors import InputError
from mha.formats import numbered
from mha.maps import Reading
from mha.screens.blocks import Span, word
from mha.words import words


@dataclass(frozen=True)
class Ambiguity:
    """Two readings of a text as far as they are chosen; word numbers are those of `mha.words.words`."""

    text: str
    pivot: int | None = None
    a: tuple[int, ...] = ()
    b: tuple[int, ...] = ()

    @functools.cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the text, by number."""
        return words(self.text)

    @functools.cached_property
    def called(self) -> tuple[str, ...]:
        """What to call each word in a sentence: numbered where it occurs more than once, as on the axes of maps."""
        return numbered(self.words)

    @property
    def at(self) -> int:
        """The number of the ambiguous word, which must be chosen."""
        assert self.pivot is not None
        return self.pivot

    @property
    def pivot_said(self) -> Span:
        """The ambiguous word as a span, which must be chosen."""
        return word(self.called[self.at])

    @property
    def missing(self) -> str | None:
        """The role that must be chosen next: "pivot", "a" or "b"; None when both readings are complete."""
        return "pivot" if self.pivot is None else "a" if not self.a else "b" if not self.b else None

    @property
    def readings(self) -> tuple[Reading, Reading]:
        """Both readings; raise InputError while a word is missing."""
        if self.pivot is None or self.missing:
            raise InputError("Choose the ambiguous word and both candidates first.")
        first, second = (
            Reading(" and ".join(self.called[number] for number in side), tuple((self.pivot, n) for n in side))
            for side in (self.a, self.b)
        )
        return first, second

    def partner(self, side: str) -> str:
        """Return what the partners of reading "a" or "b" are called."""
        return " and ".join(self.called[number] for number in (self.a if side == "a" else self.b))
