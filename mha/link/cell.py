"""The word for one cell of one head's map: "L2H8 6 9", its head and the places of two tokens, counted from 0."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from mha.errors import InputError, LinkError
from mha.link.kinds import Choice, Heads, Shape, Switch, Text, quoted
from mha.link.word import Words, word
from mha.maps import HeadId

MOST = 24  # characters
_FORM = re.compile(r"([Ll]\d{1,3}[Hh]\d{1,3}) (\d{1,6}) (\d{1,6})", re.ASCII)
LARGEST, BY_NUMBER = ORDERS = ("Largest product first", "By number")
TAKES = "`L5H3 7 4`: a head, the token that looks and the one that is looked at, by their places from 0"


class CellPlace(NamedTuple):
    """One cell: its head, and the places of the token that looks and of the one that is looked at."""

    head: HeadId
    query: int
    key: int

    def __str__(self) -> str:
        return f"{self.head} {self.query} {self.key}"


def place_of(text: str) -> CellPlace | None:
    """Return the cell that a text names; None where it names none.

    >>> place_of("L2H8 6 9")
    CellPlace(head=HeadId(layer=2, head=8), query=6, key=9)
    >>> place_of("")
    """
    found = _FORM.fullmatch(text.strip())
    return None if found is None else CellPlace(HeadId.parse(found[1]), int(found[2]), int(found[3]))


@dataclass(frozen=True, eq=False)
class OneCell(Text):
    """A cell of a head that the model has; whether the text has such tokens, only the page knows."""

    most: int = MOST

    def read(self, values: Sequence[str], shape: Shape) -> str:
        """Return the cell as it is written, or "" for none."""
        if not values[-1].strip():
            return ""
        place = place_of(values[-1])
        if place is None:
            raise LinkError(f"allowed: a head and two places such as “L5H3 7 4”; got {quoted(values[-1])}")
        try:
            Heads().read([str(place.head)], shape)
        except InputError as error:
            raise LinkError(str(error)) from error
        return str(place)

    def takes(self) -> str:
        """Return the values for the table of words."""
        return TAKES


@dataclass(frozen=True)
class CellWords(Words):
    """Which cell is open on Heads, and how its numbers stand."""

    PREFIX: ClassVar[str] = "heads_"
    # fmt: off
    cell: str = word(OneCell(), "", "One cell: head and two tokens", "the one cell whose every number is shown",
                     instead="none", placeholder="none; for example L2H8 6 9")
    cell_order: str = word(Choice(ORDERS, "segments"), LARGEST, "Order of the numbers", "how the numbers of one cell "
                           "are ordered")
    cell_before: bool = word(Switch(), False, "Before the rotation", "query and key of one cell as they were before "
                             "the model turned them by their places")
    # fmt: on
