"""The words of Heads: what its pinned maps show, which attention of an encoder–decoder is shown; one cell.

A cell of a head's map is "L2H8 6 9": its head and the places of two tokens, counted from 0.

``heads_table`` is a word of the frame (`mha.link.view`), as it always was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

from mha.errors import InputError, LinkError
from mha.link.kinds import Choice, Heads, Label, Labels, Shape, Switch, Text, quoted
from mha.link.word import Query, Words, word
from mha.maps import HeadId
from mha.words import MAX_CHARACTERS

ATTENTION, BROUGHT = WEIGHED = ("Attention", "What it brings")
SHARE_NAMES = {BROUGHT: "Contribution"}  # what readers see
ALL = "All"
BETWEEN = {  # of two texts read together: the segment that looks, and the one that is looked at
    ALL: None,
    "First at first": (0, 0),
    "First at second": (0, 1),
    "Second at first": (1, 0),
    "Second at second": (1, 1),
}
ENCODER, DECODER, CROSS = STACKS = ("Encoder", "Decoder", "Cross")
BETWEEN_NAMES = {name: name.replace(" at ", " to ").capitalize() for name in BETWEEN}
STACK_NAMES = {ENCODER: "input → input", DECODER: "output → output", CROSS: "output → input"}
MOVED_TO_NEXT_WORD = tuple(  # parameters of 0.2
    f"heads_{field}" for field in ("prompt", "how", "seed", "most", "step", "silenced", "aim", "target")
)
SUGGESTED, DISMISSED, OPEN = "suggested", "not ambiguous", "to choose"  # where the words of two readings come from

MOST_CELL = 24  # characters
_FORM = re.compile(r"([Ll]\d{1,3}[Hh]\d{1,3}) (\d{1,6}) (\d{1,6})", re.ASCII)
LARGEST, BY_NUMBER = CELL_ORDERS = ("Largest product first", "By number")
CELL_TAKES = "`L5H3 7 4`: a head, the token that looks and the one that is looked at, by their places from 0"


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

    most: int = MOST_CELL

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
        return CELL_TAKES


def marking(field: str) -> Any:
    """Return a word that says which readings of the text are drawn; Two readings has the same ones."""
    name = f"readings_{field}"
    if field == "pivot":
        return word(Label(), None, "Ambiguous word", "the word of the text that may be ambiguous", name, instead=OWN)
    if field == "by":
        about = "whether the words of the readings were suggested, nothing is ambiguous, or they are to be chosen"
        kind = Choice((SUGGESTED, DISMISSED, OPEN))
        return word(
            kind, None, "Where these words come from", about, name, instead="those of the reader or of the example"
        )
    letter = field.upper()
    return word(Labels(), (), f"Candidate {letter}", f"what it goes with in reading {letter}", name, instead=OWN)


OWN = "the example's, or those that are suggested"


@dataclass(frozen=True)
class HeadsWords(Words):
    """Which cell is open, what the pinned heads are drawn of, and which attention of an encoder–decoder is shown."""

    # fmt: off
    PREFIX: ClassVar[str] = "heads_"
    cell: str = word(OneCell(), "", "One cell: head and two tokens", "the one cell whose every number is shown",
                     instead="none", placeholder="none; for example L2H8 6 9")
    cell_order: str = word(Choice(CELL_ORDERS, "segments"), LARGEST, "Order of the numbers",
                           "how the numbers of one cell are ordered")
    cell_before: bool = word(Switch(), False, "Before the rotation", "query and key of one cell as they were before "
                             "the model turned them by their places")
    weighed: str = word(Choice(WEIGHED, "segments", names=SHARE_NAMES), ATTENTION, "Show",
                         "whether a pinned cell is a share "
                        "of attention, or of all that a word receives")
    pair: str = word(Text(MAX_CHARACTERS), "", "Second text", "a second text, which the model reads together with the "
                     "sentence", instead="none")
    between: str = word(Choice(tuple(BETWEEN), "segments", names=BETWEEN_NAMES), ALL, "Direction",
                         "of two texts, which one "
                        "looks at which in the pinned maps")
    stack: str = word(Choice(STACKS, "segments", names=STACK_NAMES), ENCODER, "Attention",
                         "which attention of an encoder–decoder is "
                      "shown")
    pivot: str | None = marking("pivot")
    a: tuple[str, ...] = marking("a")
    b: tuple[str, ...] = marking("b")
    by: str | None = marking("by")
    from_before: bool = False
    # fmt: on

    @classmethod
    def read(cls, query: Query, shape: Shape) -> tuple[Self, tuple[str, ...]]:
        """Return what a link says, as `Words.read` does; ``from_before`` is no word of it.

        A link that the app has written for a text always says which readings were drawn, if any: without them it is
        from before they were suggested, and opens as it did.
        """
        found, notes = super().read(query, shape)
        silent = not any(name.startswith("readings_") for name in query)
        return replace(found, from_before="v" in query and "text" in query and silent), notes
